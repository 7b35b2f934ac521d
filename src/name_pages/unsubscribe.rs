//! `/u/{token}`: people stop the messages of an institution, and let them arrive again. The link in a message is all that is needed.

use askama::Template;
use axum::{
    extract::{Request, State},
    http::{StatusCode, header},
    response::Response,
};

use crate::{
    app::{
        App, looks,
        opt_outs::{self, Recipient},
    },
    domain::sign_in::masked,
    http::{
        body,
        form::{self, Form},
        html::root,
        notice,
        page::{self, Look, Microphone, Page},
        path::Path,
        policy::{Forms, Policy},
        reply,
        session::Visitor,
    },
    words::Arg,
};

/// What a button of the page does. A one-click request of a mail program has no such field.
const ACTION: &str = "do";
const START: &str = "start";

#[derive(Template)]
#[template(path = "name_pages/unsubscribe.html")]
struct UnsubscribePage<'a> {
    page: Page<'a>,
    is_opted_out: bool,
    /// What happens now. Escaped.
    state: String,
}

/// Changes nothing: mail scanners open links.
pub async fn show(State(app): State<App>, Path(token): Path<String>, visitor: Visitor) -> Response {
    shown(&app, &visitor, &token).await
}

/// The button of the page, or one click in a mail program (RFC 8058): a request without cookies, which must not be redirected.
pub async fn send(
    State(app): State<App>,
    Path(token): Path<String>,
    visitor: Visitor,
    request: Request,
) -> Response {
    let form = read(request).await;
    let action = form.get(ACTION);
    let changed = match action {
        Some(START) => opt_outs::opt_in(&app, &token).await,
        _ => opt_outs::opt_out(&app, &token).await,
    };
    match changed {
        Ok(true) if action.is_some() => reply::see_other(&format!("{}/u/{token}", root(&app.links))),
        Ok(_) => shown(&app, &visitor, &token).await,
        Err(error) => notice::fault(visitor.page(&app, "/"), &error),
    }
}

/// Whatever is in the body, the request stops messages, unless it comes from the other button.
async fn read(request: Request) -> Form {
    let kind = request.headers().get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok());
    let is_multipart = kind.is_some_and(|kind| kind.to_ascii_lowercase().starts_with("multipart/form-data"));
    if is_multipart {
        let (parts, body) = request.into_parts();
        body::discard_anonymous(&parts.extensions, body).await;
        return Form::default();
    }
    form::read_anonymous(request).await.unwrap_or_default()
}

async fn shown(app: &App, visitor: &Visitor, token: &str) -> Response {
    let path = format!("/u/{token}");
    match opt_outs::find(app, token).await {
        Ok(Some(recipient)) => recipient_page(app, visitor, &recipient, &path).await,
        Ok(None) => {
            let (title, sentence) = ("page-mail-stop-unknown-title", "page-mail-stop-unknown");
            let page = visitor.page(app, "/");
            notice::show_with(StatusCode::NOT_FOUND, page, title, sentence, notice::Way::Home)
        }
        Err(error) => notice::fault(visitor.page(app, "/"), &error),
    }
}

async fn recipient_page(app: &App, visitor: &Visitor, recipient: &Recipient, path: &str) -> Response {
    let Recipient { person, institution, is_opted_out } = recipient;
    let language = visitor.language_or(institution.language.unwrap_or_default());
    // Without its look, a page is still useful.
    let look = looks::find(app, institution.id).await.ok();
    let look = look.as_ref().map(Look::of).unwrap_or_default();
    let page = Page { look, ..Page::new(&app.links, language, path) };
    let email = masked(&person.email_key);
    let args = [("institution", Arg::Text(&institution.name)), ("email", Arg::Text(&email))];
    let state = match is_opted_out {
        true => page.words.html("page-mail-stopped", &args),
        false => page.words.html("page-mail-stop-lead", &args),
    };
    let shown = UnsubscribePage { page, is_opted_out: *is_opted_out, state };
    let policy = Policy { forms: Forms::SelfOnly, ..Policy::default() };
    page::private(StatusCode::OK, &shown, policy, Microphone::Unused)
}
