//! What the recorder (`templates/parts/recorder.html`) needs to know, and the responses that its script reads.

use askama::Template;
use axum::{http::StatusCode, response::Response};
use serde_json::json;

use super::{page::Page, reply};

pub struct Recorder<'a> {
    /// The id of its element, unique on the page.
    pub id: &'a str,
    /// Where takes and files are posted.
    pub action: &'a str,
    pub csrf: &'a str,
    /// The id of the sentence that says what to do.
    pub ready: &'static str,
    /// The length of a take, in seconds.
    pub limit: u64,
    /// The id of the element that shows the current recording, which is reloaded when there is a new one. May be empty.
    pub part: &'a str,
    /// Where a link for the phone is requested. The state of a link is at the same path with its id.
    pub handover: Option<&'a str>,
    /// Where the person asks to be called.
    pub call: Option<&'a str>,
    /// This page outside of a frame.
    pub window: &'a str,
    /// Why the server refused the file that was posted without JavaScript.
    pub fault: Option<&'a str>,
    /// Hidden fields of the form, which are sent with takes, too.
    pub fields: &'a [(&'a str, &'a str)],
}

impl Recorder<'_> {
    pub fn shown<'a>(&'a self, page: &'a Page<'a>) -> RecorderView<'a> {
        RecorderView { recorder: self, page }
    }
}

#[derive(Template)]
#[template(path = "parts/recorder.html")]
pub struct RecorderView<'a> {
    recorder: &'a Recorder<'a>,
    page: &'a Page<'a>,
}

/// A take was stored. There is no link while nobody may hear it.
pub fn kept(link: Option<&str>) -> Response {
    reply::json(StatusCode::CREATED, &json!({ "recording": { "link": link } }))
}

/// A take was not stored, for this reason. The recorder shows it next to the take.
/// The code is `consent` if the person has to agree first.
pub fn refused(status: StatusCode, message: &str, code: Option<&str>) -> Response {
    let mut refusal = json!({ "message": message, "field": "recording" });
    if let Some(code) = code {
        refusal["code"] = code.into();
    }
    reply::json(status, &refusal)
}
