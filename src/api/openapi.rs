//! The OpenAPI documents: one per version, written by hand, since the contract is fixed. Tests hold answers against
//! them. They need no token.

use axum::{
    Router,
    body::Body,
    extract::{MatchedPath, State},
    http::{StatusCode, Uri},
    response::Response,
    routing::get,
};

use super::{face, legacy};
use crate::app::App;

/// Newest first.
pub const DOCUMENTS: [(&str, &str); 4] = [
    ("v5", include_str!("../../assets/openapi/v5.json")),
    ("v4", include_str!("../../assets/openapi/v4.json")),
    ("v3", include_str!("../../assets/openapi/v3.json")),
    ("v2", include_str!("../../assets/openapi/v2.json")),
];

pub fn routes() -> Router<App> {
    DOCUMENTS.iter().fold(Router::new(), |router, (version, text)| {
        let show = move |State(app): State<App>, route: MatchedPath, uri: Uri| async move {
            face::named(Some(route), show(&app, &uri, text))
        };
        router.route(&format!("{}/{version}/openapi.json", super::ROOT), get(show))
    })
}

/// With this installation's own address, so that tools can call it as it stands.
fn show(app: &App, uri: &Uri, text: &str) -> Response {
    let response = face::raw_json(StatusCode::OK, Body::from(text.replace("{base_url}", app.links.base())));
    match legacy::Version::of(uri.path()) {
        Some(version) => version.finish(app, response, legacy::DOCUMENT, None),
        None => response,
    }
}
