//! The JSON API. Code that all versions share is here; each version owns its routes, wire format and error messages.

pub mod courses;
pub mod face;
pub mod kept;
pub mod legacy;
pub mod listing;
pub mod lists;
pub mod openapi;
pub mod participant_input;
pub mod problem;
pub mod request;
pub mod v2;
pub mod v3;
pub mod v4;
pub mod v5;
pub mod view;
#[cfg(test)]
mod wire_tests;
pub mod words;

use axum::{
    Router,
    extract::{MatchedPath, Request, State},
    http::{Method, StatusCode, Uri},
    response::Response,
    routing::MethodRouter,
};

use self::problem::ErrorReply;
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

/// The kept answer to a lookup, without the router and without waiting for anything.
pub fn at_once(app: &App, request: &Request) -> Option<Response> {
    if *request.method() != Method::GET {
        return None;
    }
    let below = request.uri().path().strip_prefix(ROOT)?;
    match below.get(..4)? {
        "/v5/" => face::at_once(app, request, v5::problem::show),
        "/v4/" => face::at_once(app, request, v4::problem::show),
        "/v3/" => v3::at_once(app, request),
        "/v2/" => v2::at_once(app, request),
        _ => None,
    }
}

async fn unknown_path(State(app): State<App>, route: MatchedPath, method: Method, uri: Uri) -> Response {
    reply::with_route(Some(route), refuse_route(&app, &method, &uri, no_such_endpoint(&app, uri.path())))
}

async fn wrong_method(State(app): State<App>, route: MatchedPath, method: Method, uri: Uri) -> Response {
    let message = format!("Method Not Allowed: {method} is not offered here");
    let reply = ErrorReply::new(StatusCode::METHOD_NOT_ALLOWED, message);
    reply::with_route(Some(route), refuse_route(&app, &method, &uri, reply))
}

/// Must differ from the message for a missing participant: a deployed client reads `Not Found` as "no recording".
fn no_such_endpoint(app: &App, path: &str) -> ErrorReply {
    let first = path.strip_prefix(ROOT).and_then(|rest| rest.strip_prefix('/')?.split('/').next());
    let version = DOCUMENTS.iter().map(|(version, _)| *version).find(|one| first == Some(*one));
    let docs = version.map_or_else(|| "/docs".to_owned(), |version| format!("/docs/{version}"));
    ErrorReply::new(StatusCode::NOT_FOUND, format!("No such endpoint: see {}{docs}", app.links.base()))
}

/// In the error format of the version in the path.
fn refuse_route(app: &App, method: &Method, uri: &Uri, reply: ErrorReply) -> Response {
    match legacy::Version::of(uri.path()) {
        Some(version) => version.refuse(app, method, reply),
        None => face::error(reply),
    }
}

/// The response to a request that no handler serves.
pub fn refuse(path: &str, refusal: Refusal) -> Response {
    let reply = ErrorReply::new(refusal.status(), refusal.message());
    match legacy::Version::of(path) {
        Some(_) if refusal.is_unparsed() => legacy::open_refusal(reply),
        Some(_) => legacy::refusal(reply),
        None => face::error(reply),
    }
}

/// Mounts a version's routes under its root. Not `Router::nest`, which would match every request twice.
fn under(root: &str, routes: impl IntoIterator<Item = (&'static str, MethodRouter<App>)>) -> Router<App> {
    at(root, routes.into_iter().map(|(path, route)| (path, open(route))))
}

/// Like `under`, but the routes bring their own CORS preflight.
fn at(root: &str, routes: impl IntoIterator<Item = (&'static str, MethodRouter<App>)>) -> Router<App> {
    routes
        .into_iter()
        .fold(Router::new(), |router, (path, route)| router.route(&format!("{root}{path}"), route))
}

/// Adds the CORS preflight to a route.
fn open(routes: MethodRouter<App>) -> MethodRouter<App> {
    routes.options(face::preflight)
}
