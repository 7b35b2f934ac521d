//! Work that is done later: the workers, and a file for each job. What a job does is a use case like any other; here it
//! is taken from the queue, kept alive while it runs, and given back when it fails.

mod switchboard;

use std::{panic::AssertUnwindSafe, time::Duration};

use futures_util::FutureExt;
use tokio_util::{sync::CancellationToken, task::TaskTracker};

use crate::{
    app::{
        App, Links, Result, calls, courses,
        exports::{self, ReportFormat},
        jobs, lti, media,
    },
    domain::{
        ids::{InstitutionId, JobId},
        job::{Held, Job, Takes},
    },
    telemetry::{metrics, traces},
};

#[derive(Debug, Clone, Copy)]
pub struct Settings {
    /// Jobs that are done at the same time.
    pub workers: usize,
    /// A worker that says nothing for so long is taken for dead.
    pub lease: Duration,
    /// For jobs under way to end when told to stop.
    pub grace: Duration,
    /// How often files that nobody links to are looked for, and how old they must be.
    pub sweep_every: Duration,
    pub orphans_older_than: Duration,
    pub report_format: ReportFormat,
}

/// How often a worker looks for jobs that others have written down.
const LOOK: Duration = Duration::from_secs(1);
const EXPIRE_EVERY: Duration = Duration::from_secs(60);
const ROTATE_EVERY: Duration = Duration::from_secs(24 * 3_600);
/// How late a course that is due may start, at most, when nothing holds it up.
const SYNC_DUE_EVERY: Duration = Duration::from_secs(30);

/// Runs the workers until they are told to stop and have done so.
pub async fn run(app: App, settings: Settings, stop: CancellationToken) {
    let workers = TaskTracker::new();
    for nth in 0..settings.workers {
        // A slow learning system with many courses must not keep everything else waiting.
        let takes = if nth == 0 && settings.workers > 1 { Takes::AllButCourses } else { Takes::All };
        workers.spawn(worker(app.clone(), settings, takes, stop.clone()));
    }
    if settings.workers > 0 {
        workers.spawn(switchboard::run(app.clone(), settings.grace, stop.clone()));
        workers.spawn(schedule(app, settings, stop));
    }
    workers.close();
    workers.wait().await;
}

/// Writes down what comes again and again, as soon as the database can be reached.
async fn schedule(app: App, settings: Settings, stop: CancellationToken) {
    let all = [
        (Job::SweepBlobs, settings.sweep_every),
        (Job::ExpireExports, EXPIRE_EVERY),
        (Job::RotateLtiKeys, ROTATE_EVERY),
        (Job::SyncDueCourses, SYNC_DUE_EVERY),
    ];
    for (job, every) in all {
        while let Err(error) = jobs::repeat(&app, job.clone(), every).await {
            tracing::warn!(%error, job = job.kind(), "regular work could not be written down");
            if stop.run_until_cancelled(tokio::time::sleep(LOOK)).await.is_none() {
                return;
            }
        }
    }
}

async fn worker(app: App, settings: Settings, takes: Takes, stop: CancellationToken) {
    let mut in_trouble = false;
    while !stop.is_cancelled() {
        let pause = match jobs::claim(&app, settings.lease, takes).await {
            Ok(Some(held)) => {
                perform(&app, settings, held, &stop).await;
                continue;
            }
            Ok(None) => {
                in_trouble = false;
                jobs::until_next(&app, takes).await.ok().flatten().unwrap_or(LOOK).min(LOOK)
            }
            Err(error) => {
                if !std::mem::replace(&mut in_trouble, true) {
                    tracing::warn!(%error, "the queue cannot be read; trying again");
                }
                LOOK
            }
        };
        tokio::select! {
            () = tokio::time::sleep(pause) => {}
            () = app.queue.woken(takes) => {}
            () = stop.cancelled() => {}
        }
    }
}

/// Does one job now, here, for somebody who waits for it. False when it is not to be had: another has it, or it is not due.
pub async fn do_now(
    app: &App,
    settings: Settings,
    (institution, id): (InstitutionId, JobId),
    stop: &CancellationToken,
) -> Result<bool> {
    match jobs::claim_this(app, institution, id, settings.lease).await? {
        Some(held) => {
            perform(app, settings, held, stop).await;
            Ok(true)
        }
        None => Ok(false),
    }
}

/// What has become of an attempt.
enum Outcome {
    Done,
    Failed(String),
    /// Somebody else has the job by now: there is nothing left to say about it.
    Lost,
    /// We have to stop.
    Unfinished,
}

impl Outcome {
    const fn word(&self) -> &'static str {
        match self {
            Self::Done => "done",
            Self::Failed(_) => "failed",
            Self::Lost => "lost",
            Self::Unfinished => "unfinished",
        }
    }
}

async fn perform(app: &App, settings: Settings, held: Held, stop: &CancellationToken) {
    let (kind, started) = (held.job.kind(), app.clock.instant());
    if held.is_deadly() {
        if let Err(error) = fail(app, &held, "its workers died, again and again").await {
            tracing::warn!(%error, job = held.id.get(), kind, "the end of a job could not be written down");
        }
        return;
    }
    let work = traces::job(kind, AssertUnwindSafe(handle(app, settings, &held)).catch_unwind());
    let outcome = tokio::select! {
        done = work => match done {
            Ok(Ok(())) => Outcome::Done,
            Ok(Err(error)) => Outcome::Failed(error.to_string()),
            Err(_) => Outcome::Failed("it broke its worker".to_owned()),
        },
        () = keep(app, &held, settings.lease) => Outcome::Lost,
        () = out_of_time(stop, settings.grace) => Outcome::Unfinished,
    };
    let seconds = app.clock.instant().duration_since(started).as_secs_f64();
    let job = held.id.get();
    metrics::job_finished(kind, outcome.word(), seconds);
    let written = match outcome {
        Outcome::Done => {
            tracing::info!(job, kind, seconds, "job done");
            jobs::finish(app, &held).await
        }
        Outcome::Failed(error) => fail(app, &held, &error).await,
        Outcome::Lost => {
            tracing::warn!(job, kind, "a job was taken for dead and has gone to another worker");
            Ok(())
        }
        Outcome::Unfinished => {
            tracing::info!(job, kind, "a job is left to another worker");
            jobs::release(app, &held).await
        }
    };
    if let Err(error) = written {
        // Its lease runs out by itself.
        tracing::warn!(%error, job, kind, "the end of a job could not be written down");
    }
}

async fn fail(app: &App, held: &Held, error: &str) -> Result<()> {
    let (job, kind) = (held.id.get(), held.job.kind());
    match jobs::fail(app, held, error).await? {
        jobs::Failed::ComesAgain(pause) => {
            tracing::warn!(error, job, kind, seconds = pause.as_secs(), "a job has failed and comes again");
        }
        jobs::Failed::Lost => {
            tracing::warn!(error, job, kind, "a job that another worker has by now has failed here");
        }
        jobs::Failed::GivenUp => {
            tracing::error!(error, job, kind, "a job has failed for good; `endonym jobs list` shows it");
        }
    }
    Ok(())
}

async fn handle(app: &App, settings: Settings, held: &Held) -> Result<()> {
    match &held.job {
        Job::BuildExport { institution, export, base_url } => {
            let writer = |owner, fields| (settings.report_format)(owner, Links::new(base_url), fields);
            exports::build(app, held, *institution, *export, writer).await
        }
        Job::ScrubExports { institution } => exports::scrub(app, *institution).await,
        Job::ExpireExports => exports::expire(app).await,
        Job::SyncDueCourses => courses::run_due(app).await,
        Job::RotateLtiKeys => lti::keys::rotate_in_time(app).await,
        Job::HangUp { vendor_call, recordings } => calls::cloud::hang_up(app, vendor_call, recordings).await,
        Job::FetchTake { institution, attempt } => {
            calls::cloud::fetch_take(app, *institution, *attempt).await
        }
        Job::DeleteTakes { institution, attempt } => {
            calls::cloud::delete_takes(app, *institution, *attempt).await
        }
        Job::SyncCourse { institution, course } => courses::run(app, held, *institution, *course).await,
        Job::SweepBlobs => {
            let swept = media::sweep(app, settings.orphans_older_than, false).await?;
            if swept.removed > 0 {
                tracing::info!(
                    seen = swept.seen,
                    removed = swept.removed,
                    "files that nobody links to were removed"
                );
            }
            Ok(())
        }
    }
}

/// Prolongs the lease as long as the job runs. Ends when the job is somebody else's, or may be.
async fn keep(app: &App, held: &Held, lease: Duration) {
    let mut renewed = app.clock.instant();
    loop {
        tokio::time::sleep(lease / 3).await;
        let asked = app.clock.instant();
        match jobs::renew(app, held, lease).await {
            Ok(true) => renewed = asked,
            Ok(false) => return,
            Err(_) if app.clock.instant().duration_since(renewed) > lease => return,
            Err(error) => tracing::warn!(%error, job = held.id.get(), "a lease could not be prolonged"),
        }
    }
}

async fn out_of_time(stop: &CancellationToken, grace: Duration) {
    stop.cancelled().await;
    tokio::time::sleep(grace).await;
}
