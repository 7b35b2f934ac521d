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
use super::{
    face::{on, on_lookup},
    under,
};
use crate::{
    app::App,
    domain::access::Action::{Read, Sync, Write},
    http::embeds::Dialect,
};

pub const ROOT: &str = "/api/private/v5";
/// Icon 3 is an alias of 2.
const DIALECT: Dialect = Dialect { highest_icon: 3, legal_embeddables: true };

pub fn routes() -> Router<App> {
    under(
        ROOT,
        [
            (
                "/participants",
                get(on_lookup(participants::list, show)).post(on(Write, participants::create, show)),
            ),
            (
                "/participants/search",
                get(on_lookup(participants::search, show)).post(on(Read, participants::search, show)),
            ),
            ("/participants/latest", get(on_lookup(participants::latest, show))),
            (
                "/participants/{user_email}",
                put(on(Write, participants::update, show)).delete(on(Write, participants::delete, show)),
            ),
            (
                "/participants/{user_email}/pronunciations/{recording_id}",
                delete(on(Write, pronunciations::delete, show)),
            ),
            ("/pronunciations/search", post(on(Read, pronunciations::search, show))),
            ("/lti/{lms}/courses/synchronize", post(on(Sync, courses::synchronize, show))),
        ],
    )
}
