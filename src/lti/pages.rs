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
    domain::lti,
    web::{
        assets,
        page::{self, Forms, Frames, Policy, origin_of, root},
    },
};

/// What every page loads.
#[derive(Debug, Clone, Copy)]
pub struct Parts<'a> {
    pub root: &'a str,
    pub style: &'a str,
    pub script: &'a str,
}

impl<'a> Parts<'a> {
    pub fn of(app: &'a App) -> Self {
        Self {
            root: root(&app.links),
            style: assets::LTI_STYLE.address(),
            script: assets::LTI_SCRIPT.address(),
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
    let policy = Policy { scripts: true, frames: Frames::Of(frames), forms, media_of, ..Policy::default() };
    let mut response = page::written(status, page.render(), policy);
    let headers = response.headers_mut();
    // Not `no-referrer`: with it a form of ours would not say that it is ours.
    headers.insert(header::REFERRER_POLICY, HeaderValue::from_static("same-origin"));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers.insert("x-robots-tag", HeaderValue::from_static("noindex"));
    response
}

/// Did a page of ours send this? Where the browser says.
pub fn is_ours(app: &App, headers: &HeaderMap) -> bool {
    let text = |name: &str| headers.get(name).map(|value| value.to_str().unwrap_or_default());
    let site = text("sec-fetch-site");
    let from_elsewhere = site.is_some_and(|site| site != "same-origin");
    let origin = text("origin").filter(|origin| !(*origin == "null" && site.is_some()));
    !from_elsewhere && origin.is_none_or(|origin| origin_of(app.links.base()).as_deref() == Some(origin))
}

/// A request that cannot be read.
pub fn unreadable(app: &App, status: StatusCode, frames: &[String]) -> Response {
    tracing::info!(status = status.as_u16(), "a request for LTI cannot be read");
    let sentence = match status {
        StatusCode::PAYLOAD_TOO_LARGE => "What was sent is too large.",
        StatusCode::REQUEST_TIMEOUT => "What was sent took too long to arrive.",
        StatusCode::SERVICE_UNAVAILABLE => "There is too much to do just now; please try again in a moment.",
        _ => "What was sent cannot be read.",
    };
    say(app, status, "This did not work", vec![sentence.to_owned()], None, frames)
}

pub fn fault(app: &App, fault: Fault) -> Response {
    match fault {
        Fault::Refused { why, frames } => {
            // Never the token, nor who was to be launched.
            tracing::info!(cause = %why, "LTI: refused");
            refused(app, &why, &frames)
        }
        Fault::Trouble { error, frames } => {
            tracing::error!(%error, "LTI: a page cannot be shown");
            let sentence =
                "This could not be done just now. It is not your fault; please try again in a moment.";
            let (status, title) = (StatusCode::SERVICE_UNAVAILABLE, "Something went wrong");
            say(app, status, title, vec![sentence.to_owned()], None, &frames)
        }
    }
}

/// The same where the session is known, and so inside whose pages it is told.
pub fn fault_in(app: &App, open: &Open, fault: impl Into<Fault>) -> Response {
    self::fault(app, fault.into().inside(&open.consumer))
}

fn refused(app: &App, why: &Refusal, frames: &[String]) -> Response {
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
    say(app, status, title, sentences, own_window, frames)
}

fn shortened(text: &str) -> String {
    text.chars().filter(|c| !c.is_control()).take(100).collect()
}

fn say(
    app: &App,
    status: StatusCode,
    title: &str,
    sentences: Vec<String>,
    own_window: Option<String>,
    frames: &[String],
) -> Response {
    let page = Sentence { parts: Parts::of(app), title, sentences, own_window, is_done: false };
    written(status, &page, frames, Forms::Nowhere, None)
}
