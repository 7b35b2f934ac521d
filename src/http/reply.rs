//! Responses: JSON, redirects, and extensions for the access log.

use std::sync::Arc;

use axum::{
    body::Body,
    extract::{MatchedPath, Request},
    http::{HeaderMap, HeaderValue, StatusCode, header},
    middleware::Next,
    response::Response,
};
use serde::Serialize;

pub const INTERNAL: &str = "Internal Server Error: the log has the cause under this answer's X-Request-Id";
const JSON: HeaderValue = HeaderValue::from_static("application/json; charset=utf-8");
/// Responses contain personal data and must not be cached.
const NO_STORE: HeaderValue = HeaderValue::from_static("no-store");
const NO_SNIFF: HeaderValue = HeaderValue::from_static("nosniff");
/// About the number of headers of a response, to allocate once.
pub const HEADERS: usize = 14;
/// How long a client waits before it tries again, if the server is busy.
pub const BUSY_SECONDS: u64 = 5;

/// The cause of an internal error. A response extension, logged once with the request id.
#[derive(Debug, Clone)]
pub struct Cause(pub String);

/// The route of a response that did not pass through the router, for logs and metrics.
#[derive(Debug, Clone)]
pub enum Route {
    Fixed(&'static str),
    /// The one that was matched when the response was first made.
    Matched(Arc<str>),
}

impl Route {
    pub fn as_str(&self) -> &str {
        match self {
            Self::Fixed(route) => route,
            Self::Matched(route) => route,
        }
    }
}

/// Middleware: copies the matched route to the response, for logs and metrics.
pub async fn set_route(request: Request, next: Next) -> Response {
    let route = request.extensions().get::<MatchedPath>().cloned();
    with_route(route, next.run(request).await)
}

/// Sets the matched route of a response.
pub fn with_route(route: Option<MatchedPath>, mut response: Response) -> Response {
    if let Some(route) = route {
        response.extensions_mut().insert(route);
    }
    response
}

pub fn json(status: StatusCode, value: &impl Serialize) -> Response {
    match serde_json::to_vec(value) {
        Ok(bytes) => raw_json(status, Body::from(bytes)),
        Err(error) => {
            let mut response = message(StatusCode::INTERNAL_SERVER_ERROR, INTERNAL);
            response.extensions_mut().insert(Cause(format!("serializing a response failed: {error}")));
            response
        }
    }
}

pub fn raw_json(status: StatusCode, body: Body) -> Response {
    let mut response = Response::new(body);
    *response.status_mut() = status;
    let headers = response.headers_mut();
    headers.reserve(HEADERS);
    headers.insert(header::CONTENT_TYPE, JSON);
    headers.insert(header::CACHE_CONTROL, NO_STORE);
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, NO_SNIFF);
    response
}

/// Does the client prefer JSON to a page? Our scripts do, and forms do not.
pub fn is_json_wanted(headers: &HeaderMap) -> bool {
    let accepted = headers.get(header::ACCEPT).and_then(|value| value.to_str().ok());
    accepted.is_some_and(|accepted| accepted.trim_start().starts_with("application/json"))
}

pub fn message(status: StatusCode, message: &str) -> Response {
    let text = serde_json::json!({ "message": message }).to_string();
    raw_json(status, Body::from(text))
}

/// Tells the client when it may ask again.
pub fn with_retry_after(mut response: Response, seconds: u64) -> Response {
    response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(seconds));
    response
}

/// After a form was accepted, so that a reload does not send it again (post/redirect/get).
pub fn see_other(address: &str) -> Response {
    redirect(StatusCode::SEE_OTHER, address)
}

/// A redirect that is not cached, because the URL may contain a secret.
pub fn redirect(status: StatusCode, address: &str) -> Response {
    let mut response = Response::new(Body::empty());
    *response.status_mut() = status;
    let headers = response.headers_mut();
    if let Ok(address) = HeaderValue::try_from(address) {
        headers.insert(header::LOCATION, address);
    }
    headers.insert(header::CACHE_CONTROL, NO_STORE);
    response
}
