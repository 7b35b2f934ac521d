//! Version 4: one course of a learning system.

use axum::response::Response;

use crate::{
    api::{ask::Ask, courses, face, problem::Problem},
    app::{
        App, Error, Missing,
        courses::{WhenRunning, synchronize as begin},
    },
};

pub async fn synchronize(app: App, ask: Ask) -> Result<Response, Problem> {
    if let Some(unknown) = courses::unknown_path(&app, &ask, super::ROOT).await? {
        return Ok(unknown);
    }
    let params = ask.params()?;
    let (Some(token), Some(given)) = (params.name("api_token"), params.name("external_course_id")) else {
        return Err(Problem::Malformed);
    };
    let consumer = courses::consumer(&app, &ask, &token).await?;
    let outcome = begin(&app, ask.access(), &consumer, vec![given], WhenRunning::Refuse).await?;
    if !outcome.unknown.is_empty() {
        return Err(Error::Missing(Missing::Course).into());
    }
    Ok(face::nothing())
}
