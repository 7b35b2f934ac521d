//! The JSON faces. What all versions share stands here; each version owns its routes, shapes and words.

pub mod ask;
pub mod embeds;
pub mod face;
pub mod listing;
pub mod lists;
pub mod openapi;
pub mod params;
pub mod participant_input;
pub mod problem;
pub mod v4;
pub mod v5;
pub mod view;

use axum::{
    Router,
    extract::MatchedPath,
    http::{Method, StatusCode},
    response::Response,
    routing::MethodRouter,
};

use crate::app::App;

pub const ROOT: &str = "/api/private";

pub fn routes() -> Router<App> {
    Router::new()
        .merge(v5::routes())
        .merge(v4::routes())
        .merge(openapi::routes())
        .route("/api", axum::routing::any(unknown_path))
        .route("/api/{*rest}", axum::routing::any(unknown_path))
        .method_not_allowed_fallback(wrong_method)
}

async fn unknown_path(route: MatchedPath) -> Response {
    face::named(Some(route), face::message(StatusCode::NOT_FOUND, "Not Found"))
}

async fn wrong_method(route: MatchedPath, method: Method) -> Response {
    let why = format!("Method Not Allowed: {method} is not offered here");
    face::named(Some(route), face::message(StatusCode::METHOD_NOT_ALLOWED, &why))
}

/// A version's paths under its root. Not `Router::nest`: that would match every request twice.
fn under(root: &str, routes: impl IntoIterator<Item = (&'static str, MethodRouter<App>)>) -> Router<App> {
    routes
        .into_iter()
        .fold(Router::new(), |router, (path, route)| router.route(&format!("{root}{path}"), open(route)))
}

/// A route that pages of other origins may ask about before they call it.
fn open(routes: MethodRouter<App>) -> MethodRouter<App> {
    routes.options(face::preflight)
}
