//! The console, where members of an institution run everything: `/console/{slug}`.
//!
//! Each section has a file with `rules()`: its routes, and who may use them (`rule.rs`). A handler takes `Console` or, for a form,
//! `ConsoleForm` (`visit.rs`), which check that. What the visitor may do is decided again by the use case.

mod audit;
mod chart;
mod custom_fields;
mod faults;
mod inputs;
mod jobs;
mod members;
mod messages;
mod moderation;
mod name_pages;
mod operator;
mod overview;
mod page_choices;
mod people;
mod phone;
mod progress;
pub mod rule;
mod scim;
mod search;
mod settings;
mod start;
mod systems;
mod tokens;
mod visit;

use axum::Router;

use self::rule::Rule;
use crate::{
    app::App,
    http::{
        notice,
        routing::{get, post},
    },
};
pub use notice::refuse;

/// All routes of the console of an institution. A test sends a request to each of them in every role.
pub fn rules() -> Vec<Rule> {
    [
        overview::rules(),
        start::rules(),
        search::rules(),
        progress::rules(),
        people::rules(),
        name_pages::rules(),
        moderation::rules(),
        custom_fields::rules(),
        tokens::rules(),
        systems::rules(),
        scim::rules(),
        phone::rules(),
        messages::rules(),
        jobs::rules(),
        settings::rules(),
        members::rules(),
        audit::rules(),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// `/console` belongs to no institution: it leads members to theirs, and is the operator's console. The paths of the operator do not
/// begin with it, because any slug can follow there.
pub fn routes() -> Router<App> {
    let operator = Router::new()
        .route("/console", get(operator::home))
        .route("/operator/link/{secret}", get(operator::link::look).merge(post(operator::link::spend)))
        .route("/operator/institutions", post(operator::found))
        .route("/operator/sign-out", post(operator::sign_out));
    rules().into_iter().fold(operator, Rule::add)
}
