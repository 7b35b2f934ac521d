//! Version 5's words for what goes wrong.

use axum::{http::StatusCode, response::Response};

use crate::{
    api::{
        face,
        problem::{Problem, TOO_SLOW, too_large},
    },
    app::{Error, Missing},
};

pub fn show(problem: Problem) -> Response {
    let error = match problem {
        Problem::App(error) => error,
        Problem::Malformed => return face::message(StatusCode::BAD_REQUEST, "Bad Request"),
        Problem::TooLarge { limit } => {
            return face::message(StatusCode::PAYLOAD_TOO_LARGE, &too_large(limit));
        }
        Problem::TooSlow => return face::message(StatusCode::REQUEST_TIMEOUT, TOO_SLOW),
        Problem::TooMany => return face::message(StatusCode::TOO_MANY_REQUESTS, "Too Many Requests"),
    };
    match error {
        Error::Unauthorized => face::message(StatusCode::UNAUTHORIZED, "Not Authorized"),
        Error::Missing(what) => face::message(StatusCode::NOT_FOUND, missing(what)),
        Error::Invalid(errors) => {
            face::message_with(StatusCode::UNPROCESSABLE_ENTITY, "Unprocessable entity", &errors)
        }
        Error::Busy => face::busy(),
        Error::Unavailable(why) => face::unavailable(why),
        Error::Internal(why) => face::fault(why),
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
        | Missing::Job => "Not Found",
    }
}
