//! Tells whether the database has changed, without a read transaction: reads the header of the write-ahead log's index
//! (`-shm`), which every commit of every process changes. Its format is part of SQLite's documented file formats.

use std::{
    fs::File,
    io,
    mem::ManuallyDrop,
    sync::{
        PoisonError, RwLock,
        atomic::{AtomicU32, Ordering, fence},
    },
};

use memmap2::{MmapOptions, MmapRaw};
use rusqlite::Connection;

/// Increases with every commit that may change what reads return. Only meaningful within one process.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct DataVersion(u64);

#[cfg(test)]
impl DataVersion {
    /// Two successive ones.
    pub fn examples() -> [Self; 2] {
        [Self(1), Self(2)]
    }
}

/// The index starts with two copies of its header. While they differ, a commit is under way.
const HEADER_WORDS: usize = 12;
const BOTH_BYTES: usize = 2 * HEADER_WORDS * size_of::<u32>();
#[derive(Clone, Copy, PartialEq, Eq)]
struct Header([u32; HEADER_WORDS]);

/// See `Versions::mark`.
pub(super) struct Mark {
    header: Header,
    foreign: i64,
}

/// A counter that changes when another connection has committed, and not with commits of this one.
fn foreign_commits(connection: &Connection) -> Option<i64> {
    let mut statement = connection.prepare_cached("PRAGMA data_version").ok()?;
    statement.query_row([], |row| row.get(0)).ok()
}

struct Seen {
    header: Header,
    version: u64,
}

pub(super) struct Versions {
    /// Mapped: reading them takes no system call, and they are read for each request.
    headers: MmapRaw,
    /// Never closed: closing any descriptor of this file would release the locks that SQLite holds on it.
    _index: ManuallyDrop<File>,
    seen: RwLock<Seen>,
}

impl Versions {
    /// The database of this connection, which is in WAL mode and has been read.
    pub fn open(connection: &Connection) -> io::Result<Self> {
        // Links are resolved in it, as they are in the name of the index.
        let database = connection.path().ok_or_else(|| io::Error::other("the database has no file"))?;
        let index = ManuallyDrop::new(File::open(format!("{database}-shm"))?);
        if index.metadata()?.len() < BOTH_BYTES as u64 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        let headers = MmapOptions::new().len(BOTH_BYTES).map_raw_read_only(&*index)?;
        let seen = RwLock::new(Seen { header: Header([0; HEADER_WORDS]), version: 0 });
        Ok(Self { headers, _index: index, seen })
    }

    /// `None` while a commit is under way. SQLite writes the second copy first, and reads them in this order, too.
    fn header(&self) -> Option<Header> {
        let first = self.copy(0);
        fence(Ordering::Acquire);
        (first == self.copy(1)).then_some(first)
    }

    #[allow(unsafe_code)]
    fn copy(&self, number: usize) -> Header {
        let words = self.headers.as_ptr().cast::<AtomicU32>();
        Header(std::array::from_fn(|word| {
            // SAFETY: the words of both copies are in the mapping, which begins at a page boundary. SQLite truncates the file only while no
            // connection is open, and this process has one. Others write to it, so the words are atomic; `std::sync::atomic` permits
            // relaxed loads of memory that is mapped read-only.
            unsafe { &*words.add(number * HEADER_WORDS + word) }.load(Ordering::Relaxed)
        }))
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

    /// The state before a commit of our own, read while the write lock is held.
    pub fn mark(&self, writer: &Connection) -> Option<Mark> {
        Some(Mark { header: self.header()?, foreign: foreign_commits(writer)? })
    }

    /// Keeps the version over a commit of our own that changes nothing that is compared by version, unless somebody
    /// else has committed since.
    pub fn keep(&self, writer: &Connection, before: Mark) {
        let mut seen = self.seen.write().unwrap_or_else(PoisonError::into_inner);
        // In this order: a foreign commit that is in the header is then in the counter too.
        if let Some(after) = self.header()
            && seen.header == before.header
            && foreign_commits(writer) == Some(before.foreign)
        {
            seen.header = after;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

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
        let versions = Versions::open(&one).unwrap();
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
    fn a_commit_can_keep_the_version_and_nobody_elses_hides_behind_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.db");
        let (one, other) = (connection(&path), connection(&path));
        let versions = Versions::open(&one).unwrap();
        let begin = || {
            one.execute_batch("BEGIN IMMEDIATE").unwrap();
            (versions.current(), versions.mark(&one).unwrap())
        };
        for text in ["INSERT INTO t VALUES (1)", "UPDATE t SET n = 2 WHERE n = 9"] {
            let (version, before) = begin();
            one.execute_batch(&format!("{text}; COMMIT")).unwrap();
            versions.keep(&one, before);
            assert_eq!(versions.current(), version, "{text}");

            // Another connection commits right behind it.
            let (version, before) = begin();
            one.execute_batch(&format!("{text}; COMMIT")).unwrap();
            other.execute_batch("INSERT INTO t VALUES (3)").unwrap();
            versions.keep(&one, before);
            assert!(versions.current() > version, "{text}");
        }
    }

    #[test]
    fn a_database_behind_a_link_has_its_index_beside_the_file() {
        let folder = tempfile::tempdir().unwrap();
        let (path, link) = (folder.path().join("a.db"), folder.path().join("link.db"));
        let one = connection(&path);
        std::os::unix::fs::symlink(&path, &link).unwrap();
        let linked = connection(&link);
        let versions = Versions::open(&linked).unwrap();
        let before = versions.current();
        one.execute_batch("INSERT INTO t VALUES (1)").unwrap();
        assert!(versions.current() > before);
    }
}
