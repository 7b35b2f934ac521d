//! The page inside `embed_iframe`: any site may frame it.

use askama::Template;
use axum::{
    extract::{Path, State},
    http::StatusCode,
    response::Response,
};

use super::page;
use crate::app::{App, Error, participants};

#[derive(Template)]
#[template(path = "player.html")]
struct Player {
    name: String,
    recording_link: Option<String>,
}

/// The token is what makes it public: whoever has it may see this much.
pub async fn show(State(app): State<App>, Path((institution, token)): Path<(String, String)>) -> Response {
    let Ok(institution) = institution.parse::<i64>() else { return page::unknown().await };
    match participants::by_token(&app, institution, &token).await {
        Ok(person) => {
            let recording_link = person.recording.as_ref().map(|it| app.links.recording(institution, it));
            page::html(StatusCode::OK, &Player { name: person.full_name(), recording_link })
        }
        Err(Error::Missing(_)) => page::unknown().await,
        Err(_) => page::trouble(),
    }
}
