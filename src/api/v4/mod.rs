//! Version 4: reads in the institution and per name page, creation on a name page, exports, synchronization of one
//! course.

pub mod courses;
pub mod exports;
pub mod name_pages;
pub mod participants;
pub mod problem;
pub mod report;
pub mod wire;

use std::sync::Arc;

use axum::{
    Router,
    routing::{get, post},
};

use self::problem::show;
use super::{
    face::{on, on_lookup},
    under,
    view::View,
};
use crate::{
    app::{self, App, Links},
    domain::{
        access::Action::{Read, Sync, Write},
        custom_field::CustomField,
        institution::Institution,
    },
    http::embeds::Dialect,
};

pub const ROOT: &str = "/api/private/v4";
const DIALECT: Dialect = Dialect { highest_icon: 2, legal_embeddables: false };

pub fn routes() -> Router<App> {
    under(
        ROOT,
        [
            ("/participants", get(on_lookup(participants::list, show))),
            (
                "/participants/search",
                get(on_lookup(participants::search, show)).post(on(Read, participants::search, show)),
            ),
            ("/participants/latest", get(on_lookup(participants::latest, show))),
            ("/participants/{id_or_email}", get(on_lookup(participants::show, show))),
            (
                "/name_pages/{name_page_id}/participants",
                get(on_lookup(name_pages::list, show)).post(on(Write, name_pages::create, show)),
            ),
            ("/name_pages/{name_page_id}/participants/{id_or_email}", get(on_lookup(name_pages::show, show))),
            ("/exports", get(on(Read, exports::list, show)).post(on(Write, exports::create, show))),
            ("/exports/{id}", get(on(Read, exports::show, show))),
            ("/lti/{lms}/courses/synchronize", post(on(Sync, courses::synchronize, show))),
        ],
    )
}

/// Serializes the records of reports, with custom values.
pub fn report_format(
    institution: Institution,
    links: Links,
    fields: Vec<CustomField>,
) -> app::exports::Write {
    let view = View::of_report(Arc::new(institution), links, fields);
    Box::new(move |person, out| wire::write_participant(&view, person, out))
}
