//! The first page, the pages for addresses that lead nowhere and for faults, and the headers that all pages have.

use askama::Template;
use axum::{
    extract::{self, FromRequestParts, State},
    http::{HeaderValue, Method, StatusCode, header, request::Parts},
    response::Response,
};
use serde::de::DeserializeOwned;

use super::assets;
use crate::{
    api::openapi::DOCUMENTS,
    app::{App, Links},
    domain::institution::parse_framing_origin,
};

/// All that a policy may be told of an address.
pub use crate::domain::institution::origin_of;

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
        Self { root: root(&app.links), style: assets::STYLE.address(), version: env!("CARGO_PKG_VERSION") }
    }
}

/// Pages are asked for under whatever name the visitor knows, so their links hold the path alone.
pub fn root(links: &Links) -> &str {
    path_of(links.base())
}

/// The same, of one of our addresses: what a page loads must come from where the page came from, or its own policy
/// would not let it.
pub fn path_of(address: &str) -> &str {
    let behind_scheme = address.split_once("://").map_or("", |(_, rest)| rest);
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
    html(StatusCode::INTERNAL_SERVER_ERROR, &not_now(app))
}

/// The same page may be there in a moment.
pub fn unavailable(app: &App) -> Response {
    html(StatusCode::SERVICE_UNAVAILABLE, &not_now(app))
}

fn not_now(app: &App) -> Unknown<'_> {
    let sentence =
        "This page could not be made just now. It is not your fault; please try again in a moment.";
    Unknown { site: Site::of(app), title: "Something went wrong", sentence }
}

pub fn nowhere(app: &App) -> Response {
    let sentence = "There is nothing at this address. It may have been mistyped, or what was here is gone.";
    let page = Unknown { site: Site::of(app), title: "Nothing here", sentence };
    html(StatusCode::NOT_FOUND, &page)
}

pub async fn unknown(State(app): State<App>) -> Response {
    nowhere(&app)
}

pub async fn wrong_method(State(app): State<App>, method: Method) -> Response {
    let sentence = format!("{method} is not offered at this address.");
    let page = Unknown { site: Site::of(&app), title: "Not offered here", sentence: &sentence };
    html(StatusCode::METHOD_NOT_ALLOWED, &page)
}

/// Parts of an address. One that cannot be decoded leads nowhere; axum's own extractor would say so in plain text.
pub struct Path<T>(pub T);

impl<T: DeserializeOwned + Send> FromRequestParts<App> for Path<T> {
    type Rejection = Response;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, Response> {
        #[allow(clippy::disallowed_types)]
        let read = extract::Path::from_request_parts(parts, app).await;
        read.map(|found| Self(found.0)).map_err(|_| nowhere(app))
    }
}

/// What a page may load, and who may show it inside another one. Nothing from elsewhere and nothing inline, ever; by
/// itself no scripts and no frames either.
#[derive(Debug, Clone, Copy, Default)]
pub struct Policy<'a> {
    pub scripts: bool,
    /// Scripts may ask us for more.
    pub asks: bool,
    pub frames: Frames<'a>,
    pub forms: Forms<'a>,
    /// The one other origin that a picture may come from.
    pub pictures_of: Option<&'a str>,
    /// The origin that our own recordings and pictures come from, where that is not ours.
    pub media_of: Option<&'a str>,
}

/// Who may show a page inside another one.
#[derive(Debug, Clone, Copy, Default)]
pub enum Frames<'a> {
    #[default]
    Nobody,
    Anybody,
    /// Pages of these origins.
    Of(&'a [String]),
}

impl Frames<'_> {
    fn sources(self) -> String {
        let none = || "'none'".to_owned();
        match self {
            Self::Nobody => none(),
            // A star means pages from the network; local files and apps have schemes of their own.
            Self::Anybody => "* file: capacitor: ionic:".to_owned(),
            Self::Of(origins) => {
                let known: Vec<String> =
                    origins.iter().filter_map(|origin| parse_framing_origin(origin)).collect();
                if known.is_empty() { none() } else { known.join(" ") }
            }
        }
    }
}

/// Where the forms of a page may be sent.
#[derive(Debug, Clone, Copy, Default)]
pub enum Forms<'a> {
    #[default]
    Nowhere,
    Here,
    /// And to other origins, with blanks between them.
    HereAnd(&'a str),
}

impl Policy<'_> {
    fn header(self) -> HeaderValue {
        let scripts = if self.scripts { "script-src 'self'; " } else { "" };
        let asks = if self.asks { "connect-src 'self'; " } else { "" };
        let also = |origin: Option<&str>| origin.map(|origin| format!(" {origin}")).unwrap_or_default();
        let (pictures, media) = (also(self.pictures_of), also(self.media_of));
        let forms = match self.forms {
            Forms::Nowhere => "'none'".to_owned(),
            Forms::Here => "'self'".to_owned(),
            Forms::HereAnd(origin) => format!("'self' {origin}"),
        };
        let ancestors = self.frames.sources();
        let policy = format!(
            "default-src 'none'; {scripts}{asks}style-src 'self'; img-src 'self' data:{pictures}{media}; media-src 'self'{media}; \
             base-uri 'none'; form-action {forms}; frame-ancestors {ancestors}"
        );
        HeaderValue::try_from(policy).unwrap_or(HeaderValue::from_static("default-src 'none'"))
    }
}

pub fn html(status: StatusCode, page: &impl Template) -> Response {
    written(status, page.render(), Policy::default())
}

/// A page that has been rendered, or not.
pub fn written(status: StatusCode, page: askama::Result<String>, policy: Policy<'_>) -> Response {
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
    headers.insert(header::CONTENT_SECURITY_POLICY, policy.header());
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(header::REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_an_origin_gets_into_a_policy() {
        for (address, wanted) in [
            ("https://cdn.example.edu/a.png?x=1", Some("https://cdn.example.edu")),
            ("HTTP://CDN.example.edu:8080", Some("http://cdn.example.edu:8080")),
            ("https://cdn.example.edu?a", Some("https://cdn.example.edu")),
            ("https://a.example;script-src/x", None),
            ("https://a.example,b/x", None),
            ("https://*/x", None),
            ("https://me@a.example/x", None),
            ("https://a.example'/x", None),
        ] {
            assert_eq!(origin_of(address).as_deref(), wanted, "{address}");
        }
    }

    #[test]
    fn only_origins_may_frame_a_page() {
        let of = |origins: &[&str]| {
            Frames::Of(&origins.iter().map(|one| (*one).to_owned()).collect::<Vec<_>>()).sources()
        };
        assert_eq!(of(&[]), "'none'");
        assert_eq!(
            of(&["https://lms.example.edu/", "*", "https://a; script-src *"]),
            "https://lms.example.edu"
        );
        assert_eq!(of(&["https://*.Example.com"]), "https://*.example.com");
        assert_eq!(of(&["https://*.*", "https://*."]), "'none'");
    }

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
