//! Webhooks: callbacks from the vendors of telephony services.

mod phone;

use axum::{
    Router,
    body::Body,
    http::{HeaderValue, header},
    response::Response,
};

use crate::{app::App, http::refusal::Refusal};

pub fn routes() -> Router<App> {
    phone::routes()
}

/// Vendors look only at the status.
pub fn refuse(refusal: Refusal) -> Response {
    let mut response = Response::new(Body::empty());
    *response.status_mut() = refusal.status();
    response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}
