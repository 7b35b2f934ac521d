//! Range requests: a part of a file. Safari plays only audio that it can request in parts.

use std::ops::Range;

use axum::{
    body::Body,
    http::{HeaderMap, HeaderValue, StatusCode, header},
    response::Response,
};
use bytes::{Buf, Bytes};

#[derive(Debug, PartialEq, Eq)]
pub enum ByteRange {
    All,
    Part(Range<u64>),
    Impossible,
}

/// A single range or a suffix range. Anything else, including multiple ranges, gets the whole file, as RFC 9110
/// allows.
pub fn byte_range(headers: &HeaderMap, etag: &str, size: u64) -> ByteRange {
    let Some(range) = headers.get(header::RANGE).and_then(|value| value.to_str().ok()) else {
        return ByteRange::All;
    };
    if headers.get(header::IF_RANGE).is_some_and(|condition| condition != etag) {
        return ByteRange::All;
    }
    let Some((unit, range)) = range.split_once('=') else { return ByteRange::All };
    let Some((first, last)) = range.trim().split_once('-') else { return ByteRange::All };
    let number = |text: &str| {
        let digits = !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
        // An overflow is past any end.
        digits.then(|| text.parse::<u64>().unwrap_or(u64::MAX))
    };
    if !unit.trim().eq_ignore_ascii_case("bytes") {
        return ByteRange::All;
    }
    let (first, last) = (first.trim(), last.trim());
    let part = match (number(first), number(last)) {
        (Some(first), Some(last)) if first <= last => first..last.saturating_add(1).min(size),
        (Some(first), None) if last.is_empty() => first..size,
        (None, Some(count)) if first.is_empty() => size.saturating_sub(count)..size,
        _ => return ByteRange::All,
    };
    if part.is_empty() { ByteRange::Impossible } else { ByteRange::Part(part) }
}

/// In place: another reference to a file that many play at the same time would be counted among all cores.
pub fn cut(mut bytes: Bytes, range: Range<u64>) -> Bytes {
    let at = |place: u64| usize::try_from(place).unwrap_or(usize::MAX);
    bytes.truncate(at(range.end));
    bytes.advance(at(range.start).min(bytes.len()));
    bytes
}

/// A private file in memory, or the part of it that is requested. It is not cached.
pub fn private(headers: &HeaderMap, content_type: &'static str, bytes: &Bytes) -> Response {
    let size = bytes.len() as u64;
    // Without an ETag, `If-Range` never matches, and the whole file is sent.
    let (status, range, content_range) = match byte_range(headers, "", size) {
        ByteRange::All => (StatusCode::OK, 0..size, None),
        ByteRange::Part(part) => {
            let content_range = format!("bytes {}-{}/{size}", part.start, part.end - 1);
            (StatusCode::PARTIAL_CONTENT, part, Some(content_range))
        }
        ByteRange::Impossible => (StatusCode::RANGE_NOT_SATISFIABLE, 0..0, Some(format!("bytes */{size}"))),
    };
    let mut response = Response::new(Body::from(cut(bytes.clone(), range)));
    *response.status_mut() = status;
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(content_type));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("private, no-store"));
    headers.insert(header::ACCEPT_RANGES, HeaderValue::from_static("bytes"));
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert("cross-origin-resource-policy", HeaderValue::from_static("same-origin"));
    if let Some(Ok(content_range)) = content_range.map(HeaderValue::try_from) {
        headers.insert(header::CONTENT_RANGE, content_range);
    }
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(range: &str, if_range: Option<&str>) -> ByteRange {
        let mut headers = HeaderMap::new();
        headers.insert(header::RANGE, HeaderValue::from_str(range).unwrap());
        if let Some(condition) = if_range {
            headers.insert(header::IF_RANGE, HeaderValue::from_str(condition).unwrap());
        }
        byte_range(&headers, "\"x\"", 100)
    }

    #[test]
    fn one_range_is_read_in_each_of_its_forms() {
        for (range, part) in [
            ("bytes=0-9", 0..10),
            ("bytes=90-", 90..100),
            ("bytes=-10", 90..100),
            ("bytes=-1000", 0..100),
            ("bytes=0-99999999999999999999999", 0..100),
            ("Bytes = 5 - 5", 5..6),
        ] {
            assert_eq!(parse(range, None), ByteRange::Part(part), "{range}");
        }
    }

    #[test]
    fn what_lies_behind_the_end_is_impossible_and_what_is_no_range_is_everything() {
        for range in ["bytes=100-", "bytes=100-200", "bytes=-0", "bytes=99999999999999999999999-"] {
            assert_eq!(parse(range, None), ByteRange::Impossible, "{range}");
        }
        for range in ["bytes=0-1,5-6", "lines=1-2", "bytes", "bytes=9-1", "bytes=a-b", "bytes=--1", "bytes=-"]
        {
            assert_eq!(parse(range, None), ByteRange::All, "{range}");
        }
    }

    #[test]
    fn a_part_of_another_file_is_not_given() {
        assert_eq!(parse("bytes=0-9", Some("\"y\"")), ByteRange::All);
        assert_eq!(parse("bytes=0-9", Some("\"x\"")), ByteRange::Part(0..10));
    }

    #[test]
    fn a_part_is_cut_out_and_never_more_than_there_is() {
        let file = Bytes::from_static(b"0123456789");
        for (range, part) in [(0..10, "0123456789"), (2..5, "234"), (8..99, "89"), (99..100, ""), (3..3, "")]
        {
            assert_eq!(cut(file.clone(), range.clone()), part, "{range:?}");
        }
    }

    #[test]
    fn a_private_file_is_sent_whole_or_in_part_and_never_cached() {
        let file = Bytes::from_static(b"0123456789");
        let of = |range: Option<&str>| {
            let mut headers = HeaderMap::new();
            if let Some(range) = range {
                headers.insert(header::RANGE, HeaderValue::from_str(range).unwrap());
            }
            let response = private(&headers, "audio/mpeg", &file);
            assert_eq!(response.headers()[header::CACHE_CONTROL], "private, no-store");
            let part = response.headers().get(header::CONTENT_RANGE);
            (response.status().as_u16(), part.map(|part| part.to_str().unwrap().to_owned()))
        };
        assert_eq!(of(None), (200, None));
        assert_eq!(of(Some("bytes=0-1")), (206, Some("bytes 0-1/10".to_owned())));
        assert_eq!(of(Some("bytes=10-")), (416, Some("bytes */10".to_owned())));
    }
}
