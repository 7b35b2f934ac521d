//! `/console/{slug}/people`: the people of an institution across its name pages. Managers see and change those on their pages.

mod bulk;
mod deleted;
mod edit;
mod list;
mod merge;
mod person;
mod recording;
mod refused;
mod tasks;

use axum::{extract::Request, http::StatusCode};
use serde::Deserialize;

use super::{
    rule::{Least, Rule},
    visit::Console,
};
use crate::{
    domain::moment::Moment,
    http::{faults::sentence, form::Form},
    words::Words,
};

pub fn rules() -> Vec<Rule> {
    let manager = Least::Manager;
    vec![
        Rule::get("/console/{slug}/people", manager, list::show),
        Rule::get("/console/{slug}/people/deleted", manager, deleted::show),
        Rule::post("/console/{slug}/people/deleted/{id}/restore", manager, deleted::restore),
        Rule::get("/console/{slug}/people/refused", Least::Admin, refused::show),
        Rule::post("/console/{slug}/people/refused", Least::Admin, refused::readmit),
        Rule::get("/console/{slug}/people/bulk", manager, bulk::ask),
        Rule::post("/console/{slug}/people/bulk", manager, bulk::begin),
        Rule::post("/console/{slug}/people/bulk/delete", manager.fresh(), bulk::delete),
        Rule::get("/console/{slug}/people/tasks/{id}", manager, tasks::show),
        Rule::post("/console/{slug}/people/tasks/{id}/undo", manager, tasks::undo),
        Rule::get("/console/{slug}/people/merge", manager.fresh(), merge::ask),
        Rule::post("/console/{slug}/people/merge", manager.fresh(), merge::merge),
        Rule::get("/console/{slug}/people/{id}", manager, person::show),
        Rule::post("/console/{slug}/people/{id}/call", manager, person::call),
        Rule::get("/console/{slug}/people/{id}/audio/{hex}", manager, person::audio),
        Rule::get("/console/{slug}/people/{id}/edit", manager, edit::form),
        Rule::post("/console/{slug}/people/{id}/edit", manager, edit::send),
        Rule::get("/console/{slug}/people/{id}/record", manager, recording::form),
        Rule::post("/console/{slug}/people/{id}/record", manager, recording::send),
        Rule::get("/console/{slug}/people/{id}/delete", manager, deleted::ask),
        Rule::post("/console/{slug}/people/{id}/delete", manager, deleted::delete),
    ]
}

/// The id in a path, as text: what is not a number belongs to nobody.
#[derive(Deserialize)]
pub struct IdPath {
    id: String,
}

impl IdPath {
    fn id<T: From<i64>>(&self) -> T {
        number(&self.id)
    }
}

fn number<T: From<i64>>(text: &str) -> T {
    text.parse::<i64>().unwrap_or(-1).into()
}

/// An entry of a menu.
struct Choice {
    value: String,
    label: String,
    is_chosen: bool,
}

impl Choice {
    fn new(value: impl Into<String>, label: impl Into<String>, chosen: &str) -> Self {
        let (value, label) = (value.into(), label.into());
        Self { is_chosen: value == chosen, value, label }
    }
}

fn date(console: &Console, moment: Moment) -> String {
    moment.date_in(&console.institution.time_zone).to_string()
}

/// The name of somebody, or what stands for it.
fn shown_name(words: Words, name: String, email: Option<&str>) -> String {
    match (name.is_empty(), email) {
        (false, _) => name,
        (true, Some(email)) => email.to_owned(),
        (true, None) => words.text("console-people-without-name"),
    }
}

/// The status of a page that shows a form again.
const REJECTED: StatusCode = StatusCode::UNPROCESSABLE_ENTITY;

fn query_of(request: &Request) -> Form {
    Form::from_query(request.uri().query().unwrap_or_default())
}

/// The path of somebody's page, below that of the console.
fn path_of(id: impl std::fmt::Display) -> String {
    format!("/people/{id}")
}
