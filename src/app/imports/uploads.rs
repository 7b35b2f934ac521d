//! Files that managers upload on the page of a name page. A job reads and imports them, so that the import goes on when the browser does
//! not, and after a restart.

use base64::{Engine, engine::general_purpose::STANDARD};
use serde::{Deserialize, Serialize};
use tokio::task::spawn_blocking;

use super::{
    super::{Actor, App, Error, Missing, Result, jobs},
    CallPolicy, Format, Input, Mapping, Options, Outcome, Recordings, RowReport, Run, SheetFault, Target,
    formats::classes,
    sheet, undo,
};
use crate::{
    domain::{
        fault::Fault,
        ids::{ImportId, InstitutionId, JobId, NamePageId},
        import::{Counts, Import, ImportState},
        institution::Institution,
        job::Job,
    },
    store::{self, Sql, imports},
};

/// The bytes of an uploaded file that are stored together.
const PART: usize = 192 << 10;
/// Rows of each kind that a report keeps.
const MOST_REFUSED: usize = 200;
const MOST_OTHERS: usize = 200;
/// The whole report, which people download, as JSON. Rows beyond are left out.
const REPORT_BYTES: usize = 32 << 20;
/// Files that wait on a page to be imported.
const MOST_WAITING: i64 = 20;
/// The characters of a heading or a cell that are shown to whoever corrects the mapping.
const SHOWN: usize = 200;

/// An upload as its page shows it.
pub struct Upload {
    pub import: Import,
    pub mapping: Mapping,
    /// The beginning of the table, as long as its columns are being mapped.
    pub beginning: Option<sheet::Beginning>,
    /// The classes of a OneRoster bundle, by id and title.
    pub classes: Vec<(String, String)>,
    /// A ZIP file of so many recordings.
    pub recordings: Option<usize>,
    pub report: Report,
    /// The fields that a column can have, with the labels of custom ones.
    pub fields: Vec<(String, Option<String>)>,
    /// Names of people for whom it was not undone, because somebody had changed them meanwhile.
    pub kept: Vec<String>,
}

/// What a file begins with. It is read once, and stored with the file: reading a spreadsheet can take seconds, and its page is reloaded
/// often.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
struct Look {
    beginning: Option<sheet::Beginning>,
    #[serde(default)]
    classes: Vec<(String, String)>,
    recordings: Option<usize>,
    fault: Option<String>,
}

impl Look {
    /// Fails if this is no file that can be imported. A fault inside of it is part of the result.
    fn at(input: &Input, options: &Options) -> std::result::Result<Self, SheetFault> {
        let look = match Format::of(input)? {
            Format::Recordings => Recordings::in_zip(input)
                .map(|files| Self { recordings: Some(files.len()), ..Self::default() }),
            Format::OneRoster => Self::at_bundle(input, options),
            Format::Csv | Format::Xlsx | Format::Ods => Self::at_table(input, options),
        };
        Ok(look.unwrap_or_else(|fault| Self { fault: Some(fault.word().to_owned()), ..Self::default() }))
    }

    fn at_table(input: &Input, options: &Options) -> std::result::Result<Self, SheetFault> {
        let beginning = Some(shortened(sheet::beginning(input, options)?));
        Ok(Self { beginning, ..Self::default() })
    }

    fn at_bundle(input: &Input, options: &Options) -> std::result::Result<Self, SheetFault> {
        let mut classes = classes(input)?;
        classes.iter_mut().for_each(|(_, title)| shorten(title));
        Ok(Self { classes, ..Self::at_table(input, options)? })
    }
}

fn shortened(mut beginning: sheet::Beginning) -> sheet::Beginning {
    beginning.headings.iter_mut().chain(beginning.samples.iter_mut().flatten()).for_each(shorten);
    beginning
}

fn shorten(text: &mut String) {
    if let Some((end, _)) = text.char_indices().nth(SHOWN) {
        text.truncate(end);
    }
}

/// The results of single rows: all that were refused or would change something, within limits.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Report {
    pub rows: Vec<ReportRow>,
    /// Rows that are not among them.
    pub others: u64,
    /// Headings of columns that are ignored.
    #[serde(default)]
    pub unknown: Vec<String>,
    #[serde(default)]
    pub numeric_ids: u64,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReportRow {
    pub line: u64,
    /// The email, or the name of a file.
    pub who: String,
    pub outcome: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fields: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reasons: Vec<Reason>,
}

/// What is wrong with a field, by a word for its kind.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reason {
    pub field: String,
    pub kind: String,
}

impl ReportRow {
    fn of(row: &RowReport) -> Self {
        let (outcome, fields, reasons) = match &row.outcome {
            Outcome::Created => ("created", Vec::new(), Vec::new()),
            Outcome::Updated(fields) => ("updated", fields.clone(), Vec::new()),
            Outcome::Unchanged => ("unchanged", Vec::new(), Vec::new()),
            Outcome::Skipped => ("skipped", Vec::new(), Vec::new()),
            Outcome::Refused(errors) => {
                let reasons = errors.iter().flat_map(|(field, faults)| {
                    faults
                        .iter()
                        .map(|fault| Reason { field: field.name().to_owned(), kind: kind(fault).to_owned() })
                });
                ("refused", Vec::new(), reasons.collect())
            }
        };
        let mut who = row.email.clone();
        shorten(&mut who);
        Self { line: row.line, who, outcome: outcome.to_owned(), fields, reasons }
    }
}

/// Those that rows of a file can have; all others are `invalid`.
fn kind(fault: &Fault) -> &'static str {
    match fault {
        Fault::Blank => "blank",
        Fault::Taken => "taken",
        Fault::TooLong { .. } => "long",
        Fault::ControlCharacter => "control",
        Fault::NotAPhoneNumber => "phone",
        Fault::NotText => "text",
        _ => "invalid",
    }
}

/// Collects the report of an import.
#[derive(Default)]
struct Collector {
    report: Report,
    refused: usize,
    whole: WholeReport,
}

/// All rows as JSON, one per line, in parts. They are stored apart from the report, which every view of the page reads.
#[derive(Default)]
struct WholeReport {
    parts: Vec<String>,
    bytes: usize,
}

impl WholeReport {
    fn add(&mut self, row: &ReportRow) {
        // It has only texts and numbers, so this never fails.
        let Ok(mut line) = serde_json::to_string(row) else { return };
        line.push('\n');
        if self.bytes + line.len() > REPORT_BYTES {
            return;
        }
        self.bytes += line.len();
        match self.parts.last_mut() {
            Some(part) if part.len() < PART => part.push_str(&line),
            _ => self.parts.push(line),
        }
    }
}

impl Collector {
    fn add(&mut self, row: ReportRow) {
        self.whole.add(&row);
        let is_refused = row.outcome == "refused";
        let others = self.report.rows.len() - self.refused;
        let has_room = if is_refused { self.refused < MOST_REFUSED } else { others < MOST_OTHERS };
        if has_room {
            self.refused += usize::from(is_refused);
            self.report.rows.push(row);
        } else {
            self.report.others += 1;
        }
    }
}

/// Stores a file. The inner error says that it is none that can be imported.
pub async fn upload(
    app: &App,
    actor: &Actor,
    (institution, page): (InstitutionId, NamePageId),
    file_name: &str,
    bytes: Vec<u8>,
) -> Result<Result<ImportId, SheetFault>> {
    actor.manage(institution, page)?;
    super::require_writable(app, institution, page).await?;
    let owner = store::institutions::by_id(&mut app.db.read(), institution).await?;
    let owner = owner.ok_or(Error::Missing(Missing::NamePage))?;
    let options = super::options(app, actor, &owner, page, (Mapping::default(), None)).await?;
    let input = Input::Bytes(bytes.into());
    let read = input.clone();
    let look = match blocking(move || Look::at(&read, &options)).await? {
        Ok(look) => serde_json::to_string(&look).map_err(|error| Error::Internal(error.to_string()))?,
        Err(fault) => return Ok(Err(fault)),
    };
    let Input::Bytes(bytes) = input else { return Ok(Err(SheetFault::NoTable)) };
    let now = app.clock.now();
    let name: String = file_name.chars().filter(|c| !c.is_control()).take(200).collect();
    let import = Import {
        id: app.ids.id(now),
        page,
        state: ImportState::Uploaded,
        file_name: name,
        mapping: "{}".to_owned(),
        // Until it is known who imports it.
        starts_with_newest: false,
        counts: Counts::default(),
        rows_total: None,
        report: None,
        fault: None,
        created_at: now,
    };
    let id = import.id;
    let parts: Vec<String> = bytes.chunks(PART).map(|part| STANDARD.encode(part)).collect();
    let is_stored = app
        .db
        .write::<_, Error>(move |sql| {
            Box::pin(async move {
                imports::delete_old(sql, now.plus_days(-undo::UNDO_DAYS)).await?;
                if imports::waiting_files(sql, institution, page).await? >= MOST_WAITING {
                    return Ok(false);
                }
                imports::insert(sql, institution, &import).await?;
                imports::set_beginning(sql, institution, id, &look).await?;
                imports::insert_file(sql, institution, id, &parts).await?;
                Ok(true)
            })
        })
        .await?;
    Ok(if is_stored { Ok(id) } else { Err(SheetFault::TooManyUploads) })
}

/// Runs on a thread that may block.
async fn blocking<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T> {
    spawn_blocking(work).await.map_err(|error| Error::Internal(format!("reading a file failed: {error}")))
}

/// An import of this page.
async fn found(
    sql: &mut Sql,
    (institution, page): (InstitutionId, NamePageId),
    id: ImportId,
) -> Result<Import> {
    let found = imports::find(sql, institution, id).await?;
    found.filter(|import| import.page == page).ok_or(Error::Missing(Missing::Export))
}

async fn file(app: &App, institution: InstitutionId, id: ImportId) -> Result<Input> {
    let mut bytes = Vec::new();
    for number in 0.. {
        let part = imports::file_part(&mut app.db.read(), institution, id, number).await?;
        let Some(part) = part else { break };
        let damaged = |_| Error::Internal("an uploaded file is damaged".to_owned());
        STANDARD.decode_vec(part, &mut bytes).map_err(damaged)?;
    }
    Ok(Input::Bytes(bytes.into()))
}

fn mapping(import: &Import) -> Mapping {
    // Written by ourselves; without a readable one, the headings are interpreted.
    serde_json::from_str(&import.mapping).unwrap_or_default()
}

/// What the page of an upload shows.
pub async fn find_upload(
    app: &App,
    actor: &Actor,
    institution: &Institution,
    page: NamePageId,
    id: ImportId,
) -> Result<Upload> {
    actor.manage(institution.id, page)?;
    let import = found(&mut app.db.read(), (institution.id, page), id).await?;
    let report =
        import.report.as_deref().and_then(|json| serde_json::from_str(json).ok()).unwrap_or_default();
    let mapping = mapping(&import);
    let mut upload = Upload {
        import,
        mapping,
        beginning: None,
        classes: Vec::new(),
        recordings: None,
        report,
        fields: Vec::new(),
        kept: Vec::new(),
    };
    if upload.import.state == ImportState::Undone {
        upload.kept = imports::touched(&mut app.db.read(), institution.id, id, undo::MOST_NAMES).await?;
    }
    let is_open =
        matches!(upload.import.state, ImportState::Uploaded | ImportState::Checked | ImportState::Failed);
    if !is_open {
        return Ok(upload);
    }
    let options = super::options(app, actor, institution, page, (upload.mapping.clone(), None)).await?;
    let has_legal_names = institution.multiple_recordings;
    let label = |key: &String| {
        let field = options.custom.iter().find(|field| field.has_import_key(key));
        field.map(|field| field.label.clone())
    };
    let fields = super::fields(&options.custom, has_legal_names);
    upload.fields = fields.into_iter().map(|key| (key.clone(), label(&key))).collect();
    let look = imports::beginning(&mut app.db.read(), institution.id, id).await?;
    // Without one, the file is gone.
    let gone = || Look { fault: Some("damaged".to_owned()), ..Look::default() };
    let look: Look = look.and_then(|json| serde_json::from_str(&json).ok()).unwrap_or_else(gone);
    (upload.beginning, upload.classes, upload.recordings) = (look.beginning, look.classes, look.recordings);
    if look.fault.is_some() {
        upload.import.fault = look.fault;
    }
    Ok(upload)
}

/// A part of the whole report, by its number from 0, or nothing behind the last one.
pub async fn report_part(
    app: &App,
    actor: &Actor,
    (institution, page): (InstitutionId, NamePageId),
    id: ImportId,
    number: i64,
) -> Result<Option<Vec<ReportRow>>> {
    actor.manage(institution, page)?;
    let sql = &mut app.db.read();
    found(sql, (institution, page), id).await?;
    let Some(part) = imports::report_part(sql, institution, id, number).await? else { return Ok(None) };
    let rows: serde_json::Result<Vec<ReportRow>> = part.lines().map(serde_json::from_str).collect();
    rows.map(Some).map_err(|error| Error::Internal(format!("a report is damaged: {error}")))
}

/// Sets the mapping, and starts a dry run.
pub async fn check_upload(
    app: &App,
    actor: &Actor,
    (institution, page): (InstitutionId, NamePageId),
    id: ImportId,
    mapping: Mapping,
) -> Result<()> {
    actor.manage(institution, page)?;
    let json = serde_json::to_string(&mapping).map_err(|error| Error::Internal(error.to_string()))?;
    let from = [ImportState::Uploaded, ImportState::Checked, ImportState::Failed];
    enqueue(app, (institution, page), id, (&from, ImportState::Checking), Setting::Mapping(json)).await
}

/// Starts the import of a file after its dry run.
pub async fn import_upload(
    app: &App,
    actor: &Actor,
    (institution, page): (InstitutionId, NamePageId),
    id: ImportId,
) -> Result<()> {
    actor.manage(institution, page)?;
    super::require_writable(app, institution, page).await?;
    // The job acts for the server, which has all pages.
    let setting = Setting::StartsWithNewest(super::starts_with_newest(actor, institution)?);
    enqueue(app, (institution, page), id, (&[ImportState::Checked], ImportState::Waiting), setting).await
}

/// What the job is told, besides the state.
enum Setting {
    /// JSON.
    Mapping(String),
    StartsWithNewest(bool),
}

/// In another state, somebody has been quicker, and nothing happens.
async fn enqueue(
    app: &App,
    (institution, page): (InstitutionId, NamePageId),
    id: ImportId,
    (from, to): (&[ImportState], ImportState),
    setting: Setting,
) -> Result<()> {
    let now = app.clock.now();
    let (job, from) = (app.ids.id::<JobId>(now), from.to_vec());
    app.db
        .write::<_, Error>(move |sql| {
            Box::pin(async move {
                found(sql, (institution, page), id).await?;
                if !imports::change_state(sql, institution, id, &from, to).await? {
                    return Ok(());
                }
                match setting {
                    Setting::Mapping(json) => imports::set_mapping(sql, institution, id, &json).await?,
                    Setting::StartsWithNewest(wanted) => {
                        imports::set_starts_with_newest(sql, institution, id, wanted).await?;
                    }
                }
                let run = Job::RunImport { institution, import: id };
                jobs::enqueue(sql, job, &run, now, now).await
            })
        })
        .await?;
    app.queue.wake();
    Ok(())
}

/// What the job does: the dry run, the import or its undo, depending on the state.
pub async fn run(app: &App, institution: InstitutionId, id: ImportId) -> Result<()> {
    let import = imports::find(&mut app.db.read(), institution, id).await?;
    let Some(import) = import else { return Ok(()) };
    let is_import = match import.state {
        ImportState::Checking => false,
        ImportState::Waiting | ImportState::Running => true,
        ImportState::Undoing => {
            undo::complete(app, (institution, import.page), id).await?;
            return Ok(());
        }
        // Somebody has been quicker.
        ImportState::Uploaded
        | ImportState::Checked
        | ImportState::Done
        | ImportState::Failed
        | ImportState::Undone => return Ok(()),
    };
    let owner = store::institutions::by_id(&mut app.db.read(), institution).await?;
    let Some(owner) = owner else { return Ok(()) };
    let actor = Actor::System;
    let page = import.page;
    let mapping = mapping(&import);
    let class = mapping.class.clone();
    let options = super::options(app, &actor, &owner, page, (mapping, class)).await?;
    let input = file(app, institution, id).await?;
    let target = if is_import { Target::Import(id) } else { Target::Check(id) };
    let starts_with_newest = import.starts_with_newest;
    let run = Run { institution, page, target, calling: CallPolicy::Nobody, starts_with_newest };
    if import.state == ImportState::Waiting && !begin(app, institution, id).await? {
        return Ok(());
    }
    // The rows of an import are counted in the transactions that write them.
    let rows_done = if import.state == ImportState::Running { import.counts.done } else { 0 };
    let done = work(app, &actor, run, (&input, &options), rows_done).await?;
    let (state, report, parts, fault) = match done {
        Ok(collector) => {
            let state = if is_import { ImportState::Done } else { ImportState::Checked };
            let report = serde_json::to_string(&collector.report);
            let report = report.map_err(|error| Error::Internal(error.to_string()))?;
            (state, Some(report), collector.whole.parts, None)
        }
        Err(fault) => (ImportState::Failed, None, Vec::new(), Some(fault.word().to_owned())),
    };
    app.db
        .write::<_, Error>(move |sql| {
            Box::pin(async move {
                let texts = (report.as_deref(), fault.as_deref());
                let from = if is_import { ImportState::Running } else { ImportState::Checking };
                let is_finished = imports::finish(sql, institution, id, (from, state), texts).await?;
                if state == ImportState::Done {
                    imports::delete_file(sql, institution, id).await?;
                }
                if is_finished {
                    imports::insert_report(sql, institution, id, &parts).await?;
                }
                Ok(())
            })
        })
        .await
}

/// Returns false if somebody has been quicker.
async fn begin(app: &App, institution: InstitutionId, id: ImportId) -> Result<bool> {
    let now = app.clock.now();
    app.db
        .write::<_, Error>(move |sql| {
            Box::pin(async move { Ok(imports::start(sql, institution, id, now).await?) })
        })
        .await
}

async fn work(
    app: &App,
    actor: &Actor,
    run: Run,
    (input, options): (&Input, &Options),
    rows_done: u64,
) -> Result<Result<Collector, SheetFault>> {
    let read = input.clone();
    let mut collector = Collector::default();
    match blocking(move || Format::of(&read)).await? {
        Err(fault) => return Ok(Err(fault)),
        Ok(Format::Recordings) => {
            let read = input.clone();
            let files = match blocking(move || Recordings::in_zip(&read)).await? {
                Err(fault) => return Ok(Err(fault)),
                Ok(files) => files,
            };
            start(app, run, files.len() as u64).await?;
            start_recordings(app, run).await?;
            let mut each = |name: &str, outcome: super::FileOutcome| collector.add(of_file(name, &outcome));
            super::recordings(app, actor, run, &files, &|_| false, &mut each).await?;
        }
        Ok(_) => {
            let overview = match super::check(input, options).await? {
                Err(fault) => return Ok(Err(fault)),
                Ok(overview) => overview,
            };
            start(app, run, overview.rows).await?;
            collector.report.unknown = overview.columns.unknown;
            collector.report.numeric_ids = overview.numeric_ids;
            let mut each =
                |rows: Vec<RowReport>| rows.iter().for_each(|row| collector.add(ReportRow::of(row)));
            let file = (input, options);
            let done = super::remaining_people(app, actor, run, file, rows_done, &mut each).await?;
            if let Err(fault) = done {
                return Ok(Err(fault));
            }
            // Rows that were done before an interruption are not in the report.
            collector.report.others = overview.rows.saturating_sub(collector.report.rows.len() as u64);
        }
    }
    Ok(Ok(collector))
}

/// Begins to count the rows of a dry run. An import has its number of rows from the dry run, and counts from where it was interrupted.
async fn start(app: &App, run: Run, rows: u64) -> Result<()> {
    let Target::Check(id) = run.target else { return Ok(()) };
    app.db
        .write::<_, Error>(move |sql| {
            Box::pin(async move { Ok(imports::begin(sql, run.institution, id, rows).await?) })
        })
        .await
}

/// The files of an import are not counted in order, so what it has brought before an interruption is.
async fn start_recordings(app: &App, run: Run) -> Result<()> {
    let Target::Import(id) = run.target else { return Ok(()) };
    app.db
        .write::<_, Error>(move |sql| {
            Box::pin(async move { Ok(imports::begin_recordings(sql, run.institution, id).await?) })
        })
        .await
}

fn of_file(name: &str, outcome: &super::FileOutcome) -> ReportRow {
    let (outcome, kind) = match outcome {
        super::FileOutcome::Stored { .. } => ("updated", None),
        super::FileOutcome::Nobody => ("refused", Some("nobody")),
        super::FileOutcome::Refused { why, .. } => match why {
            super::FileFault::SamePerson(_) => ("refused", Some("twice")),
            super::FileFault::Unreadable(_) | super::FileFault::Media(_) => ("refused", Some("sound")),
        },
    };
    let reason = |kind: &str| Reason { field: String::new(), kind: kind.to_owned() };
    let fields = if outcome == "updated" { vec!["recording".to_owned()] } else { Vec::new() };
    let reasons = kind.map(reason).into_iter().collect();
    let mut who = name.to_owned();
    shorten(&mut who);
    ReportRow { line: 0, who, outcome: outcome.to_owned(), fields, reasons }
}

/// Marks an import or its undo as failed, after its job has failed for the last time.
pub(in crate::app) async fn give_up(sql: &mut Sql, institution: InstitutionId, id: ImportId) -> Result<()> {
    let from = [ImportState::Checking, ImportState::Waiting, ImportState::Running];
    imports::change_state(sql, institution, id, &from, ImportState::Failed).await?;
    undo::give_up(sql, institution, id).await
}

impl SheetFault {
    /// A word for it, which pages have a sentence for.
    pub fn word(&self) -> &'static str {
        match self {
            Self::Io(_) | Self::Damaged(_) | Self::Stopped => "damaged",
            Self::Unsupported(_) => "unsupported",
            Self::Encrypted => "encrypted",
            Self::TooLarge(_) => "large",
            Self::TooManyRows | Self::TooManyColumns { .. } | Self::TooManyCells => "many",
            Self::NoTable | Self::NoClass(_) | Self::NotOneRoster => "no-table",
            Self::UnknownCustomField { .. } | Self::Mapping(_) => "custom",
            Self::Duplicate(_) => "twice",
            Self::MissingColumns { .. } => "columns",
            Self::TooManyUploads => "waiting",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_keeps_what_was_refused_even_at_the_end_of_a_long_file() {
        let row = |outcome: &str| ReportRow { outcome: outcome.to_owned(), ..ReportRow::default() };
        let mut collector = Collector::default();
        (0..10_000).for_each(|_| collector.add(row("created")));
        (0..3).for_each(|_| collector.add(row("refused")));
        assert_eq!(collector.report.rows.len(), MOST_OTHERS + 3);
        assert_eq!(collector.report.others, 10_000 - MOST_OTHERS as u64);
    }
}
