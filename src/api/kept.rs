//! Answers lookups and lists from `app.answers` while the database has not changed.

use axum::{
    body::{Body, HttpBody, to_bytes},
    http::{HeaderValue, StatusCode, header, uri::PathAndQuery},
    response::Response,
};
use bytes::Bytes;
use futures_util::future::BoxFuture;

use super::problem::Problem;
use crate::{
    app::{
        App, Caller, DataVersion, Error,
        answers::{Answer, Asker, MAX_ANSWER_BYTES, Question},
        limiter::LimitKey,
    },
    http::reply,
};

/// The kept answer to this target, or else what `make` returns. Nothing but the token, the target and the database may
/// influence a successful answer.
pub async fn or_make(
    app: &App,
    caller: &Caller,
    target: Option<&PathAndQuery>,
    make: impl FnOnce() -> BoxFuture<'static, Result<Response, Problem>>,
) -> Result<Response, Problem> {
    let version = caller.version.filter(|version| app.data_version() == Some(*version));
    let (Some(version), Some(target)) = (version, target) else {
        return make().await;
    };
    let question =
        Question { asker: Asker::Token(caller.institution.id, caller.token_id), target: target.as_str() };
    if let Some(answer) = app.answers.get(version, &question) {
        return Ok(respond(answer));
    }
    keep(app, version, question, None, make().await?).await
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
    response: Response,
) -> Result<Response, Problem> {
    let small = response.body().size_hint().exact().is_some_and(|bytes| bytes <= MAX_ANSWER_BYTES as u64);
    if response.status() != StatusCode::OK || !small || !app.answers.is_asked_again(&question) {
        return Ok(response);
    }
    let (parts, body) = response.into_parts();
    let body = to_bytes(body, MAX_ANSWER_BYTES).await.map_err(|error| Error::Internal(error.to_string()))?;
    let link = parts.headers.get(header::LINK).map(|link| link.as_bytes().to_vec().into());
    // Copied, because a list's buffer may be twice as large as its content.
    let kept = Bytes::copy_from_slice(&body);
    let bytes = question.target.len() + kept.len();
    app.answers.keep(version, question, Answer { body: kept, link, limit }, bytes);
    Ok(Response::from_parts(parts, Body::from(body)))
}
