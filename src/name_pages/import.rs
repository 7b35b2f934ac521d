//! `/p/{slug}/import`: uploading a file of people or recordings, mapping its columns, the dry run, the import and its undo. A job does the
//! work, so that the pages only show its state, and reload themselves while it is busy.

use askama::Template;
use axum::{
    body::{Body, Bytes},
    extract::{Request, State},
    http::{HeaderValue, StatusCode, header},
    response::Response,
};
use futures_util::{StreamExt, stream};
use serde::Deserialize;

use super::visit::{Managed, Visit};
use crate::{
    app::{
        App, Error,
        imports::{self, Mapping, ReportRow, Undone, Upload},
    },
    domain::{
        formula::neutralized,
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
}

#[derive(Template)]
#[template(path = "name_pages/import_file.html")]
struct FilePage<'a> {
    page: Page<'a>,
    slug: &'a str,
    title: &'a str,
    id: ImportId,
    /// About the state.
    state: String,
    /// People for whom the import was not undone.
    kept: Vec<String>,
    progress: Option<Progress>,
    fault: Option<String>,
    line: u64,
    columns: Vec<Column>,
    /// Of a OneRoster bundle.
    classes: Vec<Choice>,
    recordings: Option<String>,
    counts: Vec<String>,
    unknown: Option<String>,
    numeric_ids: bool,
    rows: Vec<ShownRow>,
    others: Option<String>,
    is_importable: bool,
    is_undoable: bool,
}

struct Progress {
    label: String,
    done: u64,
    total: u64,
}

struct Column {
    heading: String,
    samples: Vec<String>,
    choices: Vec<Choice>,
}

struct Choice {
    value: String,
    label: String,
    is_chosen: bool,
}

struct ShownRow {
    line: Option<u64>,
    who: String,
    outcome: String,
    is_refused: bool,
    details: String,
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
    let last = last.map(|last| LastImport { id: last.id, summary: summary(page.words, &last) });
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
    let mut response = draw(app, visit, status, Told { fault, ..Told::default() }).await;
    if status == StatusCode::SERVICE_UNAVAILABLE {
        response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from_static("5"));
    }
    response
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
            let is_undoable = is_undoable && is_last && upload.import.has_changed();
            (upload, is_undoable)
        }
        (Err(error), _) | (_, Err(error)) => return notice::fault(page, &error),
    };
    let is_busy = upload.import.state.is_busy();
    let public = &visit.public.page;
    let shown = file_page(page, (&public.slug, &public.title), &upload, is_undoable);
    let mut response = visit.show_plain(&app, StatusCode::OK, &shown);
    if is_busy {
        response.headers_mut().insert(header::REFRESH, HeaderValue::from_static(REFRESH_SECONDS));
    }
    response
}

fn file_page<'a>(
    page: Page<'a>,
    (slug, title): (&'a str, &'a str),
    upload: &Upload,
    is_undoable: bool,
) -> FilePage<'a> {
    let words = page.words;
    let Upload { import, report, .. } = upload;
    let is_counted = !matches!(import.state, ImportState::Uploaded | ImportState::Failed);
    let counts = if is_counted { counted(words, import) } else { Vec::new() };
    let unknown = (!report.unknown.is_empty())
        .then(|| words.one("import-unknown", "columns", report.unknown.join(", ").as_str()));
    FilePage {
        slug,
        title,
        id: import.id,
        state: words.text(if upload.kept.is_empty() { state_id(import.state) } else { "import-undo-kept" }),
        kept: upload.kept.clone(),
        progress: import.rows_total.filter(|total| *total > 0 && import.state.is_busy()).map(|total| {
            // While an import is undone, people are counted who are still changed.
            let is_undoing = import.state == ImportState::Undoing;
            let done = import.counts.done;
            let done = if is_undoing { total.saturating_sub(done) } else { done };
            let args = [("done", Arg::Number(done)), ("total", Arg::Number(total))];
            Progress { label: words.with("import-progress", &args), done, total }
        }),
        fault: import.fault.as_deref().map(|word| words.text(fault_id(word))),
        line: upload.beginning.as_ref().map_or(0, |beginning| beginning.line),
        columns: columns(words, upload),
        classes: classes(words, upload),
        recordings: upload
            .recordings
            .map(|count| words.one("import-recordings", "count", Arg::Number(count as u64))),
        counts,
        unknown,
        numeric_ids: report.numeric_ids > 0,
        rows: report.rows.iter().map(|row| shown_row(words, row)).collect(),
        others: (report.others > 0).then(|| words.one("import-others", "count", Arg::Number(report.others))),
        is_importable: import.state == ImportState::Checked,
        is_undoable,
        page,
    }
}

fn counted(words: Words, import: &Import) -> Vec<String> {
    let Counts { created, updated, unchanged, refused, .. } = import.counts;
    [
        ("import-count-created", created),
        ("import-count-updated", updated),
        ("import-count-unchanged", unchanged),
        ("import-count-refused", refused),
    ]
    .into_iter()
    .filter(|(_, count)| *count > 0)
    .map(|(id, count)| words.one(id, "count", Arg::Number(count)))
    .collect()
}

/// The columns with what they seem to be, or with what somebody has chosen.
fn columns(words: Words, upload: &Upload) -> Vec<Column> {
    let Some(beginning) = &upload.beginning else { return Vec::new() };
    let chosen = match &upload.mapping.by_column {
        Some((line, fields)) if *line == beginning.line => fields,
        _ => &beginning.fields,
    };
    let column = |(at, heading): (usize, &String)| {
        let field = chosen.get(at).and_then(Option::as_ref);
        let choice = |(key, label): &(String, Option<String>)| Choice {
            value: key.clone(),
            label: label.clone().unwrap_or_else(|| words.text(field_id(key))),
            is_chosen: field == Some(key),
        };
        let ignored = Choice {
            value: String::new(),
            label: words.text("import-field-ignore"),
            is_chosen: field.is_none(),
        };
        Column {
            heading: heading.clone(),
            samples: beginning.samples.iter().filter_map(|row| row.get(at).cloned()).collect(),
            choices: [ignored].into_iter().chain(upload.fields.iter().map(choice)).collect(),
        }
    };
    beginning.headings.iter().enumerate().map(column).collect()
}

/// All people of the bundle, or those of one class.
fn classes(words: Words, upload: &Upload) -> Vec<Choice> {
    if upload.classes.is_empty() {
        return Vec::new();
    }
    let chosen = upload.mapping.class.as_ref();
    let all =
        Choice { value: String::new(), label: words.text("import-class-all"), is_chosen: chosen.is_none() };
    let choice = |(id, title): &(String, String)| Choice {
        value: id.clone(),
        label: if title.is_empty() { id.clone() } else { format!("{title} ({id})") },
        is_chosen: chosen == Some(id),
    };
    [all].into_iter().chain(upload.classes.iter().map(choice)).collect()
}

fn field_id(key: &str) -> &'static str {
    match key {
        "email" => "import-field-email",
        "first_name" => "import-field-first-name",
        "last_name" => "import-field-last-name",
        "institution_id" => "import-field-id",
        "phonetic" => "import-field-phonetic",
        "notes" => "import-field-notes",
        "phone_number" => "import-field-phone",
        "legal_first_name" => "import-field-legal-first-name",
        "legal_last_name" => "import-field-legal-last-name",
        "legal_middle_name" => "import-field-legal-middle-name",
        "legal_phonetic" => "import-field-legal-phonetic",
        "legal_notes" => "import-field-legal-notes",
        "recording" => "import-field-recording",
        _ => "import-field-other",
    }
}

fn shown_row(words: Words, row: &ReportRow) -> ShownRow {
    let outcome = match row.outcome.as_str() {
        "created" => "import-row-created",
        "updated" => "import-row-updated",
        "unchanged" => "import-row-unchanged",
        "skipped" => "import-row-skipped",
        _ => "import-row-refused",
    };
    let name = |key: &str| match key.strip_prefix("custom_") {
        Some(custom) => custom.to_owned(),
        None => words.text(field_id(key)),
    };
    let fields: Vec<String> = row.fields.iter().map(|field| name(field)).collect();
    let reason = |reason: &imports::Reason| {
        let id = match reason.kind.as_str() {
            "blank" => "import-reason-blank",
            "taken" => "import-reason-taken",
            "long" => "import-reason-long",
            "control" => "import-reason-control",
            "phone" => "import-reason-phone",
            "text" => return words.text("import-reason-text"),
            "nobody" => return words.text("import-reason-nobody"),
            "twice" => return words.text("import-reason-twice"),
            "sound" => return words.text("import-reason-sound"),
            _ => "import-reason-invalid",
        };
        words.one(id, "field", name(&reason.field).as_str())
    };
    let reasons: Vec<String> = row.reasons.iter().map(reason).collect();
    let details = if reasons.is_empty() { fields.join(", ") } else { reasons.join(" ") };
    ShownRow {
        line: Some(row.line).filter(|line| *line > 0),
        who: row.who.clone(),
        outcome: words.text(outcome),
        is_refused: row.outcome == "refused",
        details,
    }
}

/// All rows of the report as a file. The page shows only some of them.
pub async fn report(
    State(app): State<App>,
    Managed(visit): Managed,
    Path(FilePath { id }): Path<FilePath>,
) -> Response {
    let path = visit.path(&format!("/import/{id}"));
    let Some(actor) = visit.actor.clone() else { return missing(visit.page(&app, &path)) };
    let (here, words) = (ids(&visit), Words::new(visit.language));
    // Until the first part has been read, a failure can be a page.
    let first = imports::report_part(&app, &actor, here, id, 0).await;
    let first = match first.and_then(|rows| beginning(words, &rows.unwrap_or_default())) {
        Ok(first) => first,
        Err(error) => return notice::fault(visit.page(&app, &path), &error),
    };
    let others = stream::try_unfold(1, move |number| {
        let (app, actor) = (app.clone(), actor.clone());
        async move {
            let rows = imports::report_part(&app, &actor, here, id, number).await?;
            let part = rows.map(|rows| table(rows.iter().map(|row| cells(words, row)))).transpose()?;
            Ok::<_, Error>(part.map(|part| (Bytes::from(part), number + 1)))
        }
    });
    let first = stream::once(async move { Ok::<_, Error>(Bytes::from(first)) });
    let mut response = Response::new(Body::from_stream(first.chain(others)));
    let headers = response.headers_mut();
    for (name, value) in [
        (header::CONTENT_TYPE, "text/csv; charset=utf-8"),
        (header::CONTENT_DISPOSITION, "attachment; filename=\"import.csv\""),
        (header::CACHE_CONTROL, "no-store"),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "no-referrer"),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
    headers.insert("x-robots-tag", HeaderValue::from_static("noindex"));
    response
}

/// The headings and the first rows. Spreadsheet programs read a CSV file as UTF-8 if it begins with a byte-order mark.
fn beginning(words: Words, rows: &[ReportRow]) -> Result<Vec<u8>, Error> {
    let headings = ["import-row-line", "import-row-who", "import-row-result", "import-row-details"];
    let headings = headings.map(|id| words.text(id));
    let rows = [headings].into_iter().chain(rows.iter().map(|row| cells(words, row)));
    Ok([b"\xef\xbb\xbf".to_vec(), table(rows)?].concat())
}

fn cells(words: Words, row: &ReportRow) -> [String; 4] {
    let ShownRow { line, who, outcome, details, .. } = shown_row(words, row);
    // Isolates around names are for lines of text.
    let details = details.replace(['\u{2068}', '\u{2069}'], "");
    [line.map(|line| line.to_string()).unwrap_or_default(), who, outcome, details]
}

fn table(rows: impl Iterator<Item = [String; 4]>) -> Result<Vec<u8>, Error> {
    let mut writer = csv::WriterBuilder::new().terminator(csv::Terminator::CRLF).from_writer(Vec::new());
    for row in rows {
        let written = writer.write_record(row.iter().map(|cell| neutralized(cell).into_owned()));
        written.map_err(|error| Error::Internal(format!("writing a CSV file failed: {error}")))?;
    }
    writer.into_inner().map_err(|error| Error::Internal(error.to_string()))
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

/// Starts to undo the last import of the page, whatever the address says: an older one has nothing to undo.
pub async fn undo(
    State(app): State<App>,
    Managed(visit): Managed,
    Path(FilePath { .. }): Path<FilePath>,
    _: OwnForm,
) -> Response {
    let Some(actor) = &visit.actor else { return missing(visit.page(&app, "/")) };
    let refused = match imports::start_undo(&app, actor, ids(&visit)).await {
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
