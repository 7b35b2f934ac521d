//! `/console/{slug}/search`: people, name pages, settings and commands by what somebody types. `Ctrl K` opens it on every page
//! (`assets/console.js`), which reads JSON; without a script it is a page.

use askama::Template;
use axum::{
    extract::{Request, State},
    http::StatusCode,
    response::Response,
};
use serde_json::json;

use super::{
    rule::{Least, Rule},
    visit::{Console, Nav},
};
use crate::{
    app::{App, Result, page_lists, people_search},
    domain::{member::Role, section::Section, text::searchable},
    http::{form::Form, html::root, page::Page, reply},
    words::Words,
};

const LONGEST: usize = 200;
/// How many name pages, and how many commands, are shown.
const MOST: usize = 8;

pub fn rules() -> Vec<Rule> {
    vec![Rule::get("/console/{slug}/search", Least::Manager, show)]
}

/// What can be done, in which section. The first steps have a page of their own.
const COMMANDS: [(&str, Section); 13] = [
    ("console-command-import", Section::NamePages),
    ("console-command-invite", Section::NamePages),
    ("console-command-page", Section::NamePages),
    ("console-command-approve", Section::Moderation),
    ("console-command-export", Section::Jobs),
    ("console-command-mail", Section::Messages),
    ("console-command-field", Section::CustomFields),
    ("console-command-token", Section::Tokens),
    ("console-command-system", Section::LearningSystems),
    ("console-command-directory", Section::Directories),
    ("console-command-look", Section::Settings),
    ("console-command-sso", Section::Settings),
    ("console-command-member", Section::Members),
];

#[derive(Template)]
#[template(path = "console/search.html")]
struct SearchPage<'a> {
    page: Page<'a>,
    nav: Nav,
    text: &'a str,
    groups: Vec<Group>,
}

/// Results of one kind.
struct Group {
    title: String,
    results: Vec<Hit>,
}

struct Hit {
    title: String,
    /// What tells it from others with the same title.
    hint: String,
    address: String,
}

async fn show(State(app): State<App>, console: Console, request: Request) -> Response {
    let query = Form::from_query(request.uri().query().unwrap_or_default());
    let text: String = query.get("q").unwrap_or_default().trim().chars().take(LONGEST).collect();
    let groups = match find(&app, &console, &text).await {
        Ok(groups) => groups,
        Err(error) => return console.fault(&app, &error),
    };
    if console.who.is_script {
        return reply::json(StatusCode::OK, &as_json(&groups));
    }
    let encoded: String = form_urlencoded::byte_serialize(text.as_bytes()).collect();
    let path = console.path(&format!("/search?q={encoded}"));
    let nav = console.nav(&app, None::<Section>);
    let shown = SearchPage { page: console.page(&app, &path), nav, text: &text, groups };
    console.show(StatusCode::OK, &shown)
}

fn as_json(groups: &[Group]) -> serde_json::Value {
    let result = |one: &Hit| json!({ "title": one.title, "hint": one.hint, "address": one.address });
    let group = |group: &Group| {
        let results: Vec<_> = group.results.iter().map(result).collect();
        json!({ "title": group.title, "results": results })
    };
    json!({ "groups": groups.iter().map(group).collect::<Vec<_>>() })
}

async fn find(app: &App, console: &Console, text: &str) -> Result<Vec<Group>> {
    let (words, nav) = (console.words(), console.nav(app, None::<Section>));
    let mut groups = Vec::new();
    if !text.is_empty() {
        let people = people(app, console, text).await?;
        groups.push(Group { title: words.text("console-people"), results: people });
        let pages = pages(app, console, text).await?;
        groups.push(Group { title: words.text("console-name-pages"), results: pages });
    }
    let commands = commands(words, &nav, console.member.role, text);
    groups.push(Group { title: words.text("console-commands"), results: commands });
    groups.retain(|group| !group.results.is_empty());
    Ok(groups)
}

async fn people(app: &App, console: &Console, text: &str) -> Result<Vec<Hit>> {
    let found = people_search::quick(app, &console.actor, console.id(), text, 8).await?;
    let hit = |one: people_search::Found| {
        let address = format!("{}{}/{}", root(&app.links), console.path("/people"), one.id);
        let title = if one.name.is_empty() { one.email.clone().unwrap_or_default() } else { one.name };
        let hint = [one.email, Some(one.page)].into_iter().flatten().collect::<Vec<_>>().join(" · ");
        Hit { title, hint, address }
    };
    Ok(found.into_iter().map(hit).collect())
}

async fn pages(app: &App, console: &Console, text: &str) -> Result<Vec<Hit>> {
    let found = page_lists::quick(app, &console.actor, console.id(), text, MOST).await?;
    let hit = |page: page_lists::PageName| {
        let address = format!("{}{}/{}", root(&app.links), console.path("/name-pages"), page.id);
        Hit { title: page.title, hint: page.slug, address }
    };
    Ok(found.into_iter().map(hit).collect())
}

/// Sections and commands of the role. Without a text, the sections.
fn commands(words: Words, nav: &Nav, role: Role, text: &str) -> Vec<Hit> {
    let wanted = searchable(text);
    let matches = |title: &String| searchable(title).contains(&wanted);
    let sections = nav.sections().map(|section| (words.text(nav.title(section)), String::new(), *section));
    let commands = COMMANDS.into_iter().filter(|(_, section)| section.is_for(role) && !text.is_empty());
    let commands = commands.map(|(id, section)| (words.text(id), words.text(nav.title(&section)), section));
    let mut found: Vec<Hit> = sections
        .chain(commands)
        .filter(|(title, _, _)| matches(title))
        .map(|(title, hint, section)| Hit { title, hint, address: nav.address(&section) })
        .collect();
    if role.has_all_pages() && !text.is_empty() {
        let title = words.text("console-start-title");
        if matches(&title) {
            found.push(Hit { title, hint: String::new(), address: format!("{}/start", nav.home()) });
        }
    }
    found
}
