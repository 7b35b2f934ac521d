//! `/p/{slug}/messages`: administrators replace the subjects and texts of messages, see a preview in each language, and send
//! themselves a test message.

use askama::Template;
use axum::{
    extract::{RawQuery, State},
    http::StatusCode,
    response::Response,
};

use super::visit::{Managed, Visit};
use crate::{
    app::{App, Error, Result, mail_texts::send_test},
    domain::email::Email,
    http::{
        form::Form,
        html::root,
        mail_texts::{self, Asked, Entered, MailTextView, Sent},
        notice,
        page::Page,
        reply,
        session::OwnForm,
    },
};

#[derive(Template)]
#[template(path = "name_pages/messages.html")]
struct MessagesPage<'a> {
    page: Page<'a>,
    slug: &'a str,
    /// The path of this page, with the root.
    action: String,
    /// The institution's name is in it. Escaped.
    lead: String,
    mail_text: MailTextView,
    /// Where a test message goes. Escaped.
    test_lead: String,
    done: Option<String>,
}

pub async fn show(State(app): State<App>, Managed(visit): Managed, RawQuery(query): RawQuery) -> Response {
    let query = Form::from_query(query.as_deref().unwrap_or_default());
    let done = query.get("done").and_then(|word| match word {
        "saved" => Some("page-mail-page-saved"),
        "reset" => Some("page-mail-page-was-reset"),
        "tested" => Some("page-mail-page-tested"),
        _ => None,
    });
    let asked = Asked::read(&query, visit.language);
    shown(&app, &visit, asked, Entered::default(), done, StatusCode::OK).await
}

pub async fn send(
    State(app): State<App>,
    Managed(visit): Managed,
    OwnForm { signed_in, form }: OwnForm,
) -> Response {
    let asked = Asked::read(&form, visit.language);
    let Some((_, actor, person)) = visit.person().filter(|_| !signed_in.is_restricted()) else {
        return notice::restricted(&app, &signed_in);
    };
    let institution = visit.public.institution.id;
    let sent = match (form.get("do"), Email::parse(&person.email_key)) {
        (Some("test"), Some(to)) => {
            let sent = send_test(&app, actor, institution, asked.kind, asked.language, to).await;
            sent.map(|()| Sent::Done("tested"))
        }
        (Some("test"), None) => Ok(Sent::Done("tested")),
        _ => mail_texts::send(&app, actor, institution, asked, &form).await,
    };
    match sent {
        Ok(Sent::Done(word)) => {
            let path = visit.path("/messages");
            reply::see_other(&format!("{}{path}?{}&done={word}", root(&app.links), asked.query()))
        }
        Ok(Sent::Again(status, entered)) => shown(&app, &visit, asked, entered, None, status).await,
        Err(error) => fault(&app, &visit, &error),
    }
}

async fn shown(
    app: &App,
    visit: &Visit,
    asked: Asked,
    entered: Entered,
    done: Option<&str>,
    status: StatusCode,
) -> Response {
    let path = format!("{}?{}", visit.path("/messages"), asked.query());
    match page(app, visit, asked, entered, done, &path).await {
        Ok(shown) => visit.show_plain(app, status, &shown),
        Err(error) => fault(app, visit, &error),
    }
}

fn fault(app: &App, visit: &Visit, error: &Error) -> Response {
    let path = visit.path("");
    notice::fault(visit.page(app, &path), error)
}

async fn page<'a>(
    app: &'a App,
    visit: &'a Visit,
    asked: Asked,
    entered: Entered,
    done: Option<&str>,
    path: &'a str,
) -> Result<MessagesPage<'a>> {
    let institution = &visit.public.institution;
    let Some((_, actor, person)) = visit.person() else {
        return Err(Error::Unauthorized);
    };
    let page = visit.page(app, path);
    let words = page.words;
    Ok(MessagesPage {
        action: format!("{}{}", page.root, visit.path("/messages")),
        lead: words.one_html("page-mail-page-lead", "institution", &institution.name),
        mail_text: MailTextView::find(app, actor, institution.id, words, asked, entered).await?,
        test_lead: words.one_html("page-mail-page-test-lead", "email", &person.email_key),
        done: done.map(|id| words.text(id)),
        slug: &visit.public.page.slug,
        page,
    })
}
