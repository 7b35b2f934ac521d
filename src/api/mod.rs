//! The JSON faces. What all versions share stands here; each version owns its routes, shapes and words.

pub mod ask;
pub mod courses;
pub mod face;
pub mod legacy;
pub mod listing;
pub mod lists;
pub mod openapi;
pub mod participant_input;
pub mod problem;
pub mod v2;
pub mod v3;
pub mod v4;
pub mod v5;
pub mod view;
pub mod words;

use axum::{
    Router,
    extract::{MatchedPath, State},
    http::{Method, StatusCode, Uri},
    response::Response,
    routing::MethodRouter,
};

use self::problem::Told;
use crate::http::reply;
use crate::{
    app::App,
    http::{openapi::DOCUMENTS, refusal::Refusal},
};

pub const ROOT: &str = "/api/private";

pub fn routes() -> Router<App> {
    Router::new()
        .merge(v5::routes())
        .merge(v4::routes())
        .merge(v3::routes())
        .merge(v2::routes())
        .merge(openapi::routes())
        .route("/api", axum::routing::any(unknown_path))
        .route("/api/", axum::routing::any(unknown_path))
        .route("/api/{*rest}", axum::routing::any(unknown_path))
        .method_not_allowed_fallback(wrong_method)
}

async fn unknown_path(State(app): State<App>, route: MatchedPath, method: Method, uri: Uri) -> Response {
    reply::named(Some(route), refuse_route(&app, &method, &uri, no_such_endpoint(&app, uri.path())))
}

async fn wrong_method(State(app): State<App>, route: MatchedPath, method: Method, uri: Uri) -> Response {
    let message = format!("Method Not Allowed: {method} is not offered here");
    let told = Told::new(StatusCode::METHOD_NOT_ALLOWED, message);
    reply::named(Some(route), refuse_route(&app, &method, &uri, told))
}

/// Must differ from the message for a missing person: a deployed client reads `Not Found` as "no recording".
fn no_such_endpoint(app: &App, path: &str) -> Told {
    let first = path.strip_prefix(ROOT).and_then(|rest| rest.strip_prefix('/')?.split('/').next());
    let version = DOCUMENTS.iter().map(|(version, _)| *version).find(|one| first == Some(*one));
    let docs = version.map_or_else(|| "/docs".to_owned(), |version| format!("/docs/{version}"));
    Told::new(StatusCode::NOT_FOUND, format!("No such endpoint: see {}{docs}", app.links.base()))
}

/// In the shape of the version that the path begins with.
fn refuse_route(app: &App, method: &Method, uri: &Uri, told: Told) -> Response {
    match legacy::Version::of(uri.path()) {
        Some(version) => version.refuse(app, method, told),
        None => face::told(told),
    }
}

/// What no handler answers.
pub fn refuse(path: &str, refusal: Refusal) -> Response {
    let told = Told::new(refusal.status(), refusal.message());
    match legacy::Version::of(path) {
        Some(_) => legacy::open_refusal(told),
        None => face::told(told),
    }
}

/// A version's paths under its root. Not `Router::nest`: that would match every request twice.
fn under(root: &str, routes: impl IntoIterator<Item = (&'static str, MethodRouter<App>)>) -> Router<App> {
    at(root, routes.into_iter().map(|(path, route)| (path, open(route))))
}

/// The same, where each route says itself who may ask about it.
fn at(root: &str, routes: impl IntoIterator<Item = (&'static str, MethodRouter<App>)>) -> Router<App> {
    routes
        .into_iter()
        .fold(Router::new(), |router, (path, route)| router.route(&format!("{root}{path}"), route))
}

/// A route that pages of other origins may ask about before they call it.
fn open(routes: MethodRouter<App>) -> MethodRouter<App> {
    routes.options(face::preflight)
}
