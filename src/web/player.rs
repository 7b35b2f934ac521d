//! The page inside `embed_iframe`: any site may frame it, from 32 px by 32 px upwards.

use askama::Template;
use axum::{
    body::Body,
    extract::{Path, RawQuery, State},
    http::{HeaderMap, HeaderValue, StatusCode, header},
    response::Response,
};

use super::{
    assets,
    page::{self, Policy, path_of, root},
};
use crate::{
    api::{
        embeds::{self, Dialect, Drawing, Icon},
        params::Params,
    },
    app::{
        App, Error, Missing,
        badges::{self, Shown},
    },
    domain::{field_errors::FieldErrors, institution::parse_origin},
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
        let pictures_of = icon.image.as_deref().and_then(origin);
        icon.image = icon.image.filter(|_| pictures_of.is_some());
        let legal = params.text("legal").is_some_and(|word| matches!(&*word, "1" | "true"));
        Self { legal, icon, pictures_of }
    }
}

/// Letters, digits and dots alone get past `parse_origin`, so that nothing can be added to the header.
fn origin(address: &str) -> Option<String> {
    let start = address.find("://")? + "://".len();
    let end = address[start..].find(['/', '?', '#', '\\']).map_or(address.len(), |length| start + length);
    parse_origin(&address[..end])
}

pub async fn show(
    State(app): State<App>,
    Path((institution, token)): Path<(String, String)>,
    RawQuery(query): RawQuery,
) -> Response {
    let wish = Wish::read(&query.unwrap_or_default());
    let found = match institution.parse() {
        Ok(institution) => badges::shown(&app, institution, &token).await,
        Err(_) => Err(Error::Missing(Missing::Participant)),
    };
    let (status, content) = match found {
        Ok(shown) => (StatusCode::OK, content(&app, shown, &wish)),
        Err(Error::Missing(_)) => {
            (StatusCode::NOT_FOUND, silence("Gone", "There is no such name here any more.".to_owned()))
        }
        Err(error) => {
            tracing::error!(%error, "a player cannot be shown");
            let sentence = "The player cannot be shown just now; please try again in a moment.".to_owned();
            (StatusCode::SERVICE_UNAVAILABLE, silence("Not now", sentence))
        }
    };
    let page = Player {
        root: root(&app.links),
        style: assets::PLAYER_STYLE.address(),
        script: assets::PLAYER_SCRIPT.address(),
        content,
    };
    let policy = Policy { scripts: true, framed_by_anybody: true, pictures_of: wish.pictures_of.as_deref() };
    let mut response = page::written(status, page.render(), policy);
    let headers = response.headers_mut();
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    headers.insert("x-robots-tag", HeaderValue::from_static("noindex"));
    open_to_all(headers);
    response
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
            let what = if wish.legal { "the legal name of " } else { "" };
            // Isolated, because a name may run from right to left in a sentence that does not.
            let sentence =
                format!("There is no recording of {what}\u{2068}{}\u{2069} yet.", person.full_name());
            silence("No audio", sentence)
        }
    }
}

fn silence(word: &'static str, sentence: String) -> Content {
    Content::Silence { word, sentence }
}

/// A player holds nothing that its address does not give away, so that scripts of any page may read it.
fn open_to_all(headers: &mut HeaderMap) {
    headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, HeaderValue::from_static("*"));
}

pub async fn preflight() -> Response {
    let mut response = Response::new(Body::empty());
    *response.status_mut() = StatusCode::NO_CONTENT;
    let headers = response.headers_mut();
    open_to_all(headers);
    headers.insert(header::ACCESS_CONTROL_ALLOW_METHODS, HeaderValue::from_static("GET, HEAD, OPTIONS"));
    headers.insert(header::ACCESS_CONTROL_ALLOW_HEADERS, HeaderValue::from_static("*"));
    headers.insert(header::ACCESS_CONTROL_MAX_AGE, HeaderValue::from_static("86400"));
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_an_origin_gets_into_the_policy() {
        for (address, wanted) in [
            ("https://cdn.example.edu/a.png?x=1", Some("https://cdn.example.edu")),
            ("HTTP://CDN.example.edu:8080", Some("http://cdn.example.edu:8080")),
            ("https://cdn.example.edu?a", Some("https://cdn.example.edu")),
            ("https://a.example;script-src/x", None),
            ("https://a.example,b/x", None),
            ("https://*/x", None),
            ("https://me@a.example/x", None),
            ("https://a.example'/x", None),
        ] {
            assert_eq!(origin(address).as_deref(), wanted, "{address}");
        }
    }

    #[test]
    fn a_faulty_wish_is_no_wish() {
        let wish = Wish::read("icon_code=nine&play_button_img_url=javascript:alert(1)");
        assert_eq!((wish.icon, wish.pictures_of), (Icon::default(), None));
    }
}
