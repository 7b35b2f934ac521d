//! Cookies.

use axum::http::{HeaderMap, HeaderValue, header};
use cookie::{Cookie, SameSite, time::Duration};

/// Further cookies of the same name are ignored.
const MAX_SAME_NAME: usize = 8;

/// All values of a cookie: two frames opened at the same time may each have set one, and some browsers keep both.
pub fn values<'a>(headers: &'a HeaderMap, name: &str) -> Vec<&'a str> {
    let lines = headers.get_all(header::COOKIE).iter().filter_map(|line| line.to_str().ok());
    let cookies = lines.flat_map(Cookie::split_parse).filter_map(Result::ok);
    let values = cookies.filter(|cookie| cookie.name() == name).filter_map(|cookie| cookie.value_raw());
    values.take(MAX_SAME_NAME).collect()
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
