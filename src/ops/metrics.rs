//! `/metrics` for Prometheus: on the main listener, on its own, or disabled.

use axum::{
    Router,
    body::Body,
    extract::State,
    http::{HeaderValue, header},
    response::Response,
    routing::get,
};

use crate::{
    app::{App, health},
    telemetry::metrics,
};

/// Does the main listener serve `/metrics`?
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Metrics {
    Enabled,
    Disabled,
}

impl Metrics {
    pub(super) fn routes(self) -> Router<App> {
        match self {
            Self::Enabled => Router::new().route("/metrics", get(show)),
            Self::Disabled => Router::new(),
        }
    }
}

async fn show(State(app): State<App>) -> Response {
    health::measure(&app).await;
    let mut response = Response::new(Body::from(metrics::exposition()));
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(metrics::CONTENT_TYPE));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    response
}
