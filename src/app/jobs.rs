//! The queue of background jobs: enqueue, claim, renew the lease, finish, retry, dead-letter. Each kind of job has a file
//! below.

mod build_export;
mod copy_people;
mod delete_institution;
mod delete_takes;
mod fetch_take;
mod hang_up;
mod index_people;
mod note_coverage;
mod purge_moderation;
mod purge_people;
mod registry;
mod remove_expired;
mod renew_links;
mod retain;
mod rotate_lti_keys;
mod run_import;
mod run_people_task;
mod scrub_exports;
mod send_mail;
mod send_reminders;
mod sweep_blobs;
mod sync_course;
mod sync_due_courses;

use std::time::Duration;

pub use registry::{Context, Policy, Ran, policy, run};
use registry::{GivenUp, give_up, in_lanes, lock, revive};
use tokio::sync::watch;

use super::{
    Actor, App, Error, Missing, Result,
    audit::{self, Record},
    exports,
};
use crate::{
    domain::{
        audit::{Act, SubjectKind},
        ids::{InstitutionId, JobId},
        job::{Claim, Job, Lane, Listed, State},
        moment::Moment,
    },
    store::{
        Sql,
        jobs::{self, Reschedule, Retried},
        turns::{self, Backlog},
    },
};

/// How long a job that only a newer version can do is left alone: so long it may be delayed each time that the wrong worker claims it.
const LEFT_ALONE: Duration = Duration::from_secs(30);

/// Wakes the workers of this process when a job may be due. Workers of other processes poll.
#[derive(Default)]
pub struct Queue {
    enqueued: watch::Sender<()>,
}

impl Queue {
    /// Call this after enqueuing a job that is due immediately.
    pub fn wake(&self) {
        self.enqueued.send_replace(());
    }

    /// Changes on every wake-up after this call, so that none is lost between two waits.
    pub fn wakeups(&self) -> watch::Receiver<()> {
        self.enqueued.subscribe()
    }
}

/// Enqueues a job in the transaction that causes it. The id was generated before the transaction began.
pub(super) async fn enqueue(sql: &mut Sql, id: JobId, job: &Job, run_at: Moment, now: Moment) -> Result<()> {
    Ok(jobs::insert(sql, id, job, run_at, now).await?)
}

/// Claims the next due job of these lanes: the oldest one of the institution whose turn it is.
pub async fn claim(app: &App, lease: Duration, lanes: &[Lane]) -> Result<Option<Claim>> {
    let (now, kinds) = (app.clock.now(), in_lanes(lanes));
    end_deferrals(app, Backlog::Jobs, now).await?;
    // The read is cheap, and avoids occupying the database's single writer.
    let waiting = turns::waiting(&mut app.db.read(), &kinds, now).await?;
    if waiting.is_empty() {
        return Ok(None);
    }
    let proof = app.ids.hex();
    app.db
        .write_bookkeeping(move |sql| {
            Box::pin(async move {
                for next in waiting {
                    let claimed = jobs::claim(sql, &proof, now.plus(lease), now, &next).await?;
                    if claimed.is_some() {
                        turns::take(sql, next.lane.name(), next.turn, next.institution).await?;
                        return Ok(claimed);
                    }
                }
                Ok(None)
            })
        })
        .await
}

/// Ends the deferral of what has become due, of all lanes. In transactions of its own, which wait for no lock: whoever holds these rows
/// and waits for another one could deadlock with a write that locks them in another order.
pub(super) async fn end_deferrals(app: &App, backlog: Backlog, now: Moment) -> Result<()> {
    while turns::has_due_deferrals(&mut app.db.read(), backlog, now).await? {
        let ended = app.db.write_bookkeeping::<_, Error>(move |sql| {
            Box::pin(async move { Ok(turns::end_deferrals(sql, backlog, now).await?) })
        });
        if !ended.await? {
            break;
        }
    }
    Ok(())
}

/// Claims this job if it is due and no worker holds its lease.
pub async fn claim_this(
    app: &App,
    institution: InstitutionId,
    id: JobId,
    lease: Duration,
) -> Result<Option<Claim>> {
    let (now, proof) = (app.clock.now(), app.ids.hex());
    app.db
        .write_bookkeeping(move |sql| {
            Box::pin(async move {
                Ok(jobs::claim_this(sql, institution, id, &proof, now.plus(lease), now).await?)
            })
        })
        .await
}

/// Returns the time until the next job of these lanes is due.
pub async fn until_next(app: &App, lanes: &[Lane]) -> Result<Option<Duration>> {
    let next = jobs::next(&mut app.db.read(), &in_lanes(lanes)).await?;
    Ok(next.map(|next| next.since(app.clock.now())))
}

/// Returns how long the oldest due job has been due.
pub async fn late(app: &App) -> Result<Duration> {
    let now = app.clock.now();
    let next = jobs::next_of_any_kind(&mut app.db.read()).await?.unwrap_or(now);
    Ok(now.since(next))
}

/// Renews the lease. Returns false if another worker has claimed the job.
pub async fn renew(app: &App, claim: &Claim, lease: Duration) -> Result<bool> {
    let (claim, until) = (claim.clone(), app.clock.now().plus(lease));
    app.db
        .write_bookkeeping(move |sql| Box::pin(async move { Ok(jobs::renew(sql, &claim, until).await?) }))
        .await
}

/// Completes the job. Schedules the next run of a periodic one.
pub async fn finish(app: &App, claim: &Claim) -> Result<()> {
    let (claim, now) = (claim.clone(), app.clock.now());
    app.db
        .write_bookkeeping(move |sql| {
            Box::pin(async move {
                match claim.every {
                    Some(every) => {
                        jobs::reschedule(sql, &claim, now.plus(every), Reschedule::NextPeriod(None)).await?;
                    }
                    None => jobs::remove(sql, &claim).await?,
                }
                Ok(())
            })
        })
        .await
}

/// Releases the claim of a job that is not done, because the worker is shutting down. Another worker can claim it
/// immediately.
pub async fn release(app: &App, claim: &Claim) -> Result<()> {
    release_until(app, claim, app.clock.now()).await
}

/// Releases the claim of a job that only a newer version can do. This process may claim it again after a while: it does not know
/// whether there are workers of that version.
pub async fn leave_to_newer(app: &App, claim: &Claim) -> Result<()> {
    release_until(app, claim, app.clock.now().plus(LEFT_ALONE)).await
}

async fn release_until(app: &App, claim: &Claim, run_at: Moment) -> Result<()> {
    let claim = claim.clone();
    app.db
        .write(move |sql| {
            Box::pin(async move {
                jobs::reschedule(sql, &claim, run_at, Reschedule::Unfinished).await?;
                Ok(())
            })
        })
        .await
}

/// What happens to a job after a failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FailureOutcome {
    RetryIn(Duration),
    /// The lease expired and another worker claimed the job: this failure does not count.
    LeaseLost,
    /// The job is now a dead letter. It does not run again unless an operator retries it.
    GivenUp,
}

pub async fn fail(app: &App, claim: &Claim, error: &str) -> Result<FailureOutcome> {
    let (now, retry) = (app.clock.now(), policy(claim.job.kind()).retry);
    let backoff = retry.backoff(claim.failures + 1, app.ids.chance());
    let is_last = claim.is_last_attempt(&retry);
    let (next, ends) = match claim.every {
        // A periodic job runs again anyway, so it never becomes a dead letter.
        Some(every) if is_last || backoff > every => (FailureOutcome::RetryIn(every), true),
        None if is_last => (FailureOutcome::GivenUp, true),
        _ => (FailureOutcome::RetryIn(backoff), false),
    };
    let (failed, error) = (claim.clone(), error.to_owned());
    let (spare_id, owned_app) = (app.ids.id(now), app.clone());
    let (next, gone) = app
        .db
        .write::<_, Error>(move |sql| {
            Box::pin(async move {
                if next == FailureOutcome::GivenUp {
                    lock(sql, &failed.job).await?;
                }
                if !jobs::holds_lease(sql, &failed).await? {
                    return Ok((FailureOutcome::LeaseLost, Vec::new()));
                }
                let mut gone = Vec::new();
                match next {
                    FailureOutcome::RetryIn(pause) => {
                        let why = match ends {
                            true => Reschedule::NextPeriod(Some(&error)),
                            false => Reschedule::Failed(&error),
                        };
                        jobs::reschedule(sql, &failed, now.plus(pause), why).await?;
                    }
                    FailureOutcome::GivenUp => {
                        jobs::dead_letter(sql, &failed, &error).await?;
                        let given_up =
                            GivenUp { app: &owned_app, claim: &failed, error: &error, spare_id, now };
                        gone = give_up(sql, &given_up).await?;
                    }
                    FailureOutcome::LeaseLost => {}
                }
                Ok((next, gone))
            })
        })
        .await?;
    if let Some(institution) = claim.job.institution() {
        exports::discard(app, institution, &gone).await;
    }
    Ok(next)
}

/// Schedules a periodic job, once per installation (idempotent). A period of zero removes it.
pub async fn repeat(app: &App, job: Job, every: Duration) -> Result<()> {
    let now = app.clock.now();
    let id = app.ids.id(now);
    app.db
        .write(move |sql| {
            Box::pin(async move {
                if every.is_zero() {
                    jobs::stop_repeating(sql, &job).await?;
                } else {
                    jobs::repeat(sql, id, &job, every, now).await?;
                }
                Ok(())
            })
        })
        .await
}

pub async fn all(app: &App, actor: &Actor, state: Option<State>, most: i64) -> Result<Vec<Listed>> {
    let scope = actor.administered(None)?;
    Ok(jobs::all(&mut app.db.read(), scope, state, most).await?)
}

/// How many jobs of a kind are listed for an institution.
const MOST_SHOWN: i64 = 50;

/// The jobs of an institution that concern it: dead ones first. Those that deliver messages are left out while they are alive.
pub async fn of_institution(app: &App, actor: &Actor, institution: InstitutionId) -> Result<Vec<Listed>> {
    actor.administer(institution)?;
    Ok(jobs::of_institution(&mut app.db.read(), institution, MOST_SHOWN).await?)
}

pub async fn counts(app: &App) -> Result<Vec<(State, u64)>> {
    Ok(jobs::counts(&mut app.db.read()).await?)
}

/// Retries a dead letter, with its failure count reset. What it is about is made ready for another run; if that is not possible, the
/// error is `Invalid` with the reason, and the job stays dead.
pub async fn retry(app: &App, actor: &Actor, id: JobId) -> Result<()> {
    let record = Record::new(app, actor, InstitutionId::default(), Act::JobRetried);
    let (actor, now) = (actor.clone(), app.clock.now());
    app.db
        .write::<_, Error>(move |sql| {
            Box::pin(async move {
                let retried = jobs::retry(sql, actor.reach(), id, now).await?;
                let Retried { job } = retried.ok_or(Error::Missing(Missing::Job))?;
                // It exists for the actor. If the actor may not change it, the transaction is rolled back.
                actor.administered(None)?;
                let Some(job) = job else { return Ok(()) };
                revive(sql, &job, now).await?;
                if let Some(institution) = job.institution() {
                    let record = record.within(institution).about(SubjectKind::Job, id, job.kind().name());
                    audit::write(sql, &[record]).await?;
                }
                Ok(())
            })
        })
        .await?;
    app.queue.wake();
    Ok(())
}
