//! What happens around every handler: who is calling, how often, what is sent back.

use std::{future::Future, sync::Arc};

use axum::{
    body::{Body, Bytes},
    extract::{MatchedPath, Request, State},
    http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header, request::Parts},
    response::Response,
};
use futures_util::{FutureExt, future::BoxFuture};
use serde::Serialize;

use super::{
    ask::{Ask, has_body},
    problem::{Problem, Told},
    words,
};
use crate::{
    app::{
        App, Caller, callers, institutions,
        limiter::{Standing, Whose},
    },
    domain::{access::Action, field_errors::FieldErrors},
    http::{
        body::{self, Whole},
        client,
        reply::{json, named, raw_json},
    },
};

const LIMIT: HeaderName = HeaderName::from_static("nc-rate-limit-limit");
const REMAINING: HeaderName = HeaderName::from_static("nc-rate-limit-remaining");
const RESET: HeaderName = HeaderName::from_static("nc-rate-limit-reset");
const EXPOSED: HeaderValue = HeaderValue::from_static(
    "Nc-Rate-Limit-Limit, Nc-Rate-Limit-Remaining, Nc-Rate-Limit-Reset, Retry-After, X-Request-Id",
);

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
            if has_body(&parts.method) {
                body::discard_unknown(&parts.extensions, body).await;
            }
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
        match read_body(parts, &caller, body).await {
            Ok(None) => handler(app, Ask::new(parts, caller.clone(), Bytes::new()).await).await,
            Ok(Some(Whole { bytes, room })) => {
                let answered = handler(app, Ask::new(parts, caller.clone(), bytes).await).await;
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
    callers::authenticate(app, bare_token(value.unwrap_or_default()), client::address(&parts.extensions))
        .await
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

async fn read_body(parts: &Parts, caller: &Caller, body: Body) -> Result<Option<Whole>, Problem> {
    if !has_body(&parts.method) {
        return Ok(None);
    }
    Ok(Some(body::read(&parts.extensions, caller.institution.id, body).await?))
}

/// A refused client gets to read the answer only when its body has been read.
async fn discard_body(parts: &Parts, body: Body) {
    if has_body(&parts.method) {
        body::discard(&parts.extensions, body).await;
    }
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
        let worded = self.0.iter().map(|(field, faults)| (field.name(), words::faults(faults)));
        serializer.collect_map(worded)
    }
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
