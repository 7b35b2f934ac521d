//! Version 5: synchronization of several courses.

use axum::{http::StatusCode, response::Response};
use serde::Serialize;

use crate::http::reply;
use crate::{
    api::{courses, face, problem::Problem, request::ApiRequest},
    app::{
        App,
        courses::{WhenRunning, synchronize as begin},
        idempotency::Creation,
    },
    domain::{
        fault::{Fault, Field},
        field_errors::FieldErrors,
    },
};

/// Each course is looked up in the learning management system while the caller waits.
const MAX_COURSES: usize = 1_000;

#[derive(Serialize)]
struct NotFound {
    external_courses_ids: Vec<String>,
    message: String,
}

pub async fn synchronize(app: App, request: ApiRequest) -> Result<Response, Problem> {
    if let Some(unknown) = courses::unknown_path(&app, &request, super::ROOT).await? {
        return Ok(unknown);
    }
    let key = request.idempotency_key()?;
    let params = request.params()?;
    let (Some(token), Some(given)) = (params.name("api_token"), params.names("external_course_ids")) else {
        return Err(Problem::Malformed);
    };
    let consumer = courses::consumer(&app, &request, &token).await?;
    if given.len() > MAX_COURSES {
        let fault = Fault::TooManyEntries { most: MAX_COURSES };
        return Err(FieldErrors::one(Field::Parameter("external_course_ids"), fault).into());
    }
    let Creation { made: outcome, is_repeated } =
        begin(&app, &request.actor(), &consumer, given, WhenRunning::Fine, key).await?;
    if outcome.unknown.is_empty() {
        return Ok(face::mark_repeated(face::empty(), is_repeated));
    }
    let message =
        format!("Courses were not found in the learning management system: {}", outcome.unknown.join(", "));
    let body = NotFound { external_courses_ids: outcome.unknown, message };
    Ok(face::mark_repeated(reply::json(StatusCode::ACCEPTED, &body), is_repeated))
}
