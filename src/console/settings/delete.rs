//! `/console/{slug}/settings/delete`: an owner deletes the institution with everything in it.

use askama::Template;
use axum::{extract::State, http::StatusCode, response::Response};

use crate::{
    app::{App, Error, Result, institutions},
    console::{
        inputs::{Confirmation, Input, Shape, confirmation, mistyped},
        rule::{Least, Rule},
        visit::{Console, ConsoleForm, Nav},
    },
    domain::section::Section,
    http::{html::root, page::Page, reply, session::remove_cookie},
    tasks,
};

const PATH: &str = "/console/{slug}/settings/delete";
const TYPED: Confirmation = ("name", "console-settings-delete-fault");

pub fn rules() -> Vec<Rule> {
    vec![Rule::get(PATH, Least::Owner.fresh(), show), Rule::post(PATH, Least::Owner.fresh(), delete)]
}

#[derive(Template)]
#[template(path = "console/settings_delete.html")]
struct DeletePage<'a> {
    page: Page<'a>,
    nav: Nav,
    /// Escaped.
    lead: String,
    input: Input,
}

async fn show(State(app): State<App>, console: Console) -> Response {
    draw(&app, &console, StatusCode::OK, None)
}

/// `typed` is a name that is not the institution's.
fn draw(app: &App, console: &Console, status: StatusCode, typed: Option<&str>) -> Response {
    let path = console.path("/settings/delete");
    let page = console.page(app, &path);
    let words = page.words;
    let label = words.text("console-settings-delete-name");
    let shown = DeletePage {
        nav: console.nav(app, Section::Settings),
        lead: words.one_html("console-settings-delete-what", "institution", &console.institution.name),
        input: confirmation(words, TYPED, label, Shape::Line, typed),
        page,
    };
    console.show(status, &shown)
}

async fn delete(State(app): State<App>, ConsoleForm { console, form }: ConsoleForm) -> Response {
    if let Some(typed) = mistyped(&form, TYPED, &console.institution.name) {
        return draw(&app, &console, StatusCode::UNPROCESSABLE_ENTITY, Some(typed));
    }
    match run(&app, &console).await {
        Ok(()) => {
            let mut response = reply::see_other(&format!("{}/", root(&app.links)));
            remove_cookie(&app, &mut response);
            response
        }
        Err(error) => console.fault(&app, &error),
    }
}

/// In a task of its own: if the browser does not wait, the rest is deleted all the same. Nobody could sign in to try again.
async fn run(app: &App, console: &Console) -> Result<()> {
    let (app, actor, slug) = (app.clone(), console.actor.clone(), console.institution.slug.clone());
    let running = tasks::spawn(async move { institutions::delete(&app, &actor, &slug).await });
    running.await.map_err(|error| Error::Internal(format!("deleting an institution failed: {error}")))?
}
