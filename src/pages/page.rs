//! The home page, and pages for unknown URLs and errors.

use askama::Template;
use axum::{
    extract::State,
    http::{Method, StatusCode},
    response::Response,
};

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
    title: &'a str,
    sentence: &'a str,
}

pub async fn home(State(app): State<App>) -> Response {
    let versions = DOCUMENTS.iter().map(|(version, _)| *version).collect();
    let page = Home { site: Site::of(&app), base_url: app.links.base(), versions };
    html(StatusCode::OK, &page)
}

/// The cause is logged.
pub fn internal_error(app: &App) -> Response {
    html(StatusCode::INTERNAL_SERVER_ERROR, &error_page(app))
}

/// A retry may succeed.
pub fn unavailable(app: &App) -> Response {
    html(StatusCode::SERVICE_UNAVAILABLE, &error_page(app))
}

fn error_page(app: &App) -> Unknown<'_> {
    let sentence =
        "This page could not be made just now. It is not your fault; please try again in a moment.";
    Unknown { site: Site::of(app), title: "Something went wrong", sentence }
}

pub fn not_found(app: &App) -> Response {
    let sentence = "There is nothing at this address. It may have been mistyped, or what was here is gone.";
    let page = Unknown { site: Site::of(app), title: "Nothing here", sentence };
    html(StatusCode::NOT_FOUND, &page)
}

pub async fn unknown(State(app): State<App>) -> Response {
    not_found(&app)
}

pub async fn wrong_method(State(app): State<App>, method: Method) -> Response {
    let sentence = format!("{method} is not offered at this address.");
    let page = Unknown { site: Site::of(&app), title: "Not offered here", sentence: &sentence };
    html(StatusCode::METHOD_NOT_ALLOWED, &page)
}
