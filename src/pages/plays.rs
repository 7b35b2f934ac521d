//! Counts plays of recordings (ADR 22).

use axum::http::{HeaderMap, Method, StatusCode, Uri, header};

use crate::{
    app::{App, plays},
    domain::{ids::InstitutionId, play::Place},
    http::plays::is_play,
};

/// Counts the response to a request for a recording, if it is a play.
pub fn count(
    app: &App,
    (method, uri, headers): (&Method, &Uri, &HeaderMap),
    (institution, hex): (InstitutionId, &str),
    status: StatusCode,
) {
    if !is_play(method, headers, status) {
        return;
    }
    let referer = headers.get(header::REFERER).and_then(|value| value.to_str().ok());
    if let Some(place) = Place::read(uri.query(), referer, app.links.base()) {
        plays::count(app, institution, hex, place);
    }
}
