//! Version 2: names by access code, without a token, of pages that are open to that.

pub mod names;
pub mod problem;
pub mod wire;

use axum::{
    Router,
    extract::{Request, State},
    response::Response,
    routing::get,
};

use super::{
    at,
    legacy::{self, Call, PARTICIPANTS, Version},
};
use crate::app::App;
use crate::http::reply;

pub const ROOT: &str = "/api/private/v2";

pub fn routes() -> Router<App> {
    let list = || get(serve).options(legacy::preflight);
    // The contract's root ends in `/names` already, and whoever takes it at its word puts the path behind that.
    at(ROOT, [("/names", list()), ("/names/names", list())])
}

async fn serve(State(app): State<App>, request: Request) -> Response {
    let call = Call::read(&app, request).await;
    let (answered, standing) = names::list(&app, &call).await;
    let response = answered.unwrap_or_else(problem::show);
    let response = Version::V2.finish(&app, response, PARTICIPANTS, standing);
    reply::named(call.route, response)
}
