//! Streams of rows, and how they are limited.

use std::time::Duration;

use tokio::sync::mpsc;

use super::db::{Error, Result};

/// How a stream is limited.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StreamClass {
    /// A foreground stream: a limited number at a time, since each holds a connection. Fails if none is free soon.
    Foreground,
    /// A stream of a background worker. The number of workers is already limited.
    Background,
}

/// How long a stream waits for a free slot.
pub(super) const STREAM_SLOT_TIMEOUT: Duration = Duration::from_secs(5);
/// How long a stream waits for its reader to take the next group. Until it ends it holds a snapshot, which keeps
/// SQLite from resetting its write-ahead log and PostgreSQL from vacuuming.
const READER_TIMEOUT: Duration = Duration::from_secs(300);

/// Sends a group to the reader of a stream. `Ok(false)` if the reader has been dropped.
pub(super) async fn send_group<T>(sender: &mpsc::Sender<Result<Vec<T>>>, group: Vec<T>) -> Result<bool> {
    match tokio::time::timeout(READER_TIMEOUT, sender.send(Ok(group))).await {
        Ok(sent) => Ok(sent.is_ok()),
        Err(_) => Err(Error::Unavailable("timed out waiting for the reader of a row stream".to_owned())),
    }
}

pub(super) fn no_stream_slot() -> Error {
    Error::Unavailable("too many concurrent streaming reads".to_owned())
}

/// Groups of rows from one snapshot, with backpressure from the reader. The reader must not wait for a client: data
/// that clients read at their own pace is read in short batches.
pub struct RowStream<T>(pub(super) mpsc::Receiver<Result<Vec<T>>>);

impl<T> RowStream<T> {
    pub async fn next(&mut self) -> Option<Result<Vec<T>>> {
        self.0.recv().await
    }

    /// Like `next`, on a thread that may block.
    pub fn blocking_next(&mut self) -> Option<Result<Vec<T>>> {
        self.0.blocking_recv()
    }
}
