//! Version 2: names by access code, without a token, for pages that allow it.

pub mod names;
pub mod problem;

use axum::{
    Router,
    extract::{Request, State},
    response::Response,
};

use super::{
    at,
    legacy::{self, LegacyRequest, PARTICIPANTS, Version},
};
use crate::{
    app::App,
    http::{reply, routing::get},
};

pub const ROOT: &str = "/api/private/v2";

pub fn routes() -> Router<App> {
    let list = || get(serve).options(legacy::preflight);
    // The documented base URL already ends in `/names`, so some clients append the path to it.
    at(ROOT, [("/names", list()), ("/names/names", list())])
}

/// The kept answer to a GET, if there is one.
pub fn at_once(app: &App, request: &Request) -> Option<Response> {
    let finish = |response, quota| Version::V2.finish(app, response, PARTICIPANTS, Some(quota));
    Some(names::at_once(app, request)?.finish(problem::show, finish))
}

async fn serve(State(app): State<App>, request: Request) -> Response {
    let call = LegacyRequest::read(&app, request).await;
    let (result, quota) = names::list(&app, &call).await;
    let response = result.unwrap_or_else(problem::show);
    let response = Version::V2.finish(&app, response, PARTICIPANTS, quota);
    reply::with_route(call.route, response)
}
