//! Errors between the wire and a use case, common to all versions. Each version maps them to its own messages.

use std::borrow::Cow;

use axum::{
    http::{StatusCode, header},
    response::Response,
};

use super::face;
use crate::{
    app::{
        self, Forbidden,
        error::{COURSE_SYNCHRONIZING, PENDING_CALLS, TOOL_CONSUMER_DISABLED},
        exports,
    },
    domain::{
        fault::{Fault as FieldFault, Field},
        field_errors::FieldErrors,
        idempotency::{KeyFault, LONGEST_KEY},
    },
    http::{
        body::BodyError,
        reply::{Cause, INTERNAL},
    },
};

#[derive(Debug)]
pub enum Problem {
    App(app::Error),
    /// The body is neither a JSON object nor a form.
    Malformed,
    TooLarge {
        limit: usize,
    },
    /// The body did not arrive before the timeout.
    TooSlow,
    /// Over the rate limit.
    TooMany,
}

impl From<app::Error> for Problem {
    fn from(error: app::Error) -> Self {
        Self::App(error)
    }
}

impl From<FieldErrors> for Problem {
    fn from(errors: FieldErrors) -> Self {
        Self::App(errors.into())
    }
}

impl From<BodyError> for Problem {
    fn from(fault: BodyError) -> Self {
        match fault {
            BodyError::Broken => Self::Malformed,
            BodyError::TooLarge { limit } => Self::TooLarge { limit },
            BodyError::TooSlow => Self::TooSlow,
            BodyError::NoMemory => Self::App(app::Error::Unavailable(
                "timed out waiting for memory for a request body".to_owned(),
            )),
        }
    }
}

/// Status and message of an error, before a version renders them.
#[derive(Debug)]
pub struct ErrorReply {
    pub status: StatusCode,
    pub message: Cow<'static, str>,
    /// Messages by field.
    pub errors: Option<FieldErrors>,
    /// Seconds until a retry may succeed.
    retry_after: Option<u64>,
    /// An earlier request with the same `Idempotency-Key` was carried out.
    is_repeated: bool,
    /// Logged, never sent.
    cause: Option<String>,
}

impl ErrorReply {
    pub fn new(status: StatusCode, message: impl Into<Cow<'static, str>>) -> Self {
        let message = message.into();
        Self { status, message, errors: None, retry_after: None, is_repeated: false, cause: None }
    }

    pub fn with(mut self, errors: FieldErrors) -> Self {
        self.errors = Some(errors);
        self
    }

    /// By contract the message is repeated under a field.
    pub fn pending_calls() -> Self {
        Self::new(StatusCode::UNPROCESSABLE_ENTITY, PENDING_CALLS)
            .with(FieldErrors::one(Field::FirstName, FieldFault::PendingCalls))
    }

    pub fn tool_consumer_disabled() -> Self {
        Self::new(StatusCode::UNPROCESSABLE_ENTITY, TOOL_CONSUMER_DISABLED)
    }

    pub fn course_synchronizing() -> Self {
        Self::new(StatusCode::UNPROCESSABLE_ENTITY, COURSE_SYNCHRONIZING)
    }

    pub fn forbidden(why: Forbidden) -> Self {
        Self::new(StatusCode::FORBIDDEN, why.to_string())
    }

    pub fn too_many_failures(retry_after: u64) -> Self {
        Self { retry_after: Some(retry_after), ..Self::new(StatusCode::TOO_MANY_REQUESTS, TOO_MANY) }
    }

    /// Building an export takes seconds, or minutes for many people.
    pub fn too_many_exports(most: u32) -> Self {
        let message = format!("Too Many Requests: {most} exports are waiting to be built already");
        Self {
            retry_after: Some(exports::RETRY_SECONDS),
            ..Self::new(StatusCode::TOO_MANY_REQUESTS, message)
        }
    }

    /// A remote system failed. The caller may know why, so the cause is part of the message; nothing is logged as an
    /// internal error.
    pub fn learning_system(why: &impl std::fmt::Display) -> Self {
        let message =
            format!("Service Unavailable: the learning management system did not answer as needed: {why}");
        Self { retry_after: Some(10), ..Self::new(StatusCode::SERVICE_UNAVAILABLE, message) }
    }

    /// Backpressure: the queue is full. Not an error of the server, so nothing is logged.
    pub fn busy() -> Self {
        Self { retry_after: Some(2), ..Self::new(StatusCode::SERVICE_UNAVAILABLE, BUSY) }
    }

    /// Slow readers hold all slots. Not an error of the server either.
    pub fn too_many_streams() -> Self {
        Self { retry_after: Some(10), ..Self::new(StatusCode::SERVICE_UNAVAILABLE, TOO_MANY_STREAMS) }
    }

    /// As the draft standard of the header wants it.
    pub fn idempotency_key(fault: KeyFault) -> Self {
        match fault {
            KeyFault::Malformed => {
                let message = format!(
                    "Bad Request: one Idempotency-Key of 1 to {LONGEST_KEY} printable ASCII characters is accepted"
                );
                Self::new(StatusCode::BAD_REQUEST, message)
            }
            KeyFault::OtherRequest => Self::new(StatusCode::UNPROCESSABLE_ENTITY, KEY_OF_OTHER_REQUEST),
            KeyFault::InUse => Self { retry_after: Some(1), ..Self::new(StatusCode::CONFLICT, KEY_IN_USE) },
            KeyFault::Gone => Self { is_repeated: true, ..Self::new(StatusCode::NOT_FOUND, KEY_GONE) },
        }
    }

    /// A temporary failure; a retry may succeed.
    pub fn unavailable(cause: String) -> Self {
        let reply = Self::new(StatusCode::SERVICE_UNAVAILABLE, UNAVAILABLE);
        Self { retry_after: Some(1), cause: Some(cause), ..reply }
    }

    /// An internal error: the cause is logged and not sent.
    pub fn internal(cause: String) -> Self {
        Self { cause: Some(cause), ..Self::new(StatusCode::INTERNAL_SERVER_ERROR, INTERNAL) }
    }

    /// Adds `Retry-After` and `Idempotency-Replayed`, and the cause for the access log.
    pub fn add_headers(self, mut response: Response) -> Response {
        if let Some(seconds) = self.retry_after {
            response.headers_mut().insert(header::RETRY_AFTER, seconds.into());
        }
        if let Some(cause) = self.cause {
            response.extensions_mut().insert(Cause(cause));
        }
        face::mark_repeated(response, self.is_repeated)
    }
}

impl Problem {
    /// Errors that precede a use case are the same in every version; `map` handles the others.
    pub fn into_reply(self, map: fn(app::Error) -> ErrorReply) -> ErrorReply {
        match self {
            Self::App(error) => map(error),
            Self::Malformed => ErrorReply::new(StatusCode::BAD_REQUEST, "Bad Request"),
            Self::TooLarge { limit } => {
                let message = format!("Payload Too Large: a body may have {limit} bytes at most");
                ErrorReply::new(StatusCode::PAYLOAD_TOO_LARGE, message)
            }
            Self::TooSlow => ErrorReply::new(StatusCode::REQUEST_TIMEOUT, TOO_SLOW),
            Self::TooMany => ErrorReply::new(StatusCode::TOO_MANY_REQUESTS, TOO_MANY),
        }
    }
}

const UNAVAILABLE: &str = "Service Unavailable: please try again in a moment";
const BUSY: &str =
    "Service Unavailable: too many recordings are waiting to be processed; please try again in a moment";
const TOO_MANY_STREAMS: &str =
    "Service Unavailable: too many long answers are being sent; please try again when one of them has ended";
const TOO_MANY: &str = "Too Many Requests";
const TOO_SLOW: &str = "Request Timeout: the body did not arrive in time";
const KEY_OF_OTHER_REQUEST: &str = "Unprocessable entity: this Idempotency-Key was sent with another request";
const KEY_IN_USE: &str =
    "Conflict: another request with this Idempotency-Key could not be completed; please retry";
const KEY_GONE: &str = "Not Found: what this Idempotency-Key created has been deleted";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_fault_of_an_idempotency_key_has_its_answer() {
        let malformed = "Bad Request: one Idempotency-Key of 1 to 255 printable ASCII characters is accepted";
        for (fault, status, message, retry_after, replayed) in [
            (KeyFault::Malformed, 400, malformed, None, None),
            (KeyFault::OtherRequest, 422, KEY_OF_OTHER_REQUEST, None, None),
            (KeyFault::InUse, 409, KEY_IN_USE, Some("1"), None),
            (KeyFault::Gone, 404, KEY_GONE, None, Some("true")),
        ] {
            let reply = ErrorReply::idempotency_key(fault);
            assert_eq!(reply.message, message);
            let response = face::error(reply);
            let header = |name: &str| response.headers().get(name).map(|value| value.to_str().unwrap());
            assert_eq!(response.status(), status, "{fault:?}");
            assert_eq!(header("retry-after"), retry_after, "{fault:?}");
            assert_eq!(header("idempotency-replayed"), replayed, "{fault:?}");
        }
    }
}
