//! The pipeline around every handler: authentication, rate limit, access check, body, response headers.

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
    kept,
    problem::{ErrorReply, Problem},
    request::{ApiRequest, has_body},
    words,
};
use crate::{
    app::{
        App, Caller, callers,
        limiter::{LimitKey, Quota},
    },
    domain::{access::Action, field_errors::FieldErrors},
    http::{
        body::{self, BufferedBody},
        client::{self, access_token},
        reply::{Cause, json, raw_json, with_route},
        routing::Endpoint,
    },
};

const LIMIT: HeaderName = HeaderName::from_static("nc-rate-limit-limit");
const REMAINING: HeaderName = HeaderName::from_static("nc-rate-limit-remaining");
const RESET: HeaderName = HeaderName::from_static("nc-rate-limit-reset");
const REPLAYED: HeaderName = HeaderName::from_static("idempotency-replayed");
const EXPOSED: HeaderValue = HeaderValue::from_static(
    "Nc-Rate-Limit-Limit, Nc-Rate-Limit-Remaining, Nc-Rate-Limit-Reset, Retry-After, X-Request-Id, Idempotency-Replayed",
);

/// Renders a problem in the format of an API version.
pub type RenderProblem = fn(Problem) -> Response;

/// A type-erased handler.
type ApiHandler = Arc<dyn Fn(App, ApiRequest) -> BoxFuture<'static, Result<Response, Problem>> + Send + Sync>;

/// Wraps a handler with the action that its token must permit and the error format of its version.
pub fn on<Fut>(
    needs: Action,
    handler: impl Fn(App, ApiRequest) -> Fut + Send + Sync + 'static,
    show: RenderProblem,
) -> Endpoint
where
    Fut: Future<Output = Result<Response, Problem>> + Send + 'static,
{
    served_by(needs, type_erased(handler), show)
}

/// Like `on`, for lookups and lists by GET, whose answers are kept until the database changes.
pub fn on_lookup<Fut>(
    handler: impl Fn(App, ApiRequest) -> Fut + Send + Sync + 'static,
    show: RenderProblem,
) -> Endpoint
where
    Fut: Future<Output = Result<Response, Problem>> + Send + 'static,
{
    served_by(Action::Read, answered_from_kept(type_erased(handler)), show)
}

fn type_erased<Fut>(handler: impl Fn(App, ApiRequest) -> Fut + Send + Sync + 'static) -> ApiHandler
where
    Fut: Future<Output = Result<Response, Problem>> + Send + 'static,
{
    Arc::new(move |app, request| handler(app, request).boxed())
}

fn answered_from_kept(handler: ApiHandler) -> ApiHandler {
    type_erased(move |app, request| {
        let handler = handler.clone();
        async move {
            let (caller, target, route) =
                (request.caller.clone(), request.target.clone(), request.route.clone());
            let make = || handler(app.clone(), request);
            kept::or_make(&app, &caller, target.as_ref(), route.as_ref(), make).await
        }
    })
}

fn served_by(needs: Action, handler: ApiHandler, show: RenderProblem) -> Endpoint {
    Endpoint::new(move |app, request| serve(app, request, needs, handler.clone(), show).boxed())
}

/// The kept answer to a GET, if there is one.
pub fn at_once(app: &App, request: &Request, show: RenderProblem) -> Option<Response> {
    let token = access_token(request.headers());
    let (caller, immediate) = kept::at_once(app, token, request.uri().path_and_query()?)?;
    let origin = request.headers().get(header::ORIGIN);
    Some(immediate.finish(show, |response, quota| finish(response, quota, origin, &caller)))
}

/// Handles one request: token, rate limit, access check, body, handler, headers.
async fn serve(
    app: App,
    request: Request,
    needs: Action,
    handler: ApiHandler,
    show: RenderProblem,
) -> Response {
    let (mut parts, body) = request.into_parts();
    let route = parts.extensions.get::<MatchedPath>().cloned();
    with_route(route, serve_caller(app, &mut parts, body, needs, handler, show).await)
}

async fn serve_caller(
    app: App,
    parts: &mut Parts,
    body: Body,
    needs: Action,
    handler: ApiHandler,
    show: RenderProblem,
) -> Response {
    let caller = match identify(&app, parts).await {
        Ok(caller) => caller,
        Err(error) => {
            if has_body(&parts.method) {
                Box::pin(body::discard_anonymous(&parts.extensions, body)).await;
            }
            return show(error.into());
        }
    };
    let quota = app
        .limiter
        .take(LimitKey::Token(caller.token_id), caller.institution.rate_limit, app.clock.instant())
        .await;
    let origin = parts.headers.get(header::ORIGIN).cloned();
    let result = if quota.retry_after.is_some() {
        discard_body(parts, body).await;
        Err(Problem::TooMany)
    } else if let Err(forbidden) = caller.check(needs) {
        discard_body(parts, body).await;
        Err(forbidden.into())
    } else {
        match read_body(parts, &caller, body).await {
            Ok(None) => handler(app, ApiRequest::new(parts, caller.clone(), Bytes::new()).await).await,
            Ok(Some(BufferedBody { bytes, reservation })) => {
                let result = handler(app, ApiRequest::new(parts, caller.clone(), bytes).await).await;
                drop(reservation);
                result
            }
            Err(problem) => Err(problem),
        }
    };
    finish(result.unwrap_or_else(show), quota, origin.as_ref(), &caller)
}

fn finish(mut response: Response, quota: Quota, origin: Option<&HeaderValue>, caller: &Caller) -> Response {
    let headers = response.headers_mut();
    add_rate_limit_headers(headers, quota);
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

pub(super) fn add_rate_limit_headers(headers: &mut HeaderMap, quota: Quota) {
    headers.insert(LIMIT, quota.limit.into());
    headers.insert(REMAINING, quota.remaining.into());
    headers.insert(RESET, quota.reset_seconds.into());
    if let Some(seconds) = quota.retry_after {
        headers.insert(header::RETRY_AFTER, seconds.into());
    }
}

async fn identify(app: &App, parts: &Parts) -> Result<Arc<Caller>, crate::app::Error> {
    callers::authenticate(app, access_token(&parts.headers), client::address(&parts.extensions)).await
}

async fn read_body(parts: &Parts, caller: &Caller, body: Body) -> Result<Option<BufferedBody>, Problem> {
    if !has_body(&parts.method) {
        return Ok(None);
    }
    // Boxed: most requests have no body, and every one moves this future.
    Ok(Some(Box::pin(body::read(&parts.extensions, caller.institution.id, body)).await?))
}

/// Drains the body before refusing a request: many clients read the response only after they have sent everything.
async fn discard_body(parts: &Parts, body: Body) {
    if has_body(&parts.method) {
        Box::pin(body::discard(&parts.extensions, body)).await;
    }
}

/// CORS preflight. Versions 5 and 4 authenticate with a server-side secret, so only origins that an institution has
/// allowed may call them.
pub async fn preflight(State(app): State<App>, route: MatchedPath, headers: HeaderMap) -> Response {
    let mut response = with_route(Some(route), Response::new(Body::empty()));
    *response.status_mut() = StatusCode::NO_CONTENT;
    response.headers_mut().insert(header::VARY, HeaderValue::from_static("Origin"));
    let Some(origin) = headers.get(header::ORIGIN) else { return response };
    let listed = match origin.to_str() {
        Ok(origin) => match callers::allows_origin(&app, origin).await {
            Ok(is_listed) => is_listed,
            // A refusal would be remembered by the browser.
            Err(error) => {
                *response.status_mut() = StatusCode::SERVICE_UNAVAILABLE;
                response.extensions_mut().insert(Cause(error.to_string()));
                return response;
            }
        },
        Err(_) => false,
    };
    if listed {
        let headers = response.headers_mut();
        headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, origin.clone());
        let methods = HeaderValue::from_static("GET, POST, PUT, DELETE");
        headers.insert(header::ACCESS_CONTROL_ALLOW_METHODS, methods);
        let allowed =
            HeaderValue::from_static("Authorization, Content-Type, Accept, X-Request-Id, Idempotency-Key");
        headers.insert(header::ACCESS_CONTROL_ALLOW_HEADERS, allowed);
        headers.insert(header::ACCESS_CONTROL_MAX_AGE, HeaderValue::from_static("600"));
    }
    response
}

/// Marks the answer to a request that was repeated with the same `Idempotency-Key`.
pub fn mark_repeated(mut response: Response, is_repeated: bool) -> Response {
    if is_repeated {
        response.headers_mut().insert(REPLAYED, HeaderValue::from_static("true"));
    }
    response
}

/// 200 with an empty body.
pub fn empty() -> Response {
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

/// An error response in the format of versions 5 and 4.
pub fn error(reply: ErrorReply) -> Response {
    let errors = reply.errors.as_ref().map(Errors);
    let response = json(reply.status, &Message { message: &reply.message, errors });
    reply.add_headers(response)
}

#[cfg(test)]
mod tests {
    use crate::http::client::bare_token;

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
