//! What all pages inside a learning system share: their headers, and the page that says why there is nothing to see.

use askama::Template;
use axum::{
    http::{HeaderMap, HeaderValue, StatusCode, header},
    response::Response,
};

use super::words::{Explanation, Notice};
use crate::{
    app::{
        App,
        lti::{Fault, Refusal, sessions::Open},
    },
    domain::lti::Theme,
    http::{
        assets, html,
        html::root,
        policy::{Forms, Frames, Policy},
        refusal,
    },
};

/// What every page loads, and in which colors it is shown.
#[derive(Debug, Clone, Copy)]
pub struct Parts<'a> {
    pub root: &'a str,
    pub style: &'a str,
    pub script: &'a str,
    pub colors: Colors,
}

impl<'a> Parts<'a> {
    pub fn of(app: &'a App, colors: Colors) -> Self {
        Self {
            root: root(&app.links),
            style: assets::LTI_STYLE.address(),
            script: assets::LTI_SCRIPT.address(),
            colors,
        }
    }

    pub fn in_session(app: &'a App, open: &Open) -> Self {
        Self::of(app, Colors::in_session(open))
    }
}

/// Light or dark. Inside a frame a page follows the page around it, which is light unless the platform says otherwise: a dark
/// system with a light platform would get a black box. In a window of its own it follows the system.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Colors {
    System,
    Only(Theme),
}

impl Colors {
    /// `said` is what the platform says of its own pages.
    pub fn of(headers: &HeaderMap, said: Option<Theme>) -> Self {
        let place = headers.get("sec-fetch-dest").and_then(|value| value.to_str().ok());
        // A browser that does not say where it shows us is old, and most likely has us in a frame.
        match (said, place) {
            (Some(theme), _) => Self::Only(theme),
            (None, Some("document")) => Self::System,
            (None, _) => Self::Only(Theme::Light),
        }
    }

    pub fn in_session(open: &Open) -> Self {
        open.theme.map_or(Self::System, Self::Only)
    }

    /// `color-scheme`, for the browser's own parts of a page.
    pub const fn scheme(self) -> &'static str {
        match self {
            Self::System => "light dark",
            Self::Only(Theme::Light) => "only light",
            Self::Only(Theme::Dark) => "only dark",
        }
    }

    /// The style sheet's word.
    pub const fn word(self) -> &'static str {
        match self {
            Self::System => "system",
            Self::Only(theme) => theme.word(),
        }
    }
}

/// A page with a sentence or two, and sometimes a way on.
#[derive(Template)]
#[template(path = "lti/sentence.html")]
pub struct Sentence<'a> {
    pub parts: Parts<'a>,
    pub title: &'static str,
    pub sentences: Vec<String>,
    /// An address to be opened in a window of its own.
    pub own_window: Option<String>,
    /// The page that opened the window may close it.
    pub is_done: bool,
}

impl<'a> Sentence<'a> {
    pub fn new(parts: Parts<'a>, notice: &Notice<'_>) -> Self {
        let Explanation { title, sentences } = notice.explain();
        Self { parts, title, sentences, own_window: None, is_done: false }
    }
}

/// No address of these pages is for others to see, and nothing of them is kept.
pub fn written(
    status: StatusCode,
    page: &impl Template,
    frames: &[String],
    forms: Forms<'_>,
    media_of: Option<&str>,
) -> Response {
    framed(status, page, Frames::Of(frames), forms, media_of)
}

fn framed(
    status: StatusCode,
    page: &impl Template,
    frames: Frames<'_>,
    forms: Forms<'_>,
    media_of: Option<&str>,
) -> Response {
    let policy = Policy { scripts: true, asks: true, frames, forms, media_of, ..Policy::default() };
    let mut response = html::written(status, page.render(), policy);
    let headers = response.headers_mut();
    // Not `no-referrer`: with it a form of ours would not say that it is ours.
    headers.insert(header::REFERRER_POLICY, HeaderValue::from_static("same-origin"));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers.insert("x-robots-tag", HeaderValue::from_static("noindex"));
    response
}

/// What no handler answers.
pub fn refuse(app: &App, refusal: refusal::Refusal) -> Response {
    use refusal::Refusal::{HeadTooLarge, Host, Malformed, NotFound, Panicked, UriTooLong};
    let notice = match refusal {
        NotFound => Notice::NothingHere,
        Panicked => Notice::Trouble,
        Host | Malformed | UriTooLong | HeadTooLarge => Notice::Unreadable,
    };
    say(app, Colors::Only(Theme::Light), refusal.status(), &notice, &[])
}

/// A request that cannot be read.
pub fn unreadable(app: &App, status: StatusCode, frames: &[String]) -> Response {
    tracing::info!(status = status.as_u16(), "a request for LTI cannot be read");
    let notice = match status {
        StatusCode::PAYLOAD_TOO_LARGE => Notice::TooLarge,
        StatusCode::REQUEST_TIMEOUT => Notice::TooSlow,
        StatusCode::SERVICE_UNAVAILABLE => Notice::Busy,
        _ => Notice::Unreadable,
    };
    say(app, Colors::Only(Theme::Light), status, &notice, frames)
}

pub fn fault(app: &App, colors: Colors, fault: Fault) -> Response {
    match fault {
        Fault::Refused { why, frames } => {
            // Never the token, nor who was to be launched.
            tracing::info!(cause = %why, "LTI: refused");
            say(app, colors, status(&why), &Notice::Refused(&why), &frames)
        }
        Fault::Trouble { error, frames } => {
            tracing::error!(%error, "LTI: a page cannot be shown");
            let mut response = say(app, colors, StatusCode::SERVICE_UNAVAILABLE, &Notice::Trouble, &frames);
            response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from_static("5"));
            response
        }
    }
}

/// The same where the session is known, and with it the pages that it is shown in.
pub fn fault_in(app: &App, open: &Open, fault: impl Into<Fault>) -> Response {
    self::fault(app, Colors::in_session(open), fault.into().inside(&open.consumer))
}

const fn status(why: &Refusal) -> StatusCode {
    match why {
        Refusal::Incomplete(_) | Refusal::ForeignTarget | Refusal::NoCourse | Refusal::Registration(_) => {
            StatusCode::BAD_REQUEST
        }
        Refusal::UnknownPlatform
        | Refusal::Disabled
        | Refusal::UnknownState
        | Refusal::Late
        | Refusal::OtherBrowser(_)
        | Refusal::PlatformSaid(_)
        | Refusal::NoKeys(_)
        | Refusal::Token(_)
        | Refusal::Claims(_)
        | Refusal::NoPart
        | Refusal::Anonymous
        | Refusal::NoSession => StatusCode::FORBIDDEN,
        Refusal::Preview => StatusCode::OK,
        Refusal::UnknownInvite => StatusCode::NOT_FOUND,
        Refusal::TooMany => StatusCode::TOO_MANY_REQUESTS,
    }
}

/// A browser that keeps no cookie inside the frame can begin again in a window of its own.
fn own_window(app: &App, notice: &Notice<'_>) -> Option<String> {
    match notice {
        Notice::Refused(Refusal::OtherBrowser(query)) if !query.is_empty() => {
            Some(format!("{}/lti/login?{query}", app.links.base()))
        }
        _ => None,
    }
}

/// Where nobody knows whose page we are in, anybody may show this one inside theirs: a frame that stays grey tells nobody
/// what went wrong. Nothing on it is private or can be sent, so that there is nothing to be tricked into by a page around it.
fn say(app: &App, colors: Colors, status: StatusCode, notice: &Notice<'_>, frames: &[String]) -> Response {
    let page =
        Sentence { own_window: own_window(app, notice), ..Sentence::new(Parts::of(app, colors), notice) };
    let frames = if frames.is_empty() { Frames::Anybody } else { Frames::Of(frames) };
    framed(status, &page, frames, Forms::Nowhere, None)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_follows_the_platform_in_a_frame_and_the_system_outside() {
        let colors = |place: Option<&'static str>, said: Option<Theme>| {
            let mut headers = HeaderMap::new();
            if let Some(place) = place {
                headers.insert("sec-fetch-dest", HeaderValue::from_static(place));
            }
            Colors::of(&headers, said).scheme()
        };
        assert_eq!(colors(Some("iframe"), None), "only light");
        assert_eq!(colors(Some("iframe"), Some(Theme::Dark)), "only dark");
        assert_eq!(colors(Some("document"), None), "light dark");
        assert_eq!(colors(Some("document"), Some(Theme::Dark)), "only dark");
        assert_eq!(colors(None, None), "only light");
    }
}
