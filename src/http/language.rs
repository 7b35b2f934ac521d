//! The language of a page, by precedence: `?lang=` in its address, the setting of the person who is signed in, what the visitor has
//! chosen in the menu (a cookie), what the browser accepts (`Accept-Language`), the institution's default.
//!
//! The menu is `templates/parts/language.html`. It posts to `/me/language` for people who are signed in, and to `/language` for
//! everybody else (`src/me/language.rs`), so the policy of its page needs `Forms::SelfOnly`.

use axum::{
    extract::{Request, State},
    http::{HeaderMap, HeaderValue, header},
    middleware::Next,
    response::Response,
};
use cookie::{Cookie, SameSite, time::Duration};

use super::cookie as cookies;
use crate::{
    app::{App, Links},
    domain::language::Language,
};

const COOKIE: &str = "endonym-language";
const MAX_AGE: Duration = Duration::days(365);

/// What a request says about the visitor's language. `prefer` puts it into every request for a page.
#[derive(Debug, Clone, Copy, Default)]
pub struct Preferred {
    /// From `?lang=`.
    pub requested: Option<Language>,
    /// From the cookie.
    pub chosen: Option<Language>,
    /// From `Accept-Language`.
    pub accepted: Option<Language>,
}

impl Preferred {
    pub fn of(query: Option<&str>, headers: &HeaderMap) -> Self {
        let accepted = headers.get(header::ACCEPT_LANGUAGE).and_then(|value| value.to_str().ok());
        Self {
            requested: in_query(query),
            // Inside a frame and outside of it, a browser may have two.
            chosen: cookies::values(headers, COOKIE).into_iter().find_map(Language::parse),
            accepted: accepted.and_then(Language::accepted),
        }
    }

    /// `personal` is the person's own setting, if they are signed in; `default` the institution's language.
    pub fn language(self, personal: Option<Language>, default: Language) -> Language {
        self.requested.or(personal).or(self.chosen).or(self.accepted).unwrap_or(default)
    }
}

fn in_query(query: Option<&str>) -> Option<Language> {
    let pairs = form_urlencoded::parse(query?.as_bytes());
    pairs.into_iter().find(|(name, _)| name == "lang").and_then(|(_, value)| Language::parse(&value))
}

/// Middleware for the pages of people: finds the preferred language, and remembers the one of a link.
pub async fn prefer(State(app): State<App>, mut request: Request, next: Next) -> Response {
    let preferred = Preferred::of(request.uri().query(), request.headers());
    request.extensions_mut().insert(preferred);
    let mut response = next.run(request).await;
    if let Some(language) = preferred.requested {
        remember(&app.links, &mut response, language, "/");
    }
    response
}

/// Remembers a visitor's choice. `path` is where they made it: pages of learning systems are in a frame of another site, and need
/// another kind of cookie.
pub fn remember(links: &Links, response: &mut Response, language: Language, path: &str) {
    let cookie = if path.starts_with("/lti/") {
        cookies::for_frames(COOKIE, language.tag(), "/", MAX_AGE.whole_seconds())
    } else {
        let cookie = Cookie::build((COOKIE, language.tag()))
            .path("/")
            .max_age(MAX_AGE)
            .same_site(SameSite::Lax)
            .http_only(true)
            .secure(cookies::is_secure(links));
        HeaderValue::try_from(cookie.build().to_string()).ok()
    };
    if let Some(cookie) = cookie {
        response.headers_mut().append(header::SET_COOKIE, cookie);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_setting_comes_before_a_cookie_and_that_before_what_the_browser_accepts() {
        let mut headers = HeaderMap::new();
        let language = |query: Option<&str>, headers: &HeaderMap, personal| {
            Preferred::of(query, headers).language(personal, Language::Portuguese)
        };
        assert_eq!(language(None, &headers, None), Language::Portuguese);
        headers.insert(header::ACCEPT_LANGUAGE, HeaderValue::from_static("fr-CA, en;q=0.5"));
        assert_eq!(language(None, &headers, None), Language::French);
        headers.insert(header::COOKIE, HeaderValue::from_static("endonym-language=tlh; endonym-language=de"));
        assert_eq!(language(None, &headers, None), Language::German);
        assert_eq!(language(None, &headers, Some(Language::Arabic)), Language::Arabic);
        assert_eq!(language(Some("a=1&lang=es"), &headers, Some(Language::Arabic)), Language::Spanish);
        assert_eq!(language(Some("lang=tlh"), &headers, None), Language::German);
    }

    #[test]
    fn the_cookie_of_a_frame_has_its_attributes() {
        let cookie = |path: &str| {
            let mut response = Response::new(axum::body::Body::empty());
            let links = Links::new("https://names.example.edu");
            remember(&links, &mut response, Language::German, path);
            response.headers()[header::SET_COOKIE].to_str().unwrap().to_owned()
        };
        assert!(
            cookie("/lti/s/abc/").contains("SameSite=None") && cookie("/lti/s/abc/").contains("Partitioned")
        );
        assert!(cookie("/sign-in").contains("SameSite=Lax") && cookie("/sign-in").contains("Secure"));
    }
}
