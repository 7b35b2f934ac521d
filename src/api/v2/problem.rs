//! Version 2's words for what goes wrong.

use axum::{http::StatusCode, response::Response};

use crate::{
    api::{
        legacy,
        problem::{Problem, Told},
        words,
    },
    app::Error,
};

pub fn show(problem: Problem) -> Response {
    legacy::refusal(problem.told(told))
}

fn told(error: Error) -> Told {
    match error {
        // Nobody needs a token here, so nobody is told this.
        Error::Unauthorized => Told::new(StatusCode::UNAUTHORIZED, "Not Authorized"),
        Error::TooManyFailures { retry_after } => Told::too_many_failures(retry_after),
        Error::Forbidden(why) => Told::forbidden(why),
        Error::Missing(_) => Told::new(StatusCode::NOT_FOUND, "Not Found"),
        // There is no place for fields in this shape, so the message names them.
        Error::Invalid(errors) => Told::new(
            StatusCode::UNPROCESSABLE_ENTITY,
            format!("Unprocessable entity: {}", words::line(&errors)),
        ),
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
