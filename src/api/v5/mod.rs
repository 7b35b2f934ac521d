//! Version 5: create, read, update and delete; lists are wrapped in `Response`.

pub mod courses;
pub mod participants;
pub mod problem;
pub mod pronunciations;
pub mod wire;

use axum::{
    Router,
    routing::{delete, get, post, put},
};

use self::problem::show;
use super::{embeds::Dialect, face::on, under};
use crate::app::App;

pub const ROOT: &str = "/api/private/v5";
/// 3 is another name of 2.
const DIALECT: Dialect = Dialect { highest_icon: 3, legal_embeddables: true };

pub fn routes() -> Router<App> {
    under(
        ROOT,
        [
            ("/participants", get(on(participants::list, show)).post(on(participants::create, show))),
            (
                "/participants/search",
                get(on(participants::search, show)).post(on(participants::search, show)),
            ),
            ("/participants/latest", get(on(participants::latest, show))),
            (
                "/participants/{user_email}",
                put(on(participants::update, show)).delete(on(participants::delete, show)),
            ),
            (
                "/participants/{user_email}/pronunciations/{recording_id}",
                delete(on(pronunciations::delete, show)),
            ),
            ("/pronunciations/search", post(on(pronunciations::search, show))),
            ("/lti/{lms}/courses/synchronize", post(on(courses::synchronize, show))),
        ],
    )
}
