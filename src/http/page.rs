//! What the layout of every page for people needs (`templates/layouts/people.html`), and the headers of such a page.

use askama::Template;
use axum::{
    http::{HeaderName, HeaderValue, StatusCode, header},
    response::Response,
};

use super::{
    html,
    policy::{Frames, Policy},
};
use crate::{
    app::Links,
    domain::{digest, language::Language},
    words::Words,
};

/// The frame around a page: language, looks and navigation.
#[derive(Debug, Clone)]
pub struct Page<'a> {
    /// The path of the base URL, for installations that share a host; usually empty.
    pub root: &'a str,
    pub words: Words,
    /// The path of this page, with or without a query: where the menu of languages leads back to.
    pub path: &'a str,
    /// The CSRF token of its forms; empty on pages without forms.
    pub csrf: String,
    pub look: Look,
    /// The email of the person who is signed in.
    pub signed_in: Option<String>,
    /// The visitor administers the institution of the name page that is shown. False on all other pages: those of the console are for members anyway.
    pub administers_name_page: bool,
}

/// How an institution's pages look.
#[derive(Debug, Clone, Default)]
pub struct Look {
    /// The institution's name; `None` on pages of no institution.
    pub institution: Option<String>,
    /// The URL path of its logo.
    pub logo: Option<String>,
    /// The URL path of the style sheet with its accent color.
    pub style: Option<String>,
}

impl<'a> Page<'a> {
    pub fn new(links: &'a Links, language: Language, path: &'a str) -> Self {
        Self {
            root: html::root(links),
            words: Words::new(language),
            path,
            csrf: String::new(),
            look: Look::default(),
            signed_in: None,
            administers_name_page: false,
        }
    }

    pub fn language(&self) -> &'static str {
        self.words.language().tag()
    }

    pub fn direction(&self) -> &'static str {
        self.words.language().direction()
    }

    pub fn languages(&self) -> [Language; 7] {
        Language::ALL
    }

    /// Is this the page `/p/{slug}/{part}`, or one below it? Without a part: is it the name page itself?
    pub fn is_part(&self, part: &str) -> bool {
        let path = self.path.split('?').next().unwrap_or_default();
        path.split('/').nth(3).unwrap_or_default() == part
    }

    /// Tells a script whether the same person is still signed in. The email is not shown: whoever has a link of an invitation may be
    /// somebody else.
    pub fn who(&self) -> String {
        self.signed_in.as_ref().map_or_else(String::new, |email| digest::hex(&digest::of(email)))
    }

    pub fn is_language(&self, language: &Language) -> bool {
        self.words.language() == *language
    }
}

/// Parts of layouts are templates of their own. Included, they would be compiled once for each page.
impl Page<'_> {
    /// The beginning of the `head`, with this style sheet.
    pub fn head<'a>(&'a self, style_sheet: &'a str) -> Head<'a> {
        Head { page: self, style_sheet }
    }

    pub fn top(&self) -> PeopleTop<'_> {
        PeopleTop { page: self }
    }

    /// The menu of those who manage the name page with this slug.
    pub fn manage<'a>(&'a self, slug: &'a str) -> Manage<'a> {
        Manage { page: self, slug }
    }

    pub fn language_menu(&self) -> LanguageMenu<'_> {
        LanguageMenu { page: self }
    }
}

#[derive(Template)]
#[template(path = "parts/head.html")]
pub struct Head<'a> {
    page: &'a Page<'a>,
    style_sheet: &'a str,
}

#[derive(Template)]
#[template(path = "parts/people_top.html")]
pub struct PeopleTop<'a> {
    page: &'a Page<'a>,
}

#[derive(Template)]
#[template(path = "name_pages/parts/manage.html")]
pub struct Manage<'a> {
    page: &'a Page<'a>,
    slug: &'a str,
}

#[derive(Template)]
#[template(path = "parts/language.html")]
pub struct LanguageMenu<'a> {
    page: &'a Page<'a>,
}

/// Does the page record?
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Microphone {
    Used,
    Unused,
}

const PERMISSIONS: HeaderName = HeaderName::from_static("permissions-policy");

/// A page with a session or a form: it is not cached, not indexed, and its URL is not leaked in referrers. Its own forms send their
/// origin, which the CSRF check needs; with `no-referrer` they would not.
pub fn private(
    status: StatusCode,
    page: &impl Template,
    policy: Policy<'_>,
    microphone: Microphone,
) -> Response {
    let is_framed = !matches!(policy.frames, Frames::Nobody);
    let mut response = html::written(status, page.render(), policy);
    let headers = response.headers_mut();
    if !is_framed {
        // For browsers that do not know `frame-ancestors`.
        headers.insert(header::X_FRAME_OPTIONS, HeaderValue::from_static("DENY"));
    }
    headers.insert(header::REFERRER_POLICY, HeaderValue::from_static("same-origin"));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers.insert("x-robots-tag", HeaderValue::from_static("noindex"));
    let permissions = match microphone {
        Microphone::Used => "microphone=(self)",
        Microphone::Unused => "microphone=()",
    };
    headers.insert(PERMISSIONS, HeaderValue::from_static(permissions));
    response
}
