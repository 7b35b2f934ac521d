//! Version 4: reads in the institution and per name page, create on a name page.

pub mod name_pages;
pub mod participants;
pub mod problem;
pub mod wire;

use std::future::Future;

use axum::{
    Router,
    extract::{Request, State},
    response::Response,
    routing::get,
};

use futures_util::FutureExt;

use super::{ask::Ask, face, open, problem::Problem};
use crate::app::App;

pub const ROOT: &str = "/api/private/v4";
const HIGHEST_ICON: u64 = 2;

pub fn routes() -> Router<App> {
    Router::new()
        .route("/participants", open(get(on(participants::list))))
        .route("/participants/search", open(get(on(participants::search)).post(on(participants::search))))
        .route("/participants/latest", open(get(on(participants::latest))))
        .route("/participants/{id_or_email}", open(get(on(participants::show))))
        .route(
            "/name_pages/{name_page_id}/participants",
            open(get(on(name_pages::list)).post(on(name_pages::create))),
        )
        .route("/name_pages/{name_page_id}/participants/{id_or_email}", open(get(on(name_pages::show))))
}

/// A handler of this version, with its words for what goes wrong.
fn on<F, Fut>(handler: F) -> impl face::Route
where
    F: FnOnce(App, Ask) -> Fut + Clone + Send + Sync + 'static,
    Fut: Future<Output = Result<Response, Problem>> + Send + 'static,
{
    move |State(app): State<App>, request: Request| {
        face::serve(app, request, handler.clone(), problem::show).boxed()
    }
}
