//! Recordings and photos over HTTP. Every request checks the database, or that it has not changed, so a revoked link stops
//! working at once, and caches revalidate after five minutes. A new recording has a new URL, to which the old one redirects.

use std::ops::Range;

use axum::{
    body::Body,
    extract::{Request, State},
    http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header, request::Parts},
    response::Response,
};
use bytes::Bytes;

use super::plays;
use crate::{
    app::{
        App, DataVersion, Error, callers,
        directory_holds::{self, Listener},
        media,
    },
    blobs::{Blob, Key, Shelf},
    domain::{ids::InstitutionId, media::is_hex},
    http::{
        client,
        cookie::SESSION,
        ranges::{self, ByteRange, byte_range, cut},
        reply::{Cause, HEADERS, Route},
        session::SignedIn,
    },
};

pub const AUDIO: &str = "/audio/{institution}/{file}";
pub const PHOTOS: &str = "/photos/{institution}/{file}";
/// Deleted files disappear from caches within five minutes; the ETag makes revalidation cheap.
const CACHE_CONTROL: HeaderValue = HeaderValue::from_static(crate::blobs::CACHE_CONTROL);
const CROSS_ORIGIN: HeaderName = HeaderName::from_static("cross-origin-resource-policy");
const EXPOSED: HeaderValue = HeaderValue::from_static("Accept-Ranges, Content-Length, Content-Range, ETag");

/// `/audio/{institution}/recording_{hex}.mp3`
pub async fn audio(State(app): State<App>, request: Request) -> Response {
    let (request, _) = request.into_parts();
    serve(&app, &request, recording_link(request.uri.path()), Shelf::Recordings).await
}

/// The same, at once, if the recording was played since the database last changed.
pub fn kept_audio(app: &App, request: &Request) -> Option<Response> {
    let (institution, hex) = recording_link(request.uri().path())?;
    let file = media::kept(app, institution, hex)?;
    let (method, headers) = (request.method(), request.headers());
    let mut response = send(Shelf::Recordings, etag(Shelf::Recordings, hex), method, headers, file);
    plays::count(app, (method, request.uri(), headers), (institution, hex), response.status());
    response.extensions_mut().insert(Route::Fixed(AUDIO));
    Some(response)
}

fn recording_link(path: &str) -> Option<(InstitutionId, &str)> {
    let (institution, name) = address(path)?;
    link(institution, name.strip_prefix("recording_")?.strip_suffix(".mp3")?)
}

/// `/photos/{institution}/photo_{hex}.jpg`, and with `_128` before the ending its thumbnail.
pub async fn photo(State(app): State<App>, request: Request) -> Response {
    let (request, _) = request.into_parts();
    let (institution, name) = address(request.uri.path()).unwrap_or_default();
    let name = name.strip_prefix("photo_").and_then(|rest| rest.strip_suffix(".jpg"));
    let (hex, shelf) = match name.and_then(|name| name.strip_suffix("_128")) {
        Some(hex) => (Some(hex), Shelf::Thumbnails),
        None => (name, Shelf::Photos),
    };
    serve(&app, &request, hex.and_then(|hex| link(institution, hex)), shelf).await
}

/// The two path segments after the first. Our URLs contain no percent-encoding, so they are compared as received.
fn address(path: &str) -> Option<(&str, &str)> {
    let (_, rest) = path.get(1..)?.split_once('/')?;
    rest.split_once('/').filter(|(_, name)| !name.contains('/'))
}

fn link<'a>(institution: &str, hex: &'a str) -> Option<(InstitutionId, &'a str)> {
    let institution = institution.parse().ok()?;
    is_hex(hex).then_some((institution, hex))
}

/// CORS preflight: any origin may play recordings, including range requests.
pub async fn preflight() -> Response {
    let mut response = plain(StatusCode::NO_CONTENT, "");
    let headers = response.headers_mut();
    headers.insert(header::ACCESS_CONTROL_ALLOW_METHODS, HeaderValue::from_static("GET, HEAD"));
    let allowed = HeaderValue::from_static("*, Range, If-Range, If-None-Match");
    headers.insert(header::ACCESS_CONTROL_ALLOW_HEADERS, allowed);
    headers.insert(header::ACCESS_CONTROL_MAX_AGE, HeaderValue::from_static("86400"));
    response
}

async fn serve(app: &App, request: &Parts, link: Option<(InstitutionId, &str)>, shelf: Shelf) -> Response {
    let mut response = match link {
        Some((institution, hex)) => match find(app, institution, hex, shelf).await {
            Ok(found) => {
                let response = found.respond(app, &request.method, &request.headers).await;
                if shelf == Shelf::Recordings {
                    let asked = (&request.method, &request.uri, &request.headers);
                    plays::count(app, asked, (institution, hex), response.status());
                }
                response
            }
            Err(Error::Missing(_)) => match withheld(app, request, (institution, hex), shelf).await {
                Ok(response) => response,
                Err(Error::Missing(_)) if shelf == Shelf::Recordings => {
                    redirect_replaced(app, institution, hex, request.uri.query()).await
                }
                Err(error) => refusal(error),
            },
            Err(error) => refusal(error),
        },
        None => gone(),
    };
    let route = if shelf == Shelf::Recordings { AUDIO } else { PHOTOS };
    response.extensions_mut().insert(Route::Fixed(route));
    response
}

/// The file behind a valid link.
struct MediaFile {
    key: Key,
    /// Of the file itself, not of the thumbnail.
    bytes: u64,
    /// Of the database, read before the link was looked up; only of recordings, which are kept.
    version: Option<DataVersion>,
}

async fn find(app: &App, institution: InstitutionId, hex: &str, shelf: Shelf) -> Result<MediaFile, Error> {
    let version = if shelf == Shelf::Recordings { app.data_version() } else { None };
    let (kind, bytes) = media::find_live(app, institution, hex).await?;
    // A recording URL never returns a photo, and vice versa. What is held or removed has no public link.
    if !kind.is_public() || kind.is_sound() != (shelf == Shelf::Recordings) {
        return Err(Error::Missing(crate::app::Missing::Recording));
    }
    Ok(MediaFile { key: Key { shelf, institution, hex: hex.to_owned() }, bytes, version })
}

/// Media of somebody with a directory hold, for those who may have it: by a session or by an access token. No cache keeps it.
async fn withheld(
    app: &App,
    request: &Parts,
    (institution, hex): (InstitutionId, &str),
    shelf: Shelf,
) -> Result<Response, Error> {
    let missing = || Error::Missing(crate::app::Missing::Recording);
    let found = if request.headers.contains_key(header::AUTHORIZATION) {
        let token = client::access_token(&request.headers);
        let caller = callers::authenticate(app, token, client::address(&request.extensions)).await;
        let caller = caller.map_err(|_| missing())?;
        directory_holds::media(app, Listener::Client(&caller.access), institution, hex).await?
    } else {
        if SESSION.read(&app.links, &request.headers).is_empty() {
            return Err(missing());
        }
        let signed_in = SignedIn::find(request, app).await?.ok_or_else(missing)?;
        let actor = signed_in.member_actor(app).await?;
        directory_holds::media(app, Listener::Visitor(&actor), institution, hex).await?
    };
    if found.kind.is_sound() != (shelf == Shelf::Recordings) {
        return Err(missing());
    }
    let key = Key { shelf, institution, hex: hex.to_owned() };
    let bytes = app.blobs.read(&key).await?.ok_or_else(missing)?;
    Ok(ranges::private(&request.headers, shelf.content_type(), &bytes))
}

/// The bytes of a URL never change, so the URL identifies them.
fn etag(shelf: Shelf, hex: &str) -> String {
    match shelf {
        Shelf::Thumbnails => format!("\"{hex}-128\""),
        _ => format!("\"{hex}\""),
    }
}

impl MediaFile {
    fn size(&self) -> Option<u64> {
        (self.key.shelf != Shelf::Thumbnails).then_some(self.bytes)
    }

    async fn respond(&self, app: &App, method: &Method, headers: &HeaderMap) -> Response {
        let Key { shelf, institution, hex } = &self.key;
        let etag = etag(*shelf, hex);
        if is_known(headers, &etag) {
            return shown(*shelf, StatusCode::NOT_MODIFIED, etag, Body::empty());
        }
        match app.blobs.redirect(&self.key).await {
            Ok(None) => {}
            Ok(Some(address)) => return redirect(&address),
            Err(error) => return refusal(error.into()),
        }
        match app.blobs.find(&self.key, self.size()).await {
            Ok(Some(Blob::Mapped(file))) => {
                if let Some(version) = self.version {
                    media::keep(app, version, *institution, hex, &file);
                }
                send(*shelf, etag, method, headers, file)
            }
            Ok(Some(Blob::Remote(size))) => self.stream(app, etag, method, headers, size).await,
            Ok(None) => self.missing_blob(),
            Err(error) => refusal(error.into()),
        }
    }

    /// Like `send`, for a remote file.
    async fn stream(
        &self,
        app: &App,
        etag: String,
        method: &Method,
        headers: &HeaderMap,
        size: u64,
    ) -> Response {
        let part = match byte_range(headers, &etag, size) {
            ByteRange::All => None,
            ByteRange::Part(part) => Some(part),
            ByteRange::Impossible => return out_of_range(size),
        };
        if method == Method::HEAD {
            return sent(self.key.shelf, etag, part, size, Body::empty());
        }
        match app.blobs.stream(&self.key, part.clone().unwrap_or(0..size)).await {
            Ok(Some(stream)) => sent(self.key.shelf, etag, part, size, Body::from_stream(stream)),
            Ok(None) => self.missing_blob(),
            Err(error) => refusal(error.into()),
        }
    }

    /// The row exists, but the blob is missing: logged for the operator.
    fn missing_blob(&self) -> Response {
        let mut response = gone();
        let cause = format!("the blob {:?} {} is missing", self.key.shelf, self.key.hex);
        response.extensions_mut().insert(Cause(cause));
        response
    }
}

/// A file in memory, as far as it is requested.
fn send(shelf: Shelf, etag: String, method: &Method, headers: &HeaderMap, file: Bytes) -> Response {
    if is_known(headers, &etag) {
        return shown(shelf, StatusCode::NOT_MODIFIED, etag, Body::empty());
    }
    let size = file.len() as u64;
    let part = match byte_range(headers, &etag, size) {
        ByteRange::All => None,
        ByteRange::Part(part) => Some(part),
        ByteRange::Impossible => return out_of_range(size),
    };
    let body = if method == Method::HEAD {
        Body::empty()
    } else {
        Body::from(cut(file, part.clone().unwrap_or(0..size)))
    };
    sent(shelf, etag, part, size, body)
}

/// A part of a file, or all of it.
fn sent(shelf: Shelf, etag: String, part: Option<Range<u64>>, size: u64, body: Body) -> Response {
    let status = if part.is_some() { StatusCode::PARTIAL_CONTENT } else { StatusCode::OK };
    let mut response = shown(shelf, status, etag, body);
    let headers = response.headers_mut();
    let length = part.as_ref().map_or(size, |part| part.end - part.start);
    headers.insert(header::CONTENT_LENGTH, length.into());
    if let Some(Range { start, end }) = part
        && let Ok(value) = HeaderValue::try_from(format!("bytes {start}-{}/{size}", end.saturating_sub(1)))
    {
        headers.insert(header::CONTENT_RANGE, value);
    }
    response
}

fn shown(shelf: Shelf, status: StatusCode, etag: String, body: Body) -> Response {
    let mut response = cors_response(status, body);
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(shelf.content_type()));
    headers.insert(header::CACHE_CONTROL, CACHE_CONTROL);
    headers.insert(header::ACCEPT_RANGES, HeaderValue::from_static("bytes"));
    if let Ok(etag) = HeaderValue::try_from(etag) {
        headers.insert(header::ETAG, etag);
    }
    response
}

/// Does the client have the file already?
fn is_known(headers: &HeaderMap, etag: &str) -> bool {
    headers.get(header::IF_NONE_MATCH).is_some_and(|known| contains_etag(known, etag))
}

/// Does a list of ETags contain this one? Weak comparison is fine: the bytes never change.
pub(super) fn contains_etag(list: &HeaderValue, etag: &str) -> bool {
    let Ok(list) = list.to_str() else { return false };
    list.split(',').map(|tag| tag.trim().trim_start_matches("W/")).any(|tag| tag == "*" || tag == etag)
}

fn out_of_range(size: u64) -> Response {
    let mut response = plain(StatusCode::RANGE_NOT_SATISFIABLE, "There is no such part of this file.\n");
    if let Ok(value) = HeaderValue::from_str(&format!("bytes */{size}")) {
        response.headers_mut().insert(header::CONTENT_RANGE, value);
    }
    response
}

/// Clients store links, so the link of a replaced recording redirects to the current one. The place where it is played is kept.
async fn redirect_replaced(
    app: &App,
    institution: InstitutionId,
    hex: &str,
    query: Option<&str>,
) -> Response {
    match media::successor(app, institution, hex).await {
        Ok(current) => {
            let link = app.links.recording(institution, &current);
            match query.filter(|query| query.starts_with("from=")) {
                Some(query) => redirect(&format!("{link}?{query}")),
                None => redirect(&link),
            }
        }
        Err(error) => refusal(error),
    }
}

/// Not cacheable: a signed URL expires after a minute, and the recording may be replaced again.
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
            response.extensions_mut().insert(Cause(other.to_string()));
            response
        }
    }
}

/// Not cacheable.
fn plain(status: StatusCode, text: &'static str) -> Response {
    let mut response = cors_response(status, Body::from(text));
    let headers = response.headers_mut();
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("text/plain; charset=utf-8"));
    response
}

/// Links need no credentials, so every origin may use them.
pub(super) fn cors_response(status: StatusCode, body: Body) -> Response {
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
