//! The page inside `embed_iframe`: any site may frame it, from 48 px by 48 px upwards.

use askama::Template;
use axum::{
    extract::{Path, State},
    http::StatusCode,
    response::Response,
};

use super::page::{self, Framing, Site};
use crate::app::{App, Error, participants};

#[derive(Template)]
#[template(path = "player.html")]
struct Player<'a> {
    site: Site<'a>,
    content: Content,
}

enum Content {
    Recording {
        name: String,
        link: String,
    },
    /// A word that fits in a small frame, and the sentence that it stands for.
    Silence {
        word: &'static str,
        sentence: String,
    },
}

impl Content {
    fn title(&self) -> String {
        match self {
            Self::Recording { name, .. } => format!("The name of {name}"),
            Self::Silence { sentence, .. } => sentence.clone(),
        }
    }
}

/// The token is what makes it public: whoever has it may see this much.
pub async fn show(State(app): State<App>, Path((institution, token)): Path<(String, String)>) -> Response {
    let found = match institution.parse::<i64>() {
        Ok(institution) => {
            participants::by_token(&app, institution, &token).await.map(|it| (institution, it))
        }
        Err(_) => Err(Error::Missing(crate::app::Missing::Participant)),
    };
    let (status, content) = match found {
        Ok((institution, person)) => {
            // Isolated, because a name may run from right to left in a sentence that does not.
            let name = format!("\u{2068}{}\u{2069}", person.full_name());
            let content = match &person.recording {
                Some(recording) => {
                    Content::Recording { link: app.links.recording(institution, recording), name }
                }
                None => silence("No audio", format!("There is no recording of {name} yet.")),
            };
            (StatusCode::OK, content)
        }
        Err(Error::Missing(_)) => {
            (StatusCode::NOT_FOUND, silence("Gone", "There is no such name here any more.".to_owned()))
        }
        Err(error) => {
            tracing::error!(%error, "a player cannot be shown");
            let sentence = "The player cannot be shown just now; please try again in a moment.".to_owned();
            (StatusCode::SERVICE_UNAVAILABLE, silence("Not now", sentence))
        }
    };
    page::written(status, Player { site: Site::of(&app), content }.render(), Framing::Anybody)
}

fn silence(word: &'static str, sentence: String) -> Content {
    Content::Silence { word, sentence }
}
