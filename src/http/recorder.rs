//! What the recorder (`templates/parts/recorder.html`) needs to know.

use axum::{http::StatusCode, response::Response};
use serde_json::json;

use super::reply;
use crate::app::App;

/// A longer take has more than a name in it.
const TAKE_SECONDS: u64 = 10;

/// The length of a take, in seconds: never longer than a recording that the server accepts.
pub fn take_seconds(app: &App) -> u64 {
    TAKE_SECONDS.min(app.studio.settings.sound.longest.as_secs())
}

pub struct Recorder<'a> {
    /// The id of its element.
    pub id: &'a str,
    /// Where takes and files are posted.
    pub action: &'a str,
    pub csrf: &'a str,
    /// The length of a take, in seconds.
    pub limit: u64,
    /// The id of the element that shows the current recording.
    pub part: &'a str,
    /// Where a link for the phone is requested.
    pub handover: Option<&'a str>,
    /// Where the person asks to be called.
    pub call: Option<&'a str>,
    /// This page outside of a frame.
    pub window: &'a str,
    /// Why the server refused the file.
    pub fault: Option<&'a str>,
    /// Hidden fields of the form.
    pub fields: &'a [(&'a str, &'a str)],
}

/// Why a take was refused, which the recorder shows next to it. The code is `consent` if the person has to agree first.
pub fn refusal(status: StatusCode, sentence: &str, code: Option<&str>) -> Response {
    let mut refusal = json!({ "message": sentence, "field": "recording" });
    if let Some(code) = code {
        refusal["code"] = code.into();
    }
    reply::json(status, &refusal)
}
