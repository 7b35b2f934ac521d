//! `/console/{slug}/moderation`: recordings that wait for approval and reports, of all name pages that a member runs.

use askama::Template;
use axum::{
    extract::{Request, State},
    http::{HeaderMap, StatusCode},
    response::Response,
};

use super::{
    rule::{Least, Rule},
    visit::{Console, ConsoleForm, Nav},
};
use crate::{
    app::{
        App, Error, Missing,
        moderation::{self, Listed, Outcome, Queue, Target},
    },
    blobs::Shelf,
    domain::{ids::ModerationId, moderation::LONGEST, section::Section},
    http::{
        cases::{self, CaseRow, Frame, RejectedReason},
        form::Form,
        page::Page,
        path::Path,
        ranges,
    },
};

pub fn rules() -> Vec<Rule> {
    vec![
        Rule::get("/console/{slug}/moderation", Least::Manager, show),
        Rule::post("/console/{slug}/moderation/{id}", Least::Manager, decide),
        Rule::get("/console/{slug}/moderation/{id}/audio", Least::Manager, audio),
    ]
}

#[derive(Template)]
#[template(path = "console/moderation.html")]
struct ModerationView<'a> {
    page: Page<'a>,
    nav: Nav,
    /// The path of the queue, with the root.
    path: String,
    /// The list of decided cases is shown.
    is_decided: bool,
    /// The value of the parameter `list`.
    list: &'static str,
    rows: Vec<CaseRow<'a>>,
    /// The path of the next part.
    more: Option<String>,
    longest: usize,
    /// The sentence about what was just done.
    done: Option<String>,
    /// The sentence about what could not be done.
    trouble: Option<String>,
}

/// What is shown besides the list.
#[derive(Default)]
struct Told {
    done: Option<&'static str>,
    trouble: Option<&'static str>,
    rejected: Option<RejectedReason>,
}

async fn show(State(app): State<App>, console: Console, request: Request) -> Response {
    let query = Form::from_query(request.uri().query().unwrap_or_default());
    let (done, trouble) = cases::told(query.get("done"));
    let behind = query.get("after").and_then(|id| id.parse().ok());
    let told = Told { done, trouble, rejected: None };
    draw(&app, &console, StatusCode::OK, (cases::listed(&query), behind), told).await
}

async fn draw(
    app: &App,
    console: &Console,
    status: StatusCode,
    (listed, behind): (Listed, Option<ModerationId>),
    told: Told,
) -> Response {
    match moderation::queue(app, &console.actor, console.id(), None, listed, behind).await {
        Ok(queue) => render(app, console, status, listed, &queue, told),
        Err(error) => console.fault(app, &error),
    }
}

fn render(
    app: &App,
    console: &Console,
    status: StatusCode,
    listed: Listed,
    queue: &Queue,
    Told { done, trouble, rejected }: Told,
) -> Response {
    let own_path = console.path("/moderation");
    let page = console.page(app, &own_path);
    let words = page.words;
    let path = format!("{}{own_path}", page.root);
    let list = cases::list_word(listed);
    let zone = &console.institution.time_zone;
    let frame = Frame { words, zone, path: &path, names_pages: true };
    let shown = ModerationView {
        nav: console.nav(app, Section::Moderation),
        rows: cases::rows(frame, &queue.entries, rejected),
        is_decided: listed == Listed::Decided,
        list,
        more: queue.next.map(|id| format!("{path}?list={list}&after={id}")),
        longest: LONGEST,
        done: done.map(|id| words.text(id)),
        trouble: trouble.map(|id| words.text(id)),
        path,
        page,
    };
    console.show(status, &shown)
}

async fn decide(
    State(app): State<App>,
    Path((_, id)): Path<(String, String)>,
    ConsoleForm { console, form }: ConsoleForm,
) -> Response {
    let listed = cases::listed(&form);
    let word = form.get("decision").unwrap_or_default();
    let (Ok(case), Some(decision)) = (id.parse::<ModerationId>(), cases::decision(&app, &form)) else {
        return gone(&app, &console, listed).await;
    };
    let target = Target { case, page: None, heard: form.text("heard") };
    match moderation::decide(&app, &console.actor, console.id(), &target, decision).await {
        Ok(outcome) => {
            let done = match outcome {
                Outcome::Done(_) => word,
                Outcome::Decided(_) => "decided",
                Outcome::Newer(_) => "newer",
            };
            let list = if listed == Listed::Decided { "&list=decided" } else { "" };
            console.go(&app, &format!("/moderation?done={done}{list}"))
        }
        Err(Error::Invalid(errors)) => {
            let rejected = Some(RejectedReason::new(console.words(), case, &form, &errors));
            let (from, told) = ((listed, cases::before(case, listed)), Told { rejected, ..Told::default() });
            draw(&app, &console, StatusCode::UNPROCESSABLE_ENTITY, from, told).await
        }
        Err(Error::Missing(_)) => gone(&app, &console, listed).await,
        Err(error) => console.fault(&app, &error),
    }
}

/// The queue, with the sentence that there is no such recording: its owner may have deleted it.
async fn gone(app: &App, console: &Console, listed: Listed) -> Response {
    let told = Told { trouble: Some("moderation-gone"), ..Told::default() };
    draw(app, console, StatusCode::NOT_FOUND, (listed, None), told).await
}

/// The recording that a case is about.
async fn audio(
    State(app): State<App>,
    console: Console,
    Path((_, id)): Path<(String, String)>,
    headers: HeaderMap,
) -> Response {
    let Ok(case) = id.parse::<ModerationId>() else {
        return console.fault(&app, &Error::Missing(Missing::Recording));
    };
    match moderation::sound(&app, &console.actor, console.id(), None, case).await {
        Ok(sound) => ranges::private(&headers, Shelf::Recordings.content_type(), &sound),
        Err(error) => console.fault(&app, &error),
    }
}
