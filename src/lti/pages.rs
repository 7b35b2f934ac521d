//! What all pages inside a learning system share: their headers, and the page that says why there is nothing to see.

use askama::Template;
use axum::{
    http::{HeaderMap, HeaderValue, StatusCode, header},
    response::Response,
};

use crate::{
    app::{
        App,
        lti::{Fault, Refusal, sessions::Open},
    },
    domain::lti::{self, Theme},
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
    pub title: &'a str,
    pub sentences: Vec<String>,
    /// An address to be opened in a window of its own.
    pub own_window: Option<String>,
    /// The window is to be closed by whoever has opened it.
    pub is_done: bool,
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
    let colors = Colors::Only(Theme::Light);
    let (title, sentence) = match refusal {
        refusal::Refusal::NotFound => {
            ("Nothing here", "There is nothing at this address. Please open it again from your course.")
        }
        refusal::Refusal::Panicked => (
            "Something went wrong",
            "This could not be done just now. It is not your fault; please try again in a moment.",
        ),
        _ => ("This did not work", "What was sent cannot be read."),
    };
    say(app, colors, (refusal.status(), title), vec![sentence.to_owned()], None, &[])
}

/// A request that cannot be read.
pub fn unreadable(app: &App, status: StatusCode, frames: &[String]) -> Response {
    let colors = Colors::Only(Theme::Light);
    tracing::info!(status = status.as_u16(), "a request for LTI cannot be read");
    let sentence = match status {
        StatusCode::PAYLOAD_TOO_LARGE => "What was sent is too large.",
        StatusCode::REQUEST_TIMEOUT => "What was sent took too long to arrive.",
        StatusCode::SERVICE_UNAVAILABLE => "There is too much to do just now; please try again in a moment.",
        _ => "What was sent cannot be read.",
    };
    say(app, colors, (status, "This did not work"), vec![sentence.to_owned()], None, frames)
}

pub fn fault(app: &App, colors: Colors, fault: Fault) -> Response {
    match fault {
        Fault::Refused { why, frames } => {
            // Never the token, nor who was to be launched.
            tracing::info!(cause = %why, "LTI: refused");
            refused(app, colors, &why, &frames)
        }
        Fault::Trouble { error, frames } => {
            tracing::error!(%error, "LTI: a page cannot be shown");
            let sentence =
                "This could not be done just now. It is not your fault; please try again in a moment.";
            let head = (StatusCode::SERVICE_UNAVAILABLE, "Something went wrong");
            let mut response = say(app, colors, head, vec![sentence.to_owned()], None, &frames);
            response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from_static("5"));
            response
        }
    }
}

/// The same where the session is known, and so inside whose pages it is told.
pub fn fault_in(app: &App, open: &Open, fault: impl Into<Fault>) -> Response {
    self::fault(app, Colors::in_session(open), fault.into().inside(&open.consumer))
}

fn refused(app: &App, colors: Colors, why: &Refusal, frames: &[String]) -> Response {
    const AGAIN: &str = "Please open it again from your course.";
    let ask = "If that does not help, please tell whoever looks after your learning system.";
    let (status, title, sentences): (_, _, Vec<String>) = match why {
        Refusal::Incomplete(_) => (
            StatusCode::BAD_REQUEST,
            "Nothing to open",
            vec!["This address is for learning systems, which send more than has come here.".into(), AGAIN.into()],
        ),
        Refusal::UnknownPlatform => (
            StatusCode::FORBIDDEN,
            "This learning system is not known here",
            vec!["It has not been registered, or its issuer and client ID are not those that were registered.".into()],
        ),
        Refusal::Disabled => (
            StatusCode::FORBIDDEN,
            "This connection is switched off",
            vec!["The connection between your learning system and this site has been switched off.".into()],
        ),
        Refusal::ForeignTarget => (
            StatusCode::BAD_REQUEST,
            "This link leads elsewhere",
            vec!["The link in your course leads to an address that is not one of this site.".into()],
        ),
        Refusal::UnknownState | Refusal::Late => (
            StatusCode::FORBIDDEN,
            "This has been opened already",
            vec!["A launch can be used once, and only for a few minutes.".into(), AGAIN.into()],
        ),
        Refusal::OtherBrowser(query) => (
            StatusCode::FORBIDDEN,
            "Your browser keeps this page from working here",
            vec![
                "It does not let this site keep a cookie inside the page of your learning system, so that nobody can tell \
                 whether it is really you who opened it."
                    .into(),
                if query.is_empty() { AGAIN.into() } else { "In a window of its own it works.".into() },
            ],
        ),
        Refusal::PlatformSaid(said) => (
            StatusCode::FORBIDDEN,
            "Your learning system did not let you in",
            vec![format!("It said: \u{2068}{}\u{2069}", said.said), AGAIN.into()],
        ),
        Refusal::NoKeys(_) => (
            StatusCode::FORBIDDEN,
            "Your learning system cannot be asked just now",
            vec!["Its keys, by which its messages are recognised, cannot be had.".into(), AGAIN.into(), ask.into()],
        ),
        Refusal::Claims(lti::Fault::Deployment(deployment)) => (
            StatusCode::FORBIDDEN,
            "This deployment is not known here",
            vec![
                format!("Your learning system calls it \u{2068}{}\u{2069}.", shortened(deployment)),
                "Whoever runs this site can add it with “endonym tool-consumer update ID --deployment-id”.".into(),
            ],
        ),
        Refusal::Claims(lti::Fault::NoLinks) => (
            StatusCode::FORBIDDEN,
            "No link can be added here",
            vec!["Your learning system asks for something else than a link.".into()],
        ),
        Refusal::Token(_) | Refusal::Claims(_) => (
            StatusCode::FORBIDDEN,
            "This launch cannot be trusted",
            vec!["What your learning system has sent is not as it should be.".into(), AGAIN.into(), ask.into()],
        ),
        Refusal::NoCourse => (
            StatusCode::BAD_REQUEST,
            "This is not a course",
            vec!["The pages here belong to courses, and the link was opened outside of one.".into()],
        ),
        Refusal::NoPart => (
            StatusCode::FORBIDDEN,
            "There is nothing for you to do here",
            vec!["These pages are for those who teach in a course and for those who learn in it.".into()],
        ),
        Refusal::Preview => (
            StatusCode::OK,
            "You are looking at this as a student",
            vec![
                "Those who learn in this course find their own name here, to hear it, to write how it is said and to record it."
                    .into(),
                "You are not added to the list of students.".into(),
            ],
        ),
        Refusal::Anonymous => (
            StatusCode::FORBIDDEN,
            "Your learning system does not say who you are",
            vec!["Without that, your own name cannot be shown.".into(), ask.into()],
        ),
        Refusal::NoSession => {
            (StatusCode::FORBIDDEN, "This page is closed", vec!["It was open for some hours, or in another browser.".into(), AGAIN.into()])
        }
        Refusal::UnknownInvite => (
            StatusCode::NOT_FOUND,
            "This invitation cannot be used",
            vec![
                "Learning systems register by a link that is good once and for seven days. Whoever runs this site makes one \
                 with “endonym tool-consumer invite”."
                    .into(),
            ],
        ),
        Refusal::Registration(why) => (
            StatusCode::BAD_REQUEST,
            "The registration did not work",
            vec![format!("Why: {why}."), "The link can be used again.".into()],
        ),
        Refusal::TooMany => (
            StatusCode::TOO_MANY_REQUESTS,
            "Too many at once",
            vec!["More pages were opened from your network than can be opened at once. Please try again in a minute.".into()],
        ),
    };
    let own_window = match why {
        Refusal::OtherBrowser(query) if !query.is_empty() => {
            Some(format!("{}/lti/login?{query}", app.links.base()))
        }
        _ => None,
    };
    say(app, colors, (status, title), sentences, own_window, frames)
}

fn shortened(text: &str) -> String {
    text.chars().filter(|c| !c.is_control()).take(100).collect()
}

/// Where nobody knows whose page we are in, anybody may show this one inside theirs: a frame that stays grey tells nobody
/// what went wrong. Nothing on it is private or can be sent, so that there is nothing to be tricked into by a page around it.
fn say(
    app: &App,
    colors: Colors,
    (status, title): (StatusCode, &str),
    sentences: Vec<String>,
    own_window: Option<String>,
    frames: &[String],
) -> Response {
    let page = Sentence { parts: Parts::of(app, colors), title, sentences, own_window, is_done: false };
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
