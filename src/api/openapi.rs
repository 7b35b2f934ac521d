//! Serves the OpenAPI documents: one per version, written by hand, since the contract is fixed. Tests check responses
//! against them. No token is needed, nor for the `documentation` paths, which redirect to the reference.

use axum::{
    Router,
    body::Body,
    extract::{MatchedPath, State},
    http::{HeaderValue, StatusCode, Uri, header},
    response::Response,
    routing::get,
};

use super::legacy;
use crate::http::reply;
use crate::{app::App, http::openapi::DOCUMENTS};

/// Versions whose `documentation` path deployed systems link to.
const LINKED_VERSIONS: [&str; 2] = ["v5", "v4"];

pub fn routes() -> Router<App> {
    let documents = DOCUMENTS.iter().fold(Router::new(), |router, (version, text)| {
        let show = move |State(app): State<App>, route: MatchedPath, uri: Uri| async move {
            reply::with_route(Some(route), show(&app, &uri, text))
        };
        router.route(&format!("{}/{version}/openapi.json", super::ROOT), get(show))
    });
    LINKED_VERSIONS.iter().fold(documents, |router, version| {
        let lead = move |State(app): State<App>, route: MatchedPath| async move {
            reply::with_route(Some(route), reference(&app, version))
        };
        router.route(&format!("{}/{version}/documentation", super::ROOT), get(lead))
    })
}

/// Redirects to the reference page under `/docs`.
fn reference(app: &App, version: &str) -> Response {
    let mut response = reply::raw_json(StatusCode::FOUND, Body::empty());
    if let Ok(address) = HeaderValue::from_str(&format!("{}/docs/{version}", app.links.base())) {
        response.headers_mut().insert(header::LOCATION, address);
    }
    response
}

/// Contains the base URL of this installation, so that tools can call it without changes.
fn show(app: &App, uri: &Uri, text: &str) -> Response {
    let response = reply::raw_json(StatusCode::OK, Body::from(text.replace("{base_url}", app.links.base())));
    match legacy::Version::of(uri.path()) {
        Some(version) => version.finish(app, response, legacy::DOCUMENT, None),
        None => response,
    }
}
