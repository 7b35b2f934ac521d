//! One entry: what it was before and after, side by side.

use askama::Template;
use axum::{extract::State, http::StatusCode, response::Response};
use serde::Deserialize;
use serde_json::Value as Json;

use super::{acts, filter::Filter, subject_name, when, who_name};
use crate::{
    app::{App, Result, audit},
    console::visit::{Console, Nav},
    domain::{
        audit::{Cursor, Entry, SubjectKind},
        section::Section,
    },
    http::{notice, page::Page, path::Path},
};

#[derive(Deserialize)]
pub struct EntryPath {
    entry: String,
}

#[derive(Template)]
#[template(path = "console/audit_entry.html")]
struct EntryPage<'a> {
    page: Page<'a>,
    nav: Nav,
    when: String,
    /// What kind of change it is, and its word in files.
    act: String,
    word: String,
    who: String,
    origin: String,
    subject: String,
    /// The address of all entries about the same thing.
    same: Option<String>,
    person: String,
    /// The address of all entries about the same person.
    of_person: String,
    rows: Vec<Row>,
}

/// A field with its values. One of both may be empty.
struct Row {
    field: String,
    before: String,
    after: String,
}

pub async fn show(State(app): State<App>, console: Console, Path(path): Path<EntryPath>) -> Response {
    let found = match path.entry.parse::<Cursor>() {
        Ok(at) => find(&app, &console, at).await,
        Err(_) => Ok(None),
    };
    match found {
        Ok(Some(response)) => response,
        Ok(None) => {
            let own = console.path("/audit");
            let page = console.page(&app, &own);
            notice::show(StatusCode::NOT_FOUND, page, "shared-nothing-title", "shared-nothing")
        }
        Err(error) => console.fault(&app, &error),
    }
}

async fn find(app: &App, console: &Console, at: Cursor) -> Result<Option<Response>> {
    let Some(entry) = audit::find(app, &console.actor, console.id(), at).await? else { return Ok(None) };
    let nav = console.nav(app, Section::Audit);
    let list = |filter: &Filter| format!("{}/audit?{}", nav.home(), filter.link(&[]));
    let person = entry.person.clone().unwrap_or_default();
    let is_known = SubjectKind::parse(&entry.subject.kind).is_some() && !entry.subject.id.is_empty();
    let same =
        || Filter { kind: entry.subject.kind.to_string(), id: entry.subject.id.clone(), ..Filter::default() };
    let path = console.path(&format!("/audit/entry/{at}"));
    let shown = EntryPage {
        page: console.page(app, &path),
        when: when(console, entry.at),
        act: acts::name(console.words(), &entry.act),
        word: entry.act.to_string(),
        who: who_name(console.words(), &entry.who),
        origin: entry.origin.clone().unwrap_or_default(),
        subject: subject_name(&entry),
        same: is_known.then(|| list(&same())),
        of_person: list(&Filter { person: person.clone(), ..Filter::default() }),
        person,
        rows: rows(&entry),
        nav: console.nav(app, Section::Audit),
    };
    Ok(Some(console.show(StatusCode::OK, &shown)))
}

fn rows(entry: &Entry) -> Vec<Row> {
    let text = |value: Option<&Json>| match value {
        None => String::new(),
        Some(Json::String(text)) => text.clone(),
        Some(other) => other.to_string(),
    };
    let row = |field: &str| Row {
        field: field.to_owned(),
        before: text(entry.before.get(field)),
        after: text(entry.after.get(field)),
    };
    entry.fields().into_iter().map(row).collect()
}
