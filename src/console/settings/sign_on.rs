//! `/console/{slug}/settings/sign-on`: connections to the OpenID providers of an institution. Admins see them; owners change them.

use askama::Template;
use axum::{
    extract::{Request, State},
    http::StatusCode,
    response::Response,
};
use serde::Deserialize;

use super::{
    connection_form::{Entered, inputs},
    sso_only,
};
use crate::{
    app::{
        App, Error, Missing, Result, institutions,
        sso::{self, Step},
    },
    console::{
        inputs::{Input, Shape, TYPED_NAME, confirmation, is_outdated, mistyped},
        rule::{Least, Rule},
        visit::{Console, ConsoleForm, Nav},
    },
    domain::{member::Role, section::Section, sso::Connection},
    http::{form::Form, page::Page, path::Path},
    words::Words,
};

const LIST: &str = "/console/{slug}/settings/sign-on";
const NEW: &str = "/console/{slug}/settings/sign-on/new";
const ONE: &str = "/console/{slug}/settings/sign-on/{id}";
const TEST: &str = "/console/{slug}/settings/sign-on/{id}/test";
const DELETE: &str = "/console/{slug}/settings/sign-on/{id}/delete";

pub fn rules() -> Vec<Rule> {
    vec![
        Rule::get(LIST, Least::Admin, list),
        Rule::get(NEW, Least::Owner.fresh(), show_new),
        Rule::post(NEW, Least::Owner.fresh(), create),
        Rule::get(ONE, Least::Owner.fresh(), show_one),
        Rule::post(ONE, Least::Owner.fresh(), update),
        // A test changes nothing.
        Rule::post(TEST, Least::Owner, test),
        Rule::post(DELETE, Least::Owner.fresh(), delete),
    ]
}

/// A connection in the list.
struct Row {
    path: String,
    name: String,
    /// Labels and values.
    facts: Vec<(String, String)>,
    /// The results of a test: whether each step worked, a sentence, and the reason if it did not.
    steps: Vec<(bool, String, Option<String>)>,
}

#[derive(Template)]
#[template(path = "console/sign_on.html")]
struct ListPage<'a> {
    page: Page<'a>,
    nav: Nav,
    rows: Vec<Row>,
    is_owner: bool,
    /// Who must use a connection.
    sso_only: String,
    redirect_uri: String,
    sign_out_uri: String,
    done: Option<String>,
}

#[derive(Template)]
#[template(path = "console/sign_on_form.html")]
pub struct FormPage<'a> {
    pub page: Page<'a>,
    pub nav: Nav,
    pub title: String,
    /// Where the form is posted.
    pub action: String,
    pub inputs: Vec<Input>,
    pub version: String,
    pub is_outdated: bool,
    /// What somebody else has saved meanwhile: labels and values.
    pub others: Vec<(String, String)>,
    /// The form that deletes the connection, and where it is posted.
    pub removal: Option<(String, Input)>,
}

#[derive(Deserialize)]
struct ConnectionPath {
    id: String,
}

/// The connection of a path. Those of other institutions do not exist.
async fn find(app: &App, console: &Console, id: &str) -> Result<Connection> {
    let id = id.parse().map_err(|_| Error::Missing(Missing::SsoConnection))?;
    sso::find(app, &console.actor, id).await
}

async fn list(State(app): State<App>, console: Console, request: Request) -> Response {
    let query = Form::from_query(request.uri().query().unwrap_or_default());
    let done = match query.get("done") {
        Some("created") => Some("console-settings-sign-on-created"),
        Some("saved") => Some("console-settings-saved"),
        Some("deleted") => Some("console-settings-sign-on-deleted"),
        _ => None,
    };
    draw_list(&app, &console, done, None).await
}

type Outcomes = Vec<(Step, Result<(), String>)>;

async fn draw_list(
    app: &App,
    console: &Console,
    done: Option<&str>,
    tested: Option<(&Connection, Outcomes)>,
) -> Response {
    let all = match sso::all(app, &console.actor, Some(console.id())).await {
        Ok(all) => all,
        Err(error) => return console.fault(app, &error),
    };
    let only = match institutions::sso_only(app, console.id()).await {
        Ok(only) => only,
        Err(error) => return console.fault(app, &error),
    };
    let path = console.path("/settings/sign-on");
    let page = console.page(app, &path);
    let (words, nav) = (page.words, console.nav(app, Section::Settings));
    let rows = all.iter().map(|one| {
        let outcomes = tested.as_ref().filter(|(tested, _)| tested.id == one.id);
        let outcomes = outcomes.map_or(&[][..], |(_, outcomes)| outcomes.as_slice());
        Row {
            path: format!("{}/settings/sign-on/{}", nav.home(), one.id),
            name: one.name.clone(),
            facts: facts(words, one),
            steps: outcomes.iter().map(|(step, outcome)| step_shown(words, *step, outcome)).collect(),
        }
    });
    let urls = match sso::registration(app, &console.actor, console.id(), app.links.base()).await {
        Ok(urls) => urls,
        Err(error) => return console.fault(app, &error),
    };
    let shown = ListPage {
        rows: rows.collect(),
        is_owner: console.member.role == Role::Owner,
        sso_only: words.text(sso_only::label(only)),
        redirect_uri: urls.redirect_uri,
        sign_out_uri: urls.sign_out_uri,
        done: done.map(|id| words.text(id)),
        nav,
        page,
    };
    console.show(StatusCode::OK, &shown)
}

fn facts(words: Words, one: &Connection) -> Vec<(String, String)> {
    let domains: Vec<String> = one.domains.iter().map(ToString::to_string).collect();
    let domains = match domains.is_empty() {
        true => words.text("console-settings-sign-on-all-domains"),
        false => domains.join(" "),
    };
    let trust = match one.trusts_unverified_email {
        true => "console-settings-on",
        false => "console-settings-off",
    };
    vec![
        (words.text("console-settings-sign-on-issuer"), one.issuer.clone()),
        (words.text("console-settings-sign-on-client-id"), one.client_id.clone()),
        (words.text("console-settings-sign-on-domains"), domains),
        (words.text("console-settings-sign-on-accounts"), accounts(words, one)),
        (words.text("console-settings-sign-on-trust"), words.text(trust)),
        (words.text("console-settings-sign-on-scopes"), one.scope(false, &[])),
    ]
}

/// Whose accounts may sign in.
fn accounts(words: Words, one: &Connection) -> String {
    match &one.tenant {
        Some(tenant) => words.one("console-settings-sign-on-accounts-tenant", "tenant", tenant),
        None if one.is_bounded() && !one.any_account => {
            words.text("console-settings-sign-on-accounts-domains")
        }
        None => words.text("console-settings-sign-on-accounts-any"),
    }
}

fn step_shown(words: Words, step: Step, outcome: &Result<(), String>) -> (bool, String, Option<String>) {
    let is_fine = outcome.is_ok();
    let id = match (step, is_fine) {
        (Step::Secret, true) => "console-settings-step-secret",
        (Step::Secret, false) => "console-settings-step-secret-failed",
        (Step::Configuration, true) => "console-settings-step-configuration",
        (Step::Configuration, false) => "console-settings-step-configuration-failed",
        (Step::Keys, true) => "console-settings-step-keys",
        (Step::Keys, false) => "console-settings-step-keys-failed",
        (Step::Client, true) => "console-settings-step-client",
        (Step::Client, false) => "console-settings-step-client-failed",
    };
    (is_fine, words.text(id), outcome.as_ref().err().cloned())
}

async fn test(
    State(app): State<App>,
    Path(ConnectionPath { id }): Path<ConnectionPath>,
    ConsoleForm { console, .. }: ConsoleForm,
) -> Response {
    let tested = async {
        let connection = find(&app, &console, &id).await?;
        let outcomes = sso::test(&app, &console.actor, &connection, app.links.base()).await?;
        Ok::<_, Error>((connection, outcomes))
    };
    match tested.await {
        Ok((connection, outcomes)) => draw_list(&app, &console, None, Some((&connection, outcomes))).await,
        Err(error) => console.fault(&app, &error),
    }
}

async fn show_new(State(app): State<App>, console: Console) -> Response {
    draw_new(&app, &console, StatusCode::OK, &Entered::default())
}

fn draw_new(app: &App, console: &Console, status: StatusCode, entered: &Entered) -> Response {
    let path = console.path("/settings/sign-on/new");
    let page = console.page(app, &path);
    let nav = console.nav(app, Section::Settings);
    let shown = FormPage {
        title: page.words.text("console-settings-sign-on-add"),
        action: format!("{}/settings/sign-on/new", nav.home()),
        inputs: inputs(page.words, entered, true),
        version: String::new(),
        is_outdated: false,
        others: Vec::new(),
        removal: None,
        nav,
        page,
    };
    console.show(status, &shown)
}

async fn create(State(app): State<App>, ConsoleForm { console, form }: ConsoleForm) -> Response {
    let mut entered = Entered::read(&form);
    let new = sso::New {
        name: form.text("name"),
        issuer: entered.issuer.clone(),
        client_id: entered.client_id.clone(),
        client_secret: form.get("client_secret").unwrap_or_default().to_owned(),
        domains: entered.domains(),
        tenant: Some(entered.tenant()),
        any_account: entered.any_account(),
        trusts_unverified_email: entered.trusts_unverified_email(),
        scopes: entered.scopes(),
    };
    match sso::create(&app, &console.actor, console.id(), new).await {
        Ok(_) => console.go(&app, "/settings/sign-on?done=created"),
        Err(Error::Invalid(errors)) => {
            entered.errors = errors;
            draw_new(&app, &console, StatusCode::UNPROCESSABLE_ENTITY, &entered)
        }
        Err(error) => console.fault(&app, &error),
    }
}

async fn show_one(
    State(app): State<App>,
    console: Console,
    Path(ConnectionPath { id }): Path<ConnectionPath>,
) -> Response {
    match find(&app, &console, &id).await {
        Ok(one) => draw_one(&app, &console, StatusCode::OK, &one, &Entered::of(&one), None),
        Err(error) => console.fault(&app, &error),
    }
}

/// `wrong_name` was typed to delete the connection, and is not its name.
fn draw_one(
    app: &App,
    console: &Console,
    status: StatusCode,
    one: &Connection,
    entered: &Entered,
    wrong_name: Option<&str>,
) -> Response {
    let path = console.path(&format!("/settings/sign-on/{}", one.id));
    let page = console.page(app, &path);
    let (words, nav) = (page.words, console.nav(app, Section::Settings));
    let action = format!("{}/settings/sign-on/{}", nav.home(), one.id);
    let label = words.one("console-settings-sign-on-typed", "name", &one.name);
    let typed_name = confirmation(words, TYPED_NAME, label, Shape::Line, wrong_name);
    let shown = FormPage {
        title: one.name.clone(),
        inputs: inputs(words, entered, false),
        version: entered.version.clone(),
        is_outdated: entered.is_outdated,
        others: facts(words, one),
        removal: Some((format!("{action}/delete"), typed_name)),
        action,
        nav,
        page,
    };
    console.show(status, &shown)
}

async fn update(
    State(app): State<App>,
    Path(ConnectionPath { id }): Path<ConnectionPath>,
    ConsoleForm { console, form }: ConsoleForm,
) -> Response {
    let one = match find(&app, &console, &id).await {
        Ok(one) => one,
        Err(error) => return console.fault(&app, &error),
    };
    let mut entered = Entered::read(&form);
    let change = sso::Change {
        name: Some(entered.name.clone()),
        client_id: Some(entered.client_id.clone()),
        // Blank keeps the one that is stored.
        client_secret: form.text("client_secret"),
        domains: Some(entered.domains()),
        tenant: Some(entered.tenant()),
        any_account: Some(entered.any_account()),
        trusts_unverified_email: Some(entered.trusts_unverified_email()),
        scopes: Some(entered.scopes()),
        base: Some(entered.version.clone()),
    };
    match sso::update(&app, &console.actor, one.id, change).await {
        Ok(_) => console.go(&app, "/settings/sign-on?done=saved"),
        Err(Error::Invalid(errors)) if is_outdated(&errors) => {
            entered.is_outdated = true;
            match find(&app, &console, &id).await {
                Ok(now) => {
                    entered.version = sso::version(&now);
                    draw_one(&app, &console, StatusCode::CONFLICT, &now, &entered, None)
                }
                Err(error) => console.fault(&app, &error),
            }
        }
        Err(Error::Invalid(errors)) => {
            entered.errors = errors;
            draw_one(&app, &console, StatusCode::UNPROCESSABLE_ENTITY, &one, &entered, None)
        }
        Err(error) => console.fault(&app, &error),
    }
}

async fn delete(
    State(app): State<App>,
    Path(ConnectionPath { id }): Path<ConnectionPath>,
    ConsoleForm { console, form }: ConsoleForm,
) -> Response {
    let one = match find(&app, &console, &id).await {
        Ok(one) => one,
        Err(error) => return console.fault(&app, &error),
    };
    if let Some(typed) = mistyped(&form, TYPED_NAME, &one.name) {
        let status = StatusCode::UNPROCESSABLE_ENTITY;
        return draw_one(&app, &console, status, &one, &Entered::of(&one), Some(typed));
    }
    match sso::delete(&app, &console.actor, one.id).await {
        Ok(()) => console.go(&app, "/settings/sign-on?done=deleted"),
        Err(Error::Invalid(errors)) => {
            let mut entered = Entered::of(&one);
            entered.errors = errors;
            draw_one(&app, &console, StatusCode::UNPROCESSABLE_ENTITY, &one, &entered, None)
        }
        Err(error) => console.fault(&app, &error),
    }
}
