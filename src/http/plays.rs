//! Which requests for a recording are plays (ADR 22).

use axum::http::{HeaderMap, HeaderName, Method, StatusCode, header};

const PURPOSE: HeaderName = HeaderName::from_static("sec-purpose");

/// A browser plays what it gets, and after a 304 what it has. A redirect leads to the file on S3.
pub fn is_play(method: &Method, headers: &HeaderMap, status: StatusCode) -> bool {
    match status {
        StatusCode::OK => {}
        StatusCode::PARTIAL_CONTENT | StatusCode::NOT_MODIFIED | StatusCode::FOUND
            if is_beginning(headers) => {}
        _ => return false,
    }
    // A speculative request: if it is used, nothing tells.
    method == Method::GET && !headers.contains_key(PURPOSE)
}

/// Does the request include the beginning of the file? Browsers request further parts of the file while they play it, and Safari
/// requests the first two bytes before it plays.
fn is_beginning(headers: &HeaderMap) -> bool {
    let Some(range) = headers.get(header::RANGE) else { return true };
    let range = range.to_str().ok().and_then(|range| range.strip_prefix("bytes="));
    match range.and_then(|range| range.split_once('-')) {
        Some((first, last)) => first.trim() == "0" && !matches!(last.trim(), "0" | "1"),
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_for_the_beginning_is_a_play_and_the_rest_is_not() {
        let is = |method: Method, range: &str, status: u16| {
            let mut headers = HeaderMap::new();
            if !range.is_empty() {
                headers.insert(header::RANGE, range.parse().unwrap());
            }
            is_play(&method, &headers, StatusCode::from_u16(status).unwrap())
        };
        for (range, status) in [
            ("", 200),
            ("bytes=0-1,4-5", 200),
            ("bytes=0-", 206),
            ("bytes=0-20000", 206),
            ("", 304),
            ("bytes=0-", 304),
            ("", 302),
        ] {
            assert!(is(Method::GET, range, status), "{range} {status}");
            assert!(!is(Method::HEAD, range, status), "{range} {status}");
        }
        for (range, status) in [
            ("bytes=0-1", 206),
            ("bytes=0-0", 206),
            ("bytes=100-", 206),
            ("bytes=-50", 206),
            ("bytes=100-", 304),
            ("bytes=0-1", 302),
            ("bytes=0-", 416),
            ("", 404),
            ("", 503),
        ] {
            assert!(!is(Method::GET, range, status), "{range} {status}");
        }
        let mut headers = HeaderMap::new();
        headers.insert(PURPOSE, "prefetch".parse().unwrap());
        assert!(!is_play(&Method::GET, &headers, StatusCode::OK));
    }
}
