//! Public metadata of the LTI tool.

use axum::{
    body::Body,
    extract::State,
    http::{HeaderValue, StatusCode, header},
    response::Response,
};
use serde_json::Value;

use crate::app::{
    App, Error,
    lti::{keys, registrations},
};

/// The public keys (JWKS).
pub async fn keys(State(app): State<App>) -> Response {
    match keys::shown(&app).await {
        Ok(shown) => json(&shown),
        Err(error) => trouble(&error),
    }
}

/// The configuration for developer keys that a Canvas administrator creates manually.
pub async fn canvas(State(app): State<App>) -> Response {
    json(&registrations::canvas(&app))
}

/// The icon that learning systems show next to the tool's name.
pub async fn icon() -> Response {
    static ICON: &[u8] = include_bytes!("../../assets/icon.png");
    let mut response = Response::new(Body::from(ICON));
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("image/png"));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("public, max-age=86400"));
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    response
}

fn json(value: &Value) -> Response {
    let mut response = Response::new(Body::from(value.to_string()));
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    // Caching is safe: a new key is published a day before it signs.
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("public, max-age=300"));
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    response
}

fn trouble(error: &Error) -> Response {
    tracing::error!(%error, "reading the LTI keys failed");
    let mut response = Response::new(Body::empty());
    *response.status_mut() = StatusCode::SERVICE_UNAVAILABLE;
    response
}
