//! Addresses that a mail server has rejected, and people who want no messages. Managers see those of people on their pages, and change
//! nothing: it concerns the whole institution.

use askama::Template;
use axum::{
    extract::{Request, State},
    http::StatusCode,
    response::Response,
};

use super::PER_PAGE;
use crate::{
    app::{App, Result, bounces, opt_outs},
    console::{
        rule::{Least, Rule},
        visit::{Console, ConsoleForm, Nav},
    },
    domain::section::Section,
    http::{form::Form, page::Page, when::minute},
};

const BOUNCES: &str = "/console/{slug}/messages/bounces";
const OPT_OUTS: &str = "/console/{slug}/messages/opt-outs";

pub fn rules() -> Vec<Rule> {
    vec![
        Rule::get(BOUNCES, Least::Manager, show_bounces),
        Rule::post(BOUNCES, Least::Admin, clear),
        Rule::get(OPT_OUTS, Least::Manager, show_opt_outs),
        Rule::post(OPT_OUTS, Least::Admin, remove),
    ]
}

/// Which of the two lists.
#[derive(Clone, Copy, PartialEq, Eq)]
enum List {
    Bounces,
    OptOuts,
}

impl List {
    const fn below(self) -> &'static str {
        match self {
            Self::Bounces => "/messages/bounces",
            Self::OptOuts => "/messages/opt-outs",
        }
    }
}

struct Row {
    email: String,
    at: String,
    /// What the mail server has said.
    answer: Option<String>,
}

#[derive(Template)]
#[template(path = "console/message_addresses.html")]
struct AddressesPage<'a> {
    page: Page<'a>,
    nav: Nav,
    title: String,
    lead: String,
    none: String,
    /// The text of the button in each row.
    act: String,
    /// Whether there are buttons.
    is_admin: bool,
    action: String,
    rows: Vec<Row>,
    more: Option<String>,
    done: Option<String>,
}

async fn show_bounces(State(app): State<App>, console: Console, request: Request) -> Response {
    let query = Form::from_query(request.uri().query().unwrap_or_default());
    show(&app, &console, &query, List::Bounces).await
}

async fn show_opt_outs(State(app): State<App>, console: Console, request: Request) -> Response {
    let query = Form::from_query(request.uri().query().unwrap_or_default());
    show(&app, &console, &query, List::OptOuts).await
}

async fn show(app: &App, console: &Console, query: &Form, list: List) -> Response {
    let behind = query.get("behind").unwrap_or_default().to_owned();
    let is_done = query.get("done") == Some("removed");
    let rows = match find(app, console, list, &behind).await {
        Ok(rows) => rows,
        Err(error) => return console.fault(app, &error),
    };
    draw(app, console, list, rows, is_done)
}

/// One more than a page has.
async fn find(app: &App, console: &Console, list: List, behind: &str) -> Result<Vec<Row>> {
    let (actor, id, zone, most) =
        (&console.actor, console.id(), &console.institution.time_zone, PER_PAGE + 1);
    Ok(match list {
        List::Bounces => {
            let found = bounces::behind(app, actor, id, behind, most).await?;
            let row = |(email, answer, at)| Row { email, at: minute(at, zone), answer: Some(answer) };
            found.into_iter().map(row).collect()
        }
        List::OptOuts => {
            let found = opt_outs::behind(app, actor, id, behind, most).await?;
            found.into_iter().map(|(email, at)| Row { email, at: minute(at, zone), answer: None }).collect()
        }
    })
}

fn draw(app: &App, console: &Console, list: List, mut rows: Vec<Row>, is_done: bool) -> Response {
    let path = console.path(list.below());
    let page = console.page(app, &path);
    let (words, nav) = (page.words, console.nav(app, Section::Messages));
    let action = format!("{}{}", nav.home(), list.below());
    let most = usize::try_from(PER_PAGE).unwrap_or_default();
    let has_more = rows.len() > most;
    rows.truncate(most);
    let more = rows.last().filter(|_| has_more).map(|last| {
        let query: String =
            form_urlencoded::Serializer::new(String::new()).append_pair("behind", &last.email).finish();
        format!("{action}?{query}")
    });
    let is_admin = Least::Admin.includes(console.member.role);
    let [title, lead, none, act, done] = match list {
        List::Bounces => [
            "console-messages-bounces",
            if is_admin { "console-messages-bounces-lead" } else { "console-messages-own-bounces-lead" },
            "console-messages-no-bounces",
            "console-messages-clear",
            "console-messages-cleared",
        ],
        List::OptOuts => [
            "console-messages-opt-outs",
            if is_admin { "console-messages-opt-outs-lead" } else { "console-messages-own-opt-outs-lead" },
            "console-messages-no-opt-outs",
            "console-messages-remove",
            "console-messages-removed",
        ],
    }
    .map(|id| words.text(id));
    let done = is_done.then_some(done);
    let shown = AddressesPage { page, nav, title, lead, none, act, is_admin, action, rows, more, done };
    console.show(StatusCode::OK, &shown)
}

async fn clear(State(app): State<App>, ConsoleForm { console, form }: ConsoleForm) -> Response {
    let email = form.get("email").unwrap_or_default();
    match bounces::clear(&app, &console.actor, console.id(), email).await {
        Ok(_) => console.go(&app, "/messages/bounces?done=removed"),
        Err(error) => console.fault(&app, &error),
    }
}

async fn remove(State(app): State<App>, ConsoleForm { console, form }: ConsoleForm) -> Response {
    let email = form.get("email").unwrap_or_default();
    match opt_outs::remove(&app, &console.actor, console.id(), email).await {
        Ok(()) => console.go(&app, "/messages/opt-outs?done=removed"),
        Err(error) => console.fault(&app, &error),
    }
}
