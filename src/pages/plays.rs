//! Counts plays of recordings (ADR 22).

use axum::http::{StatusCode, header, request::Parts};

use crate::{
    app::{App, plays},
    domain::{ids::InstitutionId, play::Place},
    http::plays::is_play,
};

/// Counts the response to a request for a recording, if it is a play.
pub fn count(app: &App, request: &Parts, institution: InstitutionId, hex: &str, status: StatusCode) {
    if !is_play(&request.method, &request.headers, status) {
        return;
    }
    let referer = request.headers.get(header::REFERER).and_then(|value| value.to_str().ok());
    if let Some(place) = Place::read(request.uri.query(), referer, app.links.base()) {
        plays::count(app, institution, hex, place);
    }
}
