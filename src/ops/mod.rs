//! For operators: health probes and metrics.

mod health;
pub mod metrics;

use axum::{Router, http::StatusCode, routing::get};

use crate::{
    app::App,
    http::{reply, service::Draining},
};
use metrics::Metrics;

pub fn routes(draining: Draining, metrics: Metrics) -> Router<App> {
    Router::new()
        .route("/healthz", get(health::alive))
        .route("/readyz", get(move |state| health::ready(state, draining)))
        .merge(metrics.routes())
}

/// Only `/metrics`.
pub fn metrics_only() -> Router<App> {
    let not_allowed = async || reply::message(StatusCode::METHOD_NOT_ALLOWED, "Method Not Allowed");
    let not_found = async || reply::message(StatusCode::NOT_FOUND, "Not Found");
    Metrics::Enabled.routes().method_not_allowed_fallback(not_allowed).fallback(not_found)
}
