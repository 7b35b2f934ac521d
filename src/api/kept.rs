//! Answers lookups and lists from `app.answers` while the database has not changed.
//!
//! Such an answer costs less than the router and the futures on the way to a handler. So it is looked for before (`at_once`), and
//! only then the request is routed.

use std::sync::Arc;

use axum::{
    body::{Body, HttpBody, to_bytes},
    extract::MatchedPath,
    http::{HeaderValue, StatusCode, header, uri::PathAndQuery},
    response::Response,
};
use bytes::Bytes;
use futures_util::future::BoxFuture;

use super::{face::RenderProblem, problem::Problem};
use crate::{
    app::{
        App, Caller, DataVersion, Error,
        answers::{Answer, Asker, MAX_ANSWER_BYTES, Question},
        callers,
        limiter::{LimitKey, Quota},
    },
    http::reply::{self, Route},
    telemetry::metrics,
};

/// What a request gets at once.
pub struct Immediate {
    pub quota: Quota,
    pub result: Result<Response, Problem>,
    route: Route,
}

impl Immediate {
    /// What is kept, unless the rate limit refuses it.
    pub fn new(answer: Answer, quota: Quota) -> Self {
        let route = Route::Matched(answer.route.clone());
        let result = if quota.retry_after.is_some() { Err(Problem::TooMany) } else { Ok(respond(answer)) };
        Self { quota, result, route }
    }

    /// The finished response: that to a refused request has a route, too.
    pub fn finish(self, show: RenderProblem, finish: impl FnOnce(Response, Quota) -> Response) -> Response {
        let mut response = finish(self.result.unwrap_or_else(show), self.quota);
        response.extensions_mut().insert(self.route);
        response
    }
}

/// `None` if nothing is kept, if the token would have to be read from the database, or the rate limit from a store that nodes share.
pub fn at_once(app: &App, token: &str, target: &PathAndQuery) -> Option<(Arc<Caller>, Immediate)> {
    let version = app.data_version()?;
    let known = callers::known(app, token, version)?;
    let caller = known.caller();
    // It was kept for this caller, whose token permits reading as long as the version is the same.
    let answer = app.answers.get(version, &question(caller, target))?;
    let (key, ceiling) = (LimitKey::Token(caller.token_id), caller.institution.rate_limit);
    let quota = app.limiter.take_at_once(key, ceiling, app.clock.instant())?;
    known.count();
    Some((caller.clone(), Immediate::new(answer, quota)))
}

fn question<'a>(caller: &Caller, target: &'a PathAndQuery) -> Question<'a> {
    Question { asker: Asker::Token(caller.institution.id, caller.token_id), target: target.as_str() }
}

/// The kept answer to this target, or else what `make` returns. Nothing but the token, the target and the database may
/// influence a successful answer.
pub async fn or_make(
    app: &App,
    caller: &Caller,
    target: Option<&PathAndQuery>,
    route: Option<&MatchedPath>,
    make: impl FnOnce() -> BoxFuture<'static, Result<Response, Problem>>,
) -> Result<Response, Problem> {
    let version = caller.version.filter(|version| app.data_version() == Some(*version));
    let (Some(version), Some(target)) = (version, target) else {
        return make().await;
    };
    let question = question(caller, target);
    if let Some(answer) = app.answers.get(version, &question) {
        return Ok(respond(answer));
    }
    keep(app, version, question, None, route, make().await?).await
}

pub fn respond(answer: Answer) -> Response {
    let mut response = reply::raw_json(StatusCode::OK, answer.body.into());
    if let Some(link) = answer.link.and_then(|link| HeaderValue::from_maybe_shared(link).ok()) {
        response.headers_mut().insert(header::LINK, link);
    }
    response
}

/// Keeps the answer if it is small and complete, and the question was asked before. `version` was read before the database was.
pub async fn keep(
    app: &App,
    version: DataVersion,
    question: Question<'_>,
    limit: Option<(LimitKey, Option<u32>)>,
    route: Option<&MatchedPath>,
    response: Response,
) -> Result<Response, Problem> {
    let small = response.body().size_hint().exact().is_some_and(|bytes| bytes <= MAX_ANSWER_BYTES as u64);
    // It would be copied for nothing.
    let is_current = app.data_version() == Some(version);
    if response.status() != StatusCode::OK || !small || !is_current || !app.answers.is_asked_again(&question)
    {
        return Ok(response);
    }
    let (parts, body) = response.into_parts();
    let body = to_bytes(body, MAX_ANSWER_BYTES).await.map_err(|error| Error::Internal(error.to_string()))?;
    let link = parts.headers.get(header::LINK).map(|link| link.as_bytes().to_vec().into());
    // Copied, because a list's buffer may be twice as large as its content.
    let kept = Bytes::copy_from_slice(&body);
    let route: Arc<str> = route.map_or(metrics::OTHER, MatchedPath::as_str).into();
    let bytes = question.target.len() + kept.len() + route.len();
    app.answers.keep(version, question, Answer { body: kept, link, limit, route }, bytes);
    Ok(Response::from_parts(parts, Body::from(body)))
}
