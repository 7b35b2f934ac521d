//! `/console/{slug}/moderation`: recordings and entries that wait for approval and reports, of all name pages that a member runs.

use askama::Template;
use axum::{
    extract::{Request, State},
    http::{HeaderMap, StatusCode},
    response::Response,
};
use bytes::Bytes;

use super::{
    rule::{Least, Rule},
    visit::{Console, ConsoleForm, Nav},
};
use crate::{
    app::{
        App, Error, Missing, Result,
        moderation::{self, Listed, Target},
    },
    blobs::Shelf,
    domain::{ids::ModerationId, section::Section},
    http::{
        cases::{self, Frame, QueueView, RejectedReason, Told},
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
        Rule::get("/console/{slug}/moderation/{id}/photo", Least::Manager, photo),
    ]
}

#[derive(Template)]
#[template(path = "console/moderation.html")]
struct ModerationView<'a> {
    page: Page<'a>,
    nav: Nav,
    queue: QueueView<'a>,
}

async fn show(State(app): State<App>, console: Console, request: Request) -> Response {
    let query = Form::from_query(request.uri().query().unwrap_or_default());
    draw(&app, &console, StatusCode::OK, cases::place(&query), Told::by(&query)).await
}

async fn draw(
    app: &App,
    console: &Console,
    status: StatusCode,
    (listed, behind): (Listed, Option<ModerationId>),
    told: Told,
) -> Response {
    let found = moderation::queue(app, &console.actor, console.id(), None, listed, behind).await;
    let queue = match found {
        Ok(queue) => queue,
        Err(error) => return console.fault(app, &error),
    };
    let own_path = console.path("/moderation");
    let page = console.page(app, &own_path);
    let path = format!("{}{own_path}", page.root);
    let zone = &console.institution.time_zone;
    let frame = Frame { words: page.words, zone, path: &path, names_pages: true };
    let shown = ModerationView {
        nav: console.nav(app, Section::Moderation),
        queue: QueueView::new(frame, listed, &queue, told),
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
    let (Ok(case), Some(decision)) = (id.parse::<ModerationId>(), cases::decision(&app, &form)) else {
        return gone(&app, &console, listed).await;
    };
    let target = Target { case, page: None, heard: form.text("heard") };
    match moderation::decide(&app, &console.actor, console.id(), &target, decision).await {
        Ok(outcome) => console.go(&app, &format!("/moderation?{}", cases::query_after(&outcome, &form))),
        Err(Error::Invalid(errors)) => {
            let told = Told::rejected(RejectedReason::new(console.words(), case, &form, &errors));
            let from = (listed, cases::before(case, listed));
            draw(&app, &console, StatusCode::UNPROCESSABLE_ENTITY, from, told).await
        }
        Err(Error::Missing(_)) => gone(&app, &console, listed).await,
        Err(error) => console.fault(&app, &error),
    }
}

/// The queue, with the sentence that there is no such recording.
async fn gone(app: &App, console: &Console, listed: Listed) -> Response {
    draw(app, console, StatusCode::NOT_FOUND, (listed, None), Told::gone()).await
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
    let sound = moderation::sound(&app, &console.actor, console.id(), None, case).await;
    send_file(&app, &console, &headers, Shelf::Recordings, sound)
}

/// The picture of the entry that a case is about.
async fn photo(
    State(app): State<App>,
    console: Console,
    Path((_, id)): Path<(String, String)>,
    headers: HeaderMap,
) -> Response {
    let Ok(case) = id.parse::<ModerationId>() else {
        return console.fault(&app, &Error::Missing(Missing::Recording));
    };
    let picture = moderation::picture(&app, &console.actor, console.id(), None, case).await;
    send_file(&app, &console, &headers, Shelf::Photos, picture)
}

fn send_file(
    app: &App,
    console: &Console,
    headers: &HeaderMap,
    shelf: Shelf,
    file: Result<Bytes>,
) -> Response {
    match file {
        Ok(file) => ranges::private(headers, shelf.content_type(), &file),
        Err(error) => console.fault(app, &error),
    }
}
