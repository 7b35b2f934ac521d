//! Version 4's words for what goes wrong.

use axum::{http::StatusCode, response::Response};

use crate::{
    api::{
        face,
        problem::{Problem, TOO_SLOW, too_large},
    },
    app::Error,
    domain::field_errors::FieldErrors,
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
        Error::Missing(_) => face::message(StatusCode::NOT_FOUND, "Not Found"),
        Error::Invalid(errors) => {
            face::message_with(StatusCode::UNPROCESSABLE_ENTITY, "Unprocessable entity", &errors)
        }
        Error::Busy => face::busy(),
        Error::Unavailable(why) => face::unavailable(why),
        Error::Internal(why) => face::fault(why),
    }
}

/// The contract's own status for a create that cannot be read.
pub fn malformed_create() -> Response {
    let status = StatusCode::from_u16(420).unwrap_or(StatusCode::BAD_REQUEST);
    let mut response = face::message(status, "Bad Request");
    // No standard knows 420, so its line would read `420 <none>`.
    response.extensions_mut().insert(hyper::ext::ReasonPhrase::from_static(b"Bad Request"));
    response
}

/// The contract's own words for an export that cannot be made.
pub fn invalid_export(errors: &FieldErrors) -> Response {
    face::message_with(StatusCode::UNPROCESSABLE_ENTITY, "Validation error", errors)
}
