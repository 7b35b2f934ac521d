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
        App, Error, Result,
        moderation::{self, Decision, Entry, Explanation, Listed, Outcome, Queue, Target},
    },
    blobs::Shelf,
    domain::{
        fault::Fault,
        field_errors::FieldErrors,
        ids::ModerationId,
        moderation::{Case, CaseKind, CaseState, Complaint, LONGEST, REASON},
        moment::Moment,
        name_page::NamePageRef,
        page_settings::Moderation,
    },
    http::{
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
    rows: Vec<Row<'a>>,
    /// The path of the next page.
    more: Option<String>,
    longest: usize,
    /// The sentence about what was just done.
    done: Option<String>,
    /// The sentence about what could not be done.
    trouble: Option<String>,
}

struct Row<'a> {
    id: ModerationId,
    name: String,
    phonetic: Option<&'a str>,
    hex: &'a str,
    /// Escaped, like the other two sentences with a date.
    about: String,
    sentences: Vec<&'a str>,
    /// Who has decided what, and when.
    decided: Option<String>,
    reason: Option<&'a str>,
    /// How long it can be restored.
    until: Option<String>,
    /// The path of the recording.
    sound: Option<String>,
    buttons: Vec<Button>,
    /// The form that needs a reason.
    refusal: Option<RefusalForm>,
}

struct Button {
    word: &'static str,
    /// The key that presses it.
    key: &'static str,
    label: String,
}

struct RefusalForm {
    word: &'static str,
    summary: String,
    label: String,
    typed: String,
    fault: Option<String>,
}

/// A reason that was not accepted.
struct Rejected {
    case: ModerationId,
    typed: String,
    fault: String,
}

/// What is shown besides the list.
#[derive(Default)]
struct Told {
    done: Option<&'static str>,
    trouble: Option<&'static str>,
    rejected: Option<Rejected>,
}

const DECIDED: &str = "decided";

pub async fn show(State(app): State<App>, Managed(visit): Managed, request: Request) -> Response {
    let query = Form::from_query(request.uri().query().unwrap_or_default());
    let done = match query.get("done") {
        Some("approve") => Some("moderation-done-approved"),
        Some("reject") => Some("moderation-done-rejected"),
        Some("remove") => Some("moderation-done-removed"),
        Some("dismiss") => Some("moderation-done-dismissed"),
        Some("restore") => Some("moderation-done-restored"),
        _ => None,
    };
    let trouble = match query.get("done") {
        Some("decided") => Some("moderation-done-decided"),
        Some("newer") => Some("moderation-done-newer"),
        _ => None,
    };
    let behind = query.get("after").and_then(|id| id.parse().ok());
    let told = Told { done, trouble, rejected: None };
    draw(&app, &visit, StatusCode::OK, (listed(&query), behind), told).await
}

fn listed(form: &Form) -> Listed {
    if form.get("list") == Some(DECIDED) { Listed::Decided } else { Listed::Open }
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
    Told { done, trouble, mut rejected }: Told,
) -> Response {
    let own_path = visit.path("/moderation");
    let page = visit.page(app, &own_path);
    let words = page.words;
    let path = format!("{}{own_path}", page.root);
    let is_decided = listed == Listed::Decided;
    let list = if is_decided { DECIDED } else { "open" };
    let rows = queue.entries.iter().map(|entry| {
        let rejected = rejected.take_if(|rejected| rejected.case == entry.case.id);
        row(visit, words, &path, entry, rejected)
    });
    let shown = ModerationPage {
        rows: rows.collect(),
        slug: &visit.public.page.slug,
        title: &visit.public.page.title,
        is_holding: visit.public.settings.moderation == Moderation::Hold,
        is_decided,
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

fn row<'a>(visit: &Visit, words: Words, path: &str, entry: &'a Entry, rejected: Option<Rejected>) -> Row<'a> {
    let Entry { case, person } = entry;
    let is_held = case.kind == CaseKind::Held && case.is_open();
    let has_sound = is_held || case.can_be_restored() || entry.is_audible();
    Row {
        id: case.id,
        name: person.full_name(),
        phonetic: person.phonetic.as_deref(),
        hex: &case.hex,
        about: about(visit, words, case),
        sentences: case.sentence.as_deref().unwrap_or_default().lines().collect(),
        decided: decided(visit, words, case),
        reason: case.reason.as_deref(),
        until: case
            .purge_at
            .filter(|_| case.can_be_restored())
            .map(|until| words.one_html("moderation-until", "date", &date(visit, until))),
        sound: has_sound.then(|| format!("{path}/{}/audio", case.id)),
        buttons: buttons(words, case),
        refusal: refusal(words, entry, rejected),
    }
}

fn date(visit: &Visit, moment: Moment) -> String {
    moment.date_in(&visit.public.institution.time_zone).to_string()
}

fn about(visit: &Visit, words: Words, case: &Case) -> String {
    let complaint = match case.complaint {
        None => return words.one_html("moderation-held", "date", &date(visit, case.created_at)),
        Some(Complaint::WrongPerson) => words.html("moderation-wrong-person", &[]),
        Some(Complaint::Offensive) => words.html("moderation-offensive", &[]),
        Some(Complaint::Unintelligible) => words.html("moderation-unintelligible", &[]),
    };
    format!("{complaint} · {}", words.one_html("moderation-reports", "count", case.reports))
}

fn decided(visit: &Visit, words: Words, case: &Case) -> Option<String> {
    let id = match case.state {
        CaseState::Open => return None,
        CaseState::Approved => "moderation-state-approved",
        CaseState::Rejected => "moderation-state-rejected",
        CaseState::Removed => "moderation-state-removed",
        CaseState::Dismissed => "moderation-state-dismissed",
        CaseState::Restored => "moderation-state-restored",
    };
    let by = case.decided_by.as_deref().unwrap_or("–");
    let at = case.decided_at.map(|at| date(visit, at)).unwrap_or_default();
    Some(words.html(id, &[("by", by.into()), ("date", at.as_str().into())]))
}

fn buttons(words: Words, case: &Case) -> Vec<Button> {
    let button = |word, key, id| Button { word, key, label: words.text(id) };
    if case.can_be_restored() {
        return vec![button("restore", "a", "moderation-restore")];
    }
    match (case.kind, case.is_open()) {
        (CaseKind::Held, true) => vec![button("approve", "a", "moderation-approve")],
        (CaseKind::Report, true) => vec![button("dismiss", "d", "moderation-dismiss")],
        (CaseKind::Held | CaseKind::Report, false) => Vec::new(),
    }
}

fn refusal(words: Words, entry: &Entry, rejected: Option<Rejected>) -> Option<RefusalForm> {
    let case = &entry.case;
    let (word, summary, label) = if case.kind == CaseKind::Held && case.is_open() {
        ("reject", "moderation-reject", "moderation-reject-now")
    } else if case.can_be_removed() && entry.is_audible() {
        ("remove", "moderation-remove", "moderation-remove-now")
    } else {
        return None;
    };
    let (typed, fault) = match rejected {
        Some(Rejected { typed, fault, .. }) => (typed, Some(fault)),
        None => (String::new(), None),
    };
    Some(RefusalForm { word, summary: words.text(summary), label: words.text(label), typed, fault })
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
    let listed = listed(&form);
    let word = form.get("decision").unwrap_or_default();
    let typed = form.get("reason").unwrap_or_default();
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
            let fault = reason_fault(Words::new(visit.language), &errors);
            let rejected = Some(Rejected { case, typed: typed.to_owned(), fault });
            let told = Told { rejected, ..Told::default() };
            draw(&app, &visit, StatusCode::UNPROCESSABLE_ENTITY, (listed, before(case, listed)), told).await
        }
        Err(Error::Missing(_)) => gone(&app, &visit, listed).await,
        Err(error) => notice::fault(visit.page(&app, &visit.path("/moderation")), &error),
    }
}

/// The list that begins with this case, wherever it is in the queue.
fn before(case: ModerationId, listed: Listed) -> Option<ModerationId> {
    Some(ModerationId::new(match listed {
        Listed::Open => case.get().saturating_sub(1),
        Listed::Decided => case.get().saturating_add(1),
    }))
}

/// The page, with the sentence that there is no such recording: its owner may have deleted it.
async fn gone(app: &App, visit: &Visit, listed: Listed) -> Response {
    let told = Told { trouble: Some("moderation-gone"), ..Told::default() };
    draw(app, visit, StatusCode::NOT_FOUND, (listed, None), told).await
}

/// `None` if there is no such decision.
async fn send(app: &App, visit: &Visit, case: ModerationId, form: &Form) -> Result<Option<Outcome>> {
    let (Some(actor), institution) = (&visit.actor, visit.public.institution.id) else { return Ok(None) };
    let target = &Target { case, page: Some(visit.public.page.id), heard: form.text("heard") };
    let explanation = || Explanation {
        reason: form.get("reason").unwrap_or_default().to_owned(),
        base_url: app.links.base().to_owned(),
    };
    let decision = match form.get("decision") {
        Some("approve") => Decision::Approve,
        Some("reject") => Decision::Reject(explanation()),
        Some("remove") => Decision::Remove(explanation()),
        Some("dismiss") => Decision::Dismiss,
        Some("restore") => Decision::Restore,
        _ => return Ok(None),
    };
    moderation::decide(app, actor, institution, target, decision).await.map(Some)
}

fn reason_fault(words: Words, errors: &FieldErrors) -> String {
    let faults = errors.iter().find(|(field, _)| **field == REASON);
    match faults.and_then(|(_, faults)| faults.first()) {
        Some(Fault::TooLong { most }) => words.one("me-fault-long", "most", *most as u64),
        Some(Fault::ControlCharacter) => words.text("me-fault-characters"),
        _ => words.text("moderation-fault-reason"),
    }
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
        return nothing(&Error::Missing(crate::app::Missing::Recording));
    };
    let (institution, page) = (visit.public.institution.id, visit.public.page.id);
    match moderation::sound(&app, actor, institution, page, case).await {
        Ok(sound) => ranges::private(&headers, Shelf::Recordings.content_type(), &sound),
        Err(error) => nothing(&error),
    }
}
