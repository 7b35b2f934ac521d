//! Course synchronization, shared by versions 5 and 4: the `lms` path parameter and the tool consumer it selects.

use axum::response::Response;

use super::{face, problem::Problem, request::ApiRequest};
use crate::{
    app::{App, courses},
    domain::tool_consumer::ToolConsumer,
};

/// An unknown `lms` in the path is reported as an unknown endpoint.
pub async fn unknown_path(app: &App, request: &ApiRequest, root: &str) -> Result<Option<Response>, Problem> {
    let (actor, institution) = (request.actor(), request.institution().id);
    let known = courses::is_known_word(app, &actor, institution, request.path("lms")).await?;
    Ok((!known).then(|| face::error(super::no_such_endpoint(app, root))))
}

pub async fn consumer(app: &App, request: &ApiRequest, api_token: &str) -> Result<ToolConsumer, Problem> {
    let (actor, institution) = (request.actor(), request.institution().id);
    Ok(courses::consumer(app, &actor, institution, request.path("lms"), api_token).await?)
}
