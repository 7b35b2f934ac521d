//! Version 5's words for what goes wrong.

use axum::{http::StatusCode, response::Response};

use crate::{
    api::{
        face,
        problem::{Problem, Told},
    },
    app::{Error, Missing},
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
        Missing::NamePage => "Name page not found",
        Missing::Participant => "Registered participant not found",
        Missing::Institution
        | Missing::Recording
        | Missing::Token
        | Missing::CustomField
        | Missing::Export
        | Missing::Job
        | Missing::Call
        | Missing::Course => "Not Found",
        Missing::ToolConsumer => "Tool consumer not found",
    }
}
