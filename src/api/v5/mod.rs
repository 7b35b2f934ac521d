//! Version 5: create, read, update and delete; lists are wrapped in `Response`.

pub mod participants;
pub mod problem;
pub mod pronunciations;
pub mod wire;

use std::future::Future;

use axum::{
    Router,
    extract::{Request, State},
    response::Response,
    routing::{delete, get, post, put},
};

use futures_util::FutureExt;

use super::{ask::Ask, embeds::Dialect, face, problem::Problem, under};
use crate::app::App;

pub const ROOT: &str = "/api/private/v5";
/// 3 is another name of 2.
const DIALECT: Dialect = Dialect { highest_icon: 3, legal_embeddables: true };

pub fn routes() -> Router<App> {
    under(
        ROOT,
        [
            ("/participants", get(on(participants::list)).post(on(participants::create))),
            ("/participants/search", get(on(participants::search)).post(on(participants::search))),
            ("/participants/latest", get(on(participants::latest))),
            ("/participants/{user_email}", put(on(participants::update)).delete(on(participants::delete))),
            ("/participants/{user_email}/pronunciations/{recording_id}", delete(on(pronunciations::delete))),
            ("/pronunciations/search", post(on(pronunciations::search))),
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
