//! `/console/{slug}/members`: who has which role. Admins see it, owners change it.

mod choices;
mod form;
mod groups;

use askama::Template;
use axum::{
    extract::{Request, State},
    http::StatusCode,
    response::Response,
};

pub(super) use self::choices::{RadioChoice, role_hint};
use super::{
    rule::{Least, Rule},
    visit::{Console, Nav},
};
use crate::{
    app::{App, Result, members},
    domain::{
        member::{Member, Role},
        section::Section,
    },
    http::{form::Form, page::Page},
    words::{Arg, Words},
};

/// How many members a page has.
const PER_PAGE: usize = 100;
/// How many pages of a member are named in the list.
const NAMED: usize = 3;

pub fn rules() -> Vec<Rule> {
    vec![
        Rule::get("/console/{slug}/members", Least::Admin, show),
        // The pages with the forms are fresh too: nobody types something and signs in afterwards.
        Rule::get("/console/{slug}/members/add", Least::Owner.fresh(), form::new),
        Rule::post("/console/{slug}/members/add", Least::Owner.fresh(), form::add),
        Rule::get("/console/{slug}/members/change", Least::Owner.fresh(), form::edit),
        Rule::post("/console/{slug}/members/change", Least::Owner.fresh(), form::change),
        Rule::post("/console/{slug}/members/remove", Least::Owner.fresh(), form::remove),
        Rule::get("/console/{slug}/members/groups", Least::Owner.fresh(), groups::show),
        Rule::post("/console/{slug}/members/groups", Least::Owner.fresh(), groups::add),
        Rule::post("/console/{slug}/members/groups/remove", Least::Owner.fresh(), groups::remove),
        Rule::post("/console/{slug}/members/groups/claim", Least::Owner.fresh(), groups::set_claim),
    ]
}

#[derive(Template)]
#[template(path = "console/members.html")]
struct MembersPage<'a> {
    page: Page<'a>,
    nav: Nav,
    rows: Vec<Row>,
    /// The address of the next members.
    more: Option<String>,
    is_first: bool,
    is_owner: bool,
    done: Option<String>,
}

struct Row {
    email: String,
    role: String,
    pages: String,
    since: String,
    is_self: bool,
    is_last_owner: bool,
    is_by_group: bool,
    /// The address of the form, for owners.
    change: Option<String>,
}

/// The name of a role.
pub(super) fn role_name(words: Words, role: Role) -> String {
    words.text(match role {
        Role::Owner => "console-members-owner",
        Role::Admin => "console-members-admin",
        Role::Manager => "console-members-manager",
        Role::Reader => "console-members-reader",
    })
}

/// The first titles, and how many more there are.
pub(super) fn page_names(words: Words, role: Role, titles: &[String]) -> String {
    if role.has_all_pages() {
        return words.text("console-members-all-pages");
    }
    if titles.is_empty() {
        return words.text("console-members-no-pages");
    }
    let mut named = titles.iter().take(NAMED).map(String::as_str).collect::<Vec<_>>().join(" · ");
    if let Some(more) = titles.len().checked_sub(NAMED).filter(|more| *more > 0) {
        let more = words.plain("console-members-more-pages", &[("count", Arg::Number(more as u64))]);
        named = format!("{named} · {more}");
    }
    named
}

async fn show(State(app): State<App>, console: Console, request: Request) -> Response {
    let query = Form::from_query(request.uri().query().unwrap_or_default());
    list(&app, &console, &query).await.unwrap_or_else(|error| console.fault(&app, &error))
}

async fn list(app: &App, console: &Console, query: &Form) -> Result<Response> {
    let (words, nav) = (console.words(), console.nav(app, Section::Members));
    let behind = query.get("after").unwrap_or_default();
    let listed = members::list(app, &console.actor, console.id(), behind, PER_PAGE).await?;
    let is_owner = console.member.role == Role::Owner;
    let last = listed.members.last().filter(|_| listed.members.len() == PER_PAGE);
    let more = last.map(|(last, _)| with_query(&nav, "", "after", &last.person.email_key));
    let row = |(member, titles): &(Member, Vec<String>)| Row {
        email: member.email.clone(),
        role: role_name(words, member.role),
        pages: page_names(words, member.role, titles),
        since: member.created_at.date_in(&console.institution.time_zone).to_string(),
        is_self: member.person == console.member.person,
        is_last_owner: member.role == Role::Owner && listed.owners < 2,
        is_by_group: listed.by_group.contains(&member.person.email_key),
        change: is_owner.then(|| with_query(&nav, "/change", "email", &member.email)),
    };
    let done = match query.get("done") {
        Some("added") => {
            let address = format!("{}{}", app.links.base(), console.path(""));
            Some(words.one("console-members-added", "address", &address))
        }
        Some("changed") => Some(words.text("console-members-changed")),
        Some("removed") => Some(words.text("console-members-removed")),
        _ => None,
    };
    let path = console.path("/members");
    let shown = MembersPage {
        page: console.page(app, &path),
        rows: listed.members.iter().map(row).collect(),
        more,
        is_first: behind.is_empty(),
        is_owner,
        done,
        nav,
    };
    Ok(console.show(StatusCode::OK, &shown))
}

fn with_query(nav: &Nav, below: &str, name: &str, value: &str) -> String {
    let query = form_urlencoded::Serializer::new(String::new()).append_pair(name, value).finish();
    format!("{}/members{below}?{query}", nav.home())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::language::Language;

    #[test]
    fn the_first_pages_are_named_and_the_others_counted() {
        let words = Words::new(Language::English);
        let titles: Vec<String> = ["A", "B", "C", "D", "E"].map(str::to_owned).into();
        assert_eq!(page_names(words, Role::Owner, &[]), words.text("console-members-all-pages"));
        assert_eq!(page_names(words, Role::Reader, &[]), words.text("console-members-no-pages"));
        assert_eq!(page_names(words, Role::Reader, titles.get(..3).unwrap()), "A · B · C");
        assert_eq!(page_names(words, Role::Reader, &titles), "A · B · C · and 2 more");
    }
}
