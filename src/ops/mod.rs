//! For operators: health probes and metrics.

mod health;
mod metrics;

use axum::{Router, http::StatusCode, routing::get};

use crate::{
    app::App,
    http::{reply, service::Draining},
};

/// On the main listener, where everybody may look.
pub fn routes(draining: Draining) -> Router<App> {
    Router::new()
        .route("/healthz", get(health::alive))
        .route("/readyz", get(move |state| health::ready(state, draining)))
}

/// Only `/metrics`, for a listener of its own: they show how much an installation is used, and how it fails.
pub fn metrics_only() -> Router<App> {
    let not_allowed = async || reply::message(StatusCode::METHOD_NOT_ALLOWED, "Method Not Allowed");
    let not_found = async || reply::message(StatusCode::NOT_FOUND, "Not Found");
    Router::new()
        .route("/metrics", get(metrics::show))
        .method_not_allowed_fallback(not_allowed)
        .fallback(not_found)
}
