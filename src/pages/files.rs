//! Recordings and pictures over HTTP. The database is asked each time, so a link that was withdrawn is dead at once, and
//! caches ask again after five minutes. A new recording has a new address, to which that of the old one redirects.

use std::ops::Range;

use axum::{
    body::Body,
    extract::{Request, State},
    http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header, request::Parts},
    response::Response,
};
use bytes::Bytes;

use crate::{
    app::{App, Error, media},
    blobs::{Blob, Key, Shelf},
    domain::{ids::InstitutionId, media::is_hex},
    http::reply::{Cause, Route},
};

pub const AUDIO: &str = "/audio/{institution}/{file}";
pub const PHOTOS: &str = "/photos/{institution}/{file}";
/// What was deleted is silent everywhere within five minutes; the entity tag makes asking again cheap.
const BRIEFLY: HeaderValue = HeaderValue::from_static(crate::blobs::CACHE_CONTROL);
/// As many as an answer has, so that room for them is made once.
const HEADERS: usize = 14;
const CROSS_ORIGIN: HeaderName = HeaderName::from_static("cross-origin-resource-policy");
const EXPOSED: HeaderValue = HeaderValue::from_static("Accept-Ranges, Content-Length, Content-Range, ETag");

/// `/audio/{institution}/recording_{hex}.mp3`
pub async fn audio(State(app): State<App>, request: Request) -> Response {
    let (request, _) = request.into_parts();
    let (institution, name) = address(&request);
    let hex = name.strip_prefix("recording_").and_then(|rest| rest.strip_suffix(".mp3"));
    serve(&app, &request, institution, hex, Shelf::Recordings).await
}

/// `/photos/{institution}/photo_{hex}.jpg`, and with `_128` before the ending its thumbnail.
pub async fn photo(State(app): State<App>, request: Request) -> Response {
    let (request, _) = request.into_parts();
    let (institution, name) = address(&request);
    let name = name.strip_prefix("photo_").and_then(|rest| rest.strip_suffix(".jpg"));
    let (hex, shelf) = match name.and_then(|name| name.strip_suffix("_128")) {
        Some(hex) => (Some(hex), Shelf::Thumbnails),
        None => (name, Shelf::Photos),
    };
    serve(&app, &request, institution, hex, shelf).await
}

/// The two parts behind the first one, or nothing. What is encoded in them can be no part of an address of ours, so they
/// are read as they stand.
fn address(request: &Parts) -> (&str, &str) {
    let rest = request.uri.path().get(1..).and_then(|path| path.split_once('/'));
    let parts = rest.and_then(|(_, rest)| rest.split_once('/'));
    parts.filter(|(_, name)| !name.contains('/')).unwrap_or_default()
}

/// Any page may play what we serve, players too, and ask for parts of it.
pub async fn preflight() -> Response {
    let mut response = plain(StatusCode::NO_CONTENT, "");
    let headers = response.headers_mut();
    headers.insert(header::ACCESS_CONTROL_ALLOW_METHODS, HeaderValue::from_static("GET, HEAD"));
    let asked = HeaderValue::from_static("*, Range, If-Range, If-None-Match");
    headers.insert(header::ACCESS_CONTROL_ALLOW_HEADERS, asked);
    headers.insert(header::ACCESS_CONTROL_MAX_AGE, HeaderValue::from_static("86400"));
    response
}

async fn serve(app: &App, request: &Parts, institution: &str, hex: Option<&str>, shelf: Shelf) -> Response {
    let mut response = match (institution.parse::<InstitutionId>(), hex.filter(|hex| is_hex(hex))) {
        (Ok(institution), Some(hex)) => match find(app, institution, hex, shelf).await {
            Ok(found) => found.answer(app, &request.method, &request.headers).await,
            Err(Error::Missing(_)) if shelf == Shelf::Recordings => replaced(app, institution, hex).await,
            Err(error) => refusal(error),
        },
        _ => gone(),
    };
    let route = if shelf == Shelf::Recordings { AUDIO } else { PHOTOS };
    response.extensions_mut().insert(Route(route));
    response
}

/// A file that a living link leads to.
struct Found {
    key: Key,
    /// Of the file itself, not of a thumbnail.
    bytes: u64,
}

async fn find(app: &App, institution: InstitutionId, hex: &str, shelf: Shelf) -> Result<Found, Error> {
    let (kind, bytes) = media::alive(app, institution, hex).await?;
    // A recording's address shows no picture, and the other way round.
    if kind.is_sound() != (shelf == Shelf::Recordings) {
        return Err(Error::Missing(crate::app::Missing::Recording));
    }
    Ok(Found { key: Key { shelf, institution, hex: hex.to_owned() }, bytes })
}

impl Found {
    /// The bytes behind an address never change, so the address is as good as a digest.
    fn etag(&self) -> String {
        match self.key.shelf {
            Shelf::Thumbnails => format!("\"{}-128\"", self.key.hex),
            _ => format!("\"{}\"", self.key.hex),
        }
    }

    fn size(&self) -> Option<u64> {
        (self.key.shelf != Shelf::Thumbnails).then_some(self.bytes)
    }

    async fn answer(&self, app: &App, method: &Method, headers: &HeaderMap) -> Response {
        let etag = self.etag();
        if let Some(known) = headers.get(header::IF_NONE_MATCH)
            && names(known, &etag)
        {
            return self.shown(StatusCode::NOT_MODIFIED, &etag, Body::empty());
        }
        match app.blobs.redirect(&self.key).await {
            Ok(None) => {}
            Ok(Some(address)) => return redirect(&address),
            Err(error) => return refusal(error.into()),
        }
        let blob = match app.blobs.find(&self.key, self.size()).await {
            Ok(Some(blob)) => blob,
            Ok(None) => return self.lost(),
            Err(error) => return refusal(error.into()),
        };
        let size = match &blob {
            Blob::Mapped(bytes) => bytes.len() as u64,
            Blob::Remote(size) => *size,
        };
        let part = match wanted(headers, &etag, size) {
            Wanted::All => None,
            Wanted::Part(part) => Some(part),
            Wanted::Impossible => return out_of_range(size),
        };
        let range = part.clone().unwrap_or(0..size);
        let (length, start, last) = (range.end - range.start, range.start, range.end.saturating_sub(1));
        let body = match blob {
            _ if method == Method::HEAD => Body::empty(),
            Blob::Mapped(bytes) => Body::from(cut(&bytes, range)),
            Blob::Remote(_) => match app.blobs.stream(&self.key, range).await {
                Ok(Some(stream)) => Body::from_stream(stream),
                Ok(None) => return self.lost(),
                Err(error) => return refusal(error.into()),
            },
        };
        let status = if part.is_some() { StatusCode::PARTIAL_CONTENT } else { StatusCode::OK };
        let mut response = self.shown(status, &etag, body);
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_LENGTH, length.into());
        if part.is_some()
            && let Ok(value) = HeaderValue::from_str(&format!("bytes {start}-{last}/{size}"))
        {
            headers.insert(header::CONTENT_RANGE, value);
        }
        response
    }

    fn shown(&self, status: StatusCode, etag: &str, body: Body) -> Response {
        let mut response = open_to_all(status, body);
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(self.key.shelf.content_type()));
        headers.insert(header::CACHE_CONTROL, BRIEFLY);
        headers.insert(header::ACCEPT_RANGES, HeaderValue::from_static("bytes"));
        if let Ok(etag) = HeaderValue::from_str(etag) {
            headers.insert(header::ETAG, etag);
        }
        response
    }

    /// The database has it and the blob store does not: the operator has to know.
    fn lost(&self) -> Response {
        let mut response = gone();
        let cause = format!("the file of {:?} {} is not in the store", self.key.shelf, self.key.hex);
        response.extensions_mut().insert(Cause(cause));
        response
    }
}

/// Does a list of entity tags name this one? Weak ones do as well: our bytes never change.
pub(super) fn names(list: &HeaderValue, etag: &str) -> bool {
    let Ok(list) = list.to_str() else { return false };
    list.split(',').map(|tag| tag.trim().trim_start_matches("W/")).any(|tag| tag == "*" || tag == etag)
}

#[derive(Debug, PartialEq, Eq)]
enum Wanted {
    All,
    Part(Range<u64>),
    Impossible,
}

/// One range, or one from the end. What we do not understand, several ranges among it, is answered with the whole file,
/// as the standard allows.
fn wanted(headers: &HeaderMap, etag: &str, size: u64) -> Wanted {
    let Some(range) = headers.get(header::RANGE).and_then(|value| value.to_str().ok()) else {
        return Wanted::All;
    };
    if headers.get(header::IF_RANGE).is_some_and(|condition| condition != etag) {
        return Wanted::All;
    }
    let Some((unit, range)) = range.split_once('=') else { return Wanted::All };
    let Some((first, last)) = range.trim().split_once('-') else { return Wanted::All };
    let number = |text: &str| {
        let digits = !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
        // More than fits is behind every end.
        digits.then(|| text.parse::<u64>().unwrap_or(u64::MAX))
    };
    if !unit.trim().eq_ignore_ascii_case("bytes") {
        return Wanted::All;
    }
    let (first, last) = (first.trim(), last.trim());
    let part = match (number(first), number(last)) {
        (Some(first), Some(last)) if first <= last => first..last.saturating_add(1).min(size),
        (Some(first), None) if last.is_empty() => first..size,
        (None, Some(count)) if first.is_empty() => size.saturating_sub(count)..size,
        _ => return Wanted::All,
    };
    if part.is_empty() { Wanted::Impossible } else { Wanted::Part(part) }
}

fn cut(bytes: &Bytes, range: Range<u64>) -> Bytes {
    let at = |place: u64| usize::try_from(place).unwrap_or(usize::MAX).min(bytes.len());
    bytes.slice(at(range.start)..at(range.end))
}

fn out_of_range(size: u64) -> Response {
    let mut response = plain(StatusCode::RANGE_NOT_SATISFIABLE, "There is no such part of this file.\n");
    if let Ok(value) = HeaderValue::from_str(&format!("bytes */{size}")) {
        response.headers_mut().insert(header::CONTENT_RANGE, value);
    }
    response
}

/// Clients store links, so that of a recording that was replaced leads to the one that its owner has now.
async fn replaced(app: &App, institution: InstitutionId, hex: &str) -> Response {
    match media::successor(app, institution, hex).await {
        Ok(current) => redirect(&app.links.recording(institution, &current)),
        Err(error) => refusal(error),
    }
}

/// Not to be kept: a signed address works for a minute, and a recording may be replaced again.
fn redirect(address: &str) -> Response {
    let mut response = plain(StatusCode::FOUND, "");
    if let Ok(address) = HeaderValue::from_str(address) {
        response.headers_mut().insert(header::LOCATION, address);
    }
    response
}

fn gone() -> Response {
    plain(StatusCode::NOT_FOUND, "There is nothing at this address, or no longer.\n")
}

fn refusal(error: Error) -> Response {
    match error {
        Error::Missing(_) => gone(),
        other => {
            let mut response = plain(StatusCode::SERVICE_UNAVAILABLE, "Please try again in a moment.\n");
            response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from_static("1"));
            response.extensions_mut().insert(Cause(other.to_string()));
            response
        }
    }
}

/// Nothing that may be kept.
fn plain(status: StatusCode, text: &'static str) -> Response {
    let mut response = open_to_all(status, Body::from(text));
    let headers = response.headers_mut();
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("text/plain; charset=utf-8"));
    response
}

/// Links need no credentials, so pages of every origin may use them.
pub(super) fn open_to_all(status: StatusCode, body: Body) -> Response {
    let mut response = Response::new(body);
    *response.status_mut() = status;
    let headers = response.headers_mut();
    headers.reserve(HEADERS);
    headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, HeaderValue::from_static("*"));
    headers.insert(header::ACCESS_CONTROL_EXPOSE_HEADERS, EXPOSED);
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(CROSS_ORIGIN, HeaderValue::from_static("cross-origin"));
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(range: &str, if_range: Option<&str>) -> Wanted {
        let mut headers = HeaderMap::new();
        headers.insert(header::RANGE, HeaderValue::from_str(range).unwrap());
        if let Some(condition) = if_range {
            headers.insert(header::IF_RANGE, HeaderValue::from_str(condition).unwrap());
        }
        wanted(&headers, "\"x\"", 100)
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
            assert_eq!(asked(range, None), Wanted::Part(part), "{range}");
        }
    }

    #[test]
    fn what_lies_behind_the_end_is_impossible_and_what_is_no_range_is_everything() {
        for range in ["bytes=100-", "bytes=100-200", "bytes=-0", "bytes=99999999999999999999999-"] {
            assert_eq!(asked(range, None), Wanted::Impossible, "{range}");
        }
        for range in ["bytes=0-1,5-6", "lines=1-2", "bytes", "bytes=9-1", "bytes=a-b", "bytes=--1", "bytes=-"]
        {
            assert_eq!(asked(range, None), Wanted::All, "{range}");
        }
    }

    #[test]
    fn a_part_of_another_file_is_not_given() {
        assert_eq!(asked("bytes=0-9", Some("\"y\"")), Wanted::All);
        assert_eq!(asked("bytes=0-9", Some("\"x\"")), Wanted::Part(0..10));
    }
}
