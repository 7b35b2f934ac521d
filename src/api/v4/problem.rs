//! Version 4 error messages.

use axum::{http::StatusCode, response::Response};

use crate::http::reply;
use crate::{
    api::{
        face,
        problem::{ErrorReply, Problem},
    },
    app::{Error, Missing},
    domain::field_errors::FieldErrors,
};

pub fn show(problem: Problem) -> Response {
    face::error(problem.into_reply(error_reply))
}

fn error_reply(error: Error) -> ErrorReply {
    match error {
        Error::Unauthorized => ErrorReply::new(StatusCode::UNAUTHORIZED, "Not Authorized"),
        Error::TooManyFailures { retry_after } => ErrorReply::too_many_failures(retry_after),
        Error::Forbidden(why) => ErrorReply::forbidden(why),
        Error::Missing(what) => ErrorReply::new(StatusCode::NOT_FOUND, missing(what)),
        Error::Invalid(errors) => {
            ErrorReply::new(StatusCode::UNPROCESSABLE_ENTITY, "Unprocessable entity").with(errors)
        }
        Error::PendingCalls => ErrorReply::pending_calls(),
        Error::ToolConsumerDisabled => ErrorReply::tool_consumer_disabled(),
        Error::CourseSynchronizing => ErrorReply::course_synchronizing(),
        Error::LearningSystem(why) => ErrorReply::learning_system(&why),
        Error::Busy | Error::FilesNeeded => ErrorReply::busy(),
        Error::TooManyPendingExports { most } => ErrorReply::too_many_exports(most),
        Error::TooManyStreams => ErrorReply::too_many_streams(),
        Error::IdempotencyKey(fault) => ErrorReply::idempotency_key(fault),
        // No use case of the API returns it.
        Error::Scim(fault) => ErrorReply::internal(fault.to_string()),
        Error::Unavailable(why) => ErrorReply::unavailable(why),
        Error::Internal(why) => ErrorReply::internal(why),
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
        | Missing::Call
        | Missing::SsoConnection
        | Missing::Invitation
        | Missing::Member
        | Missing::ScimConnection
        | Missing::ScimUser
        | Missing::ScimGroup => "Not Found",
    }
}

/// By contract, an unreadable create has its own status.
pub fn malformed_create() -> Response {
    let status = StatusCode::from_u16(420).unwrap_or(StatusCode::BAD_REQUEST);
    let mut response = reply::message(status, "Bad Request");
    // 420 has no standard reason phrase, so the status line would read `420 <none>`.
    response.extensions_mut().insert(hyper::ext::ReasonPhrase::from_static(b"Bad Request"));
    response
}

/// By contract, an invalid export has its own message.
pub fn invalid_export(errors: FieldErrors) -> Response {
    face::error(ErrorReply::new(StatusCode::UNPROCESSABLE_ENTITY, "Validation error").with(errors))
}
