//! Pages with only a message.

use askama::Template;
use axum::{http::StatusCode, response::Response};

use super::{
    page::{self, Microphone, Page},
    policy::{Forms, Policy},
    refusal::Refusal,
    reply,
    session::SignedIn,
};
use crate::{
    app::{App, Error, sessions::Secret, sign_in},
    domain::{language::Language, mail_limit::Wait},
};

#[derive(Template)]
#[template(path = "notice.html")]
struct Notice<'a> {
    page: Page<'a>,
    title: String,
    sentence: String,
    /// A path below the root and the text of the link that leads there.
    way: Option<(&'static str, String)>,
}

/// Where somebody can go on.
#[derive(Clone, Copy)]
pub enum Way {
    SignIn,
    /// Where the code of a message is entered.
    Code,
    Home,
}

impl Way {
    /// The path, and the id of the link's text.
    fn link(self) -> (&'static str, &'static str) {
        match self {
            Self::SignIn => ("/sign-in", "sign-in-start"),
            Self::Code => ("/sign-in/code", "sign-in-enter-code"),
            Self::Home => ("/", "pages-go-home"),
        }
    }
}

/// A message with the ids of its title and of its sentence in the catalogs.
pub fn show(status: StatusCode, page: Page<'_>, title: &str, sentence: &str) -> Response {
    draw(status, page, title, sentence, None)
}

/// The response to somebody who has requested too many sign-in mails. A code that was sent to this browser before stays valid.
pub async fn too_many_mails(app: &App, page: Page<'_>, browser: &Secret, wait: Wait) -> Response {
    let (title, sentence) = match wait.is_long() {
        true => ("sign-in-wait-day-title", "sign-in-wait-day"),
        false => ("sign-in-wait-title", "sign-in-wait"),
    };
    let way = match sign_in::is_waiting(app, browser).await {
        Ok(true) => Way::Code,
        Ok(false) => Way::SignIn,
        Err(error) => return fault(page, &error),
    };
    let response = show_with(StatusCode::TOO_MANY_REQUESTS, page, title, sentence, way);
    reply::with_retry_after(response, wait.seconds)
}

/// The response to somebody who is over a limit.
pub fn too_many(page: Page<'_>, title: &str, sentence: &str, retry_after: u64) -> Response {
    reply::with_retry_after(show(StatusCode::TOO_MANY_REQUESTS, page, title, sentence), retry_after)
}

/// Like `show`, with a link on.
pub fn show_with(status: StatusCode, page: Page<'_>, title: &str, sentence: &str, way: Way) -> Response {
    draw(status, page, title, sentence, Some(way))
}

fn draw(status: StatusCode, page: Page<'_>, title: &str, sentence: &str, way: Option<Way>) -> Response {
    let (title, sentence) = (page.words.text(title), page.words.text(sentence));
    let way = way.map(Way::link).map(|(path, id)| (path, page.words.text(id)));
    // The layout has the form to sign out.
    let policy = Policy { forms: Forms::SelfOnly, ..Policy::default() };
    page::private(status, &Notice { page, title, sentence, way }, policy, Microphone::Unused)
}

/// The response to an error that a page does not show next to an input.
pub fn fault(page: Page<'_>, error: &Error) -> Response {
    match error {
        Error::Missing(_) => show(StatusCode::NOT_FOUND, page, "shared-nothing-title", "shared-nothing"),
        Error::Forbidden(_) => show(StatusCode::FORBIDDEN, page, "shared-nothing-title", "shared-nothing"),
        Error::Busy | Error::TooManyStreams => {
            show(StatusCode::SERVICE_UNAVAILABLE, page, "shared-trouble-title", "shared-busy")
        }
        error => {
            tracing::error!(%error, "a page for people failed");
            show(StatusCode::SERVICE_UNAVAILABLE, page, "shared-trouble-title", "shared-trouble")
        }
    }
}

/// The response to a device that was let in by a QR code or by an invitation. It may record, hear the recording and agree to the text
/// about recordings, and nothing else.
pub fn restricted(app: &App, signed_in: &SignedIn) -> Response {
    let page = signed_in.page(app, "/me");
    let (title, sentence) = match signed_in.is_invited() {
        true => ("invite-restricted-title", "invite-restricted"),
        false => ("data-handed-over-title", "data-handed-over"),
    };
    if signed_in.is_script {
        return reply::message(StatusCode::FORBIDDEN, &page.words.text(sentence));
    }
    show(StatusCode::FORBIDDEN, page, title, sentence)
}

/// The response when no handler produces one.
pub fn refuse(app: &App, language: Language, refusal: Refusal) -> Response {
    use Refusal::{HeadTooLarge, Host, Malformed, NotFound, Panicked, UriTooLong};
    let (title, sentence) = match refusal {
        NotFound => ("shared-nothing-title", "shared-nothing"),
        Panicked => ("shared-trouble-title", "shared-trouble"),
        Host | Malformed | UriTooLong | HeadTooLarge => ("shared-unreadable-title", "shared-unreadable"),
    };
    show(refusal.status(), Page::new(&app.links, language, "/"), title, sentence)
}
