//! Builds the report of an export. Runs in a worker.

use std::thread::JoinHandle;

use tokio::sync::mpsc;

use super::{departures::scrub_if_needed, discard, key};
use crate::{
    app::{App, Error, Links, Missing, Result},
    domain::{
        custom_field::CustomField,
        export::{Filters, State},
        ids::{ExportId, InstitutionId, JobId, NamePageId},
        institution::Institution,
        job::Claim,
        moment::Moment,
        participant::Participant,
        report::{Part, PartBuilder},
    },
    store::{
        self, RowStream, Sql, custom_fields,
        exports::{self, PartRow},
        institutions, rolls,
    },
    tasks,
};

/// Serializes one record.
pub type Write = Box<dyn Fn(&Participant, &mut Vec<u8>) + Send>;

/// Creates the serializer of a report's records from the institution, the links as of the request, and the custom
/// fields. Reports have the format of version 4, so the API provides it, and `app` does not know it.
pub type ReportFormat = fn(Institution, Links, Vec<CustomField>) -> Write;

/// Builds a report. `writer` gets the institution and its custom fields.
pub async fn build(
    app: &App,
    claim: &Claim,
    institution: InstitutionId,
    export: ExportId,
    writer: impl Fn(Institution, Vec<CustomField>) -> Write,
) -> Result<()> {
    let Some(ReportScope { owner, filters, only, include_held }) =
        start(app, claim, institution, export).await?
    else {
        return Ok(());
    };
    let (fields, people) = snapshot(app, institution, &filters, only.as_deref()).await?;
    let names: Vec<String> = fields.iter().map(|field| field.name.clone()).collect();
    let (mut parts, compressor) =
        compress(people, writer(owner, fields), include_held, app.export_part_bytes)?;
    let mut number = 0;
    while let Some(part) = parts.recv().await {
        let part = part?;
        let row = PartRow {
            number,
            hex: app.ids.hex(),
            first_id: part.first_id,
            last_id: part.last_id,
            sum: part.sum,
            records: part.records,
        };
        number += 1;
        app.blobs.put(&key(institution, &row.hex), part.compressed.into()).await?;
        let claim = claim.clone();
        app.db
            .write::<_, Error>(move |sql| {
                Box::pin(async move {
                    check_lease(sql, &claim).await?;
                    Ok(exports::insert_part(sql, institution, export, &row).await?)
                })
            })
            .await?;
    }
    // The report is complete only if the thread that compressed it ended normally.
    let ended = tasks::spawn_blocking(move || compressor.join()).await;
    if !matches!(ended, Ok(Ok(()))) {
        return Err(Error::Internal("the report thread panicked".to_owned()));
    }
    complete(app, claim, institution, export, names).await
}

async fn check_lease(sql: &mut Sql, claim: &Claim) -> Result<()> {
    if store::jobs::holds_lease(sql, claim).await? {
        Ok(())
    } else {
        Err(Error::Unavailable("the lease of the job has expired and another worker has it".to_owned()))
    }
}

/// What a report covers.
struct ReportScope {
    owner: Institution,
    filters: Filters,
    /// If set, only people on these pages.
    only: Option<Vec<NamePageId>>,
    /// With the recordings of people with a directory hold.
    include_held: bool,
}

/// `None` if there is nothing left to build.
async fn start(
    app: &App,
    claim: &Claim,
    institution: InstitutionId,
    id: ExportId,
) -> Result<Option<ReportScope>> {
    let (claim, now) = (claim.clone(), app.clock.now());
    let scrub_job = app.ids.id(now);
    let (scope, left) = app
        .db
        .write::<_, Error>(move |sql| {
            Box::pin(async move {
                // From here on, deletions know that a report may contain the person.
                rolls::lock(sql, institution).await?;
                check_lease(sql, &claim).await?;
                let owner = institutions::by_id(sql, institution).await?;
                let (Some(owner), Some(export)) = (owner, exports::find(sql, institution, id).await?) else {
                    return Ok((None, Vec::new()));
                };
                let next = if export.is_over(now) { State::Expired } else { State::InProgress };
                let Ok(next) = export.state.to(next) else { return Ok((None, Vec::new())) };
                exports::set_state(sql, institution, id, next).await?;
                // Parts from an interrupted attempt.
                let left = exports::delete_parts(sql, institution, id).await?;
                if next == State::Expired {
                    scrub_if_needed(sql, scrub_job, institution, now).await?;
                }
                let only = match export.pages_limited {
                    true => Some(exports::pages(sql, institution, id).await?),
                    false => None,
                };
                let total = expected(sql, institution, &export.filters, only.as_deref()).await?;
                exports::set_total(sql, institution, id, total).await?;
                let scope =
                    ReportScope { owner, filters: export.filters, only, include_held: export.include_held };
                Ok(((next == State::InProgress).then_some(scope), left))
            })
        })
        .await?;
    discard(app, institution, &left).await;
    Ok(scope)
}

/// How many people the report will have. `None` if that is not known: counting those who meet a condition would read all of them twice.
async fn expected(
    sql: &mut Sql,
    institution: InstitutionId,
    filters: &Filters,
    only: Option<&[NamePageId]>,
) -> Result<Option<i64>> {
    let is_met_by_all = |after: Option<Moment>| after.is_none_or(|after| after.micros() <= 0);
    if !is_met_by_all(filters.created_after) || !is_met_by_all(filters.updated_after) {
        return Ok(None);
    }
    Ok(Some(match (&filters.page, only) {
        (Some(page), _) => rolls::members(sql, institution, page.id).await?,
        (None, Some(pages)) => {
            let counts = rolls::members_of(sql, institution, pages).await?;
            counts.into_iter().map(|(_, members)| members).sum::<i64>()
        }
        (None, None) => rolls::members(sql, institution, rolls::INSTITUTION).await?,
    }))
}

/// A snapshot of people, with the first group already read, and the custom fields of that snapshot: they did not
/// change while it started.
async fn snapshot(
    app: &App,
    institution: InstitutionId,
    filters: &Filters,
    only: Option<&[NamePageId]>,
) -> Result<(Vec<CustomField>, Snapshot)> {
    loop {
        let before = custom_fields::all(&mut app.db.read(), institution).await?;
        let mut rest = exports::people(&app.db, institution, filters, only);
        let first = rest.next().await.transpose()?;
        let after = custom_fields::all(&mut app.db.read(), institution).await?;
        if before == after {
            return Ok((before, Snapshot { first, rest }));
        }
    }
}

struct Snapshot {
    first: Option<Vec<Participant>>,
    rest: RowStream<Participant>,
}

/// Lookups have priority, but an export must still finish: at 19 it would starve on a busy machine.
const PRIORITY: i32 = 10;

/// Serializes and compresses on a separate low-priority thread.
fn compress(
    mut people: Snapshot,
    write: Write,
    include_held: bool,
    part_bytes: u64,
) -> Result<(mpsc::Receiver<Result<Part>>, JoinHandle<()>)> {
    let (sender, parts) = mpsc::channel(1);
    let work = move || {
        let _ = rustix::process::nice(PRIORITY);
        let (mut press, mut record) = (PartBuilder::default(), Vec::new());
        let groups = people.first.take().map(Ok).into_iter();
        let rest = std::iter::from_fn(|| people.rest.blocking_next());
        for group in groups.chain(rest) {
            let group = match group {
                Ok(group) => group,
                Err(error) => return drop(sender.blocking_send(Err(error.into()))),
            };
            for person in group {
                let person = if include_held { person.unveiled() } else { person };
                record.clear();
                write(&person, &mut record);
                press.add(person.id, &record);
                if press.plain_bytes() >= part_bytes
                    && let Some(part) = press.finish()
                    && sender.blocking_send(Ok(part)).is_err()
                {
                    return;
                }
            }
        }
        if let Some(part) = press.finish() {
            let _ = sender.blocking_send(Ok(part));
        }
    };
    let started = std::thread::Builder::new().name("report".to_owned()).spawn(work);
    started.map(|thread| (parts, thread)).map_err(|error| Error::Unavailable(error.to_string()))
}

/// Completes the export and its job in one transaction.
async fn complete(
    app: &App,
    claim: &Claim,
    institution: InstitutionId,
    id: ExportId,
    fields: Vec<String>,
) -> Result<()> {
    let (claim, now) = (claim.clone(), app.clock.now());
    let scrub = app.ids.id(now);
    app.db
        .write::<_, Error>(move |sql| {
            Box::pin(async move {
                rolls::lock(sql, institution).await?;
                check_lease(sql, &claim).await?;
                let export = exports::find(sql, institution, id).await?;
                let export = export.ok_or(Error::Missing(Missing::Export))?;
                let done = export.state.to(State::Completed).map_err(|wrong| {
                    Error::Internal(format!("an export cannot go from {:?} to {:?}", wrong.from, wrong.to))
                })?;
                exports::set_state(sql, institution, id, done).await?;
                let names: Vec<&str> = fields.iter().map(String::as_str).collect();
                exports::set_custom_fields(sql, institution, id, &names).await?;
                // People in the snapshot may have been deleted since.
                scrub_if_needed(sql, scrub, institution, now).await?;
                Ok(store::jobs::remove(sql, &claim).await?)
            })
        })
        .await
}

/// The last attempt has failed. Returns the files that are no longer needed.
pub(in crate::app) async fn give_up(
    sql: &mut Sql,
    job: JobId,
    institution: InstitutionId,
    id: ExportId,
    now: Moment,
) -> Result<Vec<String>> {
    if let Some(export) = exports::find(sql, institution, id).await?
        && let Ok(failed) = export.state.to(State::Failed)
    {
        exports::set_state(sql, institution, id, failed).await?;
        scrub_if_needed(sql, job, institution, now).await?;
        return Ok(exports::delete_parts(sql, institution, id).await?);
    }
    Ok(Vec::new())
}
