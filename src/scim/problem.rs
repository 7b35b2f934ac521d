//! Errors in the shape of SCIM (RFC 7644, 3.12).

use axum::{
    body::Body,
    http::{HeaderValue, StatusCode, header},
    response::Response,
};
use serde_json::json;

use super::wire::scim_json;
use crate::{
    app::Error,
    domain::scim::{Fault, FaultKind},
    http::{
        body::BodyError,
        reply::{Cause, INTERNAL},
    },
};

#[derive(Debug)]
pub enum Problem {
    App(Error),
    Body(BodyError),
    /// Over the rate limit.
    TooMany {
        retry_after: u64,
    },
    /// No such path below `/scim`.
    NoSuchEndpoint,
    /// Possible by the RFC, and not here.
    Unsupported,
}

impl From<Error> for Problem {
    fn from(error: Error) -> Self {
        Self::App(error)
    }
}

impl From<Fault> for Problem {
    fn from(fault: Fault) -> Self {
        Self::App(fault.into())
    }
}

impl From<BodyError> for Problem {
    fn from(error: BodyError) -> Self {
        Self::Body(error)
    }
}

pub fn show(problem: Problem) -> Response {
    match problem {
        Problem::App(error) => of_app(error),
        Problem::Body(BodyError::TooLarge { limit }) => {
            let detail = format!("the body may have {limit} bytes at most");
            error(StatusCode::PAYLOAD_TOO_LARGE, None, &detail)
        }
        Problem::Body(why) => error(why.status(), None, "the body could not be read"),
        Problem::TooMany { retry_after } => too_many(retry_after),
        Problem::NoSuchEndpoint => error(StatusCode::NOT_FOUND, None, "there is no such endpoint"),
        Problem::Unsupported => error(StatusCode::NOT_IMPLEMENTED, None, "this is not supported"),
    }
}

fn of_app(error_of_app: Error) -> Response {
    match error_of_app {
        Error::Unauthorized => {
            let mut response =
                error(StatusCode::UNAUTHORIZED, None, "the bearer token is missing or not valid here");
            response.headers_mut().insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
            response
        }
        Error::TooManyFailures { retry_after } => too_many(retry_after),
        Error::Forbidden(why) => error(StatusCode::FORBIDDEN, None, &why.to_string()),
        Error::Missing(what) => error(StatusCode::NOT_FOUND, None, &format!("there is no such {what}")),
        Error::Scim(fault) => of_fault(&fault),
        Error::Invalid(errors) => of_fault(&Fault::value(errors.to_string())),
        Error::Busy | Error::FilesNeeded | Error::TooManyStreams | Error::TooManyPendingExports { .. } => {
            retry(error(StatusCode::SERVICE_UNAVAILABLE, None, "please try again in a moment"), 2)
        }
        Error::Unavailable(why) => {
            let response = error(StatusCode::SERVICE_UNAVAILABLE, None, "please try again in a moment");
            because(retry(response, 1), why)
        }
        // No use case of a directory returns the others.
        other @ (Error::Internal(_)
        | Error::PendingCalls
        | Error::ToolConsumerDisabled
        | Error::CourseSynchronizing
        | Error::LearningSystem(_)
        | Error::IdempotencyKey(_)) => {
            because(error(StatusCode::INTERNAL_SERVER_ERROR, None, INTERNAL), other.to_string())
        }
    }
}

fn of_fault(fault: &Fault) -> Response {
    let status = match fault.kind {
        FaultKind::Uniqueness => StatusCode::CONFLICT,
        _ => StatusCode::BAD_REQUEST,
    };
    error(status, Some(fault.kind), &fault.detail)
}

fn too_many(retry_after: u64) -> Response {
    retry(error(StatusCode::TOO_MANY_REQUESTS, None, "too many requests"), retry_after)
}

fn retry(mut response: Response, seconds: u64) -> Response {
    response.headers_mut().insert(header::RETRY_AFTER, seconds.into());
    response
}

/// The cause is logged and not sent.
fn because(mut response: Response, cause: String) -> Response {
    response.extensions_mut().insert(Cause(cause));
    response
}

pub fn error(status: StatusCode, kind: Option<FaultKind>, detail: &str) -> Response {
    let mut body = json!({
        "schemas": ["urn:ietf:params:scim:api:messages:2.0:Error"],
        // A string, by the RFC.
        "status": status.as_str(),
        "detail": detail,
    });
    if let (Some(kind), Some(body)) = (kind, body.as_object_mut()) {
        body.insert("scimType".to_owned(), kind.word().into());
    }
    scim_json(status, Body::from(body.to_string()))
}
