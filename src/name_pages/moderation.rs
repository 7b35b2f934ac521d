//! `/p/{slug}/moderation`: the queue of recordings that wait for approval and of reports, for managers.

use askama::Template;
use axum::{
    extract::{Request, State},
    http::{HeaderMap, StatusCode},
    response::Response,
};
use serde::Deserialize;

use super::visit::{Managed, Visit};
use crate::{
    app::{
        App, Error, Missing, Result,
        moderation::{self, Listed, Outcome, Queue, Target},
    },
    blobs::Shelf,
    domain::{ids::ModerationId, moderation::LONGEST, name_page::NamePageRef, page_settings::Moderation},
    http::{
        cases::{self, CaseRow, Frame, RejectedReason},
        form::Form,
        html::root,
        notice,
        page::{Microphone, Page},
        path::Path,
        policy::{Forms, Policy},
        ranges, reply,
        session::OwnForm,
    },
    words::Words,
};

#[derive(Template)]
#[template(path = "name_pages/moderation.html")]
struct ModerationPage<'a> {
    page: Page<'a>,
    slug: &'a str,
    title: &'a str,
    /// The path of this page, with the root.
    path: String,
    /// The page holds new recordings.
    is_holding: bool,
    /// The list of decided cases is shown.
    is_decided: bool,
    /// The value of the parameter `list`.
    list: &'static str,
    rows: Vec<CaseRow<'a>>,
    /// The path of the next page.
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

pub async fn show(State(app): State<App>, Managed(visit): Managed, request: Request) -> Response {
    let query = Form::from_query(request.uri().query().unwrap_or_default());
    let (done, trouble) = cases::told(query.get("done"));
    let behind = query.get("after").and_then(|id| id.parse().ok());
    let told = Told { done, trouble, rejected: None };
    draw(&app, &visit, StatusCode::OK, (cases::listed(&query), behind), told).await
}

async fn draw(
    app: &App,
    visit: &Visit,
    status: StatusCode,
    (listed, behind): (Listed, Option<ModerationId>),
    told: Told,
) -> Response {
    let path = visit.path("/moderation");
    match find(app, visit, listed, behind).await {
        Ok(queue) => render(app, visit, status, listed, &queue, told),
        Err(error) => notice::fault(visit.page(app, &path), &error),
    }
}

async fn find(app: &App, visit: &Visit, listed: Listed, behind: Option<ModerationId>) -> Result<Queue> {
    let Some(actor) = &visit.actor else { return Ok(Queue { entries: Vec::new(), next: None }) };
    let page = NamePageRef::parse(&visit.public.page.slug);
    moderation::queue(app, actor, visit.public.institution.id, page.as_ref(), listed, behind).await
}

fn render(
    app: &App,
    visit: &Visit,
    status: StatusCode,
    listed: Listed,
    queue: &Queue,
    Told { done, trouble, rejected }: Told,
) -> Response {
    let own_path = visit.path("/moderation");
    let page = visit.page(app, &own_path);
    let words = page.words;
    let path = format!("{}{own_path}", page.root);
    let list = cases::list_word(listed);
    let zone = &visit.public.institution.time_zone;
    let frame = Frame { words, zone, path: &path, names_pages: false };
    let shown = ModerationPage {
        rows: cases::rows(frame, &queue.entries, rejected),
        slug: &visit.public.page.slug,
        title: &visit.public.page.title,
        is_holding: visit.public.settings.moderation == Moderation::Hold,
        is_decided: listed == Listed::Decided,
        list,
        more: queue.next.map(|id| format!("{path}?list={list}&after={id}")),
        longest: LONGEST,
        done: done.map(|id| words.text(id)),
        trouble: trouble.map(|id| words.text(id)),
        path,
        page,
    };
    let policy = Policy { scripts: true, forms: Forms::SelfOnly, ..Policy::default() };
    visit.show(app, status, &shown, policy, Microphone::Unused)
}

#[derive(Deserialize)]
pub struct CasePath {
    id: String,
}

/// A decision of a manager.
pub async fn decide(
    State(app): State<App>,
    Managed(visit): Managed,
    Path(CasePath { id }): Path<CasePath>,
    OwnForm { form, .. }: OwnForm,
) -> Response {
    let listed = cases::listed(&form);
    let word = form.get("decision").unwrap_or_default();
    let Ok(case) = id.parse::<ModerationId>() else { return gone(&app, &visit, listed).await };
    match send(&app, &visit, case, &form).await {
        Ok(Some(outcome)) => {
            let done = match outcome {
                Outcome::Done(_) => word,
                Outcome::Decided(_) => "decided",
                Outcome::Newer(_) => "newer",
            };
            let list = if listed == Listed::Decided { "&list=decided" } else { "" };
            reply::see_other(&format!("{}{}?done={done}{list}", root(&app.links), visit.path("/moderation")))
        }
        Ok(None) => {
            let path = visit.path("/moderation");
            let page = visit.page(&app, &path);
            notice::show(StatusCode::BAD_REQUEST, page, "shared-unreadable-title", "shared-unreadable")
        }
        Err(Error::Invalid(errors)) => {
            let rejected = RejectedReason::new(Words::new(visit.language), case, &form, &errors);
            let told = Told { rejected: Some(rejected), ..Told::default() };
            let from = (listed, cases::before(case, listed));
            draw(&app, &visit, StatusCode::UNPROCESSABLE_ENTITY, from, told).await
        }
        Err(Error::Missing(_)) => gone(&app, &visit, listed).await,
        Err(error) => notice::fault(visit.page(&app, &visit.path("/moderation")), &error),
    }
}

/// The page, with the sentence that there is no such recording: its owner may have deleted it.
async fn gone(app: &App, visit: &Visit, listed: Listed) -> Response {
    let told = Told { trouble: Some("moderation-gone"), ..Told::default() };
    draw(app, visit, StatusCode::NOT_FOUND, (listed, None), told).await
}

/// `None` if there is no such decision.
async fn send(app: &App, visit: &Visit, case: ModerationId, form: &Form) -> Result<Option<Outcome>> {
    let (Some(actor), institution) = (&visit.actor, visit.public.institution.id) else { return Ok(None) };
    let Some(decision) = cases::decision(app, form) else { return Ok(None) };
    let target = &Target { case, page: Some(visit.public.page.id), heard: form.text("heard") };
    moderation::decide(app, actor, institution, target, decision).await.map(Some)
}

/// The recording that a case is about.
pub async fn audio(
    State(app): State<App>,
    Managed(visit): Managed,
    Path(CasePath { id }): Path<CasePath>,
    headers: HeaderMap,
) -> Response {
    let path = visit.path("/moderation");
    let nothing = |error: &Error| notice::fault(visit.page(&app, &path), error);
    let (Some(actor), Ok(case)) = (&visit.actor, id.parse::<ModerationId>()) else {
        return nothing(&Error::Missing(Missing::Recording));
    };
    let (institution, page) = (visit.public.institution.id, Some(visit.public.page.id));
    match moderation::sound(&app, actor, institution, page, case).await {
        Ok(sound) => ranges::private(&headers, Shelf::Recordings.content_type(), &sound),
        Err(error) => nothing(&error),
    }
}
