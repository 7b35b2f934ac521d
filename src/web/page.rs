//! The first page, and the page for addresses that lead nowhere.

use askama::Template;
use axum::{
    extract::State,
    http::{HeaderValue, StatusCode, header},
    response::Response,
};

use crate::app::App;

#[derive(Template)]
#[template(path = "home.html")]
struct Home<'a> {
    base_url: &'a str,
    version: &'a str,
}

#[derive(Template)]
#[template(path = "unknown.html")]
struct Unknown;

pub async fn home(State(app): State<App>) -> Response {
    html(StatusCode::OK, &Home { base_url: app.links.base(), version: env!("CARGO_PKG_VERSION") })
}

/// The cause is in the log.
pub fn trouble() -> Response {
    html(StatusCode::INTERNAL_SERVER_ERROR, &Unknown)
}

pub async fn unknown() -> Response {
    html(StatusCode::NOT_FOUND, &Unknown)
}

/// Nothing from elsewhere, and no scripts.
const POLICY: HeaderValue = HeaderValue::from_static(
    "default-src 'none'; style-src 'self'; img-src 'self' data:; media-src 'self'; base-uri 'none'; form-action 'none'",
);

pub fn html(status: StatusCode, page: &impl Template) -> Response {
    let (status, text) = match page.render() {
        Ok(text) => (status, text),
        Err(error) => {
            tracing::error!(%error, "a page could not be written");
            (StatusCode::INTERNAL_SERVER_ERROR, "Something went wrong.".to_owned())
        }
    };
    let mut response = Response::new(text.into());
    *response.status_mut() = status;
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("text/html; charset=utf-8"));
    headers.insert(header::CONTENT_SECURITY_POLICY, POLICY);
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(header::REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    response
}
