//! `/console/{slug}/messages/texts`: the subjects and texts of messages, with a preview in each language.

use askama::Template;
use axum::{
    extract::{Request, State},
    http::StatusCode,
    response::Response,
};

use crate::{
    app::{App, Error, mail_texts},
    console::{
        inputs::is_outdated,
        rule::{Least, Rule},
        visit::{Console, ConsoleForm, Nav},
    },
    domain::section::Section,
    http::{
        form::Form,
        mail_texts::{Asked, Entered, MailTextView, typed},
        page::Page,
    },
};

const PATH: &str = "/console/{slug}/messages/texts";

pub fn rules() -> Vec<Rule> {
    vec![Rule::get(PATH, Least::Admin, show), Rule::post(PATH, Least::Admin, send)]
}

#[derive(Template)]
#[template(path = "console/message_texts.html")]
struct TextsPage<'a> {
    page: Page<'a>,
    nav: Nav,
    /// The path of this page, with the root.
    action: String,
    mail_text: MailTextView,
    done: Option<String>,
}

async fn show(State(app): State<App>, console: Console, request: Request) -> Response {
    let query = Form::from_query(request.uri().query().unwrap_or_default());
    let done = match query.get("done") {
        Some("saved") => Some("letters-page-saved"),
        Some("reset") => Some("letters-page-was-reset"),
        _ => None,
    };
    let asked = Asked::read(&query, console.who.language());
    draw(&app, &console, StatusCode::OK, asked, Entered::default(), done).await
}

async fn draw(
    app: &App,
    console: &Console,
    status: StatusCode,
    asked: Asked,
    entered: Entered,
    done: Option<&str>,
) -> Response {
    let path = console.path(&format!("/messages/texts?{}", asked.query()));
    let page = console.page(app, &path);
    let words = page.words;
    let mut mail_text =
        match MailTextView::find(app, &console.actor, console.id(), words, asked, entered).await {
            Ok(found) => found,
            Err(error) => return console.fault(app, &error),
        };
    mail_text.version = Some(mail_texts::version(&mail_text.in_force));
    mail_text.other = (status == StatusCode::CONFLICT).then(|| mail_text.in_force.clone());
    let nav = console.nav(app, Section::Messages);
    let shown = TextsPage {
        action: format!("{}/messages/texts", nav.home()),
        nav,
        mail_text,
        done: done.map(|id| words.text(id)),
        page,
    };
    console.show(status, &shown)
}

async fn send(State(app): State<App>, ConsoleForm { console, form }: ConsoleForm) -> Response {
    let (asked, typed) = (Asked::read(&form, console.who.language()), typed(&form));
    let (actor, id, Asked { kind, language }) = (&console.actor, console.id(), asked);
    if form.get("do") == Some("preview") {
        let (entered, status) = Entered::checked(kind, typed);
        return draw(&app, &console, status, asked, entered, None).await;
    }
    let is_reset = form.get("do") == Some("reset");
    let (wanted, base) = ((!is_reset).then_some(&typed), form.get("version").unwrap_or_default());
    match mail_texts::replace(&app, actor, id, (kind, language), wanted, base.to_owned()).await {
        Ok(()) => {
            let done = if is_reset { "reset" } else { "saved" };
            console.go(&app, &format!("/messages/texts?{}&done={done}", asked.query()))
        }
        Err(Error::Invalid(errors)) if is_outdated(&errors) => {
            let entered = Entered { text: (!is_reset).then_some(typed), ..Entered::default() };
            draw(&app, &console, StatusCode::CONFLICT, asked, entered, None).await
        }
        Err(Error::Invalid(errors)) => {
            let entered = Entered::rejected(typed, errors);
            draw(&app, &console, StatusCode::UNPROCESSABLE_ENTITY, asked, entered, None).await
        }
        Err(error) => console.fault(&app, &error),
    }
}
