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

/// `None` if there is no picture, or if the response is too large or not an image.
pub(super) async fn fetch(outbound: &Outbound, url: Url) -> Result<Option<Bytes>> {
    let answer = outbound.exchange(Request::get(url).accept("image/*").at_most(MAX_BYTES)).await?;
    // Login pages and Moodle's token errors come with status 200 too.
    let kind = answer.header(header::CONTENT_TYPE).unwrap_or_default();
    let is_picture = kind.is_empty() || kind.starts_with("image/") || kind == "application/octet-stream";
    match answer.status {
        StatusCode::OK if !answer.whole || !is_picture => Ok(None),
        StatusCode::OK => Ok(Some(answer.body).filter(|body| !body.is_empty())),
        status if status.is_server_error() || status == StatusCode::TOO_MANY_REQUESTS => {
            Err(Error::Unavailable(format!("a picture is temporarily unavailable ({})", status.as_u16())))
        }
        _ => Ok(None),
    }
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
