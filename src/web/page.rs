//! The first page, the pages for addresses that lead nowhere and for faults, and the stylesheet that all pages share.

use std::sync::LazyLock;

use askama::Template;
use axum::{
    body::Body,
    extract::State,
    http::{HeaderValue, StatusCode, header},
    response::Response,
};
use sha2::{Digest, Sha256};

use crate::{
    api::openapi::DOCUMENTS,
    app::{App, Links},
    domain::token::hex,
};

/// What every page needs to know about the site that it is part of.
#[derive(Debug, Clone, Copy)]
pub struct Site<'a> {
    /// The path of the base URL, for installations that share a host with others; mostly blank.
    pub root: &'a str,
    pub style: &'a str,
    pub version: &'a str,
}

impl<'a> Site<'a> {
    pub fn of(app: &'a App) -> Self {
        Self { root: root(&app.links), style: &STYLE_ADDRESS, version: env!("CARGO_PKG_VERSION") }
    }
}

/// Pages are asked for under whatever name the visitor knows, so their links hold the path alone.
fn root(links: &Links) -> &str {
    let behind_scheme = links.base().split_once("://").map_or("", |(_, rest)| rest);
    behind_scheme.find('/').map_or("", |start| &behind_scheme[start..])
}

#[derive(Template)]
#[template(path = "home.html")]
struct Home<'a> {
    site: Site<'a>,
    base_url: &'a str,
    versions: Vec<&'a str>,
}

/// A page that has nothing to show but a sentence.
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

/// The cause is in the log.
pub fn trouble(app: &App) -> Response {
    let sentence =
        "This page could not be made just now. It is not your fault; please try again in a moment.";
    let page = Unknown { site: Site::of(app), title: "Something went wrong", sentence };
    html(StatusCode::INTERNAL_SERVER_ERROR, &page)
}

pub fn nowhere(app: &App) -> Response {
    let sentence = "There is nothing at this address. It may have been mistyped, or what was here is gone.";
    let page = Unknown { site: Site::of(app), title: "Nothing here", sentence };
    html(StatusCode::NOT_FOUND, &page)
}

pub async fn unknown(State(app): State<App>) -> Response {
    nowhere(&app)
}

const STYLE: &str = include_str!("../../assets/style.css");

/// Named after its content, so that browsers may keep it for good and still get the next one at once.
static STYLE_ADDRESS: LazyLock<String> =
    LazyLock::new(|| format!("/style.css?{}", &hex(&Sha256::digest(STYLE))[..12]));

pub async fn style() -> Response {
    let mut response = Response::new(Body::from(STYLE));
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("text/css; charset=utf-8"));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("public, max-age=31536000, immutable"));
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    response
}

/// Who may show a page inside another one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Framing {
    Nobody,
    Anybody,
}

/// Nothing from elsewhere, and no scripts.
macro_rules! policy {
    ($ancestors:literal) => {
        HeaderValue::from_static(concat!(
            "default-src 'none'; style-src 'self'; img-src 'self' data:; media-src 'self'; ",
            "base-uri 'none'; form-action 'none'; frame-ancestors ",
            $ancestors
        ))
    };
}

impl Framing {
    const fn policy(self) -> HeaderValue {
        match self {
            Self::Nobody => policy!("'none'"),
            Self::Anybody => policy!("*"),
        }
    }
}

pub fn html(status: StatusCode, page: &impl Template) -> Response {
    written(status, page.render(), Framing::Nobody)
}

/// A page that has been rendered, or not.
pub fn written(status: StatusCode, page: askama::Result<String>, framing: Framing) -> Response {
    let (status, text) = match page {
        Ok(text) => (status, text),
        Err(error) => {
            tracing::error!(%error, "a page could not be written");
            (StatusCode::INTERNAL_SERVER_ERROR, "Something went wrong.".to_owned())
        }
    };
    let mut response = Response::new(text.into());
    *response.status_mut() = status;
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("text/html; charset=utf-8"));
    headers.insert(header::CONTENT_SECURITY_POLICY, framing.policy());
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(header::REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_root_is_the_path_of_the_base_url() {
        for (base, path) in [
            ("https://names.example.edu", ""),
            ("http://127.0.0.1:8080/", ""),
            ("https://example.edu/names/", "/names"),
        ] {
            assert_eq!(root(&Links::new(base)), path, "{base}");
        }
    }
}
