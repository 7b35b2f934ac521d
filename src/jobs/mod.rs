//! The workers that run background jobs, and the switchboard that makes calls. The jobs themselves are in `app/jobs`, one file
//! each. This module claims them, renews their leases while they run, and records their outcome.

mod switchboard;

use std::{panic::AssertUnwindSafe, time::Duration};

use futures_util::FutureExt;
use tokio_util::{sync::CancellationToken, task::TaskTracker};

use crate::{
    app::{
        App, Result,
        exports::ReportFormat,
        jobs::{self, Ran},
    },
    domain::{
        ids::{InstitutionId, JobId},
        job::{Claim, Job, Lane},
    },
    telemetry::{metrics, traces},
};

#[derive(Debug, Clone, Copy)]
pub struct Settings {
    /// Number of jobs that run concurrently, besides the delivery of mail. With 0, this process runs none.
    pub workers: usize,
    /// A worker that does not renew its lease for this long is presumed dead.
    pub lease: Duration,
    /// How long running jobs may take to finish after a shutdown request.
    pub grace: Duration,
    /// How often to look for orphaned files, and how old they must be before they are deleted.
    pub sweep_every: Duration,
    pub orphans_older_than: Duration,
    pub report_format: ReportFormat,
}

/// How often a worker polls for jobs that other processes have enqueued.
const POLL_INTERVAL: Duration = Duration::from_secs(1);
/// A job that is due and cannot be claimed is locked, perhaps for minutes: by whoever deletes its institution, for example.
const SHORTEST_PAUSE: Duration = Duration::from_millis(50);
const EXPIRE_EVERY: Duration = Duration::from_secs(60);
const ROTATE_EVERY: Duration = Duration::from_secs(24 * 3_600);
const PURGE_EVERY: Duration = Duration::from_secs(3_600);
/// Maximum delay before a due course sync starts on an idle queue.
const SYNC_DUE_EVERY: Duration = Duration::from_secs(30);
/// Maximum delay of a reminder.
const REMIND_EVERY: Duration = Duration::from_secs(60);
/// Recordings are deleted on a day, not at an hour.
const RETAIN_EVERY: Duration = Duration::from_secs(3_600);
/// The figures of a day are those of its last quarter.
const NOTE_EVERY: Duration = Duration::from_secs(6 * 3_600);

/// The lanes of messages that the workers for mail of a process serve, and so its connections to the mail server. Bulk messages have
/// workers of their own, so that a code never waits behind them.
const MAIL_WORKERS: [&[Lane]; 4] = [&[Lane::Mail], &[Lane::Mail], &[Lane::BulkMail], &[Lane::BulkMail]];

/// Runs the workers until they are stopped and have finished.
pub async fn run(app: App, settings: Settings, stop: CancellationToken) {
    let workers = TaskTracker::new();
    for nth in 0..settings.workers {
        let lanes = Lane::served_by(nth, settings.workers);
        workers.spawn(worker(app.clone(), settings, lanes, stop.clone()).boxed());
    }
    if settings.workers > 0 {
        // A process without a mail server leaves messages to those that have one.
        let mail_workers: &[&'static [Lane]] = if app.mail.is_configured() { &MAIL_WORKERS } else { &[] };
        for lanes in mail_workers.iter().copied() {
            workers.spawn(worker(app.clone(), settings, lanes, stop.clone()).boxed());
        }
        workers.spawn(switchboard::run(app.clone(), settings.grace, stop.clone()).boxed());
        workers.spawn(schedule(app, settings, stop).boxed());
    }
    workers.close();
    workers.wait().await;
}

/// Enqueues the periodic jobs. Retries until the database is reachable.
async fn schedule(app: App, settings: Settings, stop: CancellationToken) {
    let all = [
        (Job::SweepBlobs, settings.sweep_every),
        (Job::RemoveExpired, EXPIRE_EVERY),
        (Job::RotateLtiKeys, ROTATE_EVERY),
        (Job::SyncDueCourses, SYNC_DUE_EVERY),
        (Job::SendReminders, REMIND_EVERY),
        (Job::Retain, RETAIN_EVERY),
        (Job::PurgeModeration, PURGE_EVERY),
        (Job::NoteCoverage, NOTE_EVERY),
        (Job::PurgePeople, PURGE_EVERY),
    ];
    for (job, every) in all {
        while let Err(error) = jobs::repeat(&app, job.clone(), every).await {
            tracing::warn!(%error, job = job.kind().name(), "a periodic job could not be enqueued");
            if stop.run_until_cancelled(app.clock.sleep(POLL_INTERVAL)).await.is_none() {
                return;
            }
        }
    }
}

async fn worker(app: App, settings: Settings, lanes: &'static [Lane], stop: CancellationToken) {
    let (mut in_trouble, mut wakeups) = (false, app.queue.wakeups());
    while !stop.is_cancelled() {
        let next = match jobs::claim(&app, settings.lease, lanes).await {
            Ok(Some(claim)) => {
                perform(&app, settings, claim, &stop).await;
                continue;
            }
            Ok(None) => jobs::until_next(&app, lanes).await,
            Err(error) => Err(error),
        };
        let pause = match next {
            Ok(next) => {
                in_trouble = false;
                next.unwrap_or(POLL_INTERVAL).clamp(SHORTEST_PAUSE, POLL_INTERVAL)
            }
            Err(error) => {
                if !std::mem::replace(&mut in_trouble, true) {
                    tracing::warn!(%error, "reading the job queue failed; will retry");
                }
                POLL_INTERVAL
            }
        };
        tokio::select! {
            () = app.clock.sleep(pause) => {}
            _ = wakeups.changed() => {}
            () = stop.cancelled() => {}
        }
    }
}

/// Runs one job in the calling task, for a caller that waits for it. Returns false if the job cannot be claimed: another
/// worker holds it, or it is not due.
pub async fn run_now(
    app: &App,
    settings: Settings,
    (institution, id): (InstitutionId, JobId),
    stop: &CancellationToken,
) -> Result<bool> {
    match jobs::claim_this(app, institution, id, settings.lease).await? {
        Some(claim) => {
            perform(app, settings, claim, stop).await;
            Ok(true)
        }
        None => Ok(false),
    }
}

/// Outcome of one attempt.
enum Outcome {
    Done,
    Failed(String),
    /// Another worker has claimed the job.
    Lost,
    /// The process is shutting down.
    Unfinished,
    /// Only a newer version can do it.
    LeftToNewer,
}

impl Outcome {
    const fn word(&self) -> &'static str {
        match self {
            Self::Done => "done",
            Self::Failed(_) => "failed",
            Self::Lost => "lost",
            Self::Unfinished | Self::LeftToNewer => "unfinished",
        }
    }
}

async fn perform(app: &App, settings: Settings, claim: Claim, stop: &CancellationToken) {
    let (kind, started) = (claim.job.kind().name(), app.clock.instant());
    if claim.is_poison() {
        if let Err(error) = fail(app, &claim, "its workers died, again and again").await {
            tracing::warn!(%error, job = claim.id.get(), kind, "the outcome of a job could not be recorded");
        }
        return;
    }
    let Settings { report_format, orphans_older_than, .. } = settings;
    let context = jobs::Context { app, claim: &claim, report_format, orphans_older_than };
    let work = traces::job(kind, AssertUnwindSafe(jobs::run(&context)).catch_unwind());
    let outcome = tokio::select! {
        done = work => match done {
            Ok(Ok(Ran::Done)) => Outcome::Done,
            Ok(Ok(Ran::LeftToNewer)) => Outcome::LeftToNewer,
            Ok(Err(error)) => Outcome::Failed(error.to_string()),
            Err(_) => Outcome::Failed("it broke its worker".to_owned()),
        },
        () = keep_lease(app, &claim, settings.lease) => Outcome::Lost,
        () = out_of_time(app, stop, settings.grace) => Outcome::Unfinished,
    };
    let seconds = app.clock.instant().duration_since(started).as_secs_f64();
    let job = claim.id.get();
    metrics::job_finished(kind, outcome.word(), seconds);
    let written = match outcome {
        Outcome::Done => {
            tracing::info!(job, kind, seconds, "job done");
            jobs::finish(app, &claim).await
        }
        Outcome::Failed(error) => fail(app, &claim, &error).await,
        Outcome::Lost => {
            tracing::warn!(job, kind, "a job lost its lease to another worker");
            Ok(())
        }
        Outcome::Unfinished => {
            tracing::info!(job, kind, "a job is released to another worker");
            jobs::release(app, &claim).await
        }
        Outcome::LeftToNewer => jobs::leave_to_newer(app, &claim).await,
    };
    if let Err(error) = written {
        // Nothing else to do: the lease expires, and another worker claims the job.
        tracing::warn!(%error, job, kind, "the outcome of a job could not be recorded");
    }
}

async fn fail(app: &App, claim: &Claim, error: &str) -> Result<()> {
    let (job, kind) = (claim.id.get(), claim.job.kind().name());
    match jobs::fail(app, claim, error).await? {
        jobs::FailureOutcome::RetryIn(pause) => {
            tracing::warn!(
                error,
                job,
                kind,
                seconds = pause.as_secs(),
                "a job has failed and will be retried"
            );
        }
        jobs::FailureOutcome::LeaseLost => {
            tracing::warn!(error, job, kind, "a job failed after its lease had gone to another worker");
        }
        jobs::FailureOutcome::GivenUp => {
            tracing::error!(
                error,
                job,
                kind,
                "a job was given up; `endonym jobs list --state dead` shows it"
            );
        }
    }
    Ok(())
}

/// Renews the lease while the job runs. Returns once the lease is lost or may have expired.
async fn keep_lease(app: &App, claim: &Claim, lease: Duration) {
    let mut renewed = app.clock.instant();
    loop {
        app.clock.sleep(lease / 3).await;
        let requested_at = app.clock.instant();
        match jobs::renew(app, claim, lease).await {
            Ok(true) => renewed = requested_at,
            Ok(false) => return,
            Err(_) if app.clock.instant().duration_since(renewed) > lease => return,
            Err(error) => tracing::warn!(%error, job = claim.id.get(), "a lease could not be renewed"),
        }
    }
}

async fn out_of_time(app: &App, stop: &CancellationToken, grace: Duration) {
    stop.cancelled().await;
    app.clock.sleep(grace).await;
}
