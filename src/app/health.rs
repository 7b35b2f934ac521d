//! Can we work?

use std::{
    path::PathBuf,
    sync::Arc,
    time::{Duration, Instant},
};

use futures_util::FutureExt;

use super::{App, calls, jobs};
use crate::{
    domain::call::State,
    store::{self, Db, migrations},
    telemetry::metrics,
};

/// Whoever asks is told within three seconds, whatever hangs.
const LONGEST: Duration = Duration::from_millis(2_500);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Database {
    Works,
    /// Its shape is older than this binary.
    Behind,
    Gone,
}

pub async fn database(app: &App) -> Database {
    // A task of its own: a connection is closed by the deadline of its statement, which comes later than ours.
    let for_task = app.clone();
    let version = match &app.db {
        Db::Postgres(_) => tokio::spawn(async move { migrations::version(&for_task.db).await }),
        // SQLite answers on the thread that asks, which may be for as long as its disk takes.
        Db::Sqlite(_) => tokio::task::spawn_blocking(move || {
            let gone = || Err(store::Error::Unavailable("SQLite waits".to_owned()));
            migrations::version(&for_task.db).now_or_never().unwrap_or_else(gone)
        }),
    };
    match tokio::time::timeout(LONGEST, version).await {
        Ok(Ok(Ok(version))) if version >= migrations::NEWEST => Database::Works,
        Ok(Ok(Ok(_))) => Database::Behind,
        Ok(Ok(Err(_)) | Err(_)) | Err(_) => Database::Gone,
    }
}

/// What keeps recordings, pictures and a SQLite database.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Kept {
    /// Recordings and pictures can be written.
    pub blobs: bool,
    /// There is room on the disk.
    pub disk: bool,
}

/// What was seen of it last: asking costs a file, or a request to S3 that somebody pays for.
pub struct Storage {
    reserve: Option<u64>,
    seen: Arc<tokio::sync::Mutex<Option<(Instant, Kept)>>>,
}

impl Storage {
    pub fn new(reserve: Option<u64>) -> Self {
        Self { reserve, seen: Arc::default() }
    }
}

/// How long that is believed.
const DISK_BELIEVED: Duration = Duration::from_secs(1);
const S3_BELIEVED: Duration = Duration::from_secs(60);
const FAILURE_BELIEVED: Duration = Duration::from_secs(5);

pub async fn storage(app: &App) -> Kept {
    let look = async {
        // One look at a time: when a disk hangs, its look goes on, and nobody begins another.
        let mut seen = app.storage.seen.clone().lock_owned().await;
        let believed = |kept: &Kept| match (app.blobs.folder(), kept.blobs) {
            (Some(_), _) => DISK_BELIEVED,
            (None, true) => S3_BELIEVED,
            (None, false) => FAILURE_BELIEVED,
        };
        if let Some((at, kept)) = *seen
            && app.clock.instant().duration_since(at) < believed(&kept)
        {
            return kept;
        }
        let for_look = app.clone();
        let looking = tokio::spawn(async move {
            let kept = look_at_storage(&for_look).await;
            *seen = Some((for_look.clock.instant(), kept));
            kept
        });
        looking.await.unwrap_or(Kept { blobs: false, disk: false })
    };
    // What does not answer cannot be written either.
    tokio::time::timeout(LONGEST, look).await.unwrap_or(Kept { blobs: false, disk: true })
}

async fn look_at_storage(app: &App) -> Kept {
    let blobs = app.blobs.probe().await;
    if let Err(error) = &blobs {
        tracing::warn!(%error, "not ready");
    }
    let folders: Vec<PathBuf> =
        [app.blobs.folder(), app.db.folder()].into_iter().flatten().map(PathBuf::from).collect();
    let reserve = app.storage.reserve;
    let full = tokio::task::spawn_blocking(move || {
        let full = folders.into_iter().find(|folder| match rustix::fs::statvfs(folder) {
            Ok(disk) => is_nearly_full(disk.f_bavail * disk.f_frsize, disk.f_blocks * disk.f_frsize, reserve),
            Err(_) => false,
        });
        if let Some(folder) = &full {
            tracing::warn!(folder = %folder.display(), "not ready: the disk is nearly full");
        }
        full.is_some()
    });
    Kept { blobs: blobs.is_ok(), disk: !full.await.unwrap_or(false) }
}

const RESERVE: u64 = 64 << 20;

/// Bytes and not a share of the disk: one percent of a large one is room for a million recordings.
fn is_nearly_full(free: u64, whole: u64, reserve: Option<u64>) -> bool {
    free < reserve.unwrap_or(RESERVE.min(whole / 20))
}

/// Looks at what is only known when somebody asks, for the figures. The queue's stay as they were when it cannot be read.
pub async fn measure(app: &App) {
    app.db.measure();
    let _ = tokio::time::timeout(LONGEST, measure_queues(app)).await;
}

async fn measure_queues(app: &App) {
    if let (Ok(counts), Ok(late)) = (jobs::counts(app).await, jobs::late(app).await) {
        counts.into_iter().for_each(|(state, count)| metrics::jobs(state.word(), count));
        metrics::jobs_late(late.as_secs_f64());
    }
    if let Ok(counts) = calls::counts(app).await {
        let count = |state| counts.iter().find(|(its, _)| *its == state).map_or(0, |(_, count)| *count);
        let pending = State::ALL.into_iter().filter(|state| state.is_pending());
        pending.for_each(|state| metrics::calls(state.word(), count(state)));
    }
}

#[cfg(test)]
mod tests {
    use super::is_nearly_full;

    #[test]
    fn a_disk_is_nearly_full_below_64_mib_or_below_a_twentieth_of_a_small_one() {
        const MIB: u64 = 1 << 20;
        for (free, whole, full) in [
            (63 * MIB, 100_000 * MIB, true),
            (65 * MIB, 100_000 * MIB, false),
            (3 * MIB, 100 * MIB, true),
            (6 * MIB, 100 * MIB, false),
            // What has no size, like a file system in memory without a limit, is never full.
            (0, 0, false),
        ] {
            assert_eq!(is_nearly_full(free, whole, None), full, "{free} of {whole}");
        }
        assert!(is_nearly_full(9, 100, Some(10)) && !is_nearly_full(10, 100, Some(10)));
    }
}
