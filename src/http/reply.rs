//! Replies: JSON, redirects, and what travels with a response to the access log.

use axum::{
    body::Body,
    extract::{MatchedPath, Request},
    http::{HeaderValue, StatusCode, header},
    middleware::Next,
    response::Response,
};
use serde::Serialize;

pub const INTERNAL: &str = "Internal Server Error: the log has the cause under this answer's X-Request-Id";
const JSON: HeaderValue = HeaderValue::from_static("application/json; charset=utf-8");
/// Answers hold people's data: no browser and no proxy keeps them.
const NO_STORE: HeaderValue = HeaderValue::from_static("no-store");
const NO_SNIFF: HeaderValue = HeaderValue::from_static("nosniff");

/// Why an answer is a fault of ours. Travels with the answer to where it is logged, once, with the request's id.
#[derive(Debug, Clone)]
pub struct Cause(pub String);

/// The route of a response that no router has seen, for the log and the metrics.
#[derive(Debug, Clone, Copy)]
pub struct Route(pub &'static str);

/// Puts the route of a request into its response, for the log and the metrics.
pub async fn name_route(request: Request, next: Next) -> Response {
    let route = request.extensions().get::<MatchedPath>().cloned();
    named(route, next.run(request).await)
}

/// The same where the handler knows its route.
pub fn named(route: Option<MatchedPath>, mut response: Response) -> Response {
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
            response.extensions_mut().insert(Cause(format!("an answer could not be written: {error}")));
            response
        }
    }
}

pub fn raw_json(status: StatusCode, body: Body) -> Response {
    let mut response = Response::new(body);
    *response.status_mut() = status;
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, JSON);
    headers.insert(header::CACHE_CONTROL, NO_STORE);
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, NO_SNIFF);
    response
}

pub fn message(status: StatusCode, message: &str) -> Response {
    let text = serde_json::json!({ "message": message }).to_string();
    raw_json(status, Body::from(text))
}

/// After a form was accepted: the browser loads the page anew, and a reload does not send the form again.
pub fn see_other(address: &str) -> Response {
    redirect(StatusCode::SEE_OTHER, address)
}

/// To an address that may carry a secret, so that nobody keeps it.
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
