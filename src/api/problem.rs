//! What can go wrong between the wire and a use case, in every version. Words are the version's own.

use crate::{app, domain::field_errors::FieldErrors};

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

pub const UNAVAILABLE: &str = "Service Unavailable: please try again in a moment";
pub const BUSY: &str =
    "Service Unavailable: too many recordings are waiting to be processed; please try again in a moment";
pub const INTERNAL: &str = "Internal Server Error: the log has the cause under this answer's X-Request-Id";

pub fn too_large(limit: usize) -> String {
    format!("Payload Too Large: a body may have {limit} bytes at most")
}

pub const TOO_SLOW: &str = "Request Timeout: the body did not arrive in time";
