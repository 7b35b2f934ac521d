//! Public metadata of the LTI tool.

use axum::{
    body::Body,
    extract::State,
    http::{HeaderMap, HeaderValue, StatusCode, Uri, header},
    response::Response,
};
use serde_json::Value;

use super::{
    institution_in,
    pages::{self, Appearance},
};
use crate::{
    app::{
        App, Error,
        lti::{Fault, entrance::Entrance, keys, registrations},
    },
    http::refusal::Refusal,
};

/// The public keys (JWKS).
pub async fn keys(State(app): State<App>, headers: HeaderMap, uri: Uri) -> Response {
    let at = match Entrance::find(&app, institution_in(uri.path())).await {
        Ok(at) => at,
        Err(fault) => return unknown(&app, &headers, fault),
    };
    match keys::shown(&app, at.keys()).await {
        Ok(shown) => json(&shown),
        Err(error) => trouble(&error),
    }
}

/// The configuration for developer keys that a Canvas administrator creates manually.
pub async fn canvas(State(app): State<App>, headers: HeaderMap, uri: Uri) -> Response {
    match Entrance::find(&app, institution_in(uri.path())).await {
        Ok(at) => json(&registrations::canvas(&app, &at)),
        Err(fault) => unknown(&app, &headers, fault),
    }
}

/// There is no institution with this slug.
fn unknown(app: &App, headers: &HeaderMap, fault: Fault) -> Response {
    match fault {
        Fault::Refused { .. } => pages::refuse(app, Appearance::of(headers).language, Refusal::NotFound),
        fault @ Fault::Trouble { .. } => pages::fault(app, Appearance::of(headers), fault),
    }
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
