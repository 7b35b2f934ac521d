//! Pictures of people, fetched only from the learning system's own origin.

use bytes::Bytes;
use reqwest::{StatusCode, Url, header};

use super::{Error, Result};
use crate::outbound::{Outbound, Request};

/// Larger than what phone cameras produce.
const MAX_BYTES: usize = 10 << 20;

/// Resolves the URL, if it is on the same origin as the system.
pub(super) fn within(root: &Url, url: &str) -> Option<Url> {
    let is_bare = |url: &Url| url.username().is_empty() && url.password().is_none();
    root.join(url).ok().filter(|url| url.origin() == root.origin() && is_bare(url))
}

/// `None` if there is no picture, which is final: it is not asked for again until its URL changes. That is only what the learning system says
/// itself (404, 410, or an empty file), and a picture that is too large. Anything else may be mended, such as a permission.
pub(super) async fn fetch(outbound: &Outbound, url: Url) -> Result<Option<Bytes>> {
    let answer = outbound.exchange(Request::get(url).accept("image/*").at_most(MAX_BYTES)).await?;
    let kind = answer.header(header::CONTENT_TYPE).unwrap_or_default();
    match answer.status {
        StatusCode::NOT_FOUND | StatusCode::GONE => Ok(None),
        StatusCode::OK if answer.whole && answer.body.is_empty() => Ok(None),
        StatusCode::OK if !is_picture(kind, &answer.body) => {
            Err(Error::Unavailable("something else came instead of a picture".to_owned()))
        }
        StatusCode::OK => Ok(Some(answer.body).filter(|_| answer.whole)),
        status => Err(Error::Unavailable(format!("a picture cannot be had now ({})", status.as_u16()))),
    }
}

/// Login pages and Moodle's errors come with status 200 too, as HTML or JSON, and not always with that type.
fn is_picture(kind: &str, body: &[u8]) -> bool {
    if kind.starts_with("image/") {
        return true;
    }
    let is_text = body.trim_ascii_start().first().is_some_and(|first| matches!(first, b'<' | b'{' | b'['));
    (kind.is_empty() || kind == "application/octet-stream") && !is_text
}

/// False for the placeholder pictures of Canvas and Moodle.
pub(super) fn is_real(url: &str) -> bool {
    const NONE: [&str; 4] =
        ["/images/messages/avatar-", "/images/dotted_pic.png", "/images/no_pic", "/theme/image.php"];
    !NONE.iter().any(|picture| url.contains(picture))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_has_no_picture_has_none() {
        for url in [
            "https://c.example/images/messages/avatar-50.png",
            "https://c.example/images/dotted_pic.png",
            "https://m.example/theme/image.php/boost/core/1760000000/u/f1",
        ] {
            assert!(!is_real(url), "{url}");
        }
        assert!(is_real("https://c.example/images/thumbnails/12/ab"));
    }

    #[test]
    fn a_page_or_an_error_is_no_picture() {
        for (kind, body) in [("image/jpeg", "\u{ff}x"), ("", "GIF89a"), ("application/octet-stream", "RIFF")]
        {
            assert!(is_picture(kind, body.as_bytes()), "{kind}");
        }
        for (kind, body) in [
            ("text/html; charset=utf-8", "<html>Log in"),
            ("application/json", "{\"errorcode\":\"x\"}"),
            ("", " <!doctype html>"),
            ("application/octet-stream", "{\"error\":\"x\"}"),
        ] {
            assert!(!is_picture(kind, body.as_bytes()), "{kind}");
        }
    }

    #[test]
    fn only_the_systems_own_origin_is_within() {
        let root = Url::parse("https://lms.example.edu/moodle").unwrap();
        assert!(
            within(&root, "https://lms.example.edu/x.png").is_some() && within(&root, "/x.png").is_some()
        );
        for url in [
            "http://lms.example.edu/x.png",
            "https://lms.example.edu:8443/x.png",
            "https://lms.example.edu.evil.example/x.png",
            "https://me@lms.example.edu/x.png",
            "//evil.example/x.png",
            "data:image/png;base64,AAAA",
        ] {
            assert!(within(&root, url).is_none(), "{url}");
        }
    }
}
