//! `/p/{slug}/import`: uploading a file of people or recordings, mapping its columns, the dry run, the import and its undo. A job does the
//! work, so that the pages only show its state, and reload themselves while it is busy.

mod file_page;
mod report;

use askama::Template;
use axum::{
    extract::{Request, State},
    http::{HeaderValue, StatusCode, header},
    response::Response,
};
use jiff::tz::TimeZone;
use serde::Deserialize;

pub use report::report;

use super::visit::{Managed, Visit};
use crate::{
    app::{
        App, Error,
        imports::{self, Mapping, Undone},
    },
    domain::{
        ids::{ImportId, InstitutionId, NamePageId},
        import::{Counts, Import, ImportState},
    },
    http::{
        csrf,
        html::root,
        multipart::MultipartForm,
        notice,
        page::Page,
        path::Path,
        reply,
        session::{OwnForm, SentForm, forged_by},
        when::minute,
    },
    words::{Arg, Words},
};

/// The largest file. Larger ones are imported on the command line.
const MAX_BYTES: usize = 20 << 20;
const REFRESH_SECONDS: &str = "2";

#[derive(Template)]
#[template(path = "name_pages/import.html")]
struct StartPage<'a> {
    page: Page<'a>,
    slug: &'a str,
    title: &'a str,
    fault: Option<String>,
    last: Option<LastImport>,
    is_undoable: bool,
    /// People who stand in the way of undoing it.
    names: Vec<String>,
    hint: String,
}

struct LastImport {
    id: ImportId,
    summary: String,
    /// Which import would be undone.
    which: String,
}

#[derive(Deserialize)]
pub struct FilePath {
    id: ImportId,
}

/// What is shown besides the form.
#[derive(Default)]
struct Told {
    fault: Option<String>,
    names: Vec<String>,
}

fn ids(visit: &Visit) -> (InstitutionId, NamePageId) {
    (visit.public.institution.id, visit.public.page.id)
}

pub async fn show(State(app): State<App>, Managed(visit): Managed) -> Response {
    draw(&app, &visit, StatusCode::OK, Told::default()).await
}

async fn draw(app: &App, visit: &Visit, status: StatusCode, told: Told) -> Response {
    let path = visit.path("/import");
    let page = visit.page(app, &path);
    let Some(actor) = &visit.actor else { return missing(page) };
    let (institution, name_page) = ids(visit);
    let (last, is_undoable) = match imports::last(app, actor, institution, name_page).await {
        Ok(found) => found,
        Err(error) => return notice::fault(page, &error),
    };
    let zone = &visit.public.institution.time_zone;
    let last = last.map(|last| LastImport {
        id: last.id,
        summary: summary(page.words, &last),
        which: which(page.words, &last, zone),
    });
    let public = &visit.public.page;
    let shown = StartPage {
        slug: &public.slug,
        title: &public.title,
        fault: told.fault,
        last,
        is_undoable,
        names: told.names,
        hint: page.words.one("import-file-hint", "most", Arg::Number((MAX_BYTES >> 20) as u64)),
        page,
    };
    visit.show_plain(app, status, &shown)
}

fn missing(page: Page<'_>) -> Response {
    notice::show(StatusCode::NOT_FOUND, page, "shared-nothing-title", "shared-nothing")
}

/// What has become of an import.
fn summary(words: Words, import: &Import) -> String {
    let Counts { created, updated, unchanged, refused, .. } = import.counts;
    match import.state {
        ImportState::Done => words.with(
            "import-last-done",
            &[
                ("created", Arg::Number(created)),
                ("updated", Arg::Number(updated)),
                ("unchanged", Arg::Number(unchanged)),
                ("refused", Arg::Number(refused)),
            ],
        ),
        state => words.text(state_id(state)),
    }
}

/// The question before an import is undone: when it was, and what it did.
fn which(words: Words, import: &Import, zone: &TimeZone) -> String {
    let at = minute(import.created_at, zone);
    let Counts { created, updated, .. } = import.counts;
    words.with(
        "import-undo-which",
        &[("date", Arg::Text(&at)), ("created", Arg::Number(created)), ("updated", Arg::Number(updated))],
    )
}

fn state_id(state: ImportState) -> &'static str {
    match state {
        ImportState::Uploaded => "import-state-uploaded",
        ImportState::Checking => "import-state-checking",
        ImportState::Checked => "import-state-checked",
        ImportState::Waiting => "import-state-waiting",
        ImportState::Running => "import-state-running",
        ImportState::Done => "import-state-done",
        ImportState::Failed => "import-state-failed",
        ImportState::Undoing => "import-state-undoing",
        ImportState::Undone => "import-state-undone",
    }
}

fn fault_id(word: &str) -> &'static str {
    match word {
        "unsupported" => "import-file-unsupported",
        "encrypted" => "import-file-encrypted",
        "large" => "import-file-large",
        "many" => "import-file-many",
        "no-table" => "import-file-no-table",
        "custom" => "import-file-custom",
        "twice" => "import-file-twice",
        "columns" => "import-file-columns",
        "waiting" => "import-file-waiting",
        "gone" => "import-file-gone",
        "undo" => "import-undo-failed",
        _ => "import-file-damaged",
    }
}

pub async fn upload(State(app): State<App>, Managed(visit): Managed, request: Request) -> Response {
    let (sent, request) = match SentForm::check(request, &app).await {
        Ok(checked) => checked,
        Err(refusal) => return refusal,
    };
    let (institution, name_page) = ids(&visit);
    let mut form = match MultipartForm::read(request, institution, MAX_BYTES).await {
        Ok(form) => form,
        Err(StatusCode::PAYLOAD_TOO_LARGE) => {
            return refuse(&app, &visit, StatusCode::PAYLOAD_TOO_LARGE, "import-file-large").await;
        }
        Err(StatusCode::SERVICE_UNAVAILABLE) => {
            return refuse(&app, &visit, StatusCode::SERVICE_UNAVAILABLE, "shared-busy").await;
        }
        Err(status) => return refuse(&app, &visit, status, "shared-unreadable").await,
    };
    if !sent.is_own(form.text(csrf::FIELD)) {
        return forged_by(&app, &sent.signed_in);
    }
    let Some(actor) = &visit.actor else { return missing(visit.page(&app, "/")) };
    let Some(file) = form.take("file").filter(|file| !file.is_empty()) else {
        return refuse(&app, &visit, StatusCode::UNPROCESSABLE_ENTITY, "import-no-file").await;
    };
    match imports::upload(&app, actor, (institution, name_page), "upload", file).await {
        Ok(Ok(id)) => to_file(&app, &visit, id),
        Ok(Err(fault)) => {
            refuse(&app, &visit, StatusCode::UNPROCESSABLE_ENTITY, fault_id(fault.word())).await
        }
        Err(error) => failed(&app, &visit, &error).await,
    }
}

async fn refuse(app: &App, visit: &Visit, status: StatusCode, id: &str) -> Response {
    let fault = Some(Words::new(visit.language).text(id));
    draw(app, visit, status, Told { fault, ..Told::default() }).await
}

fn to_file(app: &App, visit: &Visit, id: ImportId) -> Response {
    reply::see_other(&format!("{}{}", root(&app.links), visit.path(&format!("/import/{id}"))))
}

async fn failed(app: &App, visit: &Visit, error: &Error) -> Response {
    // An archived page is all that is invalid here.
    if matches!(error, Error::Invalid(_)) {
        return refuse(app, visit, StatusCode::CONFLICT, "import-archived").await;
    }
    let path = visit.path("/import");
    notice::fault(visit.page(app, &path), error)
}

pub async fn file(
    State(app): State<App>,
    Managed(visit): Managed,
    Path(FilePath { id }): Path<FilePath>,
) -> Response {
    let path = visit.path(&format!("/import/{id}"));
    let page = visit.page(&app, &path);
    let Some(actor) = &visit.actor else { return missing(page) };
    let (institution, name_page) = ids(&visit);
    let found = imports::find_upload(&app, actor, &visit.public.institution, name_page, id).await;
    let last = imports::last(&app, actor, institution, name_page).await;
    let (upload, is_undoable) = match (found, last) {
        (Ok(upload), Ok((last, is_undoable))) => {
            let is_last = last.is_some_and(|last| last.id == id);
            // The file was read first: it may still run there.
            let is_undoable =
                is_undoable && is_last && upload.import.has_changed() && !upload.import.state.is_busy();
            (upload, is_undoable)
        }
        (Err(error), _) | (_, Err(error)) => return notice::fault(page, &error),
    };
    let is_busy = upload.import.state.is_busy();
    let public = &visit.public.page;
    let which = which(page.words, &upload.import, &visit.public.institution.time_zone);
    let undo = is_undoable.then_some(which);
    let shown = file_page::of(page, (&public.slug, &public.title), &upload, undo);
    let mut response = visit.show_plain(&app, StatusCode::OK, &shown);
    if is_busy {
        response.headers_mut().insert(header::REFRESH, HeaderValue::from_static(REFRESH_SECONDS));
    }
    response
}

/// Takes the mapping, and starts the dry run.
pub async fn check(
    State(app): State<App>,
    Managed(visit): Managed,
    Path(FilePath { id }): Path<FilePath>,
    OwnForm { form, .. }: OwnForm,
) -> Response {
    let Some(actor) = &visit.actor else { return missing(visit.page(&app, "/")) };
    let line = form.get("line").and_then(|line| line.parse().ok());
    let fields: Vec<Option<String>> =
        (0..imports::limits::COLUMNS).map_while(|at| form.get(&format!("column-{at}"))).map(chosen).collect();
    let by_column = line.filter(|_| !fields.is_empty()).map(|line| (line, fields));
    let class = form.get("class").and_then(chosen);
    let mapping = Mapping { by_column, class, ..Mapping::default() };
    match imports::check_upload(&app, actor, ids(&visit), id, mapping).await {
        Ok(()) => to_file(&app, &visit, id),
        Err(error) => failed(&app, &visit, &error).await,
    }
}

fn chosen(field: &str) -> Option<String> {
    Some(field.to_owned()).filter(|field| !field.is_empty())
}

pub async fn run(
    State(app): State<App>,
    Managed(visit): Managed,
    Path(FilePath { id }): Path<FilePath>,
    _: OwnForm,
) -> Response {
    let Some(actor) = &visit.actor else { return missing(visit.page(&app, "/")) };
    match imports::import_upload(&app, actor, ids(&visit), id).await {
        Ok(()) => to_file(&app, &visit, id),
        Err(error) => failed(&app, &visit, &error).await,
    }
}

/// Starts to undo this import, if it is the last one of the page.
pub async fn undo(
    State(app): State<App>,
    Managed(visit): Managed,
    Path(FilePath { id }): Path<FilePath>,
    _: OwnForm,
) -> Response {
    let Some(actor) = &visit.actor else { return missing(visit.page(&app, "/")) };
    let refused = match imports::start_undo(&app, actor, ids(&visit), id).await {
        Ok(Ok(id)) => return to_file(&app, &visit, id),
        Ok(Err(refused)) => refused,
        Err(error) => return failed(&app, &visit, &error).await,
    };
    let (id, names) = match refused {
        Undone::Changed(names) => ("import-undo-changed", names),
        Undone::TooLate => ("import-undo-late", Vec::new()),
        Undone::Replaced => ("import-undo-replaced", Vec::new()),
        Undone::Nothing | Undone::Done { .. } => ("import-undo-nothing", Vec::new()),
    };
    let fault = Some(Words::new(visit.language).text(id));
    draw(&app, &visit, StatusCode::CONFLICT, Told { fault, names }).await
}
