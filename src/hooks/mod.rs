//! What vendors call back: a cloud that makes calls.

mod phone;

use axum::{Router, body::Body, response::Response};

use crate::{app::App, http::refusal::Refusal};

pub fn routes() -> Router<App> {
    phone::routes()
}

/// Vendors read the status alone.
pub fn refuse(refusal: Refusal) -> Response {
    let mut response = Response::new(Body::empty());
    *response.status_mut() = refusal.status();
    response
}
