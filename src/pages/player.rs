//! The page in `embed_iframe`. Any site may frame it, at 32 by 32 px or larger.

use askama::Template;
use axum::{
    extract::{RawQuery, State},
    http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header},
    response::Response,
};

use super::words::{self, Silence};
use crate::{
    app::{
        self, App, Error, Missing,
        badges::{self, PublicPerson},
    },
    domain::{field_errors::FieldErrors, play},
    http::{
        assets,
        embeds::{Dialect, Drawing, Icon},
        html::{origin_of, path_of, root, written},
        language::Preferred,
        params::Params,
        path::Path,
        policy::{Frames, Policy},
    },
    words::Words,
};

#[derive(Template)]
#[template(path = "player.html")]
struct Player<'a> {
    words: Words,
    root: &'a str,
    style: &'a str,
    script: &'a str,
    content: Content,
}

enum Content {
    Sound {
        label: String,
        /// The label after the recording could not be loaded.
        fault: String,
        link: String,
        drawing: Drawing,
        /// Replaces the built-in icon.
        image: Option<String>,
    },
    /// A word that fits a small frame, and the full sentence.
    Silence { word: String, sentence: String },
}

impl Content {
    fn title(&self) -> &str {
        match self {
            Self::Sound { label, .. } => label,
            Self::Silence { sentence, .. } => sentence,
        }
    }
}

const DESTINATION: HeaderName = HeaderName::from_static("sec-fetch-dest");

/// Options from the query. Invalid ones are ignored, so that the player still works.
struct Options {
    legal: bool,
    icon: Icon,
    /// The origin of the image, if it is valid in a CSP header.
    pictures_of: Option<String>,
}

impl Options {
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
    Path((institution, name)): Path<(String, String)>,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
) -> Response {
    // Other sites show it in a frame, where it has no cookie.
    let Preferred { accepted, .. } = Preferred::of(None, &headers);
    let options = Options::read(&query.unwrap_or_default());
    let mut words = Words::new(accepted.unwrap_or_default());
    let (status, content, media_of) = match load(&app, &institution, &name).await {
        Ok((shown, media_of)) => {
            words = Words::new(accepted.or(shown.language).unwrap_or_default());
            let source = source(&app, &headers);
            (StatusCode::OK, content(&app, shown, &options, words, &source), media_of)
        }
        Err(Error::Missing(_)) => (StatusCode::NOT_FOUND, silence(words, &Silence::NoSuchName), None),
        Err(error) => {
            tracing::error!(%error, "rendering a player failed");
            (StatusCode::SERVICE_UNAVAILABLE, silence(words, &Silence::Unavailable), None)
        }
    };
    let page = Player {
        words,
        root: root(&app.links),
        style: assets::PLAYER_STYLE.address(),
        script: assets::PLAY_SCRIPT.address(),
        content,
    };
    let policy = Policy {
        scripts: true,
        frames: Frames::Anybody,
        pictures_of: options.pictures_of.as_deref(),
        media_of: media_of.as_deref(),
        ..Policy::default()
    };
    let mut response = written(status, page.render(), policy);
    let headers = response.headers_mut();
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    headers.append(header::VARY, HeaderValue::from_static("Accept-Language"));
    headers.insert("x-robots-tag", HeaderValue::from_static("noindex"));
    // The page reveals no more than its URL, so scripts of any origin may read it.
    headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, HeaderValue::from_static("*"));
    response
}

/// Also returns the origin of the recording, if it is not ours.
async fn load(app: &App, institution: &str, name: &str) -> app::Result<(PublicPerson, Option<String>)> {
    let institution = institution.parse().map_err(|_| Error::Missing(Missing::Participant))?;
    let shown = badges::played(app, institution, name).await?;
    let media_of = badges::external_url(app, institution, &shown.person).await?;
    Ok((shown, media_of.as_deref().and_then(origin_of)))
}

/// What is appended to the recording's link, so that plays are counted for the site that shows the player. Nothing outside of frames
/// and if no site links to it.
fn source(app: &App, headers: &HeaderMap) -> String {
    let text = |name: HeaderName| headers.get(name).and_then(|value| value.to_str().ok());
    let site = text(header::REFERER).and_then(|referer| play::site_of(referer, app.links.base()));
    let is_framed = text(DESTINATION) == Some("iframe");
    if site.is_some() || is_framed { play::from_player(site) } else { String::new() }
}

fn content(
    app: &App,
    PublicPerson { institution, person, .. }: PublicPerson,
    options: &Options,
    words: Words,
    source: &str,
) -> Content {
    let recording = if options.legal { &person.legal.recording } else { &person.recording };
    match recording {
        Some(recording) => {
            let label = words::play(words, &person, options.legal);
            Content::Sound {
                fault: words.plain("badge-player-fault", &[("label", label.as_str().into())]),
                label,
                link: format!("{}{source}", path_of(&app.links.recording(institution, recording))),
                drawing: options.icon.drawing(),
                image: options.icon.image.clone(),
            }
        }
        None => {
            let name = person.full_name();
            silence(words, &Silence::NoRecording { name: &name, is_legal: options.legal })
        }
    }
}

fn silence(words: Words, silence: &Silence<'_>) -> Content {
    Content::Silence { word: silence.word(words), sentence: silence.sentence(words) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn invalid_options_are_ignored() {
        let options = Options::read("icon_code=nine&play_button_img_url=javascript:alert(1)");
        assert_eq!((options.icon, options.pictures_of), (Icon::default(), None));
    }
}
