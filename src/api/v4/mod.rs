//! Version 4: reads in the institution and per name page, create on a name page, exports.

pub mod exports;
pub mod name_pages;
pub mod participants;
pub mod problem;
pub mod report;
pub mod wire;

use std::future::Future;

use axum::{
    Router,
    extract::{Request, State},
    response::Response,
    routing::get,
};

use futures_util::FutureExt;

use super::{ask::Ask, embeds::Dialect, face, problem::Problem, under};
use crate::app::App;

pub const ROOT: &str = "/api/private/v4";
const DIALECT: Dialect = Dialect { highest_icon: 2, legal_embeddables: false };

pub fn routes() -> Router<App> {
    under(
        ROOT,
        [
            ("/participants", get(on(participants::list))),
            ("/participants/search", get(on(participants::search)).post(on(participants::search))),
            ("/participants/latest", get(on(participants::latest))),
            ("/participants/{id_or_email}", get(on(participants::show))),
            (
                "/name_pages/{name_page_id}/participants",
                get(on(name_pages::list)).post(on(name_pages::create)),
            ),
            ("/name_pages/{name_page_id}/participants/{id_or_email}", get(on(name_pages::show))),
            ("/exports", get(on(exports::list)).post(on(exports::create))),
            ("/exports/{id}", get(on(exports::show))),
        ],
    )
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
