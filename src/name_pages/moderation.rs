//! `/p/{slug}/moderation`: the queue of recordings and entries that wait for approval and of reports, for managers.

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
    domain::{ids::ModerationId, name_page::NamePageRef, page_settings::Moderation},
    http::{
        cases::{self, Frame, QueueView, RejectedReason, Told},
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
    /// The page holds new recordings.
    is_holding: bool,
    queue: QueueView<'a>,
}

pub async fn show(State(app): State<App>, Managed(visit): Managed, request: Request) -> Response {
    let query = Form::from_query(request.uri().query().unwrap_or_default());
    draw(&app, &visit, StatusCode::OK, cases::place(&query), Told::by(&query)).await
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
    let Some(actor) = &visit.actor else { return Ok(Queue::default()) };
    let page = NamePageRef::parse(&visit.public.page.slug);
    moderation::queue(app, actor, visit.public.institution.id, page.as_ref(), listed, behind).await
}

fn render(
    app: &App,
    visit: &Visit,
    status: StatusCode,
    listed: Listed,
    queue: &Queue,
    told: Told,
) -> Response {
    let own_path = visit.path("/moderation");
    let page = visit.page(app, &own_path);
    let path = format!("{}{own_path}", page.root);
    let zone = &visit.public.institution.time_zone;
    let frame = Frame { words: page.words, zone, path: &path, names_pages: false };
    let shown = ModerationPage {
        slug: &visit.public.page.slug,
        title: &visit.public.page.title,
        is_holding: visit.public.settings.moderation == Moderation::Hold,
        queue: QueueView::new(frame, listed, queue, told),
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
    let Ok(case) = id.parse::<ModerationId>() else { return gone(&app, &visit, listed).await };
    match send(&app, &visit, case, &form).await {
        Ok(Some(outcome)) => {
            let (path, query) = (visit.path("/moderation"), cases::query_after(&outcome, &form));
            reply::see_other(&format!("{}{path}?{query}", root(&app.links)))
        }
        Ok(None) => {
            let path = visit.path("/moderation");
            let page = visit.page(&app, &path);
            notice::show(StatusCode::BAD_REQUEST, page, "shared-unreadable-title", "shared-unreadable")
        }
        Err(Error::Invalid(errors)) => {
            let words = Words::new(visit.language);
            let told = Told::rejected(RejectedReason::new(words, case, &form, &errors));
            let from = (listed, cases::before(case, listed));
            draw(&app, &visit, StatusCode::UNPROCESSABLE_ENTITY, from, told).await
        }
        Err(Error::Missing(_)) => gone(&app, &visit, listed).await,
        Err(error) => notice::fault(visit.page(&app, &visit.path("/moderation")), &error),
    }
}

/// The page, with the sentence that there is no such recording.
async fn gone(app: &App, visit: &Visit, listed: Listed) -> Response {
    draw(app, visit, StatusCode::NOT_FOUND, (listed, None), Told::gone()).await
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
    send_file(&app, &visit, &id, &headers, Shelf::Recordings).await
}

/// The picture of the entry that a case is about.
pub async fn photo(
    State(app): State<App>,
    Managed(visit): Managed,
    Path(CasePath { id }): Path<CasePath>,
    headers: HeaderMap,
) -> Response {
    send_file(&app, &visit, &id, &headers, Shelf::Photos).await
}

async fn send_file(app: &App, visit: &Visit, id: &str, headers: &HeaderMap, shelf: Shelf) -> Response {
    let path = visit.path("/moderation");
    let nothing = |error: &Error| notice::fault(visit.page(app, &path), error);
    let (Some(actor), Ok(case)) = (&visit.actor, id.parse::<ModerationId>()) else {
        return nothing(&Error::Missing(Missing::Recording));
    };
    let (institution, page) = (visit.public.institution.id, Some(visit.public.page.id));
    let file = match shelf {
        Shelf::Photos => moderation::picture(app, actor, institution, page, case).await,
        _ => moderation::sound(app, actor, institution, page, case).await,
    };
    match file {
        Ok(file) => ranges::private(headers, shelf.content_type(), &file),
        Err(error) => nothing(&error),
    }
}
