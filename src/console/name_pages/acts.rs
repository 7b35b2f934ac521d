//! Copying, archiving and deleting a name page.

use askama::Template;
use axum::{extract::State, http::StatusCode, response::Response};

use super::{
    super::{
        inputs::{Faults, Input, Shape, TYPED, confirmation, mistyped},
        visit::{Console, ConsoleForm, Nav},
    },
    SLUG, TITLE,
    one::{self, Found},
    refused, trimmed,
};
use crate::{
    app::{App, Error, Missing, Result, name_pages},
    domain::{
        fault::Field,
        field_errors::FieldErrors,
        name_page::{NamePage, NamePageRef},
        section::Section,
    },
    http::{form::Form, page::Page, path::Path},
};

#[derive(Template)]
#[template(path = "console/name_page_copy.html")]
struct CopyView<'a> {
    page: Page<'a>,
    nav: Nav,
    name_page: &'a NamePage,
    inputs: [Input; 3],
}

/// The answer, or the page about why there is none.
fn answered(app: &App, console: &Console, answer: Result<Response>) -> Response {
    answer.unwrap_or_else(|error| refused(app, console, &error))
}

pub(super) async fn copy_form(
    State(app): State<App>,
    console: Console,
    Path((_, id)): Path<(String, String)>,
) -> Response {
    let found = one::find(&app, &console, &id).await;
    let answer = found.map(|found| draw_copy(&app, &console, StatusCode::OK, &found.page, None));
    answered(&app, &console, answer)
}

fn draw_copy(
    app: &App,
    console: &Console,
    status: StatusCode,
    name_page: &NamePage,
    sent: Option<(&Form, &FieldErrors)>,
) -> Response {
    let path = console.path(&format!("/name-pages/{}/copy", name_page.id));
    let words = console.words();
    let faults = Faults { words, errors: sent.map(|(_, errors)| errors) };
    let typed = |name: &str, default: &str| {
        let sent = sent.map(|(form, _)| form.get(name).unwrap_or_default());
        sent.unwrap_or(default).to_owned()
    };
    let shown = CopyView {
        page: console.page(app, &path),
        nav: console.nav(app, Section::NamePages),
        inputs: [
            faults.input(&Field::Title, TITLE, Shape::Line, typed("title", &name_page.title)),
            faults.input(&Field::Slug, SLUG, Shape::Code, typed("slug", "")),
            Input::new("people", words.text("console-page-copy-people"), Shape::Tick, typed("people", ""))
                .hint(words.text("console-page-copy-people-hint")),
        ],
        name_page,
    };
    console.show(status, &shown)
}

pub(super) async fn copy(
    State(app): State<App>,
    Path((_, id)): Path<(String, String)>,
    ConsoleForm { console, form }: ConsoleForm,
) -> Response {
    answered(&app, &console, make_copy(&app, &console, &id, &form).await)
}

async fn make_copy(app: &App, console: &Console, id: &str, form: &Form) -> Result<Response> {
    let found = one::find(app, console, id).await?;
    let with_people = form.get("people").is_some();
    let (title, slug) = (trimmed(form, "title"), form.text("slug").map(|slug| slug.trim().to_owned()));
    let (actor, institution, page) = (&console.actor, console.id(), reference(&found.page)?);
    let made = if with_people {
        name_pages::copy_with_people(app, actor, institution, &page, title, slug).await
    } else {
        name_pages::copy(app, actor, institution, &page, title, slug).await
    };
    match made {
        Ok(made) => {
            let done = if with_people { "copied-people" } else { "copied" };
            Ok(console.go(app, &format!("/name-pages/{}?done={done}", made.id)))
        }
        Err(Error::Invalid(errors)) => {
            let status = StatusCode::UNPROCESSABLE_ENTITY;
            Ok(draw_copy(app, console, status, &found.page, Some((form, &errors))))
        }
        Err(error) => Err(error),
    }
}

fn reference(page: &NamePage) -> Result<NamePageRef> {
    NamePageRef::parse(&page.id.to_string()).ok_or(Error::Missing(Missing::NamePage))
}

/// Archives the page or, without `archived`, takes it out of the archive.
pub(super) async fn archive(
    State(app): State<App>,
    Path((_, id)): Path<(String, String)>,
    ConsoleForm { console, form }: ConsoleForm,
) -> Response {
    answered(&app, &console, set_archived(&app, &console, &id, form.get("archived").is_some()).await)
}

async fn set_archived(app: &App, console: &Console, id: &str, is_archived: bool) -> Result<Response> {
    let page = NamePageRef::parse(id).ok_or(Error::Missing(Missing::NamePage))?;
    let done = name_pages::archive(app, &console.actor, console.id(), &page, is_archived).await?;
    let what = if is_archived { "archived" } else { "restored" };
    Ok(console.go(app, &format!("/name-pages/{}?done={what}", done.id)))
}

#[derive(Template)]
#[template(path = "console/name_page_delete.html")]
struct DeleteView<'a> {
    page: Page<'a>,
    nav: Nav,
    name_page: &'a NamePage,
    /// How many people and recordings go with it.
    losses: [String; 2],
    typed: Input,
}

pub(super) async fn delete_form(
    State(app): State<App>,
    console: Console,
    Path((_, id)): Path<(String, String)>,
) -> Response {
    let found = one::find(&app, &console, &id).await;
    answered(&app, &console, found.map(|found| draw_delete(&app, &console, StatusCode::OK, &found, None)))
}

/// `typed` is not the title.
fn draw_delete(
    app: &App,
    console: &Console,
    status: StatusCode,
    found: &Found,
    typed: Option<&str>,
) -> Response {
    let path = console.path(&format!("/name-pages/{}/delete", found.page.id));
    let (words, figures) = (console.words(), found.figures);
    let count = |id: &str, number: i64| words.one(id, "count", number.unsigned_abs());
    let shown = DeleteView {
        page: console.page(app, &path),
        nav: console.nav(app, Section::NamePages),
        losses: [
            count("console-page-delete-people", figures.registered),
            count("console-page-delete-recordings", figures.recorded),
        ],
        typed: confirmation(
            words,
            TYPED,
            words.one("console-set-type-title", "title", &found.page.title),
            Shape::Line,
            typed,
        ),
        name_page: &found.page,
    };
    console.show(status, &shown)
}

pub(super) async fn delete(
    State(app): State<App>,
    Path((_, id)): Path<(String, String)>,
    ConsoleForm { console, form }: ConsoleForm,
) -> Response {
    answered(&app, &console, delete_typed(&app, &console, &id, &form).await)
}

/// Deletes the page if its title was typed.
async fn delete_typed(app: &App, console: &Console, id: &str, form: &Form) -> Result<Response> {
    let found = one::find(app, console, id).await?;
    if let Some(typed) = mistyped(form, TYPED, &found.page.title) {
        return Ok(draw_delete(app, console, StatusCode::UNPROCESSABLE_ENTITY, &found, Some(typed)));
    }
    name_pages::delete(app, &console.actor, console.id(), &reference(&found.page)?).await?;
    Ok(console.go(app, "/name-pages?done=deleted"))
}
