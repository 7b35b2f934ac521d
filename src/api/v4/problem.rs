//! Version 4's words for what goes wrong.

use axum::{http::StatusCode, response::Response};

use crate::http::reply;
use crate::{
    api::{
        face,
        problem::{Problem, Told},
    },
    app::{Error, Missing},
    domain::field_errors::FieldErrors,
};

pub fn show(problem: Problem) -> Response {
    face::told(problem.told(words))
}

fn words(error: Error) -> Told {
    match error {
        Error::Unauthorized => Told::new(StatusCode::UNAUTHORIZED, "Not Authorized"),
        Error::TooManyFailures { retry_after } => Told::too_many_failures(retry_after),
        Error::Forbidden(why) => Told::forbidden(why),
        Error::Missing(what) => Told::new(StatusCode::NOT_FOUND, missing(what)),
        Error::Invalid(errors) => {
            Told::new(StatusCode::UNPROCESSABLE_ENTITY, "Unprocessable entity").with(errors)
        }
        Error::PendingCalls => Told::pending_calls(),
        Error::ToolConsumerDisabled => Told::tool_consumer_disabled(),
        Error::CourseSynchronizing => Told::course_synchronizing(),
        Error::LearningSystem(why) => Told::learning_system(&why),
        Error::Busy => Told::busy(),
        Error::TooManyExports { most } => Told::too_many_exports(most),
        Error::TooManyStreams => Told::too_many_streams(),
        Error::Unavailable(why) => Told::unavailable(why),
        Error::Internal(why) => Told::fault(why),
    }
}

const fn missing(what: Missing) -> &'static str {
    match what {
        Missing::ToolConsumer => "Tool consumer not found",
        Missing::Course => "Course does not exist in the learning management system",
        Missing::Institution
        | Missing::NamePage
        | Missing::Participant
        | Missing::Recording
        | Missing::Token
        | Missing::CustomField
        | Missing::Export
        | Missing::Job
        | Missing::Call => "Not Found",
    }
}

/// The contract's own status for a create that cannot be read.
pub fn malformed_create() -> Response {
    let status = StatusCode::from_u16(420).unwrap_or(StatusCode::BAD_REQUEST);
    let mut response = reply::message(status, "Bad Request");
    // No standard knows 420, so its line would read `420 <none>`.
    response.extensions_mut().insert(hyper::ext::ReasonPhrase::from_static(b"Bad Request"));
    response
}

/// The contract's own words for an export that cannot be made.
pub fn invalid_export(errors: FieldErrors) -> Response {
    face::told(Told::new(StatusCode::UNPROCESSABLE_ENTITY, "Validation error").with(errors))
}
