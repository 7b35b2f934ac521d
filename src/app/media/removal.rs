//! Removing the blobs of media that no row references any more.

use std::{sync::Arc, time::Duration};

use futures_util::{FutureExt, StreamExt};
use tokio::{runtime::Handle, sync::Semaphore};
use tokio_util::task::TaskTracker;

use super::keys;
use crate::{
    app::App,
    blobs::{self, Blobs, Key},
    domain::{ids::InstitutionId, media::Media},
};

/// When blobs that no row references any more are removed from an S3 server. On disk, it is done at once. Either way, the
/// sweep removes what could not be removed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Removal {
    /// After the use case has returned: a server that does not respond delays no answer.
    Afterwards,
    /// Before it returns: for commands, which end then.
    Awaited,
}

impl Removal {
    /// With blobs on disk, nothing has to be put off.
    pub fn on(self, blobs: &Blobs) -> Self {
        if blobs.is_remote() { self } else { Self::Awaited }
    }
}

/// How many batches are removed in the background at a time. Further ones are left to the sweep: they would wait for a server
/// that responds slowly or not at all, and take up memory.
const BATCHES: usize = 16;

/// The removals in the background.
pub struct Removals {
    /// Of the process: those of the threads that serve requests end with the server. `None` outside of a runtime.
    runtime: Option<Handle>,
    tasks: TaskTracker,
    batches: Arc<Semaphore>,
}

impl Default for Removals {
    fn default() -> Self {
        Self {
            runtime: Handle::try_current().ok(),
            tasks: TaskTracker::new(),
            batches: Arc::new(Semaphore::new(BATCHES)),
        }
    }
}

impl Removals {
    /// Waits for those in progress, but no longer than this.
    pub async fn finish(&self, longest: Duration) {
        self.tasks.close();
        if tokio::time::timeout(longest, self.tasks.wait()).await.is_err() {
            tracing::warn!("blobs are still being removed; the next sweep will retry");
        }
    }
}

/// Removes the blobs of media that no row references any more.
pub(in crate::app) async fn discard(app: &App, institution: InstitutionId, gone: &[Media]) {
    let keys: Vec<Key> = gone.iter().flat_map(|one| keys(institution, one)).collect();
    if keys.is_empty() {
        return;
    }
    match &app.removals.runtime {
        Some(runtime) if app.removal == Removal::Afterwards => remove_in_background(app, runtime, keys),
        _ => {
            remove(app, keys).await;
        }
    }
}

/// Like `discard`, and returns how many could not be removed, for somebody who waits to be told. Jobs wait, too: otherwise they
/// would delete rows faster than a server deletes files.
pub(in crate::app) async fn discard_now(app: &App, institution: InstitutionId, gone: &[Media]) -> usize {
    remove(app, gone.iter().flat_map(|one| keys(institution, one)).collect()).await
}

/// Returns how many blobs could not be removed.
pub(in crate::app) async fn remove(app: &App, keys: Vec<Key>) -> usize {
    let (left, error) = try_to_remove(app, keys).await;
    if let Some(error) = error {
        tracing::warn!(%error, blobs = left.len(), "removing blobs failed; the next sweep will retry");
    }
    left.len()
}

fn remove_in_background(app: &App, runtime: &Handle, keys: Vec<Key>) {
    let Ok(batch) = app.removals.batches.clone().try_acquire_owned() else {
        tracing::warn!(
            blobs = keys.len(),
            "too many blobs are being removed; the next sweep will remove these"
        );
        return;
    };
    let owned_app = app.clone();
    let work = async move {
        // Once more: the connection may have been opened by a thread that has ended with the server.
        let (left, _) = try_to_remove(&owned_app, keys).await;
        remove(&owned_app, left).await;
        drop(batch);
    };
    drop(app.removals.tasks.spawn_on(work.boxed(), runtime));
}

const CONCURRENT_REMOVALS: usize = 16;

/// Returns the blobs that could not be removed, and the last error.
async fn try_to_remove(app: &App, keys: Vec<Key>) -> (Vec<Key>, Option<blobs::Error>) {
    let remove = |key: Key| async move {
        let removed = app.blobs.remove(&key).await;
        (key, removed)
    };
    let mut removals = futures_util::stream::iter(keys).map(remove).buffer_unordered(CONCURRENT_REMOVALS);
    let (mut left, mut last) = (Vec::new(), None);
    // Nobody can play them any more. Their bytes leave the memory, too.
    app.recordings.clear(app.db.version());
    while let Some((key, removed)) = removals.next().await {
        if let Err(error) = removed {
            left.push(key);
            last = Some(error);
        }
    }
    (left, last)
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;
    use crate::{
        blobs::{Delivery, Options},
        clock::Clock,
    };

    #[tokio::test]
    async fn only_what_is_removed_from_a_server_is_removed_afterwards() {
        let blobs = |url: Option<&str>| {
            let (url, timeout, clock) = (url.map(str::to_owned), Duration::from_secs(10), Clock::system());
            let (data_dir, delivery) = (PathBuf::new(), Delivery::Stream);
            Blobs::open(&Options { url, data_dir, delivery, timeout, clock }).unwrap()
        };
        let server = "s3://names?endpoint=http://127.0.0.1:1&region=x&access_key_id=x&secret_access_key=x";
        for (url, removal, expected) in [
            (None, Removal::Afterwards, Removal::Awaited),
            (None, Removal::Awaited, Removal::Awaited),
            (Some(server), Removal::Afterwards, Removal::Afterwards),
            (Some(server), Removal::Awaited, Removal::Awaited),
        ] {
            assert_eq!(removal.on(&blobs(url)), expected, "{url:?} {removal:?}");
        }
    }
}
