//! The home page, and pages for unknown URLs and errors.

use askama::Template;
use axum::{
    extract::State,
    http::{Method, StatusCode},
    response::Response,
};

use super::words::Notice;
use crate::{
    app::App,
    http::{
        assets,
        html::{html, root},
        openapi::DOCUMENTS,
    },
};

/// What the layout of every page needs.
#[derive(Debug, Clone, Copy)]
pub struct Site<'a> {
    /// The path of the base URL, for installations that share a host; usually empty.
    pub root: &'a str,
    pub style: &'a str,
    pub version: &'a str,
}

impl<'a> Site<'a> {
    pub fn of(app: &'a App) -> Self {
        Self { root: root(&app.links), style: assets::STYLE.address(), version: env!("CARGO_PKG_VERSION") }
    }
}

#[derive(Template)]
#[template(path = "home.html")]
struct Home<'a> {
    site: Site<'a>,
    base_url: &'a str,
    versions: Vec<&'a str>,
}

/// A page with only a message.
#[derive(Template)]
#[template(path = "unknown.html")]
struct Unknown<'a> {
    site: Site<'a>,
    title: &'static str,
    sentence: String,
}

impl<'a> Unknown<'a> {
    fn new(app: &'a App, notice: &Notice<'_>) -> Self {
        Self { site: Site::of(app), title: notice.title(), sentence: notice.sentence() }
    }
}

pub async fn home(State(app): State<App>) -> Response {
    let versions = DOCUMENTS.iter().map(|(version, _)| *version).collect();
    let page = Home { site: Site::of(&app), base_url: app.links.base(), versions };
    html(StatusCode::OK, &page)
}

/// The cause is logged.
pub fn internal_error(app: &App) -> Response {
    html(StatusCode::INTERNAL_SERVER_ERROR, &Unknown::new(app, &Notice::Trouble))
}

/// A retry may succeed.
pub fn unavailable(app: &App) -> Response {
    html(StatusCode::SERVICE_UNAVAILABLE, &Unknown::new(app, &Notice::Trouble))
}

pub fn not_found(app: &App) -> Response {
    html(StatusCode::NOT_FOUND, &Unknown::new(app, &Notice::NothingHere))
}

pub async fn unknown(State(app): State<App>) -> Response {
    not_found(&app)
}

pub async fn wrong_method(State(app): State<App>, method: Method) -> Response {
    html(StatusCode::METHOD_NOT_ALLOWED, &Unknown::new(&app, &Notice::NotOffered(&method)))
}
