//! `/console/{slug}/members/groups`: roles by the groups of the provider of single sign-on.

use std::collections::HashMap;

use askama::Template;
use axum::{
    extract::{Request, State},
    http::StatusCode,
    response::Response,
};

use super::{page_names, role_name};
use crate::{
    app::{App, Error, Missing, Result, members, sso},
    console::{
        inputs::is_outdated,
        visit::{Console, ConsoleForm, Nav},
    },
    domain::{
        fault::Field,
        ids::{NamePageId, SsoConnectionId},
        member::Role,
        name_page::NamePageRef,
        section::Section,
        sso::Connection,
        sso_groups::GroupRole,
    },
    http::{form::Form, page::Page},
    words::Words,
};

const PATH: &str = "/members/groups";

#[derive(Template)]
#[template(path = "console/member_groups.html")]
struct GroupsPage<'a> {
    page: Page<'a>,
    nav: Nav,
    connections: Vec<Part>,
    settings: String,
    done: Option<String>,
}

/// A connection with its rules, and a form for another.
struct Part {
    id: String,
    name: String,
    /// What the rules and the claim were when each of the forms was shown first.
    claim_version: String,
    rule_version: String,
    claim: String,
    claim_fault: Option<String>,
    rules: Vec<RuleRow>,
    group: String,
    group_fault: Option<String>,
    pages: String,
    pages_fault: Option<String>,
    roles: Vec<RoleOption>,
}

struct RoleOption {
    word: &'static str,
    name: String,
    is_chosen: bool,
}

struct RuleRow {
    group: String,
    role: String,
    pages: String,
}

/// A form of a connection.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Which {
    Rule,
    Claim,
}

/// What was typed, and what is wrong with it.
#[derive(Default)]
struct Typed {
    connection: Option<SsoConnectionId>,
    /// What the rules and the claim were when the form was shown.
    version: String,
    /// Somebody else has changed them since.
    outdated: Option<Which>,
    claim: Option<String>,
    claim_fault: Option<String>,
    group: String,
    group_fault: Option<String>,
    role: Option<Role>,
    pages: String,
    pages_fault: Option<String>,
}

impl Typed {
    fn of(form: &Form) -> Self {
        let text = |name: &str| form.get(name).unwrap_or_default().trim().to_owned();
        Self {
            connection: form.get("connection").and_then(|id| id.parse().ok()),
            version: text("version"),
            group: text("group"),
            role: form.get("role").and_then(Role::parse),
            pages: text("pages"),
            ..Self::default()
        }
    }

    const fn is_wrong(&self) -> bool {
        self.claim_fault.is_some() || self.group_fault.is_some() || self.pages_fault.is_some()
    }
}

pub async fn show(State(app): State<App>, console: Console, request: Request) -> Response {
    let query = Form::from_query(request.uri().query().unwrap_or_default());
    let done = (query.get("done") == Some("saved")).then(|| console.words().text("console-saved"));
    draw(&app, &console, Typed::default(), done).await
}

async fn draw(app: &App, console: &Console, typed: Typed, done: Option<String>) -> Response {
    let drawn = list(app, console, &typed, done).await;
    drawn.unwrap_or_else(|error| console.fault(app, &error))
}

async fn list(app: &App, console: &Console, typed: &Typed, done: Option<String>) -> Result<Response> {
    let own = members::own_pages(app, &console.actor, &console.member.person).await?.of_role;
    let titles: HashMap<NamePageId, String> = own.into_iter().map(|page| (page.id, page.title)).collect();
    let mut connections = Vec::new();
    for connection in sso::all(app, &console.actor, Some(console.id())).await? {
        let mapping = sso::mapping(app, &console.actor, connection.id).await?;
        connections.push(part(console.words(), &connection, mapping, typed, &titles));
    }
    let (nav, path) = (console.nav(app, Section::Members), console.path(PATH));
    let settings = nav.address(&Section::Settings);
    let shown = GroupsPage { page: console.page(app, &path), nav, connections, settings, done };
    let status = match typed.outdated {
        Some(_) => StatusCode::CONFLICT,
        None if typed.is_wrong() => StatusCode::UNPROCESSABLE_ENTITY,
        None => StatusCode::OK,
    };
    Ok(console.show(status, &shown))
}

fn part(
    words: Words,
    connection: &Connection,
    mapping: sso::Mapping,
    typed: &Typed,
    titles: &HashMap<NamePageId, String>,
) -> Part {
    // Only one of the forms was sent.
    let none = Typed::default();
    let typed = if typed.connection == Some(connection.id) { typed } else { &none };
    let title = |id: &NamePageId| titles.get(id).cloned().unwrap_or_else(|| id.to_string());
    let row = |rule: &GroupRole| RuleRow {
        group: rule.group.clone(),
        role: role_name(words, rule.role),
        pages: page_names(words, rule.role, &rule.pages.iter().map(title).collect::<Vec<_>>()),
    };
    let chosen = typed.role.unwrap_or(Role::Reader);
    let option = |role: Role| RoleOption {
        word: role.word(),
        name: role_name(words, role),
        is_chosen: role == chosen,
    };
    let (newest, rules): (_, Vec<RuleRow>) = (mapping.version(), mapping.rules.iter().map(row).collect());
    // A mistake does not make a form newer: its sender does not know what somebody else has saved.
    let version = |is_wrong: bool| if is_wrong { typed.version.clone() } else { newest.clone() };
    let meanwhile = |which: Which, now: &str| {
        let is_outdated = typed.outdated == Some(which);
        is_outdated.then(|| words.one("console-changed-meanwhile", "now", now))
    };
    let listed: Vec<String> = rules.iter().map(|rule| format!("{}: {}", rule.group, rule.role)).collect();
    Part {
        id: connection.id.to_string(),
        name: connection.name.clone(),
        claim_version: version(typed.claim_fault.is_some()),
        rule_version: version(typed.group_fault.is_some() || typed.pages_fault.is_some()),
        rules,
        claim_fault: typed.claim_fault.clone().or_else(|| meanwhile(Which::Claim, &mapping.claim)),
        claim: typed.claim.clone().unwrap_or(mapping.claim),
        group: typed.group.clone(),
        group_fault: typed.group_fault.clone().or_else(|| meanwhile(Which::Rule, &listed.join(", "))),
        pages: typed.pages.clone(),
        pages_fault: typed.pages_fault.clone(),
        roles: Role::ALL.map(option).into(),
    }
}

/// Adds a rule, or replaces that of the same group.
pub async fn add(State(app): State<App>, ConsoleForm { console, form }: ConsoleForm) -> Response {
    let (mut typed, words) = (Typed::of(&form), console.words());
    let (Some(id), Some(role)) = (typed.connection, typed.role) else { return console.go(&app, PATH) };
    let pages = match role.has_all_pages() {
        true => Some(Vec::new()),
        false => NamePageRef::parse_list(&typed.pages),
    };
    let base = Some(typed.version.clone());
    let saved = match pages {
        Some(pages) => sso::map_group(&app, &console.actor, id, &typed.group, role, pages, base).await,
        None => Err(Error::Missing(Missing::NamePage)),
    };
    match saved {
        Ok(_) => console.go(&app, "/members/groups?done=saved"),
        Err(Error::Invalid(errors)) if is_outdated(&errors) => {
            typed.outdated = Some(Which::Rule);
            draw(&app, &console, typed, None).await
        }
        Err(Error::Invalid(errors)) => {
            let is_name = errors.has(&Field::Name);
            let fault = Some(words.text("console-fault-other"));
            (typed.group_fault, typed.pages_fault) = if is_name { (fault, None) } else { (None, fault) };
            draw(&app, &console, typed, None).await
        }
        Err(Error::Missing(Missing::NamePage)) => {
            typed.pages_fault = Some(words.text("console-members-page-unknown"));
            draw(&app, &console, typed, None).await
        }
        Err(error) => console.fault(&app, &error),
    }
}

pub async fn remove(State(app): State<App>, ConsoleForm { console, form }: ConsoleForm) -> Response {
    let typed = Typed::of(&form);
    let Some(id) = typed.connection else { return console.go(&app, PATH) };
    match sso::unmap_group(&app, &console.actor, id, &typed.group).await {
        Ok(()) => console.go(&app, "/members/groups?done=saved"),
        Err(error) => console.fault(&app, &error),
    }
}

/// Sets the claim with the groups.
pub async fn set_claim(State(app): State<App>, ConsoleForm { console, form }: ConsoleForm) -> Response {
    let claim = form.get("claim").unwrap_or_default().trim().to_owned();
    let mut typed = Typed::of(&form);
    let Some(id) = typed.connection else { return console.go(&app, PATH) };
    let base = Some(typed.version.clone());
    match sso::set_groups_claim(&app, &console.actor, id, &claim, base).await {
        Ok(()) => console.go(&app, "/members/groups?done=saved"),
        Err(Error::Invalid(errors)) if is_outdated(&errors) => {
            (typed.claim, typed.outdated) = (Some(claim), Some(Which::Claim));
            draw(&app, &console, typed, None).await
        }
        Err(Error::Invalid(_)) => {
            typed.claim = Some(claim);
            typed.claim_fault = Some(console.words().text("console-fault-other"));
            draw(&app, &console, typed, None).await
        }
        Err(error) => console.fault(&app, &error),
    }
}
