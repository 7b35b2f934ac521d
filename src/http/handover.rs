//! "Continue on your phone": the QR code of a link that opens a person's own page on another device, and the responses that the
//! recorder's script reads.

use askama::Template;
use axum::{http::StatusCode, response::Response};
use fast_qr::{QRBuilder, convert::svg::SvgBuilder};
use serde_json::json;

use super::{
    page::{self, Microphone, Page},
    policy::{Forms, Policy},
    reply,
};
use crate::{
    app::{Error, Result, sign_in::Handover},
    domain::sign_in::HandoverState,
};

/// The QR code of a link, as SVG.
pub fn qr_code(link: &str) -> Result<String> {
    let code = QRBuilder::new(link).build();
    let code = code.map_err(|error| Error::Internal(format!("making a QR code failed: {error:?}")))?;
    Ok(SvgBuilder::default().to_str(&code))
}

/// The link and its code, for the script.
pub fn created(handover: &Handover, svg: &str) -> Response {
    let made = json!({ "id": handover.id.to_string(), "link": handover.link, "svg": svg });
    reply::json(StatusCode::CREATED, &made)
}

#[derive(Template)]
#[template(path = "handover.html")]
struct HandoverPage<'a> {
    page: Page<'a>,
    link: &'a str,
    svg: &'a str,
}

/// The same as a page, for browsers without JavaScript. It leads back to the path of `page`.
pub fn shown(page: Page<'_>, handover: &Handover, svg: &str) -> Response {
    let shown = HandoverPage { page, link: &handover.link, svg };
    let policy = Policy { forms: Forms::SelfOnly, ..Policy::default() };
    page::private(StatusCode::OK, &shown, policy, Microphone::Unused)
}

/// What has become of a link. `None` if there is no such link.
pub fn state(state: Option<HandoverState>) -> Response {
    let (status, word) = match state {
        Some(HandoverState::Waiting | HandoverState::Opened) => (StatusCode::OK, "waiting"),
        Some(HandoverState::Recorded) => (StatusCode::OK, "arrived"),
        Some(HandoverState::Expired) => (StatusCode::OK, "expired"),
        None => (StatusCode::NOT_FOUND, "expired"),
    };
    reply::json(status, &json!({ "state": word }))
}
