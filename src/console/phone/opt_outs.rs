//! `/console/{slug}/phone/opt-outs`: numbers that must not be called.

use askama::Template;
use axum::{
    extract::{Request, State},
    http::StatusCode,
    response::Response,
};

use super::PATH;
use crate::{
    app::{App, calls},
    console::visit::{Console, ConsoleForm, Nav},
    domain::{phone_number::PhoneNumber, section::Section},
    http::{form::Form, page::Page, when},
};

#[derive(Template)]
#[template(path = "console/phone_opt_outs.html")]
struct OptOutsPage<'a> {
    page: Page<'a>,
    nav: Nav,
    rows: Vec<OptOutRow>,
    /// The query of the next part.
    next: Option<String>,
    is_start: bool,
    feedback: Feedback,
}

struct OptOutRow {
    /// `None` for a person who was deleted: only a digest of the number is kept.
    number: Option<String>,
    since: String,
}

#[derive(Default)]
struct Feedback {
    done: Option<&'static str>,
    /// What was typed, and what is wrong with it.
    number: String,
    fault: Option<&'static str>,
}

/// Numbers in one part of the list.
const SHOWN: usize = 100;

pub async fn show(State(app): State<App>, console: Console, request: Request) -> Response {
    let query = Form::from_query(request.uri().query().unwrap_or_default());
    let done = match query.get("done") {
        Some("added") => Some("console-phone-done-added"),
        Some("removed") => Some("console-phone-done-removed"),
        _ => None,
    };
    draw(&app, &console, query.get("after").unwrap_or_default(), Feedback { done, ..Feedback::default() })
        .await
}

async fn draw(app: &App, console: &Console, after: &str, feedback: Feedback) -> Response {
    let listed = calls::opted_out_after(app, &console.actor, console.id(), after, SHOWN).await;
    let (listed, next) = match listed {
        Ok(listed) => listed,
        Err(error) => return console.fault(app, &error),
    };
    let query = |after: String| -> String {
        form_urlencoded::Serializer::new(String::new()).append_pair("after", &after).finish()
    };
    let path = console.path(&format!("{PATH}/opt-outs"));
    let status = if feedback.fault.is_some() { StatusCode::UNPROCESSABLE_ENTITY } else { StatusCode::OK };
    let view = OptOutsPage {
        page: console.page(app, &path),
        nav: console.nav(app, Section::Phone),
        rows: listed
            .into_iter()
            .map(|(number, since)| OptOutRow {
                number: Some(number).filter(|number| number.starts_with('+')),
                since: when::minute(since, &console.institution.time_zone),
            })
            .collect(),
        next: next.map(query),
        is_start: after.is_empty(),
        feedback,
    };
    console.show(status, &view)
}

pub async fn add(State(app): State<App>, ConsoleForm { console, form }: ConsoleForm) -> Response {
    let typed = form.get("number").unwrap_or_default().trim().to_owned();
    let Some(number) = PhoneNumber::parse(&typed) else {
        let feedback =
            Feedback { number: typed, fault: Some("console-phone-not-a-number"), ..Feedback::default() };
        return draw(&app, &console, "", feedback).await;
    };
    match calls::forbid(&app, &console.actor, console.id(), number).await {
        Ok(()) => console.go(&app, &format!("{PATH}/opt-outs?done=added")),
        Err(error) => console.fault(&app, &error),
    }
}

pub async fn remove(State(app): State<App>, ConsoleForm { console, form }: ConsoleForm) -> Response {
    let typed = form.get("number").unwrap_or_default().trim().to_owned();
    let Some(number) = PhoneNumber::parse(&typed) else {
        let feedback = Feedback { fault: Some("console-phone-not-a-number"), ..Feedback::default() };
        return draw(&app, &console, "", feedback).await;
    };
    // One that is not on the list has been removed by somebody else.
    match calls::opt_in(&app, &console.actor, console.id(), number).await {
        Ok(_) => console.go(&app, &format!("{PATH}/opt-outs?done=removed")),
        Err(error) => console.fault(&app, &error),
    }
}
