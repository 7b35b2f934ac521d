//! Version 4: synchronization of one course.

use axum::response::Response;

use crate::{
    api::{courses, face, problem::Problem, request::ApiRequest},
    app::{
        App, Error, Missing,
        courses::{WhenRunning, synchronize as begin},
        idempotency::Creation,
    },
};

pub async fn synchronize(app: App, request: ApiRequest) -> Result<Response, Problem> {
    if let Some(unknown) = courses::unknown_path(&app, &request, super::ROOT).await? {
        return Ok(unknown);
    }
    let key = request.idempotency_key()?;
    let params = request.params()?;
    let (Some(token), Some(given)) = (params.name("api_token"), params.name("external_course_id")) else {
        return Err(Problem::Malformed);
    };
    let consumer = courses::consumer(&app, &request, &token).await?;
    let Creation { made: outcome, is_repeated } =
        begin(&app, &request.actor(), &consumer, vec![given], WhenRunning::Refuse, key).await?;
    if !outcome.unknown.is_empty() {
        return Err(Error::Missing(Missing::Course).into());
    }
    Ok(face::mark_repeated(face::empty(), is_repeated))
}
