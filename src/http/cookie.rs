//! Cookies.

use axum::http::{HeaderMap, HeaderValue, header};
use cookie::{Cookie, SameSite, time::Duration};

use crate::app::Links;

/// Further cookies of the same name are ignored.
const MAX_SAME_NAME: usize = 8;

/// All values of a cookie: two frames opened at the same time may each have set one, and some browsers keep both.
pub fn values<'a>(headers: &'a HeaderMap, name: &str) -> Vec<&'a str> {
    let lines = headers.get_all(header::COOKIE).iter().filter_map(|line| line.to_str().ok());
    let cookies = lines.flat_map(Cookie::split_parse).filter_map(Result::ok);
    let values = cookies.filter(|cookie| cookie.name() == name).filter_map(|cookie| cookie.value_raw());
    values.take(MAX_SAME_NAME).collect()
}

/// A cookie of our own pages. Its name begins with `__Host-`, so that no other host of the domain can set it. Over plain http,
/// which is for trying things out on one machine, browsers and other clients refuse or ignore secure cookies, so the prefix and
/// the attribute are left out.
#[derive(Debug, Clone, Copy)]
pub struct FirstParty(pub &'static str);

/// The cookie of a person's session.
pub const SESSION: FirstParty = FirstParty("endonym");

impl FirstParty {
    fn name(self, links: &Links) -> String {
        if is_secure(links) { format!("__Host-{}", self.0) } else { self.0.to_owned() }
    }

    pub fn read<'a>(self, links: &Links, headers: &'a HeaderMap) -> Vec<&'a str> {
        values(headers, &self.name(links))
    }

    /// `Set-Cookie`; a cookie with a `max_age` of 0 seconds is deleted.
    pub fn set(self, links: &Links, value: &str, max_age: i64) -> Option<HeaderValue> {
        let cookie = Cookie::build((self.name(links), value))
            .path("/")
            .max_age(Duration::seconds(max_age))
            .http_only(true)
            .same_site(SameSite::Lax)
            .secure(is_secure(links));
        HeaderValue::try_from(cookie.build().to_string()).ok()
    }
}

pub fn is_secure(links: &Links) -> bool {
    links.base().starts_with("https://")
}

/// A cookie for a page inside a frame of another site. Browsers accept it only with these attributes.
pub fn for_frames(name: &str, value: &str, path: &str, max_age: i64) -> Option<HeaderValue> {
    let cookie = Cookie::build((name, value))
        .path(path)
        .max_age(Duration::seconds(max_age))
        .http_only(true)
        .secure(true)
        .same_site(SameSite::None)
        .partitioned(true);
    HeaderValue::try_from(cookie.build().to_string()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cookie_is_found_among_others() {
        let mut headers = HeaderMap::new();
        assert_eq!(values(&headers, "it"), [""; 0]);
        headers.append(header::COOKIE, HeaderValue::from_static("a=1; xit=2"));
        assert_eq!(values(&headers, "it"), [""; 0]);
        headers.append(header::COOKIE, HeaderValue::from_static("b=3;it=abc; c=4"));
        assert_eq!(values(&headers, "it"), ["abc"]);
        headers.append(header::COOKIE, HeaderValue::from_static("it=def"));
        assert_eq!(values(&headers, "it"), ["abc", "def"]);
    }

    #[test]
    fn a_first_party_cookie_has_the_host_prefix_over_https() {
        let cookie = FirstParty("endonym");
        let set = |base: &str| cookie.set(&Links::new(base), "abc", 60).unwrap().to_str().unwrap().to_owned();
        let text = set("https://names.example.edu/x");
        for part in ["__Host-endonym=abc", "Path=/", "Max-Age=60", "HttpOnly", "Secure", "SameSite=Lax"] {
            assert!(text.split("; ").any(|found| found == part), "{text} has no {part}");
        }
        let text = set("http://127.0.0.1:8080");
        assert!(text.starts_with("endonym=abc; ") && !text.contains("Secure"), "{text}");
    }

    #[test]
    fn a_cookie_for_frames_has_every_attribute_that_browsers_ask_for() {
        let text = for_frames("it", "abc", "/lti", 60).unwrap();
        let text = text.to_str().unwrap();
        for part in
            ["it=abc", "Path=/lti", "Max-Age=60", "HttpOnly", "Secure", "SameSite=None", "Partitioned"]
        {
            assert!(text.split("; ").any(|found| found == part), "{text} has no {part}");
        }
    }
}
