//! The home page, and pages for unknown URLs and errors.

use askama::Template;
use axum::{
    extract::{RawQuery, State},
    http::{HeaderMap, HeaderValue, Method, StatusCode, header},
    response::Response,
};

use crate::{
    app::App,
    domain::language::Language,
    http::{
        assets,
        html::{root, written},
        language::Preferred,
        openapi::DOCUMENTS,
        page::Page,
        policy::{Forms, Policy},
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

/// What a request says about the visitor's language, for a page of no institution.
pub fn language(query: Option<&str>, headers: &HeaderMap) -> Language {
    Preferred::of(query, headers).language(None, Language::default())
}

/// A page in the visitor's language, with the menu of languages, whose form needs the policy and sends its origin.
pub fn localized(status: StatusCode, page: &impl Template, policy: Policy<'_>) -> Response {
    let mut response = written(status, page.render(), Policy { forms: Forms::SelfOnly, ..policy });
    let headers = response.headers_mut();
    headers.insert(header::REFERRER_POLICY, HeaderValue::from_static("same-origin"));
    headers.append(header::VARY, HeaderValue::from_static("Accept-Language, Cookie"));
    response
}

#[derive(Template)]
#[template(path = "home.html")]
struct Home<'a> {
    site: Site<'a>,
    page: Page<'a>,
    base_url: &'a str,
    versions: Vec<&'a str>,
}

impl Home<'_> {
    fn openapi(&self, version: &str) -> String {
        self.page.words.one_html("pages-openapi", "version", version)
    }
}

/// A page with only a message.
#[derive(Template)]
#[template(path = "unknown.html")]
struct Unknown<'a> {
    site: Site<'a>,
    page: Page<'a>,
    title: String,
    sentence: String,
}

/// A message with the ids of its title and of its sentence in the catalogs.
fn notice(app: &App, language: Language, status: StatusCode, title: &str, sentence: &str) -> Response {
    let page = Page::new(&app.links, language, "/");
    let (title, sentence) = (page.words.text(title), page.words.text(sentence));
    localized(status, &Unknown { site: Site::of(app), page, title, sentence }, Policy::default())
}

pub async fn home(State(app): State<App>, RawQuery(query): RawQuery, headers: HeaderMap) -> Response {
    let versions = DOCUMENTS.iter().map(|(version, _)| *version).collect();
    let page = Page::new(&app.links, language(query.as_deref(), &headers), "/");
    let page = Home { site: Site::of(&app), page, base_url: app.links.base(), versions };
    localized(StatusCode::OK, &page, Policy::default())
}

/// The cause is logged.
pub fn internal_error(app: &App, language: Language) -> Response {
    trouble(app, language, StatusCode::INTERNAL_SERVER_ERROR)
}

/// A retry may succeed.
pub fn unavailable(app: &App, language: Language) -> Response {
    trouble(app, language, StatusCode::SERVICE_UNAVAILABLE)
}

fn trouble(app: &App, language: Language, status: StatusCode) -> Response {
    notice(app, language, status, "shared-trouble-title", "shared-trouble")
}

pub fn not_found(app: &App, language: Language) -> Response {
    notice(app, language, StatusCode::NOT_FOUND, "shared-nothing-title", "shared-nothing")
}

/// For somebody who has signed in and is none of the people of the institution that a badge is for.
pub fn members_only(app: &App, language: Language, institution_name: &str) -> Response {
    let page = Page::new(&app.links, language, "/");
    let title = page.words.text("badge-inside-title");
    let sentence = page.words.one("badge-inside", "institution", institution_name);
    let page = Unknown { site: Site::of(app), page, title, sentence };
    localized(StatusCode::FORBIDDEN, &page, Policy::default())
}

pub async fn unknown(State(app): State<App>, headers: HeaderMap) -> Response {
    not_found(&app, language(None, &headers))
}

pub async fn wrong_method(State(app): State<App>, method: Method, headers: HeaderMap) -> Response {
    let page = Page::new(&app.links, language(None, &headers), "/");
    let title = page.words.text("pages-method-title");
    let sentence = page.words.plain("pages-method", &[("method", method.as_str().into())]);
    let page = Unknown { site: Site::of(&app), page, title, sentence };
    localized(StatusCode::METHOD_NOT_ALLOWED, &page, Policy::default())
}
