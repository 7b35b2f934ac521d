//! `/console/{slug}/directories`: directories that provision people by SCIM, and what their groups stand for. For owners.

mod group;
mod new;

use askama::Template;
use axum::{
    extract::{Request, State},
    http::StatusCode,
    response::Response,
};

use super::{
    inputs::{Input, Shape, TYPED_NAME, confirmation, mistyped},
    members::{page_names, role_name},
    rule::{Least, Rule},
    visit::{Console, ConsoleForm, Nav},
};
use crate::{
    app::{
        App, Error, Missing, Result,
        scim::{GroupSummary, connections, groups},
    },
    domain::{ids::ScimGroupId, scim::Connection, section::Section},
    http::{form::Form, page::Page, path::Path, when},
    words::Words,
};

pub fn rules() -> Vec<Rule> {
    vec![
        Rule::get("/console/{slug}/directories", Least::Owner, list),
        // The pages with the forms are fresh too: nobody types something and signs in afterwards.
        Rule::get("/console/{slug}/directories/new", Least::Owner.fresh(), new::show),
        Rule::post("/console/{slug}/directories/new", Least::Owner.fresh(), new::create),
        Rule::get("/console/{slug}/directories/{id}", Least::Owner.fresh(), show),
        Rule::post("/console/{slug}/directories/{id}/revoke", Least::Owner.fresh(), revoke),
        Rule::get("/console/{slug}/directories/groups/{id}", Least::Owner.fresh(), group::show),
        Rule::post("/console/{slug}/directories/groups/{id}", Least::Owner.fresh(), group::map),
    ]
}

const PATH: &str = "/directories";
/// How many groups a page has.
const PER_PAGE: usize = 100;

/// The URL that a directory is given.
fn url(app: &App, console: &Console) -> String {
    format!("{}/scim/v2/{}", app.links.base(), console.institution.slug)
}

#[derive(Template)]
#[template(path = "console/scim.html")]
struct ListPage<'a> {
    page: Page<'a>,
    nav: Nav,
    done: Option<&'static str>,
    url: String,
    users: i64,
    groups: i64,
    connections: Vec<ConnectionRow>,
    /// Revoked connections are shown, too.
    is_all: bool,
    has_revoked: bool,
    rows: Vec<GroupRow>,
    is_first: bool,
    /// The last group, if others follow.
    more: Option<ScimGroupId>,
}

struct ConnectionRow {
    id: String,
    name: String,
    facts: Facts,
}

/// What is shown of a connection in the list and on its own page.
struct Facts {
    state: &'static str,
    pages_from_groups: &'static str,
    created: String,
    last_used: Option<String>,
}

impl Facts {
    fn new(console: &Console, connection: &Connection) -> Self {
        let zone = &console.institution.time_zone;
        Self {
            state: match connection.revoked_at {
                None => "console-tokens-active",
                Some(_) => "console-tokens-revoked",
            },
            pages_from_groups: match connection.pages_from_groups {
                true => "console-settings-on",
                false => "console-settings-off",
            },
            created: when::minute(connection.created_at, zone),
            last_used: when::minute_or_none(connection.last_used_at, zone),
        }
    }
}

struct GroupRow {
    id: String,
    name: String,
    members: i64,
    stands_for: String,
    pages: String,
}

impl GroupRow {
    fn new(words: Words, group: &GroupSummary, members: i64) -> Self {
        let (stands_for, pages) = meaning(words, group);
        Self { id: group.id.to_string(), name: group.display_name.clone(), members, stands_for, pages }
    }
}

/// What a group stands for, and the titles of its pages.
fn meaning(words: Words, group: &GroupSummary) -> (String, String) {
    let titles: Vec<String> = group.pages.iter().map(|page| page.title.clone()).collect();
    match group.role {
        Some(role) => (role_name(words, role), page_names(words, role, &titles)),
        None if titles.is_empty() => (words.text("console-scim-nothing"), String::new()),
        None => (words.text("console-scim-page"), titles.join(" · ")),
    }
}

async fn list(State(app): State<App>, console: Console, request: Request) -> Response {
    let query = Form::from_query(request.uri().query().unwrap_or_default());
    let after = query.get("after").and_then(|id| id.parse::<ScimGroupId>().ok());
    let read = async {
        let overview = connections::overview(&app, &console.actor, console.id()).await?;
        // One more than is shown, to know whether there are others.
        let groups = groups::summaries(&app, &console.actor, console.id(), after, PER_PAGE + 1).await?;
        Ok::<_, Error>((overview, groups))
    };
    let (overview, mut groups) = match read.await {
        Ok(found) => found,
        Err(error) => return console.fault(&app, &error),
    };
    let is_all = query.get("state") == Some("all");
    let has_more = groups.len() > PER_PAGE;
    groups.truncate(PER_PAGE);
    let shown = overview.connections.iter().rev().filter(|one| is_all || one.revoked_at.is_none());
    let row = |one: &Connection| ConnectionRow {
        id: one.id.to_string(),
        name: one.name.clone(),
        facts: Facts::new(&console, one),
    };
    let path = console.path(PATH);
    let page = console.page(&app, &path);
    let view = ListPage {
        nav: console.nav(&app, Section::Directories),
        done: match query.get("done") {
            Some("revoked") => Some("console-scim-revoked"),
            Some("saved") => Some("console-scim-saved"),
            _ => None,
        },
        url: url(&app, &console),
        users: overview.users,
        groups: overview.groups,
        connections: shown.map(row).collect(),
        is_all,
        has_revoked: overview.connections.iter().any(|one| one.revoked_at.is_some()),
        rows: groups.iter().map(|(group, members)| GroupRow::new(page.words, group, *members)).collect(),
        is_first: after.is_none(),
        more: groups.last().filter(|_| has_more).map(|(last, _)| last.id),
        page,
    };
    console.show(StatusCode::OK, &view)
}

#[derive(Template)]
#[template(path = "console/scim_connection.html")]
struct ConnectionPage<'a> {
    page: Page<'a>,
    nav: Nav,
    id: String,
    name: String,
    url: String,
    facts: Facts,
    is_revoked: bool,
    /// Its name, which is typed to revoke it.
    typed_name: Input,
}

/// The connection of a path. Those of other institutions do not exist.
async fn find(app: &App, console: &Console, id: &str) -> Result<Connection> {
    let all = connections::all(app, &console.actor, console.id()).await?;
    let found = all.into_iter().find(|one| one.id.to_string() == id);
    found.ok_or(Error::Missing(Missing::ScimConnection))
}

async fn show(State(app): State<App>, console: Console, Path((_, id)): Path<(String, String)>) -> Response {
    match find(&app, &console, &id).await {
        Ok(one) => draw(&app, &console, &one, None),
        Err(error) => console.fault(&app, &error),
    }
}

/// `wrong_name` was typed to revoke the connection, and is not its name.
fn draw(app: &App, console: &Console, one: &Connection, wrong_name: Option<&str>) -> Response {
    let words = console.words();
    let label = words.one("console-settings-sign-on-typed", "name", &one.name);
    let path = console.path(&format!("{PATH}/{}", one.id));
    let status = if wrong_name.is_some() { StatusCode::UNPROCESSABLE_ENTITY } else { StatusCode::OK };
    let view = ConnectionPage {
        page: console.page(app, &path),
        nav: console.nav(app, Section::Directories),
        id: one.id.to_string(),
        name: one.name.clone(),
        url: url(app, console),
        facts: Facts::new(console, one),
        is_revoked: one.revoked_at.is_some(),
        typed_name: confirmation(words, TYPED_NAME, label, Shape::Line, wrong_name),
    };
    console.show(status, &view)
}

async fn revoke(
    State(app): State<App>,
    Path((_, id)): Path<(String, String)>,
    ConsoleForm { console, form }: ConsoleForm,
) -> Response {
    let one = match find(&app, &console, &id).await {
        Ok(one) => one,
        Err(error) => return console.fault(&app, &error),
    };
    if let Some(typed) = mistyped(&form, TYPED_NAME, &one.name) {
        return draw(&app, &console, &one, Some(typed));
    }
    match connections::revoke(&app, &console.actor, console.id(), one.id).await {
        Ok(()) => console.go(&app, &format!("{PATH}?done=revoked")),
        Err(error) => console.fault(&app, &error),
    }
}
