//! People who are deleted while a report may contain them. Reads filter them out at once; later a job rewrites the
//! parts of the report.

use std::time::Duration;

use super::{
    discard, key,
    report::{read_part, without},
};
use crate::{
    app::{App, Error, Result, jobs},
    domain::{
        export::State,
        ids::{ExportId, InstitutionId, JobId, ParticipantId},
        job::Job,
        moment::Moment,
        report::Part,
    },
    store::{
        Sql,
        exports::{self, Departing, PartRow},
        rolls,
    },
};

/// Batches deletions that follow each other closely.
const BATCH_DELAY: Duration = Duration::from_secs(2);

/// Called in the transaction that deletes them, before the deletion. It holds the institution's lock.
pub(in crate::app) async fn leave(
    sql: &mut Sql,
    job: JobId,
    institution: InstitutionId,
    leaving: Departing,
    now: Moment,
) -> Result<()> {
    if exports::any_in(sql, institution, &[State::InProgress, State::Completed]).await? {
        exports::depart(sql, institution, leaving).await?;
        jobs::enqueue(sql, job, &Job::ScrubExports { institution }, now.plus(BATCH_DELAY), now).await?;
    }
    Ok(())
}

/// They were restored. Older reports may contain them, and new ones must; scrubbing reads the departures after it has
/// listed the parts.
pub(in crate::app) async fn come_back(
    sql: &mut Sql,
    institution: InstitutionId,
    ids: &[ParticipantId],
) -> Result<()> {
    Ok(exports::delete_departed(sql, institution, ids).await?)
}

/// More conflicts than this with concurrent rewrites of the same parts are not a coincidence.
const MAX_PASSES: u32 = 10;

/// Removes deleted people from stored reports.
pub async fn scrub(app: &App, institution: InstitutionId) -> Result<()> {
    // The order matters. People listed here are in no report that starts later. A report that is being built may
    // contain them, and schedules another scrub when it completes. All other reports are checked below.
    let departed = exports::departures(&mut app.db.read(), institution).await?;
    let building = exports::any_in(&mut app.db.read(), institution, &[State::InProgress]).await?;
    for _ in 0..MAX_PASSES {
        if scrub_parts(app, institution).await? {
            if !building {
                delete_departures(app, institution, departed).await?;
            }
            return Ok(());
        }
    }
    Err(Error::Unavailable(
        "parts of reports are rewritten concurrently all the time, or are missing from the blob store"
            .to_owned(),
    ))
}

/// Returns false if a part was changed concurrently and may still contain somebody.
async fn scrub_parts(app: &App, institution: InstitutionId) -> Result<bool> {
    let (mut all, mut first_error) = (true, None);
    for (export, row) in exports::touched(&mut app.db.read(), institution).await? {
        // A part that cannot be read must not keep people in the others.
        match scrub_part(app, institution, export, row).await {
            Ok(is_scrubbed) => all &= is_scrubbed,
            Err(error) => first_error = first_error.or(Some(error)),
        }
    }
    first_error.map_or(Ok(all), Err)
}

async fn scrub_part(app: &App, institution: InstitutionId, export: ExportId, row: PartRow) -> Result<bool> {
    let tokens = exports::departed(&mut app.db.read(), institution, &row).await?;
    let Some(part) = read_part(app, institution, &row).await? else { return Ok(false) };
    let before = part.sum;
    let left = without(part, tokens, Vec::new()).await?;
    if left.as_ref().is_none_or(|left| left.sum != before) {
        return replace_part(app, institution, export, row, left).await;
    }
    Ok(true)
}

/// In batches, so that other writes do not wait for a whole institution.
const DELETE_BATCH: usize = 1_000;

async fn delete_departures(
    app: &App,
    institution: InstitutionId,
    departed: Vec<ParticipantId>,
) -> Result<()> {
    for group in departed.chunks(DELETE_BATCH) {
        let group = group.to_vec();
        let forgotten = app.db.write::<_, Error>(move |sql| {
            Box::pin(async move {
                // Another process may delete some of these, in another order.
                rolls::lock(sql, institution).await?;
                Ok(exports::delete_departed(sql, institution, &group).await?)
            })
        });
        forgotten.await?;
    }
    Ok(())
}

/// Returns false if the part was replaced or removed concurrently.
async fn replace_part(
    app: &App,
    institution: InstitutionId,
    export: ExportId,
    old: PartRow,
    left: Option<Part>,
) -> Result<bool> {
    let (old_hex, mut new_hex) = (old.hex.clone(), None);
    let new = match left {
        Some(part) => {
            let row = PartRow { hex: app.ids.hex(), sum: part.sum, records: part.records, ..old.clone() };
            new_hex = Some(row.hex.clone());
            app.blobs.put(&key(institution, &row.hex), part.compressed.into()).await?;
            Some(row)
        }
        None => None,
    };
    let replaced = app
        .db
        .write::<_, Error>(move |sql| {
            Box::pin(async move {
                Ok(match &new {
                    Some(new) => exports::replace_part(sql, institution, export, &old, new).await?,
                    None => exports::delete_part(sql, institution, export, &old).await?,
                })
            })
        })
        .await?;
    let useless = if replaced { Some(old_hex) } else { new_hex };
    discard(app, institution, useless.as_slice()).await;
    Ok(replaced)
}

/// An export has finished: people who were deleted meanwhile can now be scrubbed.
pub(super) async fn scrub_if_needed(
    sql: &mut Sql,
    job: JobId,
    institution: InstitutionId,
    now: Moment,
) -> Result<()> {
    if exports::any_departed(sql, institution).await? {
        jobs::enqueue(sql, job, &Job::ScrubExports { institution }, now, now).await?;
    }
    Ok(())
}
