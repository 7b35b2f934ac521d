//! The job that reads the files that managers have uploaded.

use super::{
    super::{
        Actor, App, Error, Result,
        audit::{self, Record},
    },
    CallPolicy, Format, Input, Options, Recordings, RowReport, Run, SheetFault, Target, author, completed,
    formats::parsed,
    report::{Collector, ReportRow},
    undo,
    uploads::{blocking, file, mapping},
};
use crate::{
    domain::{
        audit::Act,
        ids::{ImportId, InstitutionId},
        import::ImportState,
    },
    store::{
        self, Sql,
        imports::{self, Whole},
        rolls,
    },
};

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
    let mapping = mapping(&import)?;
    let class = mapping.class.clone();
    let options = super::options(app, &actor, &owner, page, (mapping, class)).await?;
    let Some((input, version)) = file(app, institution, id).await? else {
        return fail(app, institution, id).await;
    };
    let target = if is_import { Target::Import(id) } else { Target::Check(id) };
    let starts_with_newest = import.starts_with_newest;
    // The rows of an import are counted in the transactions that write them.
    let rows_done = if import.state == ImportState::Running { import.counts.done } else { 0 };
    let calling = CallPolicy::Nobody;
    let run = Run { institution, page, target, calling, starts_with_newest, rows_done };
    if import.state == ImportState::Waiting && !begin(app, institution, id).await? {
        return Ok(());
    }
    let done = work(app, &actor, run, (&input, &options)).await?;
    let (state, report, parts, fault) = match done {
        Ok(collector) => {
            let state = if is_import { ImportState::Done } else { ImportState::Checked };
            let report = serde_json::to_string(&collector.report);
            let report = report.map_err(|error| Error::Internal(error.to_string()))?;
            (state, Some(report), collector.whole.parts, None)
        }
        Err(fault) => (ImportState::Failed, None, Vec::new(), Some(fault.word().to_owned())),
    };
    let owned_app = app.clone();
    app.db
        .write::<_, Error>(move |sql| {
            Box::pin(async move {
                // Nobody is erased while this is written.
                rolls::lock(sql, institution).await?;
                // If somebody was erased meanwhile, the report may mention them.
                let may_report = imports::file_version(sql, institution, id).await? == Some(version);
                let texts = (report.as_deref().filter(|_| may_report), fault.as_deref());
                let from = if is_import { ImportState::Running } else { ImportState::Checking };
                let is_finished = imports::finish(sql, institution, id, (from, state), texts).await?;
                if state == ImportState::Done {
                    imports::delete_file(sql, institution, id).await?;
                }
                if is_finished {
                    if may_report {
                        imports::insert_parts(sql, institution, id, Whole::Report, &parts).await?;
                    }
                    let done = imports::find(sql, institution, id).await?;
                    if let Some(done) = done.filter(|_| state == ImportState::Done) {
                        let who = author(sql, &actor, institution, id).await?;
                        let record = Record::by(&owned_app, who, institution, Act::ImportRun);
                        audit::write(sql, &[completed(record, &done)]).await?;
                    }
                }
                Ok(())
            })
        })
        .await
}

/// Ends an import whose file is gone.
async fn fail(app: &App, institution: InstitutionId, id: ImportId) -> Result<()> {
    app.db
        .write::<_, Error>(move |sql| {
            Box::pin(async move {
                rolls::lock(sql, institution).await?;
                let from = [ImportState::Checking, ImportState::Waiting, ImportState::Running];
                imports::change_state(sql, institution, id, &from, ImportState::Failed).await?;
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
            let mut each =
                |name: &str, outcome: super::FileOutcome| collector.add(ReportRow::of_file(name, &outcome));
            super::recordings(app, actor, run, &files, &|_| false, &mut each).await?;
        }
        Ok(_) => {
            let (read, class) = (input.clone(), options.class.clone());
            let input = match blocking(move || parsed(&read, class.as_deref())).await? {
                Err(fault) => return Ok(Err(fault)),
                Ok(input) => input,
            };
            let overview = match super::check(&input, options).await? {
                Err(fault) => return Ok(Err(fault)),
                Ok(overview) => overview,
            };
            start(app, run, overview.rows).await?;
            collector.report.unknown = overview.columns.unknown;
            collector.report.numeric_ids = overview.numeric_ids;
            let mut each =
                |rows: Vec<RowReport>| rows.iter().for_each(|row| collector.add(ReportRow::of(row)));
            let file = (&input, options);
            let done = super::remaining_people(app, actor, run, file, &mut each).await?;
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

/// Recordings are not imported in a fixed order, so an import that was interrupted begins its count with those that it has already brought.
async fn start_recordings(app: &App, run: Run) -> Result<()> {
    let Target::Import(id) = run.target else { return Ok(()) };
    app.db
        .write::<_, Error>(move |sql| {
            Box::pin(async move { Ok(imports::begin_recordings(sql, run.institution, id).await?) })
        })
        .await
}

/// Marks an import or its undo as failed, after its job has failed for the last time.
pub(in crate::app) async fn give_up(sql: &mut Sql, institution: InstitutionId, id: ImportId) -> Result<()> {
    let from = [ImportState::Checking, ImportState::Waiting, ImportState::Running];
    imports::change_state(sql, institution, id, &from, ImportState::Failed).await?;
    undo::give_up(sql, institution, id).await
}
