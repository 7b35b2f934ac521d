//! `/metrics` for Prometheus.

use axum::{
    body::Body,
    extract::State,
    http::{HeaderValue, header},
    response::Response,
};

use crate::{
    app::{App, health},
    telemetry::metrics,
};

pub async fn show(State(app): State<App>) -> Response {
    health::measure(&app).await;
    let mut response = Response::new(Body::from(metrics::exposition()));
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(metrics::CONTENT_TYPE));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    response
}
