//! Files that managers upload on the page of a name page. A job reads and imports them, so that the import goes on when the browser does
//! not, and after a restart.

use base64::{Engine, engine::general_purpose::STANDARD};
use serde::{Deserialize, Serialize};

use super::{
    super::{
        Actor, App, Error, Missing, Result,
        audit::{self, Record},
        jobs,
    },
    Format, Input, Mapping, Options, Recordings, SheetFault,
    formats::classes,
    report::{Report, ReportRow, shorten},
    sheet, undo,
};
use crate::{
    domain::{
        audit::{Act, SubjectKind, Who},
        ids::{ImportId, InstitutionId, JobId, NamePageId},
        import::{Counts, Import, ImportState},
        institution::Institution,
        job::Job,
        scope::Scope,
    },
    store::{
        self, Sql,
        imports::{self, FileVersion, Whole},
        stored_json,
    },
    tasks,
};

/// The bytes of an uploaded file, or of a report, that are stored together.
pub(super) const PART: usize = 192 << 10;
/// Files that wait on a page to be imported.
const MOST_WAITING: i64 = 20;

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
    /// Rows that have left the file because the people in them have deleted their data.
    pub rows_removed: u64,
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
        match Format::of(input)? {
            // Any file that is no other one looks like a CSV file.
            Format::Csv if !sheet::is_table(input, options) => Err(SheetFault::NoTable),
            // Nobody uploads what only Endonym writes.
            Format::Rows => Err(SheetFault::NoTable),
            format => Ok(Self::of(input, format, options)),
        }
    }

    fn of(input: &Input, format: Format, options: &Options) -> Self {
        let look = match format {
            Format::Recordings => Recordings::in_zip(input)
                .map(|files| Self { recordings: Some(files.len()), ..Self::default() }),
            Format::OneRoster => Self::at_bundle(input, options),
            Format::Csv | Format::Xlsx | Format::Ods | Format::Rows => Self::at_table(input, options),
        };
        look.unwrap_or_else(|fault| Self { fault: Some(fault.word().to_owned()), ..Self::default() })
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
    super::remove_old_within(app, Scope::Institution(institution)).await?;
    let is_stored = app
        .db
        .write::<_, Error>(move |sql| {
            Box::pin(async move {
                if imports::waiting_files(sql, institution, page).await? >= MOST_WAITING {
                    return Ok(false);
                }
                imports::insert(sql, institution, &import).await?;
                imports::set_beginning(sql, institution, id, &look).await?;
                imports::insert_parts(sql, institution, id, Whole::File, &parts).await?;
                Ok(true)
            })
        })
        .await?;
    Ok(if is_stored { Ok(id) } else { Err(SheetFault::TooManyUploads) })
}

/// Runs on a thread that may block.
pub(super) async fn blocking<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T> {
    tasks::spawn_blocking(work)
        .await
        .map_err(|error| Error::Internal(format!("reading a file failed: {error}")))
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

/// The bytes of a file, with their version. `None` if it is gone.
pub(super) async fn file(
    app: &App,
    institution: InstitutionId,
    id: ImportId,
) -> Result<Option<(Input, FileVersion)>> {
    loop {
        let version = imports::file_version(&mut app.db.read(), institution, id).await?;
        let Some(version) = version else { return Ok(None) };
        let mut bytes = Vec::new();
        for number in 0.. {
            let part = imports::part(&mut app.db.read(), institution, id, Whole::File, number).await?;
            let Some(part) = part else { break };
            let damaged = |_| Error::Internal("an uploaded file is damaged".to_owned());
            STANDARD.decode_vec(part, &mut bytes).map_err(damaged)?;
        }
        // If somebody was erased meanwhile, the parts may be of two versions.
        if imports::file_version(&mut app.db.read(), institution, id).await? == Some(version) {
            return Ok(Some((Input::Bytes(bytes.into()), version)));
        }
    }
}

/// What a file without some of its rows begins with, as JSON. Its recordings are counted anew.
pub(super) async fn look(
    app: &App,
    institution: InstitutionId,
    page: NamePageId,
    id: ImportId,
    input: Input,
) -> Result<String> {
    let owner = store::institutions::by_id(&mut app.db.read(), institution).await?;
    let owner = owner.ok_or(Error::Missing(Missing::NamePage))?;
    let import = found(&mut app.db.read(), (institution, page), id).await?;
    let options = super::options_of(app, &owner, (mapping(&import)?, None)).await?;
    let look = blocking(move || Format::of(&input).map(|format| Look::of(&input, format, &options))).await?;
    let look = look.unwrap_or_else(|fault| Look { fault: Some(fault.word().to_owned()), ..Look::default() });
    serde_json::to_string(&look).map_err(|error| Error::Internal(error.to_string()))
}

pub(super) fn mapping(import: &Import) -> Result<Mapping> {
    Ok(stored_json(("imports", "mapping", import.id), &import.mapping)?)
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
    // It is only shown, and never written back. Without it, an import can still be undone.
    let report = import.report.as_deref().and_then(|json| {
        stored_json(("imports", "report", import.id), json)
            .inspect_err(|error| tracing::error!(%error, "the report of an import cannot be read"))
            .ok()
    });
    let mapping = mapping(&import)?;
    let mut upload = Upload {
        import,
        mapping,
        beginning: None,
        classes: Vec::new(),
        recordings: None,
        rows_removed: 0,
        report: report.unwrap_or_default(),
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
    let version = imports::file_version(&mut app.db.read(), institution.id, id).await?;
    upload.rows_removed = version.map_or(0, |version| version.rows_removed);
    let look = imports::beginning(&mut app.db.read(), institution.id, id).await?;
    // Somebody was erased while the file was uploaded or could not be read.
    let gone = || Look { fault: Some("gone".to_owned()), ..Look::default() };
    let look: Look = match look {
        Some(json) => stored_json(("imports", "beginning", id), &json)?,
        None => gone(),
    };
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
    let Some(part) = imports::part(sql, institution, id, Whole::Report, number).await? else {
        return Ok(None);
    };
    if number == 0 {
        let record = Record::new(app, actor, institution, Act::ReportDownloaded);
        let record = record.about(SubjectKind::Import, id, "");
        app.db
            .write_bookkeeping::<_, Error>(move |sql| {
                Box::pin(async move { Ok(audit::write(sql, &[record]).await?) })
            })
            .await?;
    }
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
    let setting = Setting::Import {
        starts_with_newest: super::starts_with_newest(actor, institution)?,
        who: actor.who(),
        record: Box::new(Record::new(app, actor, institution, Act::ImportStarted)),
    };
    enqueue(app, (institution, page), id, (&[ImportState::Checked], ImportState::Waiting), setting).await
}

/// What the job is told, besides the state.
enum Setting {
    /// JSON.
    Mapping(String),
    Import {
        starts_with_newest: bool,
        who: Who,
        record: Box<Record>,
    },
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
                let import = found(sql, (institution, page), id).await?;
                if !imports::change_state(sql, institution, id, &from, to).await? {
                    return Ok(());
                }
                match setting {
                    Setting::Mapping(json) => imports::set_mapping(sql, institution, id, &json).await?,
                    Setting::Import { starts_with_newest, who, record } => {
                        imports::set_starts_with_newest(sql, institution, id, starts_with_newest).await?;
                        super::begun(sql, &who, super::about(*record, &import), id).await?;
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
