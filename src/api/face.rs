//! What happens around every handler: who is calling, how often, what is sent back.

use std::{
    future::Future,
    net::{IpAddr, Ipv4Addr},
    sync::Arc,
    time::Duration,
};

use axum::{
    body::{Body, Bytes},
    extract::{MatchedPath, Request, State},
    http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header, request::Parts},
    response::Response,
};
use futures_util::{FutureExt, future::BoxFuture};
use http_body_util::BodyExt;
use serde::Serialize;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::{
    ask::{Ask, has_body},
    problem::{Problem, Told},
};
use crate::{
    app::{
        App, Caller, callers, institutions,
        limiter::{Standing, Whose},
    },
    domain::{access::Action, field_errors::FieldErrors},
};

/// What is read of a refused body.
const MOST_THROWN_AWAY: usize = 128 << 20;
const JSON: HeaderValue = HeaderValue::from_static("application/json; charset=utf-8");
/// Answers hold people's data: no browser and no proxy keeps them.
const NO_STORE: HeaderValue = HeaderValue::from_static("no-store");
const NO_SNIFF: HeaderValue = HeaderValue::from_static("nosniff");
const LIMIT: HeaderName = HeaderName::from_static("nc-rate-limit-limit");
const REMAINING: HeaderName = HeaderName::from_static("nc-rate-limit-remaining");
const RESET: HeaderName = HeaderName::from_static("nc-rate-limit-reset");
const EXPOSED: HeaderValue = HeaderValue::from_static(
    "Nc-Rate-Limit-Limit, Nc-Rate-Limit-Remaining, Nc-Rate-Limit-Reset, Retry-After, X-Request-Id",
);

/// How much a request may bring, and how long that may take. Put into each request by the server.
#[derive(Debug, Clone)]
pub struct BodyLimits {
    pub bytes: usize,
    pub time: Duration,
    /// In KiB, shared by all large bodies that are being read or worked on: ten thousand uploads at once must not need
    /// the memory of ten thousand.
    memory: Arc<Semaphore>,
    memory_kib: u32,
}

/// Bodies up to this size are not counted.
const SMALL_BODY: usize = 1 << 20;

/// Memory for a large body, free again when this goes. A small one needs none.
pub type Room = Option<OwnedSemaphorePermit>;

impl BodyLimits {
    pub fn new(bytes: usize, time: Duration, memory: usize) -> Self {
        let memory_kib = u32::try_from(memory.div_ceil(1024)).unwrap_or(u32::MAX >> 4).min(u32::MAX >> 4);
        Self { bytes, time, memory: Arc::new(Semaphore::new(memory_kib as usize)), memory_kib }
    }

    /// Waits for room. A body of unknown length may be as large as any.
    pub async fn room_for(&self, headers: &HeaderMap) -> Result<Room, Problem> {
        let length = headers.get(header::CONTENT_LENGTH).and_then(|value| value.to_str().ok()?.parse().ok());
        let chunked = headers.contains_key(header::TRANSFER_ENCODING);
        let expected: usize = length.unwrap_or(if chunked { self.bytes } else { 0 });
        // What is over the limit is read and thrown away, which takes no room.
        if expected <= SMALL_BODY || expected > self.bytes {
            return Ok(None);
        }
        let kib = u32::try_from(expected.div_ceil(1024)).unwrap_or(u32::MAX).min(self.memory_kib);
        match tokio::time::timeout(self.time, self.memory.clone().acquire_many_owned(kib)).await {
            Ok(Ok(room)) => Ok(Some(room)),
            Ok(Err(_)) | Err(_) => {
                let why = "no memory for a large body came free in time".to_owned();
                Err(Problem::App(crate::app::Error::Unavailable(why)))
            }
        }
    }
}

impl Default for BodyLimits {
    fn default() -> Self {
        Self::new(32 << 20, Duration::from_secs(60), 96 << 20)
    }
}

/// Who is at the other end of the connection. Put into each request by the server.
#[derive(Debug, Clone, Copy)]
pub struct Peer(pub IpAddr);

/// Whom failures are counted for.
pub fn client_address(parts: &Parts) -> IpAddr {
    parts.extensions.get().map_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED), |Peer(address)| *address)
}

/// Why an answer is a fault of ours. Travels with the answer to where it is logged, once, with the request's id.
#[derive(Debug, Clone)]
pub struct Cause(pub String);

/// A version's words for what went wrong.
pub type Show = fn(Problem) -> Response;

/// What axum takes as a handler.
pub trait Route:
    Fn(State<App>, Request) -> BoxFuture<'static, Response> + Clone + Send + Sync + 'static
{
}
impl<F> Route for F where
    F: Fn(State<App>, Request) -> BoxFuture<'static, Response> + Clone + Send + Sync + 'static
{
}

/// A handler, with what a token must permit and its version's words for what goes wrong.
pub fn on<F, Fut>(needs: Action, handler: F, show: Show) -> impl Route
where
    F: FnOnce(App, Ask) -> Fut + Clone + Send + Sync + 'static,
    Fut: Future<Output = Result<Response, Problem>> + Send + 'static,
{
    move |State(app): State<App>, request: Request| serve(app, request, needs, handler.clone(), show).boxed()
}

/// Runs one handler: token, rate limit, scope, body, handler, headers.
async fn serve<F, Fut>(app: App, request: Request, needs: Action, handler: F, show: Show) -> Response
where
    F: FnOnce(App, Ask) -> Fut,
    Fut: Future<Output = Result<Response, Problem>>,
{
    let (mut parts, body) = request.into_parts();
    let route = parts.extensions.get::<MatchedPath>().cloned();
    named(route, serve_caller(app, &mut parts, body, needs, handler, show).await)
}

/// With the template of its address, for the log and the figures.
pub fn named(route: Option<MatchedPath>, mut response: Response) -> Response {
    if let Some(route) = route {
        response.extensions_mut().insert(route);
    }
    response
}

async fn serve_caller<F, Fut>(
    app: App,
    parts: &mut Parts,
    body: Body,
    needs: Action,
    handler: F,
    show: Show,
) -> Response
where
    F: FnOnce(App, Ask) -> Fut,
    Fut: Future<Output = Result<Response, Problem>>,
{
    let caller = match identify(&app, parts).await {
        Ok(caller) => caller,
        Err(error) => {
            discard_body(parts, body).await;
            return show(error.into());
        }
    };
    let standing = app
        .limiter
        .take(Whose::Token(caller.token_id), caller.institution.rate_limit, app.clock.instant())
        .await;
    let origin = parts.headers.get(header::ORIGIN).cloned();
    let answered = if standing.retry_after.is_some() {
        discard_body(parts, body).await;
        Err(Problem::TooMany)
    } else if let Err(forbidden) = caller.check(needs) {
        discard_body(parts, body).await;
        Err(forbidden.into())
    } else {
        match read_body(parts, body).await {
            Ok((body, room)) => {
                let answered = handler(app, Ask::new(parts, caller.clone(), body).await).await;
                drop(room);
                answered
            }
            Err(problem) => Err(problem),
        }
    };
    finish(answered.unwrap_or_else(show), standing, origin.as_ref(), &caller)
}

fn finish(
    mut response: Response,
    standing: Standing,
    origin: Option<&HeaderValue>,
    caller: &Caller,
) -> Response {
    let headers = response.headers_mut();
    tell_standing(headers, standing);
    if let Some(origin) = origin {
        headers.append(header::VARY, HeaderValue::from_static("Origin"));
        let listed = origin
            .to_str()
            .is_ok_and(|origin| caller.institution.allowed_origins.iter().any(|one| one == origin));
        if listed {
            headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, origin.clone());
            headers.insert(header::ACCESS_CONTROL_EXPOSE_HEADERS, EXPOSED);
        }
    }
    response
}

pub(super) fn tell_standing(headers: &mut HeaderMap, standing: Standing) {
    headers.insert(LIMIT, standing.limit.into());
    headers.insert(REMAINING, standing.remaining.into());
    headers.insert(RESET, standing.reset_seconds.into());
    if let Some(seconds) = standing.retry_after {
        headers.insert(header::RETRY_AFTER, seconds.into());
    }
}

async fn identify(app: &App, parts: &Parts) -> Result<Arc<Caller>, crate::app::Error> {
    let value = parts.headers.get(header::AUTHORIZATION).and_then(|value| value.to_str().ok());
    callers::authenticate(app, bare_token(value.unwrap_or_default()), client_address(parts)).await
}

/// The whole value, or what stands behind `Bearer` or `Token token=`.
fn bare_token(value: &str) -> &str {
    let value = value.trim();
    let Some((scheme, rest)) = value.split_once(' ') else { return value };
    let rest = rest.trim();
    if scheme.eq_ignore_ascii_case("bearer") {
        rest
    } else if scheme.eq_ignore_ascii_case("token") {
        let token = rest.strip_prefix("token=").unwrap_or(rest);
        token.split(',').next().unwrap_or_default().trim().trim_matches('"')
    } else {
        value
    }
}

/// The body, and its share of the memory for large ones, to be kept until the handler is done.
pub(super) async fn read_body(parts: &Parts, body: Body) -> Result<(Bytes, Room), Problem> {
    if !has_body(&parts.method) {
        return Ok((Bytes::new(), None));
    }
    let limits = parts.extensions.get::<BodyLimits>().cloned().unwrap_or_default();
    let room = limits.room_for(&parts.headers).await?;
    match tokio::time::timeout(limits.time, collect(body, limits.bytes)).await {
        Ok(collected) => Ok((collected?, room)),
        Err(_) => Err(Problem::TooSlow),
    }
}

/// Reads a body that nobody will look at, for the reason given below.
async fn discard_body(parts: &Parts, body: Body) {
    if has_body(&parts.method) {
        let limits = parts.extensions.get::<BodyLimits>().cloned().unwrap_or_default();
        let _ = tokio::time::timeout(limits.time, collect(body, 0)).await;
    }
}

/// A body that is too large is read to its end within reason and thrown away, so that the client gets to read the
/// answer instead of finding its connection reset.
async fn collect(mut body: Body, limit: usize) -> Result<Bytes, Problem> {
    let mut whole = Vec::new();
    let mut seen = 0_usize;
    while let Some(frame) = body.frame().await {
        let Ok(frame) = frame else { return Err(Problem::Malformed) };
        let Some(data) = frame.data_ref() else { continue };
        seen = seen.saturating_add(data.len());
        if seen <= limit {
            whole.extend_from_slice(data);
        } else {
            whole = Vec::new();
        }
        if seen > limit.saturating_add(MOST_THROWN_AWAY) {
            break;
        }
    }
    if seen > limit { Err(Problem::TooLarge { limit }) } else { Ok(whole.into()) }
}

/// Versions 5 and 4 carry a server's secret, so only pages of origins that an institution lists may call them.
pub async fn preflight(State(app): State<App>, route: MatchedPath, headers: HeaderMap) -> Response {
    let mut response = named(Some(route), Response::new(Body::empty()));
    *response.status_mut() = StatusCode::NO_CONTENT;
    response.headers_mut().insert(header::VARY, HeaderValue::from_static("Origin"));
    let Some(origin) = headers.get(header::ORIGIN) else { return response };
    let listed = match origin.to_str() {
        Ok(origin) => institutions::any_allows(&app, origin).await.unwrap_or(false),
        Err(_) => false,
    };
    if listed {
        let headers = response.headers_mut();
        headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, origin.clone());
        let methods = HeaderValue::from_static("GET, POST, PUT, DELETE");
        headers.insert(header::ACCESS_CONTROL_ALLOW_METHODS, methods);
        let allowed = HeaderValue::from_static("Authorization, Content-Type, Accept, X-Request-Id");
        headers.insert(header::ACCESS_CONTROL_ALLOW_HEADERS, allowed);
        headers.insert(header::ACCESS_CONTROL_MAX_AGE, HeaderValue::from_static("600"));
    }
    response
}

pub fn json(status: StatusCode, value: &impl Serialize) -> Response {
    match serde_json::to_vec(value) {
        Ok(bytes) => raw_json(status, Body::from(bytes)),
        Err(error) => told(Told::fault(format!("an answer could not be written: {error}"))),
    }
}

pub fn raw_json(status: StatusCode, body: Body) -> Response {
    let mut response = Response::new(body);
    *response.status_mut() = status;
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, JSON);
    headers.insert(header::CACHE_CONTROL, NO_STORE);
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, NO_SNIFF);
    response
}

/// Success without content.
pub fn nothing() -> Response {
    raw_json(StatusCode::OK, Body::empty())
}

#[derive(Serialize)]
struct Message<'a> {
    message: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    errors: Option<Errors<'a>>,
}

struct Errors<'a>(&'a FieldErrors);

impl Serialize for Errors<'_> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter())
    }
}

pub fn message(status: StatusCode, message: &str) -> Response {
    json(status, &Message { message, errors: None })
}

/// What went wrong, in the shape of versions 5 and 4.
pub fn told(told: Told) -> Response {
    let errors = told.errors.as_ref().map(Errors);
    let response = json(told.status, &Message { message: &told.message, errors });
    told.beside(response)
}

#[cfg(test)]
mod tests {
    use super::bare_token;

    #[test]
    fn a_token_comes_bare_or_behind_a_word() {
        for value in [
            "abc",
            " abc ",
            "Bearer abc",
            "bearer  abc",
            "Token token=abc",
            "Token token=\"abc\"",
            "token abc",
        ] {
            assert_eq!(bare_token(value), "abc", "{value}");
        }
        assert_eq!(bare_token("Basic abc"), "Basic abc");
    }
}
