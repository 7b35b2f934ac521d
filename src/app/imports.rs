//! Bulk imports: people from a file, and their recordings from a folder or a ZIP file. A file is read twice: first as a whole, so that
//! nothing is imported from a file that turns out to be damaged, and then in groups of rows, each in one transaction. An import that
//! was killed can be repeated, because it is an upsert.

mod formats;
mod group;
mod headings;
mod job;
mod recordings;
mod report;
pub(super) mod scrub;
mod sheet;
mod undo;
mod uploads;

use tokio::sync::mpsc;

pub use formats::{Format, Input, SheetFault, limits};
pub use headings::fields;
pub(super) use job::give_up;
pub use job::run;
pub use recordings::{FileFault, FileOutcome, Recordings, names, recordings};
pub use report::{Reason, Report, ReportRow};
pub use sheet::{Beginning, Columns, Mapping, Options, Overview, Row, RowContent};
pub use undo::{Undone, start_undo, undo};
pub use uploads::{Upload, check_upload, find_upload, import_upload, report_part, upload};

use serde_json::{Value as Json, json};

use super::{
    Actor, App, Error, Result,
    audit::{self, Record},
    page_settings,
};
use crate::{
    domain::{
        access::Action,
        audit::{Act, SubjectKind, Who},
        fault::{Fault, Field, SetupFault},
        field_errors::FieldErrors,
        ids::{ImportId, InstitutionId, NamePageId},
        import::{Counts, Import, ImportOnPage, ImportState},
        institution::Institution,
        participant::LegalNames,
        scope::Scope,
    },
    store::{self, Sql, custom_fields, imports, rolls},
    tasks,
};

/// Whether to call people whose row has a phone number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CallPolicy {
    Nobody,
    WithNumber,
}

/// Whether anything is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Target {
    /// A dry run.
    Rehearsal,
    /// A dry run of a file that was uploaded, which shows how far it is.
    Check(ImportId),
    Import(ImportId),
}

/// Where people are imported, and how.
#[derive(Debug, Clone, Copy)]
pub struct Run {
    pub institution: InstitutionId,
    pub page: NamePageId,
    pub target: Target,
    pub calling: CallPolicy,
    /// Whether new people start with what they have recorded on other pages (see `starts_with_newest`).
    pub starts_with_newest: bool,
    /// How many rows of the file have been imported, by this worker or by others before.
    pub rows_done: u64,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    Created,
    /// The keys of the fields that changed.
    Updated(Vec<String>),
    Unchanged,
    /// Marked as deleted in the source system.
    Skipped,
    Refused(FieldErrors),
}

/// The result of importing one row.
#[derive(Debug, Clone)]
pub struct RowReport {
    pub line: u64,
    pub email: String,
    pub identifier: Option<String>,
    pub outcome: Outcome,
}

/// The number of rows per transaction, and the bytes of their cells.
const GROUP: usize = 500;
const GROUP_BYTES: usize = 4 << 20;

/// What is needed to read a file for a page: the institution's custom fields, and whether it has legal names.
pub async fn options(
    app: &App,
    actor: &Actor,
    institution: &Institution,
    page: NamePageId,
    (mapping, class): (Mapping, Option<String>),
) -> Result<Options> {
    actor.manage(institution.id, page)?;
    options_of(app, institution, (mapping, class)).await
}

async fn options_of(
    app: &App,
    institution: &Institution,
    (mapping, class): (Mapping, Option<String>),
) -> Result<Options> {
    let custom = custom_fields::all(&mut app.db.read(), institution.id).await?;
    let legal = if institution.multiple_recordings { LegalNames::Permitted } else { LegalNames::Ignored };
    Ok(Options { custom, legal, mapping, class })
}

/// Reads the whole file and changes nothing. The inner error says what is wrong with the file.
pub async fn check(input: &Input, options: &Options) -> Result<Result<Overview, SheetFault>> {
    let (input, options) = (input.clone(), options.clone());
    let checked = tasks::spawn_blocking(move || sheet::check(&input, &options)).await;
    checked.map_err(|error| Error::Internal(format!("reading a file failed: {error}")))
}

/// An archived page is read-only.
async fn require_writable(app: &App, institution: InstitutionId, page: NamePageId) -> Result<()> {
    if page_settings::find(app, institution, page).await?.is_archived() {
        return Err(Error::invalid(Field::Parameter("name page"), SetupFault::Archived));
    }
    Ok(())
}

/// Whoever is limited to some pages must not reach recordings from others.
fn starts_with_newest(actor: &Actor, institution: InstitutionId) -> Result<bool> {
    Ok(actor.access(institution)?.pages().is_none())
}

/// Registers an import that is about to run, so that it can be undone. Imports of earlier days are forgotten.
pub async fn begin(
    app: &App,
    actor: &Actor,
    (institution, page): (InstitutionId, NamePageId),
    file_name: &str,
    rows: u64,
) -> Result<ImportId> {
    actor.manage(institution, page)?;
    require_writable(app, institution, page).await?;
    let now = app.clock.now();
    let import = Import {
        id: app.ids.id(now),
        page,
        state: ImportState::Running,
        file_name: file_name.to_owned(),
        mapping: "{}".to_owned(),
        starts_with_newest: starts_with_newest(actor, institution)?,
        counts: Counts::default(),
        rows_total: Some(rows),
        report: None,
        fault: None,
        created_at: now,
    };
    let (id, who) = (import.id, actor.who());
    let record = about(Record::new(app, actor, institution, Act::ImportStarted), &import);
    remove_old_within(app, Scope::Institution(institution)).await?;
    app.db
        .write::<_, Error>(move |sql| {
            Box::pin(async move {
                imports::insert(sql, institution, &import).await?;
                begun(sql, &who, record, id).await
            })
        })
        .await?;
    Ok(id)
}

fn about(record: Record, import: &Import) -> Record {
    let record = record.about(SubjectKind::Import, import.id, &import.file_name);
    record.change(Json::Null, json!({ "name_page": import.page.to_string() }))
}

/// An import that has been completed, with its figures.
fn completed(record: Record, import: &Import) -> Record {
    let Counts { created, updated, unchanged, refused, .. } = import.counts;
    let figures = json!({
        "name_page": import.page.to_string(),
        "created": created,
        "updated": updated,
        "unchanged": unchanged,
        "refused": refused,
    });
    record.about(SubjectKind::Import, import.id, &import.file_name).change(Json::Null, figures)
}

/// Notes who has begun or undone an import, for the log and for the job that does the work.
async fn begun(sql: &mut Sql, who: &Who, record: Record, id: ImportId) -> Result<()> {
    imports::set_author(sql, record.institution(), id, &audit::written_author(who)).await?;
    Ok(audit::write(sql, &[record]).await?)
}

/// Who imports. A job works for somebody.
async fn author(sql: &mut Sql, actor: &Actor, institution: InstitutionId, id: ImportId) -> Result<Who> {
    match imports::author(sql, institution, id).await? {
        Some(json) => Ok(audit::read_author(("imports", "author", id), &json)?),
        None => Ok(actor.who()),
    }
}

/// Marks an import as complete.
pub async fn finish(app: &App, actor: &Actor, run: Run) -> Result<()> {
    actor.manage(run.institution, run.page)?;
    let Target::Import(id) = run.target else { return Ok(()) };
    let institution = run.institution;
    let record = Record::new(app, actor, institution, Act::ImportRun);
    app.db
        .write::<_, Error>(move |sql| {
            Box::pin(async move {
                let from = [ImportState::Running];
                let is_done = imports::change_state(sql, institution, id, &from, ImportState::Done).await?;
                if let Some(import) = imports::find(sql, institution, id).await?.filter(|_| is_done) {
                    audit::write(sql, &[completed(record, &import)]).await?;
                }
                Ok(())
            })
        })
        .await
}

/// Imports the people of a file, and calls `each` with the results of each group of rows. The inner error says what is wrong with the
/// file; after `check`, that is only so if somebody has changed it meanwhile.
pub async fn people(
    app: &App,
    actor: &Actor,
    run: Run,
    file: (&Input, &Options),
    each: &mut (dyn FnMut(Vec<RowReport>) + Send),
) -> Result<Result<(), SheetFault>> {
    remaining_people(app, actor, run, file, each).await
}

/// As `people`, but the first rows are done, by an import that was interrupted. They are not imported again: that would revert what
/// somebody has changed since, and count them twice. Of these, only rows that are refused are reported.
async fn remaining_people(
    app: &App,
    actor: &Actor,
    mut run: Run,
    (input, options): (&Input, &Options),
    each: &mut (dyn FnMut(Vec<RowReport>) + Send),
) -> Result<Result<(), SheetFault>> {
    actor.manage(run.institution, run.page)?;
    let (sender, mut receiver) = mpsc::channel::<Vec<Row>>(1);
    let (input, options) = (input.clone(), options.clone());
    let reading = tasks::spawn_blocking(move || {
        let (mut group, mut size) = (Vec::new(), 0);
        sheet::each_person(&input, &options, &mut |row| {
            size += row.size;
            group.push(row);
            if group.len() < GROUP && size < GROUP_BYTES {
                return Ok(());
            }
            size = 0;
            sender.blocking_send(std::mem::take(&mut group)).map_err(|_| SheetFault::Stopped)
        })?;
        if !group.is_empty() {
            // Nobody waits for it any more if the import has failed.
            let _ = sender.blocking_send(group);
        }
        Ok(())
    });
    let mut done = run.rows_done;
    while let Some(mut group) = receiver.recv().await {
        let known = usize::try_from(done).unwrap_or(usize::MAX).min(group.len());
        done -= known as u64;
        let rest = group.split_off(known);
        if !group.is_empty() {
            let rehearsal = Run { target: Target::Rehearsal, ..run };
            let mut reports = rows(app, actor, rehearsal, group).await?;
            reports.retain(|report| matches!(report.outcome, Outcome::Refused(_)));
            each(reports);
        }
        if !rest.is_empty() {
            let count = rest.len() as u64;
            each(rows(app, actor, run, rest).await?);
            run.rows_done += count;
        }
    }
    reading.await.map_err(|error| Error::Internal(format!("reading a file failed: {error}")))
}

/// Imports rows of a file in one transaction. Returns a report for each row, in the same order.
pub async fn rows(app: &App, actor: &Actor, run: Run, rows: Vec<Row>) -> Result<Vec<RowReport>> {
    actor.manage(run.institution, run.page)?;
    let mut reports = Vec::with_capacity(rows.len());
    let mut drafts = Vec::with_capacity(rows.len());
    let mut places = Vec::with_capacity(rows.len());
    let mut unread = Counts::default();
    for Row { line, email, content, .. } in rows {
        let (identifier, outcome) = match content {
            RowContent::Draft(draft) => {
                let identifier = draft.identifier.set().cloned();
                places.push(reports.len());
                drafts.push(*draft);
                (identifier, Outcome::Unchanged)
            }
            RowContent::Unreadable => {
                unread.done += 1;
                unread.refused += 1;
                (None, Outcome::Refused(FieldErrors::one(Field::Row, Fault::NotText)))
            }
            RowContent::Deleted => {
                unread.done += 1;
                (None, Outcome::Skipped)
            }
        };
        reports.push(RowReport { line, email, identifier, outcome });
    }
    let who = match run.target {
        Target::Import(id) => author(&mut app.db.read(), actor, run.institution, id).await?,
        Target::Rehearsal | Target::Check(_) => actor.who(),
    };
    let outcomes = group::write(app, who, &run, drafts, unread).await?;
    for (place, outcome) in places.into_iter().zip(outcomes) {
        reports[place].outcome = outcome;
    }
    if run.calling == CallPolicy::WithNumber {
        app.switchboard.wake();
    }
    Ok(reports)
}

/// The newest imports of the pages that the actor may write to.
pub async fn newest(
    app: &App,
    actor: &Actor,
    institution: InstitutionId,
    most: i64,
) -> Result<Vec<ImportOnPage>> {
    let access = actor.permit(Action::Write, institution)?;
    Ok(imports::newest(&mut app.db.read(), institution, access.pages(), most).await?)
}

/// The last import of a page, and whether it can be undone.
pub async fn last(
    app: &App,
    actor: &Actor,
    institution: InstitutionId,
    page: NamePageId,
) -> Result<(Option<Import>, bool)> {
    actor.manage(institution, page)?;
    let last = store::imports::last(&mut app.db.read(), institution, page).await?;
    let undoable = undo::undoable(app, institution, page).await?;
    Ok((last, undoable.is_some()))
}

/// Deletes imports that can no longer be undone, and files that nobody has imported.
pub async fn remove_old(app: &App) -> Result<()> {
    remove_old_within(app, Actor::System.reach()).await
}

/// Whoever begins an import removes those of the same institution: the lock of another one may be held for long.
async fn remove_old_within(app: &App, scope: Scope) -> Result<()> {
    let before = app.clock.now().plus_days(-undo::UNDO_DAYS);
    for (institution, id) in imports::old(&mut app.db.read(), scope, before).await? {
        app.db
            .write::<_, Error>(move |sql| {
                Box::pin(async move {
                    rolls::lock(sql, institution).await?;
                    Ok(imports::delete_old(sql, institution, id, before).await?)
                })
            })
            .await?;
    }
    Ok(())
}
