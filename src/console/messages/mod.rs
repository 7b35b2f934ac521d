//! `/console/{slug}/messages`: what was mailed and what became of it, addresses that do not work, people who want no messages, and
//! the texts. Managers see what concerns their pages; the texts are those of the whole institution.

mod lists;
mod texts;

use std::collections::HashMap;

use askama::Template;
use axum::{
    extract::{Request, State},
    http::StatusCode,
    response::Response,
};
use serde::Deserialize;

use super::{
    rule::{Least, Rule},
    visit::{Console, ConsoleForm, Nav},
};
use crate::{
    app::{
        App, Error, Missing, Result, members,
        outbox::{self, Search},
        page_lists::PageName,
    },
    domain::{
        email::email_key,
        fault::{Field, MessageFault},
        ids::{MessageId, NamePageId},
        member::Role,
        message::{Message, OutboxMessage, State as MessageState, Stored},
        name_page::NamePage,
        section::Section,
    },
    http::{form::Form, page::Page, path::Path, when::minute},
    words::Words,
};
use jiff::tz::TimeZone;

const PER_PAGE: i64 = 50;

pub fn rules() -> Vec<Rule> {
    let own = vec![
        Rule::get("/console/{slug}/messages", Least::Manager, show),
        Rule::post("/console/{slug}/messages/retry/{id}", Least::Manager, retry),
    ];
    [own, lists::rules(), texts::rules()].into_iter().flatten().collect()
}

/// An entry of the menu of states.
struct StateChoice {
    word: &'static str,
    label: String,
    is_chosen: bool,
}

struct Row {
    id: MessageId,
    to: String,
    kind: String,
    /// The title of the name page that it is about.
    page: Option<String>,
    state: String,
    written: String,
    attempts: u32,
    /// In the words of the mail server.
    answer: Option<String>,
    can_be_retried: bool,
}

#[derive(Template)]
#[template(path = "console/messages.html")]
struct MessagesPage<'a> {
    page: Page<'a>,
    nav: Nav,
    is_admin: bool,
    states: Vec<StateChoice>,
    to: String,
    /// Is anything searched for?
    is_narrowed: bool,
    rows: Vec<Row>,
    older: Option<String>,
    is_first: bool,
    /// The pages that the member runs.
    pages: Vec<NamePage>,
    done: Option<String>,
    trouble: Option<String>,
}

async fn show(State(app): State<App>, console: Console, request: Request) -> Response {
    let query = Form::from_query(request.uri().query().unwrap_or_default());
    let done = (query.get("done") == Some("retried")).then_some("console-messages-retried");
    draw(&app, &console, StatusCode::OK, &query, (done, None)).await
}

async fn draw(
    app: &App,
    console: &Console,
    status: StatusCode,
    query: &Form,
    told: (Option<&str>, Option<&str>),
) -> Response {
    let path = console.path("/messages");
    match view(app, console, &path, query, told).await {
        Ok(shown) => console.show(status, &shown),
        Err(error) => console.fault(app, &error),
    }
}

async fn view<'a>(
    app: &'a App,
    console: &Console,
    path: &'a str,
    query: &Form,
    (done, trouble): (Option<&str>, Option<&str>),
) -> Result<MessagesPage<'a>> {
    let is_admin = matches!(console.member.role, Role::Owner | Role::Admin);
    let state = query.get("state").and_then(MessageState::parse);
    let to = query.text("to").unwrap_or_default();
    let before: Option<MessageId> = query.get("before").and_then(|id| id.parse().ok());
    let key = Some(email_key(to.trim())).filter(|key| !key.is_empty());
    let search = Search { state, email_key: key, before };
    // One more tells whether there are others.
    let found = outbox::search(app, &console.actor, console.id(), &search, PER_PAGE + 1).await?;
    let pages = members::own_pages(app, &console.actor, &console.member.person).await?.of_role;
    let page = console.page(app, path);
    let (words, nav, zone) =
        (page.words, console.nav(app, Section::Messages), &console.institution.time_zone);
    let most = usize::try_from(PER_PAGE).unwrap_or_default();
    let last = found.messages.get(most.saturating_sub(1)).filter(|_| found.messages.len() > most);
    let older = last.map(|last| {
        let query: String = form_urlencoded::Serializer::new(String::new())
            .append_pair("state", state.map_or("", MessageState::word))
            .append_pair("to", &to)
            .append_pair("before", &last.id.to_string())
            .finish();
        format!("{}/messages?{query}", nav.home())
    });
    let states = MessageState::ALL.into_iter().map(|one| StateChoice {
        word: one.word(),
        label: words.text(state_id(one)),
        is_chosen: state == Some(one),
    });
    Ok(MessagesPage {
        states: states.collect(),
        is_narrowed: state.is_some() || search.email_key.is_some(),
        to,
        rows: found.messages.iter().take(most).map(|one| row(words, zone, one, &found.pages)).collect(),
        older,
        is_first: before.is_none(),
        pages,
        is_admin,
        done: done.map(|id| words.text(id)),
        trouble: trouble.map(|id| words.text(id)),
        nav,
        page,
    })
}

fn state_id(state: MessageState) -> &'static str {
    match state {
        MessageState::Queued => "console-messages-queued",
        MessageState::Sending => "console-messages-sending",
        MessageState::Sent => "console-messages-sent",
        MessageState::Failed => "console-messages-failed",
        MessageState::Unconfirmed => "console-messages-unconfirmed",
        MessageState::Expired => "console-messages-expired",
    }
}

fn kind_id(message: &Stored) -> &'static str {
    let Stored::Known(message) = message else { return "console-messages-newer" };
    match message {
        Message::SignIn { .. } => "console-messages-sign-in",
        Message::Test | Message::Sample { .. } => "console-messages-test",
        Message::Warning { .. } => "console-messages-warning",
        Message::Invitation { .. } => "page-mail-kind-invitation",
        Message::Reminder { .. } => "page-mail-kind-reminder",
        Message::Rejection { .. } => "page-mail-kind-rejection",
        Message::Notice { .. } => "console-messages-notice",
        Message::EntryRejection { .. } => "page-mail-kind-entry-rejection",
        Message::RecordingRequest { .. } => "page-mail-kind-request",
        Message::Retention { .. } => "page-mail-kind-retention",
    }
}

fn row(words: Words, zone: &TimeZone, one: &OutboxMessage, pages: &HashMap<NamePageId, PageName>) -> Row {
    Row {
        id: one.id,
        to: one.to.as_given().to_owned(),
        kind: words.text(kind_id(&one.message)),
        page: one.page.and_then(|page| pages.get(&page)).map(|page| page.title.clone()),
        state: words.text(state_id(one.state)),
        written: minute(one.created_at, zone),
        attempts: one.attempts,
        answer: one.answer.clone(),
        can_be_retried: one.can_be_retried(),
    }
}

#[derive(Deserialize)]
struct MessagePath {
    id: String,
}

async fn retry(
    State(app): State<App>,
    Path(MessagePath { id }): Path<MessagePath>,
    ConsoleForm { console, .. }: ConsoleForm,
) -> Response {
    let retried = match id.parse::<MessageId>() {
        Ok(id) => outbox::retry(&app, &console.actor, Some(console.id()), id).await,
        Err(_) => Ok(false),
    };
    match retried {
        Ok(true) => console.go(&app, "/messages?done=retried"),
        Ok(false) => console.fault(&app, &Error::Missing(Missing::Job)),
        Err(Error::Invalid(errors)) => {
            let is_newer = errors.of(&Field::Message).contains(&MessageFault::Newer.into());
            let why =
                if is_newer { "console-messages-newer-not-retried" } else { "console-messages-not-retried" };
            let told = (None, Some(why));
            draw(&app, &console, StatusCode::CONFLICT, &Form::default(), told).await
        }
        Err(error) => console.fault(&app, &error),
    }
}
