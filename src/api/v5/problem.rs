//! Version 5 error messages.

use axum::{http::StatusCode, response::Response};

use crate::{
    api::{
        face,
        problem::{ErrorReply, Problem},
    },
    app::{Error, Missing},
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
        Missing::NamePage => "Name page not found",
        Missing::Participant => "Registered participant not found",
        Missing::Institution
        | Missing::Recording
        | Missing::Token
        | Missing::CustomField
        | Missing::Export
        | Missing::Job
        | Missing::Call
        | Missing::Course
        | Missing::SsoConnection
        | Missing::Invitation
        | Missing::Member
        | Missing::ScimConnection
        | Missing::ScimUser
        | Missing::ScimGroup => "Not Found",
        Missing::ToolConsumer => "Tool consumer not found",
    }
}
