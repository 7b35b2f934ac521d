//! People whom a directory has disabled, and letting them in again.

use askama::Template;
use axum::{
    extract::{Request, State},
    http::StatusCode,
    response::Response,
};

use super::{date, query_of};
use crate::{
    app::{App, Error, refused_people},
    console::visit::{Console, ConsoleForm, Nav},
    domain::section::Section,
    http::page::Page,
};

#[derive(Template)]
#[template(path = "console/people_refused.html")]
struct RefusedView<'a> {
    page: Page<'a>,
    nav: Nav,
    rows: Vec<Row>,
    /// The address of the next part.
    next: Option<String>,
    is_done: bool,
}

struct Row {
    email: String,
    since: String,
}

pub async fn show(State(app): State<App>, console: Console, request: Request) -> Response {
    let query = query_of(&request);
    let after = query.get("after").unwrap_or_default();
    let (found, is_more) = match refused_people::list(&app, &console.actor, console.id(), after).await {
        Ok(found) => found,
        Err(error) => return console.fault(&app, &error),
    };
    let path = console.path("/people/refused");
    let page = console.page(&app, &path);
    let next = found.last().filter(|_| is_more).map(|last| {
        let query: String =
            form_urlencoded::Serializer::new(String::new()).append_pair("after", &last.email_key).finish();
        format!("{}{path}?{query}", page.root)
    });
    let shown = RefusedView {
        nav: console.nav(&app, Section::People),
        rows: found
            .into_iter()
            .map(|one| Row { since: date(&console, one.at), email: one.email_key })
            .collect(),
        next,
        is_done: query.get("done") == Some("readmitted"),
        page,
    };
    console.show(StatusCode::OK, &shown)
}

pub async fn readmit(State(app): State<App>, ConsoleForm { console, form }: ConsoleForm) -> Response {
    let email = form.get("email").unwrap_or_default();
    match refused_people::readmit(&app, &console.actor, console.id(), email).await {
        Ok(()) => console.go(&app, "/people/refused?done=readmitted"),
        // Somebody else was faster, or the directory has enabled them.
        Err(Error::Missing(_)) => console.go(&app, "/people/refused"),
        Err(error) => console.fault(&app, &error),
    }
}
