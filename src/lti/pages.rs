//! Shared by all LTI pages: headers, and the error page.

use askama::Template;
use axum::{
    http::{HeaderMap, StatusCode},
    response::Response,
};

use super::words::{Explanation, Notice};
use crate::{
    app::{
        App,
        lti::{Fault, Refusal, sessions::Open},
    },
    domain::{language::Language, lti::Theme},
    http::{
        assets, csrf,
        html::root,
        language::Preferred,
        page::{self, Look, Microphone, Page},
        policy::{Forms, Frames, Policy},
        refusal,
    },
    words::Words,
};

/// The assets and colors of a page.
#[derive(Debug, Clone)]
pub struct Parts<'a> {
    pub root: &'a str,
    pub style: &'a str,
    pub script: &'a str,
    pub colors: Colors,
    /// The institution's; without a session, the default one.
    pub look: Look,
    /// The CSRF token of its forms; empty on pages without a session.
    pub csrf: String,
}

impl<'a> Parts<'a> {
    pub fn of(app: &'a App, colors: Colors) -> Self {
        Self {
            root: root(&app.links),
            style: assets::LTI_STYLE.address(),
            script: assets::LTI_SCRIPT.address(),
            colors,
            look: Look::default(),
            csrf: String::new(),
        }
    }

    pub fn in_session(app: &'a App, open: &Open) -> Self {
        let (csrf, look) = (csrf::token(&open.browser), Look::of(&open.look));
        Self { csrf, look, ..Self::of(app, Colors::in_session(open)) }
    }
}

/// How a page without a session looks to its visitor.
#[derive(Debug, Clone, Copy)]
pub struct Appearance {
    pub colors: Colors,
    pub language: Language,
}

impl Appearance {
    pub fn of(headers: &HeaderMap) -> Self {
        let language = Preferred::of(None, headers).language(None, Language::default());
        Self { colors: Colors::of(headers, None), language }
    }

    /// Where nothing is known about the visitor but the language.
    const fn plain(language: Language) -> Self {
        Self { colors: Colors::Only(Theme::Light), language }
    }

    pub fn in_session(open: &Open) -> Self {
        Self { colors: Colors::in_session(open), language: language(open) }
    }
}

/// The language of the pages of a session.
pub fn language(open: &Open) -> Language {
    open.language.unwrap_or_default()
}

pub fn words(open: &Open) -> Words {
    Words::new(language(open))
}

/// The path of a page of a session, where its menu of languages leads back to.
pub fn path(open: &Open, rest: &str) -> String {
    format!("/lti/s/{}/{rest}", open.name)
}

/// Light or dark. In a frame, a page follows the embedding page, which is assumed to be light unless the platform reports its
/// theme: following a dark system inside a light platform would show a black box. In its own window it follows the system.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Colors {
    System,
    Only(Theme),
}

impl Colors {
    /// `said` is the theme that the platform reports.
    pub fn of(headers: &HeaderMap, said: Option<Theme>) -> Self {
        let place = headers.get("sec-fetch-dest").and_then(|value| value.to_str().ok());
        // A browser that does not send this header is old, and most likely shows us in a frame.
        match (said, place) {
            (Some(theme), _) => Self::Only(theme),
            (None, Some("document")) => Self::System,
            (None, _) => Self::Only(Theme::Light),
        }
    }

    pub fn in_session(open: &Open) -> Self {
        open.theme.map_or(Self::System, Self::Only)
    }

    /// The CSS `color-scheme`, for the browser's own controls.
    pub const fn scheme(self) -> &'static str {
        match self {
            Self::System => "light dark",
            Self::Only(Theme::Light) => "only light",
            Self::Only(Theme::Dark) => "only dark",
        }
    }

    /// The word in the style sheet.
    pub const fn word(self) -> &'static str {
        match self {
            Self::System => "system",
            Self::Only(theme) => theme.word(),
        }
    }
}

/// A page with a short message, and sometimes a link.
#[derive(Template)]
#[template(path = "lti/sentence.html")]
pub struct Sentence<'a> {
    pub parts: Parts<'a>,
    pub page: Page<'a>,
    pub title: String,
    pub sentences: Vec<String>,
    /// A URL to open in a new window.
    pub own_window: Option<String>,
    /// The opener may close the window.
    pub is_done: bool,
}

impl<'a> Sentence<'a> {
    pub fn new(app: &'a App, appearance: Appearance, notice: &Notice<'_>) -> Self {
        let page = Page::new(&app.links, appearance.language, "");
        let Explanation { title, sentences } = notice.explain(page.words);
        let parts = Parts::of(app, appearance.colors);
        Self { parts, page, title, sentences, own_window: None, is_done: false }
    }
}

/// These pages are not cached, and their URLs are not leaked in referrers.
pub fn written(
    status: StatusCode,
    page: &impl Template,
    frames: &[String],
    forms: Forms<'_>,
    media_of: Option<&str>,
) -> Response {
    framed(status, page, Frames::Of(frames), forms, media_of)
}

/// A page with the recorder.
pub fn recording(
    status: StatusCode,
    page: &impl Template,
    frames: &[String],
    media_of: Option<&str>,
) -> Response {
    let policy = Policy { takes: true, ..policy(Frames::Of(frames), Forms::SelfOnly, media_of) };
    page::private(status, page, policy, Microphone::Used)
}

fn framed(
    status: StatusCode,
    page: &impl Template,
    frames: Frames<'_>,
    forms: Forms<'_>,
    media_of: Option<&str>,
) -> Response {
    page::private(status, page, policy(frames, forms, media_of), Microphone::Unused)
}

fn policy<'a>(frames: Frames<'a>, forms: Forms<'a>, media_of: Option<&'a str>) -> Policy<'a> {
    Policy { scripts: true, asks: true, frames, forms, media_of, ..Policy::default() }
}

/// The response when no handler produces one.
pub fn refuse(app: &App, language: Language, refusal: refusal::Refusal) -> Response {
    use refusal::Refusal::{HeadTooLarge, Host, Malformed, NotFound, Panicked, UriTooLong};
    let notice = match refusal {
        NotFound => Notice::NothingHere,
        Panicked => Notice::Trouble,
        Host | Malformed | UriTooLong | HeadTooLarge => Notice::Unreadable,
    };
    say(app, Appearance::plain(language), refusal.status(), &notice, &[])
}

/// The response to a malformed request.
pub fn unreadable(app: &App, language: Language, status: StatusCode, frames: &[String]) -> Response {
    tracing::info!(status = status.as_u16(), "LTI: unreadable request");
    let notice = match status {
        StatusCode::PAYLOAD_TOO_LARGE => Notice::TooLarge,
        StatusCode::REQUEST_TIMEOUT => Notice::TooSlow,
        StatusCode::SERVICE_UNAVAILABLE => Notice::Busy,
        _ => Notice::Unreadable,
    };
    say(app, Appearance::plain(language), status, &notice, frames)
}

pub fn fault(app: &App, appearance: Appearance, fault: Fault) -> Response {
    match fault {
        Fault::Refused { why, frames } => {
            // Never log the token or the user.
            tracing::info!(cause = %why, "LTI: refused");
            say(app, appearance, status(&why), &Notice::Refused(&why), &frames)
        }
        Fault::Trouble { error, frames } => {
            tracing::error!(%error, "LTI: rendering a page failed");
            say(app, appearance, StatusCode::SERVICE_UNAVAILABLE, &Notice::Trouble, &frames)
        }
    }
}

/// Like `fault`, for a known session, whose platform may embed the page.
pub fn fault_in(app: &App, open: &Open, fault: impl Into<Fault>) -> Response {
    self::fault(app, Appearance::in_session(open), fault.into().inside(&open.consumer))
}

const fn status(why: &Refusal) -> StatusCode {
    match why {
        Refusal::Incomplete(_) | Refusal::ForeignTarget | Refusal::NoCourse | Refusal::Registration(_) => {
            StatusCode::BAD_REQUEST
        }
        Refusal::UnknownPlatform
        | Refusal::Disabled
        | Refusal::Unconfirmed
        | Refusal::UnknownState
        | Refusal::Late
        | Refusal::OtherBrowser(_)
        | Refusal::Platform(_)
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

/// Offers a restart in a new window to browsers that block cookies in frames.
fn own_window(notice: &Notice<'_>) -> Option<String> {
    match notice {
        Notice::Refused(Refusal::OtherBrowser(again)) if !again.is_empty() => Some(again.clone()),
        _ => None,
    }
}

/// If the embedding platform is unknown, any page may embed this one: an empty frame would not explain the error. The page shows
/// nothing private and has no forms, so clickjacking gains nothing.
fn say(
    app: &App,
    appearance: Appearance,
    status: StatusCode,
    notice: &Notice<'_>,
    frames: &[String],
) -> Response {
    let page = Sentence { own_window: own_window(notice), ..Sentence::new(app, appearance, notice) };
    let frames = if frames.is_empty() { Frames::Anybody } else { Frames::Of(frames) };
    framed(status, &page, frames, Forms::None, None)
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

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
