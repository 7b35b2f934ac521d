//! Readiness checks.

use std::{
    future::Future,
    path::PathBuf,
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant},
};

use futures_util::FutureExt;

use super::{App, Clock, calls, jobs, outbox};
use crate::{
    blobs,
    domain::call::State,
    store::{self, Db, migrations},
    tasks,
    telemetry::metrics,
};

/// The response arrives within three seconds, whatever hangs.
const CHECK_TIMEOUT: Duration = Duration::from_millis(2_500);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Database {
    Works,
    /// The schema is older than this binary.
    Outdated,
    Unavailable,
}

pub async fn database(app: &App) -> Database {
    // A separate task: the statement timeout that closes the connection is longer than ours.
    let for_task = app.clone();
    let version = match &app.db {
        Db::Postgres(_) => tasks::spawn(async move { migrations::version(&for_task.db).await }),
        // SQLite blocks the calling thread, for as long as the disk takes.
        Db::Sqlite(_) => tasks::spawn_blocking(move || {
            let gone = || Err(store::Error::Unavailable("SQLite did not respond immediately".to_owned()));
            migrations::version(&for_task.db).now_or_never().unwrap_or_else(gone)
        }),
    };
    match tokio::time::timeout(CHECK_TIMEOUT, version).await {
        Ok(Ok(Ok(version))) if version >= migrations::NEWEST => Database::Works,
        Ok(Ok(Ok(_))) => Database::Outdated,
        Ok(Ok(Err(_)) | Err(_)) | Err(_) => Database::Unavailable,
    }
}

/// The health of the store for blobs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BlobsHealth {
    Works,
    /// An S3 server does not respond. Lookups and pages work without it, and all nodes share it, so this node is ready.
    NoResponse,
    /// Blobs cannot be written: the disk of this node is broken or full, or a server denies access.
    NotWritable,
}

/// The health of the storage for blobs and a SQLite database.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StorageHealth {
    pub blobs: BlobsHealth,
    /// There is free disk space.
    pub disk: bool,
}

/// The cached results: a check costs a file, or a billed request to S3.
pub struct Storage {
    reserve: Option<u64>,
    blobs: Checked<BlobsHealth>,
    disk: Checked<bool>,
}

impl Storage {
    pub fn new(reserve: Option<u64>) -> Self {
        Self { reserve, blobs: Checked::default(), disk: Checked::default() }
    }
}

/// The last result of a check, and when it was made.
struct Checked<T> {
    last: Arc<Mutex<Option<(Instant, T)>>>,
    /// One check at a time: if a disk hangs, its check continues, and no other is started.
    running: Arc<tokio::sync::Mutex<()>>,
}

impl<T> Default for Checked<T> {
    fn default() -> Self {
        Self { last: Arc::default(), running: Arc::default() }
    }
}

impl<T: Copy + Send + 'static> Checked<T> {
    fn last(&self) -> Option<(Instant, T)> {
        *self.last.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The last result if it is fresh, otherwise that of a new check. `None` if it takes longer.
    async fn get(
        &self,
        clock: &Clock,
        longest: Duration,
        is_fresh: impl Fn(Duration, T) -> bool,
        check: impl Future<Output = T> + Send + 'static,
    ) -> Option<T> {
        let result = async {
            let running = self.running.clone().lock_owned().await;
            if let Some((at, kept)) = self.last()
                && is_fresh(clock.instant().duration_since(at), kept)
            {
                return Some(kept);
            }
            let (last, clock) = (self.last.clone(), clock.clone());
            let checking = tasks::spawn(async move {
                let result = check.await;
                *last.lock().unwrap_or_else(PoisonError::into_inner) = Some((clock.instant(), result));
                drop(running);
                result
            });
            checking.await.ok()
        };
        tokio::time::timeout(longest, result).await.ok().flatten()
    }
}

/// How long a result is cached.
const DISK_CACHE_TIME: Duration = Duration::from_secs(1);
const S3_CACHE_TIME: Duration = Duration::from_secs(60);
const FAILURE_CACHE_TIME: Duration = Duration::from_secs(5);
/// How long to wait for an S3 server. Some orchestrators wait for a second only.
const S3_WAIT: Duration = Duration::from_millis(500);

pub async fn storage(app: &App) -> StorageHealth {
    let (blobs, disk) = tokio::join!(blobs_health(app), has_disk_space(app));
    StorageHealth { blobs, disk }
}

async fn blobs_health(app: &App) -> BlobsHealth {
    let is_fresh = |age: Duration, kept: BlobsHealth| match (app.blobs.is_remote(), kept) {
        (false, _) => age < DISK_CACHE_TIME,
        // The circuit breaker may know better.
        (true, BlobsHealth::Works) => age < S3_CACHE_TIME && app.blobs.responds(),
        (true, BlobsHealth::NoResponse | BlobsHealth::NotWritable) => age < FAILURE_CACHE_TIME,
    };
    let longest = if app.blobs.is_remote() { S3_WAIT } else { CHECK_TIMEOUT };
    let result = app.storage.blobs.get(&app.clock, longest, is_fresh, check_blobs(app.clone())).await;
    // A disk that does not respond is not writable. A server that has denied access does so until it is known to work.
    result.unwrap_or_else(|| match app.storage.blobs.last() {
        Some((_, BlobsHealth::NotWritable)) => BlobsHealth::NotWritable,
        _ if app.blobs.is_remote() => BlobsHealth::NoResponse,
        _ => BlobsHealth::NotWritable,
    })
}

async fn check_blobs(app: App) -> BlobsHealth {
    match app.blobs.probe().await {
        Ok(()) => BlobsHealth::Works,
        Err(error @ blobs::Error::Unavailable(_)) => {
            tracing::warn!(%error, "uploads and plays fail");
            BlobsHealth::NoResponse
        }
        Err(error @ blobs::Error::Broken(_)) => {
            tracing::warn!(%error, "not ready");
            BlobsHealth::NotWritable
        }
    }
}

async fn has_disk_space(app: &App) -> bool {
    let is_fresh = |age: Duration, _| age < DISK_CACHE_TIME;
    let result = app.storage.disk.get(&app.clock, CHECK_TIMEOUT, is_fresh, check_disk(app.clone())).await;
    // A disk that does not respond is not full. The other checks notice it.
    result.unwrap_or_else(|| app.storage.disk.last().is_none_or(|(_, has_space)| has_space))
}

async fn check_disk(app: App) -> bool {
    let folders: Vec<PathBuf> =
        [app.blobs.folder(), app.db.folder()].into_iter().flatten().map(PathBuf::from).collect();
    let reserve = app.storage.reserve;
    let full = tasks::spawn_blocking(move || {
        let full = folders.into_iter().find(|folder| match rustix::fs::statvfs(folder) {
            Ok(disk) => is_nearly_full(disk.f_bavail * disk.f_frsize, disk.f_blocks * disk.f_frsize, reserve),
            Err(_) => false,
        });
        if let Some(folder) = &full {
            tracing::warn!(folder = %folder.display(), "not ready: the disk is nearly full");
        }
        full.is_some()
    });
    !full.await.unwrap_or(false)
}

const RESERVE: u64 = 64 << 20;

/// Absolute, not a percentage: one percent of a large disk holds a million recordings.
fn is_nearly_full(free: u64, whole: u64, reserve: Option<u64>) -> bool {
    free < reserve.unwrap_or(RESERVE.min(whole / 20))
}

/// Updates metrics that are computed on demand. Queue metrics keep their last values if the queue cannot be read.
pub async fn measure(app: &App) {
    app.db.measure();
    let _ = tokio::time::timeout(CHECK_TIMEOUT, measure_queues(app)).await;
}

async fn measure_queues(app: &App) {
    if let (Ok(counts), Ok(late)) = (jobs::counts(app).await, jobs::late(app).await) {
        counts.into_iter().for_each(|(state, count)| metrics::jobs(state.word(), count));
        metrics::jobs_late(late.as_secs_f64());
    }
    if let Ok(age) = outbox::queue_age(app).await {
        metrics::mail_queue_age(age.as_secs_f64());
    }
    if let Ok(counts) = calls::counts(app).await {
        let count = |state| counts.iter().find(|(its, _)| *its == state).map_or(0, |(_, count)| *count);
        let pending = State::ALL.into_iter().filter(|state| state.is_pending());
        pending.for_each(|state| metrics::calls(state.word(), count(state)));
    }
}

#[cfg(test)]
mod tests {
    use std::future::{pending, ready};

    use super::*;

    /// Another check would wait for the one that hangs.
    #[tokio::test]
    async fn a_check_that_hangs_is_not_waited_for_and_the_last_result_is_known() {
        let (checked, clock) = (Checked::default(), Clock::adjustable());
        let (long, short) = (Duration::from_secs(60), Duration::from_millis(20));
        let is_fresh = |age: Duration, _| age < DISK_CACHE_TIME;
        assert_eq!(checked.get(&clock, long, is_fresh, ready(1)).await, Some(1));
        assert_eq!(checked.get(&clock, long, is_fresh, ready(2)).await, Some(1), "it is cached");
        clock.advance(DISK_CACHE_TIME);
        assert_eq!(checked.get(&clock, short, is_fresh, pending()).await, None);
        assert_eq!(checked.get(&clock, short, is_fresh, ready(3)).await, None);
        assert_eq!(checked.last().map(|(_, result)| result), Some(1));
    }

    #[test]
    fn a_disk_is_nearly_full_below_64_mib_or_below_a_twentieth_of_a_small_one() {
        const MIB: u64 = 1 << 20;
        for (free, whole, full) in [
            (63 * MIB, 100_000 * MIB, true),
            (65 * MIB, 100_000 * MIB, false),
            (3 * MIB, 100 * MIB, true),
            (6 * MIB, 100 * MIB, false),
            // A file system without a size, such as a tmpfs without a limit, is never full.
            (0, 0, false),
        ] {
            assert_eq!(is_nearly_full(free, whole, None), full, "{free} of {whole}");
        }
        assert!(is_nearly_full(9, 100, Some(10)) && !is_nearly_full(10, 100, Some(10)));
    }
}
