//! The browser's own secret: it binds a launch, and what it leads to, to the browser that began it.

use axum::http::{HeaderMap, HeaderValue, header};

use crate::{app::App, web::page::root};

const NAME: &str = "endonym_lti";
/// Longer than any session; renewed at each launch.
const MAX_AGE: u32 = 24 * 3_600;

pub fn read(headers: &HeaderMap) -> Option<&str> {
    let pairs = headers.get_all(header::COOKIE).iter().filter_map(|line| line.to_str().ok());
    let mut pairs = pairs.flat_map(|line| line.split(';')).filter_map(|pair| pair.trim().split_once('='));
    pairs.find(|(name, _)| *name == NAME).map(|(_, value)| value)
}

/// Inside a frame it is another site's cookie: browsers take those with these words alone.
pub fn set(app: &App, browser: &str) -> Option<HeaderValue> {
    let path = root(&app.links);
    let text = format!(
        "{NAME}={browser}; Path={path}/lti; Max-Age={MAX_AGE}; HttpOnly; Secure; SameSite=None; Partitioned"
    );
    HeaderValue::try_from(text).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_found_among_others() {
        let mut headers = HeaderMap::new();
        assert_eq!(read(&headers), None);
        headers.append(header::COOKIE, HeaderValue::from_static("a=1; xendonym_lti=2"));
        assert_eq!(read(&headers), None);
        headers.append(header::COOKIE, HeaderValue::from_static("b=3;endonym_lti=abc; c=4"));
        assert_eq!(read(&headers), Some("abc"));
    }
}
