//! What versions 5 and 4 share of synchronising courses: the word in the path, and who is meant.

use axum::response::Response;

use super::{ask::Ask, face, problem::Problem};
use crate::{
    app::{App, courses},
    domain::tool_consumer::ToolConsumer,
};

/// A path with a word that no learning system has is no path.
pub async fn unknown_path(app: &App, ask: &Ask, root: &str) -> Result<Option<Response>, Problem> {
    let known = courses::is_known_word(app, ask.institution().id, ask.path("lms")).await?;
    Ok((!known).then(|| face::told(super::no_such_endpoint(app, root))))
}

pub async fn consumer(app: &App, ask: &Ask, api_token: &str) -> Result<ToolConsumer, Problem> {
    Ok(courses::consumer(app, ask.institution().id, ask.path("lms"), api_token).await?)
}
