//! Course synchronization, shared by versions 5 and 4: the `lms` path parameter and the tool consumer it selects.

use axum::response::Response;

use super::{face, problem::Problem, request::ApiRequest};
use crate::{
    app::{App, courses},
    domain::tool_consumer::ToolConsumer,
};

/// An unknown `lms` in the path is reported as an unknown endpoint.
pub async fn unknown_path(app: &App, request: &ApiRequest, root: &str) -> Result<Option<Response>, Problem> {
    let known = courses::is_known_word(app, request.institution().id, request.path("lms")).await?;
    Ok((!known).then(|| face::error(super::no_such_endpoint(app, root))))
}

pub async fn consumer(app: &App, request: &ApiRequest, api_token: &str) -> Result<ToolConsumer, Problem> {
    Ok(courses::consumer(app, request.institution().id, request.path("lms"), api_token).await?)
}
