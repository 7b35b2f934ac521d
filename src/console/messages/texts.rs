//! `/console/{slug}/messages/texts`: the subjects and texts of messages, with a preview in each language.

use askama::Template;
use axum::{
    extract::{Request, State},
    http::StatusCode,
    response::Response,
};

use crate::{
    app::App,
    console::{
        rule::{Least, Rule},
        visit::{Console, ConsoleForm, Nav},
    },
    domain::section::Section,
    http::{
        form::Form,
        mail_texts::{self, Asked, Entered, MailTextView, Sent},
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
        Some("saved") => Some("page-mail-page-saved"),
        Some("reset") => Some("page-mail-page-was-reset"),
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
    let mail_text = match MailTextView::find(app, &console.actor, console.id(), words, asked, entered).await {
        Ok(found) => found,
        Err(error) => return console.fault(app, &error),
    };
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
    let asked = Asked::read(&form, console.who.language());
    match mail_texts::send(&app, &console.actor, console.id(), asked, &form).await {
        Ok(Sent::Done(word)) => console.go(&app, &format!("/messages/texts?{}&done={word}", asked.query())),
        Ok(Sent::Again(status, entered)) => draw(&app, &console, status, asked, entered, None).await,
        Err(error) => console.fault(&app, &error),
    }
}
