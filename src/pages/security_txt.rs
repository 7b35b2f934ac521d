//! `/.well-known/security.txt`: how to report a vulnerability (RFC 9116).

use axum::{
    extract::State,
    http::{HeaderMap, StatusCode, header},
    response::{IntoResponse, Response},
};

use super::page;
use crate::{app::App, domain::language::Language};

pub const PATH: &str = "/.well-known/security.txt";

/// Not found unless the operator has set a contact.
pub async fn show(State(app): State<App>, headers: HeaderMap) -> Response {
    let Some(about) = &app.security_txt else { return page::unknown(State(app), headers).await };
    let languages: Vec<&str> = Language::ALL.iter().map(|language| language.tag()).collect();
    let address = format!("{}{PATH}", app.links.base());
    let text = about.text(&address, app.clock.now(), &languages.join(", "));
    (StatusCode::OK, [(header::CONTENT_TYPE, "text/plain; charset=utf-8")], text).into_response()
}
