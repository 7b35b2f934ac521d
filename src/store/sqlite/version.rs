//! Tells whether the database has changed, without a read transaction: reads the header of the write-ahead log's index
//! (`-shm`), which every commit of every process changes. Its format is part of SQLite's documented file formats.

use std::{
    fs::File,
    io,
    mem::ManuallyDrop,
    os::unix::fs::FileExt,
    path::Path,
    sync::{PoisonError, RwLock},
};

/// Increases with every commit that may change what reads return. Only meaningful within one process.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct DataVersion(u64);

/// The index starts with two copies of its header. While they differ, a commit is under way.
const HEADER_BYTES: usize = 48;
/// The position of the counter that each commit increases by one.
const CHANGES: std::ops::Range<usize> = 8..12;

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Header([u8; HEADER_BYTES]);

impl Header {
    fn changes(&self) -> u32 {
        self.0[CHANGES].iter().rev().fold(0, |value, byte| value << 8 | u32::from(*byte))
    }

    /// Is this the state after exactly one commit?
    fn follows(&self, before: &Self) -> bool {
        self.changes() == before.changes().wrapping_add(1)
    }
}

struct Seen {
    header: Header,
    version: u64,
}

pub(super) struct Versions {
    /// Never closed: closing any descriptor of this file would release the locks that SQLite holds on it.
    index: ManuallyDrop<File>,
    seen: RwLock<Seen>,
}

impl Versions {
    /// The database must be open, in WAL mode.
    pub fn open(database: &Path) -> io::Result<Self> {
        let mut path = database.as_os_str().to_owned();
        path.push("-shm");
        let index = ManuallyDrop::new(File::open(path)?);
        let seen = RwLock::new(Seen { header: Header([0; HEADER_BYTES]), version: 0 });
        Ok(Self { index, seen })
    }

    pub fn header(&self) -> Option<Header> {
        let mut both = [0; 2 * HEADER_BYTES];
        self.index.read_exact_at(&mut both, 0).ok()?;
        let (first, second) = both.split_at(HEADER_BYTES);
        (first == second).then(|| first.try_into().map(Header).ok()).flatten()
    }

    /// `None` while a commit is under way.
    pub fn current(&self) -> Option<DataVersion> {
        let header = self.header()?;
        {
            let seen = self.seen.read().unwrap_or_else(PoisonError::into_inner);
            if seen.header == header {
                return Some(DataVersion(seen.version));
            }
        }
        let mut seen = self.seen.write().unwrap_or_else(PoisonError::into_inner);
        // Read again under the lock, or an older header could follow a newer one.
        let header = self.header()?;
        if seen.header != header {
            *seen = Seen { header, version: seen.version + 1 };
        }
        Some(DataVersion(seen.version))
    }

    /// Keeps the version over one commit of our own that changes nothing that is compared by version. `before` was
    /// read while the write lock was held, so another process can only have committed afterwards.
    pub fn keep(&self, before: Header) {
        let mut seen = self.seen.write().unwrap_or_else(PoisonError::into_inner);
        if let Some(after) = self.header()
            && seen.header == before
            && after.follows(&before)
        {
            seen.header = after;
        }
    }
}

#[cfg(test)]
mod tests {
    use rusqlite::Connection;

    use super::*;

    fn connection(path: &Path) -> Connection {
        let connection = Connection::open(path).unwrap();
        connection.pragma_update(None, "journal_mode", "wal").unwrap();
        connection.execute_batch("CREATE TABLE IF NOT EXISTS t (n INTEGER)").unwrap();
        connection
    }

    #[test]
    fn every_commit_changes_the_version_and_reads_do_not() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.db");
        let (one, other) = (connection(&path), connection(&path));
        let versions = Versions::open(&path).unwrap();
        let mut last = versions.current().unwrap();
        for writer in [&one, &other, &one] {
            one.query_row("SELECT COUNT(*) FROM t", [], |_| Ok(())).unwrap();
            assert_eq!(versions.current(), Some(last));
            writer.execute_batch("BEGIN; INSERT INTO t VALUES (1)").unwrap();
            assert_eq!(versions.current(), Some(last), "nothing is committed yet");
            writer.execute_batch("COMMIT").unwrap();
            let now = versions.current().unwrap();
            assert!(now > last, "{now:?} {last:?}");
            last = now;
        }
        // The log is reset and starts again.
        other.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(())).unwrap();
        let checkpointed = versions.current().unwrap();
        one.execute_batch("INSERT INTO t VALUES (2)").unwrap();
        assert!(versions.current().unwrap() > checkpointed);
    }

    #[test]
    fn one_commit_can_keep_the_version_and_a_second_one_cannot_hide_behind_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.db");
        let (one, other) = (connection(&path), connection(&path));
        let versions = Versions::open(&path).unwrap();
        let first = versions.current();
        let before = versions.header().unwrap();
        one.execute_batch("INSERT INTO t VALUES (1)").unwrap();
        versions.keep(before);
        assert_eq!(versions.current(), first);

        let before = versions.header().unwrap();
        one.execute_batch("INSERT INTO t VALUES (1)").unwrap();
        other.execute_batch("INSERT INTO t VALUES (2)").unwrap();
        versions.keep(before);
        assert!(versions.current() > first);
    }
}
