//! `/console/{slug}`: how far an institution is, and what needs attention.

use askama::Template;
use axum::{extract::State, http::StatusCode, response::Response};

use super::{
    rule::{Least, Rule},
    visit::{Console, Nav},
};
use crate::{app::App, domain::section::Section, http::page::Page};

pub fn rules() -> Vec<Rule> {
    vec![Rule::get("/console/{slug}", Least::Manager, show)]
}

#[derive(Template)]
#[template(path = "console/overview.html")]
struct OverviewPage<'a> {
    page: Page<'a>,
    nav: Nav,
}

async fn show(State(app): State<App>, console: Console) -> Response {
    let path = console.path("");
    let shown = OverviewPage { page: console.page(&app, &path), nav: console.nav(&app, Section::Overview) };
    console.show(StatusCode::OK, &shown)
}
