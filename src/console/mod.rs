//! The console, where members of an institution run everything: `/console/{slug}`.
//!
//! Each section has a file with `rules()`: its routes, and who may use them (`rule.rs`). A handler takes `Console` or, for a form,
//! `ConsoleForm` (`visit.rs`), which check that. What the visitor may do is decided again by the use case.

mod jobs;
mod messages;
mod overview;
pub mod rule;
mod settings;
mod visit;

use axum::Router;

use self::rule::Rule;
use crate::{app::App, http::notice};
pub use notice::refuse;

/// All routes of the console. A test sends a request to each of them in every role.
pub fn rules() -> Vec<Rule> {
    [overview::rules(), settings::rules(), jobs::rules(), messages::rules()].into_iter().flatten().collect()
}

pub fn routes() -> Router<App> {
    rules().into_iter().fold(Router::new(), Rule::add)
}
