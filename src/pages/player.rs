//! The page inside `embed_iframe`: any site may frame it, from 32 px by 32 px upwards.

use askama::Template;
use axum::{
    extract::{RawQuery, State},
    http::{HeaderValue, StatusCode, header},
    response::Response,
};

use super::words::Message;
use crate::{
    app::{
        self, App, Error, Missing,
        badges::{self, Shown},
    },
    domain::field_errors::FieldErrors,
    http::{
        assets,
        embeds::{self, Dialect, Drawing, Icon},
        html::{origin_of, path_of, root, written},
        params::Params,
        path::Path,
        policy::{Frames, Policy},
    },
};

#[derive(Template)]
#[template(path = "player.html")]
struct Player<'a> {
    root: &'a str,
    style: &'a str,
    script: &'a str,
    content: Content,
}

enum Content {
    Sound {
        label: String,
        link: String,
        drawing: Drawing,
        /// In the place of the drawing.
        image: Option<String>,
    },
    /// A word that fits in a small frame, and the sentence that it stands for.
    Silence { word: &'static str, sentence: String },
}

impl Content {
    fn title(&self) -> &str {
        match self {
            Self::Sound { label, .. } => label,
            Self::Silence { sentence, .. } => sentence,
        }
    }
}

/// What the address asks for. A faulty wish is no reason to show nothing to whoever came to hear a name.
struct Wish {
    legal: bool,
    icon: Icon,
    /// Where the picture comes from, when that can be said in a header.
    pictures_of: Option<String>,
}

impl Wish {
    fn read(query: &str) -> Self {
        let params = Params::from_query(query);
        let every_icon = Dialect { highest_icon: 3, legal_embeddables: true };
        let mut icon = Icon::read(&params, every_icon, &mut FieldErrors::default());
        let pictures_of = icon.image.as_deref().and_then(origin_of);
        icon.image = icon.image.filter(|_| pictures_of.is_some());
        let legal = params.text("legal").is_some_and(|word| matches!(&*word, "1" | "true"));
        Self { legal, icon, pictures_of }
    }
}

pub async fn show(
    State(app): State<App>,
    Path((institution, token)): Path<(String, String)>,
    RawQuery(query): RawQuery,
) -> Response {
    let wish = Wish::read(&query.unwrap_or_default());
    let (status, content, media_of) = match sought(&app, &institution, &token).await {
        Ok((shown, media_of)) => (StatusCode::OK, content(&app, shown, &wish), media_of),
        Err(Error::Missing(_)) => {
            let content = silence("Gone", Message::NoSuchName);
            (StatusCode::NOT_FOUND, content, None)
        }
        Err(error) => {
            tracing::error!(%error, "a player cannot be shown");
            (StatusCode::SERVICE_UNAVAILABLE, silence("Not now", Message::PlayerUnavailable), None)
        }
    };
    let page = Player {
        root: root(&app.links),
        style: assets::PLAYER_STYLE.address(),
        script: assets::PLAYER_SCRIPT.address(),
        content,
    };
    let policy = Policy {
        scripts: true,
        frames: Frames::Anybody,
        pictures_of: wish.pictures_of.as_deref(),
        media_of: media_of.as_deref(),
        ..Policy::default()
    };
    let mut response = written(status, page.render(), policy);
    let headers = response.headers_mut();
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    headers.insert("x-robots-tag", HeaderValue::from_static("noindex"));
    // It holds nothing that its address does not give away, so that scripts of any page may read it.
    headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, HeaderValue::from_static("*"));
    response
}

/// And the origin that the sound comes from, where that is not ours.
async fn sought(app: &App, institution: &str, token: &str) -> app::Result<(Shown, Option<String>)> {
    let institution = institution.parse().map_err(|_| Error::Missing(Missing::Participant))?;
    let shown = badges::shown(app, institution, token).await?;
    let media_of = badges::elsewhere(app, institution, &shown.person).await?;
    Ok((shown, media_of.as_deref().and_then(origin_of)))
}

fn content(app: &App, Shown { institution, person }: Shown, wish: &Wish) -> Content {
    let recording = if wish.legal { &person.legal.recording } else { &person.recording };
    match recording {
        Some(recording) => Content::Sound {
            label: embeds::label(&person, wish.legal),
            link: path_of(&app.links.recording(institution, recording)).to_owned(),
            drawing: wish.icon.drawing(),
            image: wish.icon.image.clone(),
        },
        None => {
            let message = Message::NoRecording { name: &person.full_name(), is_legal: wish.legal };
            silence("No audio", message)
        }
    }
}

fn silence(word: &'static str, message: Message<'_>) -> Content {
    Content::Silence { word, sentence: message.text() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_faulty_wish_is_no_wish() {
        let wish = Wish::read("icon_code=nine&play_button_img_url=javascript:alert(1)");
        assert_eq!((wish.icon, wish.pictures_of), (Icon::default(), None));
    }
}
