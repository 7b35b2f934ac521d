//! The job queue. Jobs are enqueued in the transaction that causes them, and claimed by one worker at a time.

use std::{collections::HashMap, time::Duration};

use super::{Error, Result, Row, Sql, Value, padded, placeholders, turns::Waiting, within};
use crate::domain::{
    ids::{InstitutionId, JobId},
    job::{Claim, Job, Kind, Lane, Listed, State},
    moment::Moment,
    scope::Scope,
};

/// Enqueues a job. If an equal one is already waiting, the two are deduplicated, and the earlier time wins.
pub async fn insert(sql: &mut Sql, id: JobId, job: &Job, run_at: Moment, now: Moment) -> Result<()> {
    let text = "INSERT INTO jobs (id, institution_id, kind, payload, state, run_at, waiting_key, attempts, failures, created_at, deferred) \
         VALUES ($1, $2, $3, $4, 'waiting', $5, $6, 0, 0, $7, $8) \
         ON CONFLICT (waiting_key) DO UPDATE SET run_at = \
         CASE WHEN excluded.run_at < jobs.run_at THEN excluded.run_at ELSE jobs.run_at END";
    let params: [Value<'_>; 8] = [
        id.into(),
        job.institution().map_or(0, InstitutionId::get).into(),
        job.kind().name().into(),
        payload(job)?.into(),
        run_at.micros().into(),
        job.waiting_key().into(),
        now.micros().into(),
        (run_at > now).into(),
    ];
    sql.execute(text, &params).await.map(|_| ())
}

/// Enqueues a periodic job: one row for the whole installation, no matter how many processes enqueue it.
pub async fn repeat(sql: &mut Sql, id: JobId, job: &Job, every: Duration, now: Moment) -> Result<()> {
    let every = i64::try_from(every.as_micros()).unwrap_or(i64::MAX);
    let first = now.micros().saturating_add(every);
    let text = "INSERT INTO jobs (id, institution_id, kind, payload, state, run_at, every_micros, waiting_key, attempts, failures, created_at, deferred) \
         VALUES ($1, 0, $2, $3, 'waiting', $4, $5, $6, 0, 0, $7, TRUE) \
         ON CONFLICT (waiting_key) DO UPDATE SET every_micros = excluded.every_micros, run_at = \
         CASE WHEN jobs.state = 'waiting' AND excluded.run_at < jobs.run_at THEN excluded.run_at ELSE jobs.run_at END";
    let params: [Value<'_>; 7] = [
        id.into(),
        job.kind().name().into(),
        payload(job)?.into(),
        first.into(),
        every.into(),
        job.waiting_key().into(),
        now.micros().into(),
    ];
    sql.execute(text, &params).await.map(|_| ())
}

/// Deletes a periodic job.
pub async fn stop_repeating(sql: &mut Sql, job: &Job) -> Result<()> {
    sql.execute("DELETE FROM jobs WHERE waiting_key = $1", &[job.waiting_key().into()]).await.map(|_| ())
}

/// Deletes a job that is waiting, if it has a key.
pub async fn cancel(sql: &mut Sql, job: &Job) -> Result<()> {
    let text = "DELETE FROM jobs WHERE waiting_key = $1 AND state = 'waiting'";
    sql.execute(text, &[job.waiting_key().into()]).await.map(|_| ())
}

fn payload(job: &Job) -> Result<String> {
    serde_json::to_string(job).map_err(|error| Error::Broken(error.to_string()))
}

/// When the next job of these kinds is due.
pub async fn next(sql: &mut Sql, kinds: &[(Kind, Lane)]) -> Result<Option<Moment>> {
    let kinds: Vec<Kind> = kinds.iter().map(|(kind, _)| *kind).collect();
    let read = |row: &Row<'_>| (0..kinds.len()).map(|column| row.opt_int(column)).collect::<Result<Vec<_>>>();
    let due = sql.one(&next_text(&kinds), &[], read).await?.unwrap_or_default();
    Ok(due.into_iter().flatten().min().map(Moment::from_micros))
}

fn next_text(kinds: &[Kind]) -> String {
    format!("SELECT {}", kinds.iter().map(|kind| first_text(*kind)).collect::<Vec<_>>().join(", "))
}

/// When the first job of a kind is due. It is found by its key: jobs of other kinds that are due and that nobody takes, such as mail
/// without a mail server, cost nothing. Names are constants, so they can be inlined safely.
pub(super) fn first_text(kind: Kind) -> String {
    format!(
        "(SELECT run_at FROM jobs WHERE kind = '{}' AND run_at IS NOT NULL ORDER BY run_at, id LIMIT 1)",
        kind.name()
    )
}

/// Like `next`, for all kinds. Includes kinds unknown to this binary: no worker runs them, so monitoring must notice.
pub async fn next_of_any_kind(sql: &mut Sql) -> Result<Option<Moment>> {
    sql.one(NEXT_OF_ANY_KIND, &[], |row| row.int(0).map(Moment::from_micros)).await
}

const NEXT_OF_ANY_KIND: &str = "SELECT run_at FROM jobs WHERE run_at IS NOT NULL ORDER BY run_at, id LIMIT 1";

/// Claims the job of this institution and kind that has been due longest. No other worker can claim it before the lease expires.
pub async fn claim(
    sql: &mut Sql,
    lease: &str,
    until: Moment,
    now: Moment,
    next: &Waiting,
) -> Result<Option<Claim>> {
    // Clearing the key allows an equal job to be enqueued from now on, because this run may miss later changes. A periodic job
    // keeps its key, and so its single row.
    let text = format!(
        "UPDATE jobs SET state = 'running', lease = $1, run_at = $2, attempts = attempts + 1, \
         waiting_key = CASE WHEN every_micros IS NULL THEN NULL ELSE waiting_key END \
         WHERE id = ({}{}) AND run_at <= $4 \
         RETURNING id, payload, attempts, failures, every_micros",
        due_text(next.kind, 3),
        sql.skip_locked()
    );
    let params: [Value<'_>; 4] =
        [lease.into(), until.micros().into(), next.institution.into(), now.micros().into()];
    let taken = sql.one(&text, &params, |row| {
        let count = |column: usize| Ok::<_, Error>(u32::try_from(row.int(column)?).unwrap_or(u32::MAX));
        let every = row.opt_int(4)?.map(|micros| Duration::from_micros(micros.unsigned_abs()));
        Ok((row.id::<JobId>(0)?, row.text(1)?, count(2)?, count(3)?, every))
    });
    let Some((id, payload, attempts, failures, every)) = taken.await? else { return Ok(None) };
    let Ok(job) = serde_json::from_str(&payload) else {
        // A newer binary enqueued it. Leave it to that binary's workers.
        let text = "UPDATE jobs SET state = 'waiting', lease = NULL, attempts = attempts - 1, deferred = TRUE WHERE id = $1";
        sql.execute(text, &[id.into()]).await?;
        return Ok(None);
    };
    Ok(Some(Claim { id, lease: lease.to_owned(), job, attempts, failures, every }))
}

/// The job of the institution in this parameter that has been due longest at the time in the next one.
pub(super) fn due_text(kind: Kind, institution: usize) -> String {
    format!(
        "SELECT id FROM jobs WHERE kind = '{}' AND institution_id = ${institution} AND run_at <= ${} \
         ORDER BY run_at, id LIMIT 1",
        kind.name(),
        institution + 1
    )
}

/// Claims this job, if it is due and not leased.
pub async fn claim_this(
    sql: &mut Sql,
    institution: InstitutionId,
    id: JobId,
    lease: &str,
    until: Moment,
    now: Moment,
) -> Result<Option<Claim>> {
    let text = "UPDATE jobs SET state = 'running', lease = $1, run_at = $2, attempts = attempts + 1, waiting_key = NULL \
                WHERE id = $3 AND institution_id = $4 AND run_at <= $5 AND every_micros IS NULL RETURNING payload, attempts, failures";
    let params: [Value<'_>; 5] =
        [lease.into(), until.micros().into(), id.into(), institution.into(), now.micros().into()];
    let taken = sql.one(text, &params, |row| Ok((row.text(0)?, row.int(1)?, row.int(2)?))).await?;
    let Some((payload, attempts, failures)) = taken else { return Ok(None) };
    let job = super::stored_json(("jobs", "payload", id), &payload)?;
    let count = |number: i64| u32::try_from(number).unwrap_or(u32::MAX);
    let (attempts, failures) = (count(attempts), count(failures));
    Ok(Some(Claim { id, lease: lease.to_owned(), job, attempts, failures, every: None }))
}

/// Makes a waiting job due now, and resets its failure count.
pub async fn expedite(sql: &mut Sql, id: JobId, now: Moment) -> Result<()> {
    let text = "UPDATE jobs SET run_at = $1, failures = 0 WHERE id = $2 AND state = 'waiting'";
    sql.execute(text, &[now.micros().into(), id.into()]).await.map(|_| ())
}

/// State and number of failures of these jobs. Those that have ended are left out.
pub async fn progress(sql: &mut Sql, ids: &[JobId]) -> Result<HashMap<JobId, (String, i64)>> {
    let mut found = HashMap::new();
    for group in padded(ids) {
        let text =
            format!("SELECT id, state, failures FROM jobs WHERE id IN ({})", placeholders(1, group.len()));
        let params: Vec<Value<'_>> = group.into_iter().map(Value::from).collect();
        let read = |row: &Row<'_>| Ok((row.id::<JobId>(0)?, (row.text(1)?, row.int(2)?)));
        found.extend(sql.rows(&text, &params, read).await?);
    }
    Ok(found)
}

/// The waiting and running jobs of this kind, each with its number of failures. Dead ones have no time.
pub async fn alive(sql: &mut Sql, institution: InstitutionId, kind: Kind) -> Result<HashMap<JobId, i64>> {
    let text = "SELECT id, failures FROM jobs WHERE kind = $1 AND institution_id = $2 AND run_at IS NOT NULL";
    let read = |row: &Row<'_>| Ok((row.id::<JobId>(0)?, row.int(1)?));
    Ok(sql.rows(text, &[kind.name().into(), institution.into()], read).await?.into_iter().collect())
}

/// Deletes these jobs, except those that are running.
pub async fn remove_idle(sql: &mut Sql, ids: &[JobId]) -> Result<()> {
    for group in padded(ids) {
        let text =
            format!("DELETE FROM jobs WHERE state <> 'running' AND id IN ({})", placeholders(1, group.len()));
        let params: Vec<Value<'_>> = group.into_iter().map(Value::from).collect();
        sql.execute(&text, &params).await?;
    }
    Ok(())
}

/// Deletes a dead letter that another job has superseded.
pub async fn remove_dead(sql: &mut Sql, id: JobId) -> Result<()> {
    sql.execute("DELETE FROM jobs WHERE id = $1 AND state = 'dead'", &[id.into()]).await.map(|_| ())
}

/// Renews the lease. False if another worker has claimed the job.
pub async fn renew(sql: &mut Sql, claim: &Claim, until: Moment) -> Result<bool> {
    let text = "UPDATE jobs SET run_at = $1 WHERE id = $2 AND lease = $3";
    Ok(sql.execute(text, &[until.micros().into(), claim.id.into(), (&claim.lease).into()]).await? == 1)
}

/// Does this worker still hold the lease? Locks the row, so that the answer holds until the end of the transaction.
pub async fn holds_lease(sql: &mut Sql, claim: &Claim) -> Result<bool> {
    let text = "UPDATE jobs SET lease = lease WHERE id = $1 AND lease = $2";
    Ok(sql.execute(text, &[claim.id.into(), (&claim.lease).into()]).await? == 1)
}

/// Deletes all jobs of an institution.
pub async fn delete_all(sql: &mut Sql, institution: InstitutionId) -> Result<()> {
    sql.execute("DELETE FROM jobs WHERE institution_id = $1", &[institution.into()]).await.map(|_| ())
}

pub async fn remove(sql: &mut Sql, claim: &Claim) -> Result<()> {
    let text = "DELETE FROM jobs WHERE id = $1 AND lease = $2";
    sql.execute(text, &[claim.id.into(), (&claim.lease).into()]).await.map(|_| ())
}

/// Releases the claim and makes the job due at `run_at`. False if another worker has claimed it.
pub async fn reschedule(sql: &mut Sql, claim: &Claim, run_at: Moment, why: Reschedule<'_>) -> Result<bool> {
    let (attempts, failures, error) = match why {
        Reschedule::Unfinished => (claim.attempts.saturating_sub(1), claim.failures, None),
        Reschedule::Failed(error) => (claim.attempts, claim.failures + 1, Some(error)),
        Reschedule::NextPeriod(error) => (0, 0, error),
    };
    let text = "UPDATE jobs SET state = 'waiting', lease = NULL, run_at = $1, attempts = $2, failures = $3, error = $4, \
                deferred = TRUE WHERE id = $5 AND lease = $6";
    let params: [Value<'_>; 6] = [
        run_at.micros().into(),
        i64::from(attempts).into(),
        i64::from(failures).into(),
        error.into(),
        claim.id.into(),
        (&claim.lease).into(),
    ];
    Ok(sql.execute(text, &params).await? == 1)
}

/// Why a claim is released.
pub enum Reschedule<'a> {
    /// The worker is shutting down, or does not know what the job is about. This does not count as a failure.
    Unfinished,
    Failed(&'a str),
    /// A periodic job is done, or has exhausted its retries for this period.
    NextPeriod(Option<&'a str>),
}

/// Moves the job to the dead letters: it no longer runs, and is kept for an operator to inspect.
pub async fn dead_letter(sql: &mut Sql, claim: &Claim, error: &str) -> Result<()> {
    let text = "UPDATE jobs SET state = 'dead', lease = NULL, run_at = NULL, error = $1 WHERE id = $2 AND lease = $3";
    sql.execute(text, &[error.into(), claim.id.into(), (&claim.lease).into()]).await.map(|_| ())
}

/// Waiting, running and dead jobs, oldest first.
pub async fn all(sql: &mut Sql, scope: Scope, state: Option<State>, count: i64) -> Result<Vec<Listed>> {
    let mut params: Vec<Value<'_>> = vec![state.map_or("", State::word).into()];
    let within = within(scope, "j.institution_id", &mut params);
    params.push(count.into());
    let text = format!(
        "SELECT j.id, i.slug, j.kind, j.state, j.attempts, j.run_at, j.error, j.created_at FROM jobs j \
         LEFT JOIN institutions i ON i.id = j.institution_id WHERE (j.state = $1 OR $1 = '') AND {within} \
         ORDER BY j.id LIMIT ${}",
        params.len()
    );
    sql.rows(&text, &params, |row| {
        let state = row.text(3)?;
        Ok(Listed {
            id: row.id(0)?,
            institution: row.opt_text(1)?,
            kind: row.text(2)?,
            state: State::ALL.into_iter().find(|known| known.word() == state).unwrap_or(State::Dead),
            attempts: u32::try_from(row.int(4)?).unwrap_or(u32::MAX),
            run_at: row.opt_int(5)?.map(Moment::from_micros),
            error: row.opt_text(6)?,
            created_at: Moment::from_micros(row.int(7)?),
        })
    })
    .await
}

/// Jobs that an institution sees while they wait or run. Messages have a list of their own.
const SHOWN: [Kind; 6] = [
    Kind::BuildExport,
    Kind::RunImport,
    Kind::SyncCourse,
    Kind::FetchTake,
    Kind::DeleteTakes,
    Kind::ScrubExports,
];

/// The dead jobs of an institution, newest first, and then those that wait or run. Only dead ones have no time, so that both are
/// found by an index, however many jobs others have.
pub async fn of_institution(sql: &mut Sql, institution: InstitutionId, most: i64) -> Result<Vec<Listed>> {
    let columns = "id, kind, state, attempts, run_at, error, created_at";
    let read = |row: &Row<'_>| {
        let state = row.text(2)?;
        Ok(Listed {
            id: row.id(0)?,
            institution: None,
            kind: row.text(1)?,
            state: State::ALL.into_iter().find(|known| known.word() == state).unwrap_or(State::Dead),
            attempts: u32::try_from(row.int(3)?).unwrap_or(u32::MAX),
            run_at: row.opt_int(4)?.map(Moment::from_micros),
            error: row.opt_text(5)?,
            created_at: Moment::from_micros(row.int(6)?),
        })
    };
    let params: [Value<'_>; 2] = [institution.into(), most.into()];
    let text = format!(
        "SELECT {columns} FROM jobs WHERE run_at IS NULL AND institution_id = $1 ORDER BY id DESC LIMIT $2"
    );
    let mut found = sql.rows(&text, &params, read).await?;
    for kind in SHOWN {
        let text = format!(
            "SELECT {columns} FROM jobs WHERE kind = '{}' AND institution_id = $1 AND run_at IS NOT NULL \
             ORDER BY run_at, id LIMIT $2",
            kind.name()
        );
        found.extend(sql.rows(&text, &params, read).await?);
    }
    Ok(found)
}

/// A dead letter that waits again.
pub struct Retried {
    /// `None` if only a newer binary can read it.
    pub job: Option<Job>,
}

/// Requeues a dead letter with fresh counters. `None` if there is no dead job with this id.
pub async fn retry(sql: &mut Sql, scope: Scope, id: JobId, now: Moment) -> Result<Option<Retried>> {
    let mut params: Vec<Value<'_>> = vec![now.micros().into(), id.into()];
    let within = within(scope, "institution_id", &mut params);
    let text = format!(
        "UPDATE jobs SET state = 'waiting', attempts = 0, failures = 0, run_at = $1 \
         WHERE id = $2 AND state = 'dead' AND {within} RETURNING payload"
    );
    sql.one(&text, &params, |row| Ok(Retried { job: serde_json::from_str(&row.text(0)?).ok() })).await
}

/// Number of jobs by state.
pub async fn counts(sql: &mut Sql) -> Result<Vec<(State, u64)>> {
    let text = "SELECT state, COUNT(*) FROM jobs GROUP BY state";
    let counted = sql.rows(text, &[], |row| Ok((row.text(0)?, row.int(1)?.unsigned_abs()))).await?;
    let count = |state: State| counted.iter().find(|(word, _)| word == state.word()).map_or(0, |(_, n)| *n);
    Ok(State::ALL.map(|state| (state, count(state))).to_vec())
}

/// Sample queries for the test that checks query plans.
#[doc(hidden)]
pub fn statements() -> Vec<(&'static str, String, Vec<Value<'static>>)> {
    vec![
        ("the next job of one kind", next_text(&[Kind::FetchTake]), vec![]),
        ("the next job of all kinds", next_text(Kind::ALL), vec![]),
        ("the next job of any kind", NEXT_OF_ANY_KIND.to_owned(), vec![]),
    ]
}
