//! What can go wrong between the wire and a use case, in every version. Words are the version's own.

use std::borrow::Cow;

use axum::{
    http::{StatusCode, header},
    response::Response,
};

use crate::{
    app::{
        self, Forbidden,
        error::{COURSE_SYNCHRONIZING, PENDING_CALLS, TOOL_CONSUMER_DISABLED},
    },
    domain::{
        fault::{Fault as FieldFault, Field},
        field_errors::FieldErrors,
    },
    http::{
        body::Fault,
        reply::{Cause, INTERNAL},
    },
};

#[derive(Debug)]
pub enum Problem {
    App(app::Error),
    /// The body is no JSON object, or no form.
    Malformed,
    TooLarge {
        limit: usize,
    },
    /// The body did not arrive in time.
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

impl From<Fault> for Problem {
    fn from(fault: Fault) -> Self {
        match fault {
            Fault::Broken => Self::Malformed,
            Fault::TooLarge { limit } => Self::TooLarge { limit },
            Fault::TooSlow => Self::TooSlow,
            Fault::NoRoom => {
                Self::App(app::Error::Unavailable("no memory for a body came free in time".to_owned()))
            }
        }
    }
}

/// What a caller is told of a problem, before it has its version's shape.
#[derive(Debug)]
pub struct Told {
    pub status: StatusCode,
    pub message: Cow<'static, str>,
    /// What is wrong, field by field.
    pub errors: Option<FieldErrors>,
    /// In seconds: the same request may get past then.
    retry_after: Option<u64>,
    /// For the log.
    cause: Option<String>,
}

impl Told {
    pub fn new(status: StatusCode, message: impl Into<Cow<'static, str>>) -> Self {
        Self { status, message: message.into(), errors: None, retry_after: None, cause: None }
    }

    pub fn with(mut self, errors: FieldErrors) -> Self {
        self.errors = Some(errors);
        self
    }

    /// The message stands under a field too: that is the contract's shape.
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

    /// Building one takes seconds, or minutes where there are many people.
    pub fn too_many_exports(most: u32) -> Self {
        let message = format!("Too Many Requests: {most} exports are waiting to be built already");
        Self { retry_after: Some(30), ..Self::new(StatusCode::TOO_MANY_REQUESTS, message) }
    }

    /// A system that is not ours did not answer as it should: whoever asked may know why, and it is no fault here.
    pub fn learning_system(why: &impl std::fmt::Display) -> Self {
        let message =
            format!("Service Unavailable: the learning management system did not answer as needed: {why}");
        Self { retry_after: Some(10), ..Self::new(StatusCode::SERVICE_UNAVAILABLE, message) }
    }

    /// More than we take on is waiting: nothing is wrong, so nothing is logged as a fault.
    pub fn busy() -> Self {
        Self { retry_after: Some(2), ..Self::new(StatusCode::SERVICE_UNAVAILABLE, BUSY) }
    }

    /// Clients that read slowly have all the slots: no fault either.
    pub fn too_many_streams() -> Self {
        Self { retry_after: Some(10), ..Self::new(StatusCode::SERVICE_UNAVAILABLE, TOO_MANY_STREAMS) }
    }

    /// The same request may work later.
    pub fn unavailable(cause: String) -> Self {
        let told = Self::new(StatusCode::SERVICE_UNAVAILABLE, UNAVAILABLE);
        Self { retry_after: Some(1), cause: Some(cause), ..told }
    }

    /// A fault of ours: what happened is logged and not shown.
    pub fn fault(cause: String) -> Self {
        Self { cause: Some(cause), ..Self::new(StatusCode::INTERNAL_SERVER_ERROR, INTERNAL) }
    }

    /// Puts what stands beside the body into an answer.
    pub fn beside(self, mut response: Response) -> Response {
        if let Some(seconds) = self.retry_after {
            response.headers_mut().insert(header::RETRY_AFTER, seconds.into());
        }
        if let Some(cause) = self.cause {
            response.extensions_mut().insert(Cause(cause));
        }
        response
    }
}

impl Problem {
    /// What happens before a use case is told alike in every version; for the rest each has `words` of its own.
    pub fn told(self, words: fn(app::Error) -> Told) -> Told {
        match self {
            Self::App(error) => words(error),
            Self::Malformed => Told::new(StatusCode::BAD_REQUEST, "Bad Request"),
            Self::TooLarge { limit } => {
                let message = format!("Payload Too Large: a body may have {limit} bytes at most");
                Told::new(StatusCode::PAYLOAD_TOO_LARGE, message)
            }
            Self::TooSlow => Told::new(StatusCode::REQUEST_TIMEOUT, TOO_SLOW),
            Self::TooMany => Told::new(StatusCode::TOO_MANY_REQUESTS, TOO_MANY),
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
