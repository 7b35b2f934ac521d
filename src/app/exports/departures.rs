//! People who are deleted while a report may have them. They are left out when it is read, at once; and then its parts are
//! written anew.

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
        exports::{self, Leaving, PartRow},
    },
};

/// Several who are deleted one after the other are taken out of reports at once.
const TOGETHER: Duration = Duration::from_secs(2);

/// Called while they are still there, in the transaction that deletes them; it holds the institution's lock.
pub(in crate::app) async fn leave(
    sql: &mut Sql,
    job: JobId,
    institution: InstitutionId,
    leaving: Leaving,
    now: Moment,
) -> Result<()> {
    if exports::any_in(sql, institution, &[State::InProgress, State::Completed]).await? {
        exports::depart(sql, institution, leaving).await?;
        jobs::enqueue(sql, job, &Job::ScrubExports { institution }, now.plus(TOGETHER), now).await?;
    }
    Ok(())
}

/// They are there again. Reports from before they left may have them; those that begin from here on must, and whoever takes
/// people out of reports reads who has left after it has seen which parts there are.
pub(in crate::app) async fn come_back(
    sql: &mut Sql,
    institution: InstitutionId,
    ids: &[ParticipantId],
) -> Result<()> {
    Ok(exports::forget_departures(sql, institution, ids).await?)
}

/// More often than this it is not chance that others write the same parts anew.
const MOST_PASSES: u32 = 10;

/// Takes deleted people out of the reports that are kept.
pub async fn scrub(app: &App, institution: InstitutionId) -> Result<()> {
    // In this order. Whoever is known here is not in any report that begins later; one that is being built now may have
    // them, and asks for this again when it is there; all others are looked at below.
    let departed = exports::departures(&mut app.db.read(), institution).await?;
    let building = exports::any_in(&mut app.db.read(), institution, &[State::InProgress]).await?;
    for _ in 0..MOST_PASSES {
        if scrub_parts(app, institution).await? {
            if !building {
                forget(app, institution, departed).await?;
            }
            return Ok(());
        }
    }
    Err(Error::Unavailable(
        "parts of reports are written anew all the time, or are not in the store".to_owned(),
    ))
}

/// False when a part was not as it had been listed, and so may have somebody still.
async fn scrub_parts(app: &App, institution: InstitutionId) -> Result<bool> {
    let mut all = true;
    for (export, row) in exports::touched(&mut app.db.read(), institution).await? {
        let tokens = exports::departed(&mut app.db.read(), institution, &row).await?;
        let Some(part) = read_part(app, institution, &row).await? else {
            all = false;
            continue;
        };
        let before = part.sum;
        let left = without(part, tokens).await?;
        if left.as_ref().is_none_or(|left| left.sum != before) {
            all &= replace_part(app, institution, export, row, left).await?;
        }
    }
    Ok(all)
}

/// Some at a time, so that no other write waits for a whole institution.
const FORGOTTEN_AT_ONCE: usize = 1_000;

async fn forget(app: &App, institution: InstitutionId, departed: Vec<ParticipantId>) -> Result<()> {
    for group in departed.chunks(FORGOTTEN_AT_ONCE) {
        let group = group.to_vec();
        let forgotten = app.db.write::<_, Error>(move |sql| {
            Box::pin(async move { Ok(exports::forget_departures(sql, institution, &group).await?) })
        });
        forgotten.await?;
    }
    Ok(())
}

/// False when it has become another part, or is gone.
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
            let row = PartRow { hex: app.ids.hex(), sum: part.sum, ..old.clone() };
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

/// An export is not in progress any more: whoever left meanwhile can be taken out, and forgotten.
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
