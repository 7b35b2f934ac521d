//! `/console/{slug}`: how far an institution is, and what needs attention. Readers see the pages that they may hear.

use askama::Template;
use axum::{extract::State, http::StatusCode, response::Response};

use super::{
    chart::Chart,
    rule::{Least, Rule},
    start::{self, StepRow},
    visit::{Console, Nav},
};
use crate::{
    app::{
        App, Result, coverage, members,
        overview::{self, Attention},
        start as steps,
    },
    domain::{
        coverage::Coverage, member::Role, name_page::NamePage, participant::Participant, play::FROM_PAGE,
        section::Section,
    },
    http::{
        html::{origin_of, path_of, root},
        page::Page,
    },
    words::Words,
};

/// How many of the newest recordings are shown.
const NEWEST: usize = 8;

pub fn rules() -> Vec<Rule> {
    vec![Rule::get("/console/{slug}", Least::Reader, show)]
}

#[derive(Template)]
#[template(path = "console/overview.html")]
struct OverviewPage<'a> {
    page: Page<'a>,
    nav: Nav,
    figures: Coverage,
    chart: Option<Chart>,
    newest: Vec<Row>,
    attention: Vec<Task>,
    /// The first steps, as long as some are left.
    steps: Option<[StepRow; 5]>,
}

/// A recording.
struct Row {
    name: String,
    /// The title and the path of the name page.
    page: String,
    page_path: String,
    /// The name of the button.
    label: String,
    sound: String,
}

/// What needs attention: how much of it, and where.
struct Task {
    title: String,
    count: u64,
    address: String,
}

#[derive(Template)]
#[template(path = "console/reader.html")]
struct ReaderPage<'a> {
    page: Page<'a>,
    nav: Nav,
    pages: Vec<NamePage>,
}

async fn show(State(app): State<App>, console: Console) -> Response {
    let shown = match console.member.role {
        Role::Owner | Role::Admin | Role::Manager => overview(&app, &console).await,
        Role::Reader => listen(&app, &console).await,
    };
    shown.unwrap_or_else(|error| console.fault(&app, &error))
}

async fn overview(app: &App, console: &Console) -> Result<Response> {
    let (actor, institution, words) = (&console.actor, console.id(), console.words());
    let history = coverage::history(app, actor, institution).await?;
    let newest = overview::newest(app, actor, institution, NEWEST).await?;
    let attention = overview::attention(app, actor, institution).await?;
    let nav = console.nav(app, Section::Overview);
    let steps = match console.member.role.has_all_pages() {
        true => Some(steps::steps(app, actor, institution).await?).filter(|steps| !steps.are_over()),
        false => None,
    };
    let path = console.path("");
    let shown = OverviewPage {
        page: console.page(app, &path),
        figures: history.now,
        chart: Chart::new(words, &history),
        newest: newest.people.iter().filter_map(|one| row(app, console, one)).collect(),
        attention: tasks(words, &nav, attention),
        steps: steps.map(|steps| start::rows(words, &nav, &steps)),
        nav,
    };
    let media_of = newest.media_address.as_deref().and_then(origin_of);
    Ok(console.show_media(StatusCode::OK, &shown, media_of.as_deref()))
}

fn row(app: &App, console: &Console, one: &Participant) -> Option<Row> {
    let recording = one.recording.as_ref()?;
    let name = match one.full_name() {
        name if name.is_empty() => one.email.clone().unwrap_or_default(),
        name => name,
    };
    let link = app.links.recording(console.id(), recording);
    Some(Row {
        label: console.words().one("badge-play", "name", &name),
        name,
        page: one.page.title.clone(),
        page_path: format!("{}/p/{}/people", root(&app.links), one.page.slug),
        sound: format!("{}{FROM_PAGE}", path_of(&link)),
    })
}

fn tasks(words: Words, nav: &Nav, attention: Attention) -> Vec<Task> {
    let Attention { cases, bounces, dead_jobs, disabled_systems, expiring_tokens } = attention;
    let all = [
        ("console-attention-cases", cases, Section::Moderation),
        ("console-attention-bounces", bounces, Section::Messages),
        ("console-attention-jobs", dead_jobs, Section::Jobs),
        ("console-attention-systems", disabled_systems, Section::LearningSystems),
        ("console-attention-tokens", expiring_tokens, Section::Tokens),
    ];
    let task = |(id, count, section): (&str, u64, Section)| Task {
        title: words.text(id),
        count,
        address: nav.address(&section),
    };
    all.into_iter().filter(|(_, count, _)| *count > 0).map(task).collect()
}

async fn listen(app: &App, console: &Console) -> Result<Response> {
    let pages = members::own_pages(app, &console.actor, &console.member.person).await?.of_role;
    let path = console.path("");
    let shown =
        ReaderPage { page: console.page(app, &path), nav: console.nav(app, Section::Overview), pages };
    Ok(console.show(StatusCode::OK, &shown))
}
