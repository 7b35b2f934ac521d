//! The queue of work that is done later: taken, kept, finished, given up.

use std::time::Duration;

use tokio::sync::Notify;

use super::{Actor, App, Error, Missing, Result, calls, exports};
use crate::{
    domain::{
        ids::{InstitutionId, JobId},
        job::{self, Held, Job, Listed, State, Takes},
        moment::Moment,
        scope::Scope,
    },
    store::{
        Sql,
        courses::{self, Ended},
        jobs::{self, Back},
        rolls,
    },
};

/// Wakes a worker of this process when there is something to do. Others look by themselves from time to time.
#[derive(Default)]
pub struct Queue {
    written: Notify,
    /// For whoever does not take everything: waking them must not leave the others asleep.
    written_for_some: Notify,
}

impl Queue {
    /// A job that is due at once has been written down.
    pub fn wake(&self) {
        self.written.notify_one();
        self.written_for_some.notify_one();
    }

    pub async fn woken(&self, takes: Takes) {
        match takes {
            Takes::All => self.written.notified().await,
            Takes::AllButCourses => self.written_for_some.notified().await,
        }
    }
}

/// Writes a job down, in the transaction that causes it. The id was made before it began.
pub(super) async fn enqueue(sql: &mut Sql, id: JobId, job: &Job, run_at: Moment, now: Moment) -> Result<()> {
    Ok(jobs::insert(sql, id, job, run_at, now).await?)
}

/// Takes the next job that is due, for so long.
pub async fn claim(app: &App, lease: Duration, takes: Takes) -> Result<Option<Held>> {
    let now = app.clock.now();
    // Asking is cheap and leaves the database's one writer alone.
    if jobs::next(&mut app.db.read(), takes).await?.is_none_or(|next| next > now) {
        return Ok(None);
    }
    let proof = app.ids.hex();
    app.db
        .write(move |sql| {
            Box::pin(async move { Ok(jobs::claim(sql, &proof, now.plus(lease), now, takes).await?) })
        })
        .await
}

/// Takes this job, if it is due and nobody has it.
pub async fn claim_this(
    app: &App,
    institution: InstitutionId,
    id: JobId,
    lease: Duration,
) -> Result<Option<Held>> {
    let (now, proof) = (app.clock.now(), app.ids.hex());
    app.db
        .write(move |sql| {
            Box::pin(async move {
                Ok(jobs::claim_this(sql, institution, id, &proof, now.plus(lease), now).await?)
            })
        })
        .await
}

/// How long until the next job comes.
pub async fn until_next(app: &App, takes: Takes) -> Result<Option<Duration>> {
    let now = app.clock.now();
    let next = jobs::next(&mut app.db.read(), takes).await?;
    Ok(next.map(|next| Duration::from_micros(u64::try_from(next.micros() - now.micros()).unwrap_or(0))))
}

/// How long the job that has been due longest has been due.
pub async fn late(app: &App) -> Result<Duration> {
    let now = app.clock.now();
    let next = jobs::next(&mut app.db.read(), Takes::All).await?.unwrap_or(now);
    Ok(Duration::from_micros(u64::try_from(now.micros() - next.micros()).unwrap_or(0)))
}

/// Goes on holding it. False when it has gone to somebody else.
pub async fn renew(app: &App, held: &Held, lease: Duration) -> Result<bool> {
    let (held, until) = (held.clone(), app.clock.now().plus(lease));
    app.db.write(move |sql| Box::pin(async move { Ok(jobs::renew(sql, &held, until).await?) })).await
}

/// It is done. What is done again and again comes again.
pub async fn finish(app: &App, held: &Held) -> Result<()> {
    let (held, now) = (held.clone(), app.clock.now());
    app.db
        .write(move |sql| {
            Box::pin(async move {
                match held.every {
                    Some(every) => {
                        jobs::put_back(sql, &held, now.plus(every), Back::NextTime(None)).await?;
                    }
                    None => jobs::remove(sql, &held).await?,
                }
                Ok(())
            })
        })
        .await
}

/// The worker has to stop before it is done: somebody else may have it at once.
pub async fn release(app: &App, held: &Held) -> Result<()> {
    let (held, now) = (held.clone(), app.clock.now());
    app.db
        .write(move |sql| {
            Box::pin(async move {
                jobs::put_back(sql, &held, now, Back::Unfinished).await?;
                Ok(())
            })
        })
        .await
}

/// What becomes of a job that has failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Failed {
    ComesAgain(Duration),
    /// It was somebody else's by now: this failure is of no account.
    Lost,
    /// Nobody will try it any more, unless an operator says so.
    GivenUp,
}

pub async fn fail(app: &App, held: &Held, error: &str) -> Result<Failed> {
    let now = app.clock.now();
    let pause = job::pause(held.failures + 1, app.ids.chance());
    let (next, ends) = match held.every {
        // It comes again anyway, so it is never given up.
        Some(every) if held.is_last() || pause > every => (Failed::ComesAgain(every), true),
        None if held.is_last() => (Failed::GivenUp, true),
        _ => (Failed::ComesAgain(pause), false),
    };
    let (taken, error) = (held.clone(), error.to_owned());
    let (scrub, at_hand) = (app.ids.id(now), app.clone());
    let (next, gone) = app
        .db
        .write::<_, Error>(move |sql| {
            Box::pin(async move {
                // What a course's end is written under comes first, as everywhere.
                if let Job::SyncCourse { institution, .. } = &taken.job {
                    rolls::lock(sql, *institution).await?;
                }
                if !jobs::is_held(sql, &taken).await? {
                    return Ok((Failed::Lost, Vec::new()));
                }
                let mut gone = Vec::new();
                match next {
                    Failed::ComesAgain(pause) => {
                        let why = if ends { Back::NextTime(Some(&error)) } else { Back::Failed(&error) };
                        jobs::put_back(sql, &taken, now.plus(pause), why).await?;
                    }
                    Failed::GivenUp => {
                        jobs::bury(sql, &taken, &error).await?;
                        gone = mourn(sql, &at_hand, scrub, (&taken, &error), now).await?;
                    }
                    Failed::Lost => {}
                }
                Ok((next, gone))
            })
        })
        .await?;
    if let Some(institution) = held.job.institution() {
        exports::discard(app, institution, &gone).await;
    }
    Ok(next)
}

/// What else is so when a job is given up. Says which files nobody needs any more.
async fn mourn(
    sql: &mut Sql,
    app: &App,
    scrub: JobId,
    (held, error): (&Held, &str),
    now: Moment,
) -> Result<Vec<String>> {
    match &held.job {
        Job::BuildExport { institution, export, .. } => {
            exports::give_up(sql, scrub, *institution, *export, now).await
        }
        Job::FetchTake { institution, attempt } => {
            calls::cloud::give_up(sql, app, (*institution, *attempt), now).await?;
            Ok(Vec::new())
        }
        Job::SyncCourse { institution, course } => {
            let found = courses::find(sql, *institution, *course).await?;
            if found.is_some_and(|(_, job)| job == Some(held.id)) {
                courses::end(sql, *institution, *course, Ended::Failed(error)).await?;
            }
            Ok(Vec::new())
        }
        Job::ScrubExports { .. }
        | Job::ExpireExports
        | Job::SweepBlobs
        | Job::RotateLtiKeys
        | Job::SyncDueCourses
        | Job::HangUp { .. }
        | Job::DeleteTakes { .. } => Ok(Vec::new()),
    }
}

/// Work that comes again and again, once for the whole installation. A pause of nothing means never.
pub async fn repeat(app: &App, job: Job, every: Duration) -> Result<()> {
    let now = app.clock.now();
    let id = app.ids.id(now);
    app.db
        .write(move |sql| {
            Box::pin(async move {
                if every.is_zero() {
                    jobs::no_more(sql, &job).await?;
                } else {
                    jobs::repeat(sql, id, &job, every, now).await?;
                }
                Ok(())
            })
        })
        .await
}

pub async fn all(app: &App, scope: Scope, state: Option<State>, most: i64) -> Result<Vec<Listed>> {
    Ok(jobs::all(&mut app.db.read(), scope, state, most).await?)
}

pub async fn counts(app: &App) -> Result<Vec<(State, u64)>> {
    Ok(jobs::counts(&mut app.db.read()).await?)
}

/// A dead job starts over, as if it were new.
pub async fn retry(app: &App, actor: &Actor, id: JobId) -> Result<()> {
    let (scope, now) = (actor.scope(), app.clock.now());
    let found = app
        .db
        .write::<_, Error>(move |sql| Box::pin(async move { Ok(jobs::retry(sql, scope, id, now).await?) }));
    if !found.await? {
        return Err(Error::Missing(Missing::Job));
    }
    app.queue.wake();
    Ok(())
}
