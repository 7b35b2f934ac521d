//! Version 3 error messages.

use axum::{http::StatusCode, response::Response};

use crate::{
    api::{
        legacy,
        problem::{ErrorReply, Problem},
        words,
    },
    app::Error,
};

pub fn show(problem: Problem) -> Response {
    legacy::refusal(problem.into_reply(error_reply))
}

fn error_reply(error: Error) -> ErrorReply {
    match error {
        Error::Unauthorized => ErrorReply::new(StatusCode::UNAUTHORIZED, "Not Authorized"),
        Error::TooManyFailures { retry_after } => ErrorReply::too_many_failures(retry_after),
        Error::Forbidden(why) => ErrorReply::forbidden(why),
        Error::Missing(_) => ErrorReply::new(StatusCode::NOT_FOUND, "Not Found"),
        // This format has no place for field errors, so the message lists them.
        Error::Invalid(errors) => ErrorReply::new(
            StatusCode::UNPROCESSABLE_ENTITY,
            format!("Unprocessable entity: {}", words::line(&errors)),
        ),
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
