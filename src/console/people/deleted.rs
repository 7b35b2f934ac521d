//! Deleting one person, those who were deleted recently, and restoring them.

use askama::Template;
use axum::{
    extract::{Request, State},
    http::StatusCode,
    response::Response,
};

use super::{IdPath, REJECTED, date, path_of, query_of, shown_name};
use crate::{
    app::{
        App, Error,
        deleted_people::{self, KEPT_DAYS},
        people_entry,
    },
    console::visit::{Console, ConsoleForm, Nav},
    domain::{ids::ParticipantId, moment::Moment, people_query::Cursor, section::Section},
    http::{page::Page, path::Path},
};

const DAYS: u64 = KEPT_DAYS.unsigned_abs();

#[derive(Template)]
#[template(path = "console/person_delete.html")]
struct DeleteView<'a> {
    page: Page<'a>,
    nav: Nav,
    id: ParticipantId,
    name: String,
    title: String,
    days: u64,
}

pub async fn ask(State(app): State<App>, console: Console, Path(path): Path<IdPath>) -> Response {
    let id: ParticipantId = path.id();
    let entry = match people_entry::find(&app, &console.actor, console.id(), id).await {
        Ok(entry) => entry,
        Err(error) => return console.fault(&app, &error),
    };
    let path = console.path(&format!("{}/delete", path_of(id)));
    let page = console.page(&app, &path);
    let shown = DeleteView {
        nav: console.nav(&app, Section::People),
        id,
        name: shown_name(page.words, entry.person.full_name(), entry.person.email.as_deref()),
        title: entry.person.page.title.clone(),
        days: DAYS,
        page,
    };
    console.show(StatusCode::OK, &shown)
}

pub async fn delete(
    State(app): State<App>,
    Path(path): Path<IdPath>,
    ConsoleForm { console, .. }: ConsoleForm,
) -> Response {
    let id: ParticipantId = path.id();
    match deleted_people::delete(&app, &console.actor, console.id(), id).await {
        Ok(()) => console.go(&app, &format!("/people?done=deleted&deleted={id}")),
        Err(error) => console.fault(&app, &error),
    }
}

#[derive(Template)]
#[template(path = "console/people_deleted.html")]
struct DeletedView<'a> {
    page: Page<'a>,
    nav: Nav,
    rows: Vec<Row>,
    /// The address of the next part.
    next: Option<String>,
    days: u64,
    fault: Option<String>,
}

struct Row {
    id: ParticipantId,
    name: String,
    email: Option<String>,
    page: String,
    by: String,
    deleted: String,
    purged: String,
}

pub async fn show(State(app): State<App>, console: Console, request: Request) -> Response {
    let after = query_of(&request).get("after").and_then(Cursor::parse);
    draw(&app, &console, after, StatusCode::OK, None).await
}

async fn draw(
    app: &App,
    console: &Console,
    after: Option<Cursor>,
    status: StatusCode,
    fault: Option<String>,
) -> Response {
    let behind = after.map(|after| (Moment::from_micros(after.at), after.id));
    let recent = match deleted_people::recent(app, &console.actor, console.id(), behind).await {
        Ok(recent) => recent,
        Err(error) => return console.fault(app, &error),
    };
    let path = console.path("/people/deleted");
    let page = console.page(app, &path);
    let words = page.words;
    let row = |one: deleted_people::Deleted| {
        let names = [one.first_name, one.last_name].into_iter().flatten().collect::<Vec<_>>().join(" ");
        Row {
            id: one.id,
            name: shown_name(words, names, one.email.as_deref()),
            page: recent.pages.get(&one.page).map(|page| page.title.clone()).unwrap_or_default(),
            email: one.email,
            by: one.deleted_by,
            deleted: date(console, one.deleted_at),
            purged: date(console, one.purge_at),
        }
    };
    let next = recent.next.map(|(at, id)| Cursor { at: at.micros(), id });
    let shown = DeletedView {
        nav: console.nav(app, Section::People),
        rows: recent.people.into_iter().map(row).collect(),
        next: next.map(|next| format!("{}{path}?after={next}", page.root)),
        days: DAYS,
        fault,
        page,
    };
    console.show(status, &shown)
}

pub async fn restore(
    State(app): State<App>,
    Path(path): Path<IdPath>,
    ConsoleForm { console, .. }: ConsoleForm,
) -> Response {
    let id: ParticipantId = path.id();
    match deleted_people::restore(&app, &console.actor, console.id(), id).await {
        Ok(()) => console.go(&app, &format!("{}?done=restored", path_of(id))),
        Err(Error::Invalid(_)) => {
            let fault = console.words().text("console-people-restore-taken");
            draw(&app, &console, None, REJECTED, Some(fault)).await
        }
        Err(error) => console.fault(&app, &error),
    }
}
