//! `/metrics` for Prometheus: on the port of everything else, at an address of its own, or nowhere.

use std::sync::Arc;

use axum::{
    Router,
    body::Body,
    extract::{Request, State},
    http::{HeaderValue, StatusCode, header},
    middleware,
    response::Response,
    routing::get,
};
use futures_util::FutureExt;
use tower_service::Service;

use crate::{
    api::face,
    app::{App, health},
    server::{self, Site},
    telemetry::metrics,
};

/// Are the figures part of the site?
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Metrics {
    Here,
    NotHere,
}

impl Metrics {
    pub(super) fn routes(self) -> Router<App> {
        match self {
            Self::Here => Router::new().route("/metrics", get(show)),
            Self::NotHere => Router::new(),
        }
    }
}

/// A site that has the figures and nothing else.
pub fn alone(app: App) -> Site {
    let not_allowed = async || face::message(StatusCode::METHOD_NOT_ALLOWED, "Method Not Allowed");
    let router = Metrics::Here.routes().method_not_allowed_fallback(not_allowed);
    let router = router.layer(middleware::from_fn(server::name_route));
    let router = router.fallback(async || face::message(StatusCode::NOT_FOUND, "Not Found")).with_state(app);
    Arc::new(move |request: Request| {
        let mut router = router.clone();
        async move { router.call(request).await.unwrap_or_else(|never| match never {}) }.boxed()
    })
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
