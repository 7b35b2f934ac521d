//! `/console/{slug}/directories/new`: connects a directory.

use askama::Template;
use axum::{extract::State, http::StatusCode, response::Response};

use super::{PATH, url};
use crate::{
    app::{App, Error, scim::connections},
    console::{
        faults,
        visit::{Console, ConsoleForm, Nav},
    },
    domain::{fault::Field, field_errors::FieldErrors, scim::Connection, section::Section},
    http::page::Page,
};

#[derive(Template)]
#[template(path = "console/scim_new.html")]
struct NewPage<'a> {
    page: Page<'a>,
    nav: Nav,
    name: String,
    name_fault: Option<String>,
    pages_from_groups: bool,
}

pub async fn show(State(app): State<App>, console: Console) -> Response {
    draw(&app, &console, (String::new(), false), None)
}

fn draw(
    app: &App,
    console: &Console,
    (name, pages_from_groups): (String, bool),
    errors: Option<&FieldErrors>,
) -> Response {
    let path = console.path(&format!("{PATH}/new"));
    let status = if errors.is_some() { StatusCode::UNPROCESSABLE_ENTITY } else { StatusCode::OK };
    let view = NewPage {
        page: console.page(app, &path),
        nav: console.nav(app, Section::Directories),
        name,
        name_fault: errors.and_then(|errors| faults::of(console.words(), errors, &Field::Name)),
        pages_from_groups,
    };
    console.show(status, &view)
}

pub async fn create(State(app): State<App>, ConsoleForm { console, form }: ConsoleForm) -> Response {
    let name = form.get("name").unwrap_or_default().trim().to_owned();
    let pages_from_groups = form.get("pages_from_groups").is_some();
    let new = connections::New { name: name.clone(), pages_from_groups };
    match connections::create(&app, &console.actor, console.id(), new).await {
        Ok((made, secret)) => show_made(&app, &console, made, secret),
        Err(Error::Invalid(errors)) => draw(&app, &console, (name, pages_from_groups), Some(&errors)),
        Err(error) => console.fault(&app, &error),
    }
}

#[derive(Template)]
#[template(path = "console/scim_made.html")]
struct MadePage<'a> {
    page: Page<'a>,
    nav: Nav,
    name: String,
    url: String,
    secret: String,
    curl: String,
}

/// The answer to a form, and not a page of its own: the secret is nowhere else.
fn show_made(app: &App, console: &Console, made: Connection, secret: String) -> Response {
    let (path, url) = (console.path(PATH), url(app, console));
    let view = MadePage {
        page: console.page(app, &path),
        nav: console.nav(app, Section::Directories),
        name: made.name,
        curl: format!("curl -H 'Authorization: Bearer {secret}' '{url}/Users?count=1'"),
        url,
        secret,
    };
    console.show(StatusCode::OK, &view)
}
