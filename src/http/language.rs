//! The language of a response: the one chosen in the page's menu (`?lang=`, then a cookie), then what the browser accepts,
//! then the institution's default.

use axum::{
    extract::{Request, State},
    http::{HeaderMap, HeaderValue, header},
    middleware::Next,
    response::Response,
};
use cookie::{Cookie, SameSite, time::Duration};

use super::cookie as cookies;
use crate::{app::App, domain::language::Language};

const COOKIE: &str = "endonym-language";
const MAX_AGE_DAYS: i64 = 365;

/// What a request says about the visitor's language. `prefer` puts it into every request for a page.
#[derive(Debug, Clone, Copy, Default)]
pub struct Preferred {
    /// Chosen in the menu, now or earlier.
    pub chosen: Option<Language>,
    /// From `Accept-Language`.
    pub accepted: Option<Language>,
}

impl Preferred {
    pub fn of(query: Option<&str>, headers: &HeaderMap) -> Self {
        let cookie = || cookies::values(headers, COOKIE).first().copied().and_then(Language::parse);
        let accepted = headers.get(header::ACCEPT_LANGUAGE).and_then(|value| value.to_str().ok());
        Self { chosen: in_query(query).or_else(cookie), accepted: accepted.and_then(Language::accepted) }
    }

    /// `personal` is the person's own setting, if they are signed in.
    pub fn language(self, personal: Option<Language>, default: Language) -> Language {
        self.chosen.or(personal).or(self.accepted).unwrap_or(default)
    }
}

fn in_query(query: Option<&str>) -> Option<Language> {
    let pairs = form_urlencoded::parse(query?.as_bytes());
    pairs.into_iter().find(|(name, _)| name == "lang").and_then(|(_, value)| Language::parse(&value))
}

/// Middleware for the pages of people: finds the preferred language, and remembers a choice in a cookie.
pub async fn prefer(State(app): State<App>, mut request: Request, next: Next) -> Response {
    let preferred = Preferred::of(request.uri().query(), request.headers());
    let chosen = in_query(request.uri().query());
    request.extensions_mut().insert(preferred);
    let mut response = next.run(request).await;
    if let Some(language) = chosen {
        let cookie = Cookie::build((COOKIE, language.tag()))
            .path("/")
            .max_age(Duration::days(MAX_AGE_DAYS))
            .same_site(SameSite::Lax)
            .http_only(true)
            .secure(cookies::is_secure(&app.links));
        if let Ok(value) = HeaderValue::try_from(cookie.build().to_string()) {
            response.headers_mut().append(header::SET_COOKIE, value);
        }
    }
    response
}
