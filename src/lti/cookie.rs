//! The browser's own secret: it binds a launch, and what it leads to, to the browser that began it.

use axum::http::{HeaderMap, HeaderValue, header};

use crate::{app::App, web::page::root};

const NAME: &str = "endonym_lti";
const MOST: usize = 8;
/// Longer than any session; renewed at each launch.
const MAX_AGE: u32 = 24 * 3_600;

/// All of them: two frames that were opened at once may have been given one each, and some browsers keep both.
pub fn read(headers: &HeaderMap) -> Vec<&str> {
    let pairs = headers.get_all(header::COOKIE).iter().filter_map(|line| line.to_str().ok());
    let pairs = pairs.flat_map(|line| line.split(';')).filter_map(|pair| pair.trim().split_once('='));
    pairs.filter(|(name, _)| *name == NAME).map(|(_, value)| value).take(MOST).collect()
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
        assert_eq!(read(&headers), [""; 0]);
        headers.append(header::COOKIE, HeaderValue::from_static("a=1; xendonym_lti=2"));
        assert_eq!(read(&headers), [""; 0]);
        headers.append(header::COOKIE, HeaderValue::from_static("b=3;endonym_lti=abc; c=4"));
        assert_eq!(read(&headers), ["abc"]);
        headers.append(header::COOKIE, HeaderValue::from_static("endonym_lti=def"));
        assert_eq!(read(&headers), ["abc", "def"]);
    }
}
