//! SQLite: reads run on the caller's thread; a single writer commits waiting transactions together.

mod files;
mod version;

pub use version::DataVersion;

pub use files::{check, checkpoint, copy};

use std::{
    cell::Cell,
    ffi::c_int,
    panic::{AssertUnwindSafe, catch_unwind},
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex, MutexGuard, Once, PoisonError,
        atomic::{AtomicBool, AtomicUsize, Ordering},
        mpsc as sync_mpsc,
    },
    time::Duration,
};

use futures_util::FutureExt;
use rusqlite::{Connection, ErrorCode, OpenFlags, config::DbConfig, types};
use tokio::sync::{Semaphore, mpsc, oneshot};

use super::{
    audit_seals,
    db::{
        Error, Handle, Result, Row, STREAM_SLOT_TIMEOUT, Sql, StreamClass, Value, no_stream_slot, send_group,
    },
    folder::{self, FolderLock},
    queues::too_many_writes,
    transaction::{Effect, Job},
};
use crate::{
    tasks,
    telemetry::metrics::{self, GaugeGuard},
};
use files::{enter_wal_mode, make_private};
use version::Versions;

/// A transaction that waits for the writer.
struct Work {
    effect: Effect,
    job: Job,
    /// Decided by whichever comes first: the writer starting the work, or the caller timing out.
    is_decided: Arc<AtomicBool>,
    waiting: GaugeGuard,
    /// Told once the commit is durable or has failed.
    end: oneshot::Sender<Result<()>>,
}

pub struct Sqlite {
    path: PathBuf,
    /// Marks the folder as in use for as long as this process runs.
    _lock: FolderLock,
    readers: Vec<Mutex<Connection>>,
    writer: sync_mpsc::Sender<Work>,
    versions: Arc<Versions>,
    streams: Semaphore,
}

/// Writes that share one commit (group commit). Limited to bound the latency.
const MAX_BATCH: usize = 256;
const CONCURRENT_STREAMS: usize = 4;
const ROWS_IN_A_GROUP: usize = 500;
/// The page cache of all readers together: the inner pages of the B-trees fit, and more was not faster.
const READ_CACHE_KIB: usize = 16 * 1024;
const WRITE_CACHE_KIB: usize = 16 * 1024;
/// The write-ahead log is copied into the database when it has this many pages (32 MB), by the write that reaches it. Most pages of indexes are
/// written again and again meanwhile: with 1,000 pages, which is SQLite's default, a create takes a tenth longer.
const CHECKPOINT_PAGES: u32 = 8_000;
/// How much of the file the readers map into memory: reading a page is then no system call and no copy. Mapped pages
/// belong to the operating system's page cache, which can take them back. SQLite's own maximum is 2 GiB.
const MAPPED_BYTES: i64 = 0x7fff_0000;
/// How much of the pages that a savepoint changes is kept in memory, to be rolled back: 31 pages with their numbers. SQLite fails with
/// 128 KB and more, which it could not write to a file at once.
const SAVEPOINT_BYTES: c_int = 31 * (4_096 + 4);
/// How long a connection waits for a lock.
const BUSY_TIMEOUT: Duration = Duration::from_secs(15);
/// How often truncating the write-ahead log is attempted.
const TRUNCATIONS: usize = 20;
const TRUNCATION_PAUSE: Duration = Duration::from_millis(100);
/// How long a write waits to start, while another process or a long transaction holds the lock.
const WRITE_TIMEOUT: Duration = Duration::from_secs(20);
/// After people were deleted, the write-ahead log is truncated once there were no writes for this long, or after this
/// many commits.
const WAL_TRUNCATE_DELAY: Duration = Duration::from_millis(100);
const WAL_TRUNCATE_COMMITS: u32 = 1_000;
const STREAM_CACHE_KIB: usize = 2 * 1024;

/// The role of a connection.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Use {
    /// Lookups and short lists.
    Read {
        kib: usize,
    },
    /// One long read.
    Stream,
    Write,
}

impl Work {
    /// Runs the job as the first or another one of a transaction, unless its caller has given up. Returns whom to tell after the commit,
    /// and what if it succeeds.
    fn run(self, sql: &mut Sql, is_first: bool) -> Option<(oneshot::Sender<Result<()>>, Result<()>)> {
        drop(self.waiting);
        let run = if is_first { run_first } else { run_in_savepoint };
        (!self.is_decided.swap(true, Ordering::Relaxed)).then(|| (self.end, run(sql, self.job)))
    }
}

impl Sqlite {
    pub fn open(path: PathBuf, readers: usize) -> Result<Self> {
        if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
            folder::create(folder).map_err(|e| {
                Error::Unavailable(format!("cannot create the folder {}: {e}", folder.display()))
            })?;
        }
        let lock = FolderLock::shared(&path)?;
        make_private(&path)?;
        configure();
        let writer = connect(&path, Use::Write)?;
        // Reads run on the runtime threads, one per core: more connections would only use memory.
        let cores = std::thread::available_parallelism().map_or(4, std::num::NonZeroUsize::get);
        let readers = readers.clamp(1, cores);
        let kib = READ_CACHE_KIB / readers;
        let readers =
            (0..readers).map(|_| connect(&path, Use::Read { kib }).map(Mutex::new)).collect::<Result<_>>()?;
        // The first read creates the index.
        writer.query_row("SELECT COUNT(*) FROM sqlite_master", [], |_| Ok(())).map_err(error)?;
        let versions = Versions::open(&writer).map_err(|e| {
            Error::Unavailable(format!("cannot open the write-ahead log's index of {}: {e}", path.display()))
        })?;
        let versions = Arc::new(versions);
        let kept = versions.clone();
        let (sender, receiver) = sync_mpsc::channel();
        std::thread::Builder::new()
            .name("sqlite-writer".to_owned())
            .spawn(move || write_grouped(Sql::new(Handle::Sqlite(writer)), &receiver, &kept))
            .map_err(|e| Error::Unavailable(e.to_string()))?;
        let streams = Semaphore::new(CONCURRENT_STREAMS);
        Ok(Self { path, _lock: lock, readers, writer: sender, versions, streams })
    }

    /// See `Db::version`.
    pub fn version(&self) -> Option<DataVersion> {
        self.versions.current()
    }

    pub fn folder(&self) -> &Path {
        self.path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
    }

    /// A snapshot that is unaffected by later writes. The write-ahead log cannot be reset until it is dropped.
    pub fn snapshot(&self) -> Result<Sql> {
        let connection = connect(&self.path, Use::Stream)?;
        // The first read starts the snapshot.
        connection.execute_batch("BEGIN; SELECT COUNT(*) FROM sqlite_master").map_err(error)?;
        Ok(Sql::new(Handle::Sqlite(connection)))
    }

    /// Rewrites the file (`VACUUM`) and truncates the write-ahead log, so that neither contains deleted data.
    /// Overwriting with zeros is not enough, because SQLite leaves copies behind when it moves index entries to
    /// another page. Reads continue; writes wait.
    pub async fn rewrite(&self) -> Result<()> {
        let path = self.path.clone();
        let work = move || {
            let connection = connect(&path, Use::Write)?;
            connection.execute_batch("VACUUM").map_err(error)?;
            for _ in 0..TRUNCATIONS {
                if truncate_wal(&connection, BUSY_TIMEOUT).map_err(error)? {
                    return Ok(());
                }
                // While another connection checkpoints the log, SQLite does not wait.
                std::thread::sleep(TRUNCATION_PAUSE);
            }
            Err(Error::Unavailable(
                "the write-ahead log could not be truncated because another connection reads it".to_owned(),
            ))
        };
        tasks::spawn_blocking(work).await.map_err(|error| Error::Broken(error.to_string()))?
    }

    /// The preferred connection of this thread, or another one that is free.
    pub fn reader(&self) -> MutexGuard<'_, Connection> {
        static THREADS: AtomicUsize = AtomicUsize::new(0);
        thread_local! { static MINE: Cell<usize> = Cell::new(THREADS.fetch_add(1, Ordering::Relaxed)); }
        let mine = MINE.with(Cell::get) % self.readers.len();
        let in_turn = (0..self.readers.len()).map(|i| &self.readers[(mine + i) % self.readers.len()]);
        for reader in in_turn {
            if let Ok(guard) = reader.try_lock() {
                return guard;
            }
        }
        self.readers[mine].lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Counts busy readers by trying their locks, so that reads need no accounting.
    pub fn measure(&self) {
        let busy = self.readers.iter().filter(|reader| reader.try_lock().is_err()).count();
        metrics::db_connections(self.readers.len(), busy, self.readers.len() - busy, 0);
    }

    pub async fn write(&self, effect: Effect, job: Job) -> Result<()> {
        let (end, mut ended) = oneshot::channel();
        let is_decided = Arc::new(AtomicBool::new(false));
        let waiting = metrics::db_write_waiting();
        let work = Work { effect, job, is_decided: is_decided.clone(), waiting, end };
        self.writer.send(work).map_err(|_| gone())?;
        let outcome = match tokio::time::timeout(WRITE_TIMEOUT, &mut ended).await {
            Ok(outcome) => outcome,
            Err(_) if !is_decided.swap(true, Ordering::Relaxed) => return Err(too_many_writes()),
            Err(_) => ended.await,
        };
        outcome.unwrap_or_else(|_| Err(gone()))
    }

    pub fn stream<T: Send + 'static>(
        self: Arc<Self>,
        class: StreamClass,
        sql: String,
        params: Vec<Value<'static>>,
        map: fn(&Row<'_>) -> Result<T>,
        sender: mpsc::Sender<Result<Vec<T>>>,
    ) {
        tasks::spawn(async move {
            let _slot = match class {
                StreamClass::Foreground => {
                    match tokio::time::timeout(STREAM_SLOT_TIMEOUT, self.streams.acquire()).await {
                        Ok(slot) => slot.ok(),
                        Err(_) => return drop(sender.send(Err(no_stream_slot())).await),
                    }
                }
                StreamClass::Background => None,
            };
            let failed = sender.clone();
            let path = self.path.clone();
            // A separate connection: a long read must not block a shared reader.
            let streaming = tasks::spawn_blocking(move || {
                send_groups(&connect(&path, Use::Stream)?, &sql, &params, map, &sender)
            });
            // Report the error, or the reader would take it for the end of the stream.
            let broken = match streaming.await {
                Ok(Ok(())) => return,
                Ok(Err(error)) => error,
                Err(error) => Error::Broken(format!("a row stream was aborted: {error}")),
            };
            let _ = failed.send(Err(broken)).await;
        });
    }
}

/// Settings of all connections. SQLite would count its allocations under a lock that all share, and write what savepoints
/// change to a temporary file for the rest of a transaction as soon as one has changed 64 KB, which a create sometimes does.
#[allow(unsafe_code)]
fn configure() {
    static ONCE: Once = Once::new();
    // SAFETY: each option takes one integer. No other thread may use SQLite meanwhile: whoever opens a connection comes here first, and
    // waits. If SQLite is already initialized, the calls change nothing.
    ONCE.call_once(|| unsafe {
        rusqlite::ffi::sqlite3_config(rusqlite::ffi::SQLITE_CONFIG_MEMSTATUS, 0);
        rusqlite::ffi::sqlite3_config(rusqlite::ffi::SQLITE_CONFIG_STMTJRNL_SPILL, SAVEPOINT_BYTES);
        // SQLite allocates with the C library, which would return the memory of each savepoint to the kernel, and get it back page by page.
        // By default it keeps 128 KB.
        #[cfg(target_env = "gnu")]
        libc::mallopt(libc::M_TRIM_THRESHOLD, 3 * SAVEPOINT_BYTES);
    });
}

fn connect(path: &Path, purpose: Use) -> Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE
        | OpenFlags::SQLITE_OPEN_CREATE
        // A Rust mutex already serializes each connection; SQLite's own would cost on every call.
        | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags)
        .map_err(|e| Error::Unavailable(format!("cannot open {}: {e}", path.display())))?;
    let kib = match purpose {
        Use::Read { kib } => kib,
        Use::Stream => STREAM_CACHE_KIB,
        Use::Write => WRITE_CACHE_KIB,
    };
    let set_up = || {
        connection.busy_timeout(BUSY_TIMEOUT)?;
        connection.set_prepared_statement_cache_capacity(128);
        enter_wal_mode(&connection)?;
        // An acknowledged write survives a power failure.
        connection.pragma_update(None, "synchronous", "full")?;
        connection.pragma_update(None, "cache_size", -(kib as i64))?;
        if let Use::Read { .. } = purpose {
            connection.pragma_update(None, "mmap_size", MAPPED_BYTES)?;
        }
        connection.pragma_update(None, "query_only", purpose != Use::Write)?;
        if purpose == Use::Write {
            // Deleted data is overwritten with zeros instead of only being marked as free: it is personal data.
            connection.pragma_update(None, "secure_delete", true)?;
            connection.pragma_update(None, "wal_autocheckpoint", CHECKPOINT_PAGES)?;
        }
        // Without this, SQLite replans a statement for each new bound value, which is three times slower.
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)
    };
    set_up().map(|_| ()).map_err(error)?;
    Ok(connection)
}

/// Runs the first job of a transaction, and rolls back the transaction if it fails. It needs no savepoint, for which SQLite would copy each
/// page before it changes: those of a long import, to a temporary file.
fn run_first(sql: &mut Sql, job: Job) -> Result<()> {
    match attempt(sql, job) {
        Ok(true) if !in_transaction(sql) => Err(rolled_back()),
        Ok(true) => Ok(()),
        // On a full disk, SQLite has rolled it back.
        failed if !in_transaction(sql) => failed.map(drop),
        failed => failed.and(statement(sql, "ROLLBACK")),
    }
}

/// Runs a job in a savepoint and rolls it back if it fails.
fn run_in_savepoint(sql: &mut Sql, job: Job) -> Result<()> {
    let entries = sql.unsealed.len();
    statement(sql, "SAVEPOINT job")?;
    let succeeded = attempt(sql, job);
    let undone = if matches!(succeeded, Ok(true)) {
        Ok(())
    } else {
        sql.unsealed.cut(entries);
        statement(sql, "ROLLBACK TO job")
    };
    let ended = undone.and_then(|()| statement(sql, "RELEASE job"));
    if ended.is_err() && in_transaction(sql) {
        // Nothing of it may be committed.
        statement(sql, "ROLLBACK")?;
    }
    succeeded.and(ended)
}

/// Seals what all jobs have written to the audit log.
fn seal(sql: &mut Sql) -> Result<()> {
    let sealed = audit_seals::seal(sql).now_or_never();
    sealed
        .unwrap_or_else(|| Err(Error::Broken("sealing awaited something other than the database".to_owned())))
}

/// Did the job succeed?
fn attempt(sql: &mut Sql, job: Job) -> Result<bool> {
    // SQLite is synchronous, so a job that awaits only `Sql` is ready on the first poll.
    match catch_unwind(AssertUnwindSafe(|| job(sql).now_or_never())) {
        Ok(Some(succeeded)) => Ok(succeeded),
        Ok(None) => Err(Error::Broken("a transaction awaited something other than the database".to_owned())),
        Err(_) => Err(Error::Broken("a job panicked".to_owned())),
    }
}

/// Checkpoints the write-ahead log and truncates it. Returns false if it is still being read.
fn truncate_wal(connection: &Connection, timeout: Duration) -> rusqlite::Result<bool> {
    connection.busy_timeout(timeout)?;
    let busy = connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get::<_, bool>(0));
    connection.busy_timeout(BUSY_TIMEOUT)?;
    match busy {
        Err(error) if error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy) => Ok(false),
        other => other.map(|busy| !busy),
    }
}

/// The next unit of work. If people were deleted, the log is truncated first: their pages remain in it until it is
/// reset.
fn next(sql: &Sql, waiting: &sync_mpsc::Receiver<Work>, traces: &mut Option<u32>) -> Option<Work> {
    while let (Some(commits), Handle::Sqlite(connection)) = (*traces, &sql.handle) {
        match waiting.recv_timeout(if commits == 0 { Duration::ZERO } else { WAL_TRUNCATE_DELAY }) {
            Ok(work) if commits > 0 => {
                *traces = Some(commits - 1);
                return Some(work);
            }
            Err(sync_mpsc::RecvTimeoutError::Disconnected) => return None,
            met => {
                // Do not block writers while waiting for readers.
                let truncated = truncate_wal(connection, Duration::ZERO).unwrap_or(false);
                *traces = (!truncated).then_some(WAL_TRUNCATE_COMMITS);
                if let Ok(work) = met {
                    return Some(work);
                }
            }
        }
    }
    waiting.recv().ok()
}

fn write_grouped(mut sql: Sql, waiting: &sync_mpsc::Receiver<Work>, versions: &Versions) {
    let mut traces = None;
    while let Some(first) = next(&sql, waiting, &mut traces) {
        let mut ends = Vec::new();
        let (mut effect, mut before) = (first.effect, None);
        let committed = statement(&mut sql, "BEGIN IMMEDIATE").and_then(|()| {
            if let (Effect::Bookkeeping, Handle::Sqlite(connection)) = (effect, &sql.handle) {
                before = versions.mark(connection);
            }
            ends.extend(first.run(&mut sql, true));
            // It has failed, and its caller learns why.
            if !in_transaction(&sql) || matches!(ends.first(), Some((_, Err(_)))) {
                return Ok(false);
            }
            while ends.len() < MAX_BATCH
                && in_transaction(&sql)
                && let Ok(next) = waiting.try_recv()
            {
                if next.effect == Effect::Data {
                    effect = Effect::Data;
                }
                ends.extend(next.run(&mut sql, false));
            }
            // On a full disk SQLite rolls back the whole transaction itself.
            if !in_transaction(&sql) {
                return Err(rolled_back());
            }
            seal(&mut sql)?;
            statement(&mut sql, "COMMIT")?;
            Ok(true)
        });
        sql.unsealed.cut(0);
        if std::mem::take(&mut sql.scrubs_wal) {
            traces = Some(WAL_TRUNCATE_COMMITS);
        }
        if let (Ok(true), Effect::Bookkeeping, Some(before), Handle::Sqlite(connection)) =
            (&committed, effect, before, &sql.handle)
        {
            versions.keep(connection, before);
        }
        if matches!(committed, Ok(true)) {
            metrics::db_committed(ends.len());
        } else if in_transaction(&sql) {
            drop(statement(&mut sql, "ROLLBACK"));
        }
        let outcome = committed.map(drop);
        for (end, result) in ends {
            // The caller may be gone; the work is committed anyway.
            let _ = end.send(outcome.clone().and(result));
        }
        // Jobs that could not start drop their sender; their callers get `Unavailable`.
    }
}

fn rolled_back() -> Error {
    Error::Unavailable("the transaction was rolled back".to_owned())
}

fn gone() -> Error {
    Error::Unavailable("the write could not be started".to_owned())
}

fn statement(sql: &mut Sql, text: &str) -> Result<()> {
    match &sql.handle {
        Handle::Sqlite(connection) => execute(connection, text, &[]).map(drop),
        Handle::Pool(_) | Handle::Postgres(_) => Err(Error::Broken("not a SQLite connection".to_owned())),
    }
}

fn in_transaction(sql: &Sql) -> bool {
    matches!(&sql.handle, Handle::Sqlite(connection) if !connection.is_autocommit())
}

pub fn rows<T>(
    connection: &Connection,
    sql: &str,
    params: &[Value<'_>],
    map: impl Fn(&Row<'_>) -> Result<T>,
) -> Result<Vec<T>> {
    let mut found = Vec::new();
    let mut add = |row: &Row<'_>| {
        found.push(map(row)?);
        Ok(())
    };
    for_each_row(connection, sql, params, &mut add)?;
    Ok(found)
}

/// Calls `act` with each row. Not generic, so it is compiled once; `rows` is compiled for each caller.
fn for_each_row(
    connection: &Connection,
    sql: &str,
    params: &[Value<'_>],
    act: &mut dyn FnMut(&Row<'_>) -> Result<()>,
) -> Result<()> {
    let mut statement = connection.prepare_cached(sql).map_err(error)?;
    bind(&mut statement, params)?;
    let mut rows = statement.raw_query();
    while let Some(row) = rows.next().map_err(error)? {
        act(&Row::Sqlite(row))?;
    }
    Ok(())
}

pub fn record(row: &rusqlite::Row<'_>) -> Result<serde_json::Map<String, serde_json::Value>> {
    let columns = row.as_ref().column_names().enumerate();
    columns
        .map(|(n, name)| {
            let value = match row.get_ref(n).map_err(error)? {
                types::ValueRef::Null => serde_json::Value::Null,
                types::ValueRef::Integer(number) => number.into(),
                types::ValueRef::Text(text) => String::from_utf8_lossy(text).into(),
                types::ValueRef::Real(_) | types::ValueRef::Blob(_) => {
                    return Err(Error::Broken(format!("the column {name} has an unexpected type")));
                }
            };
            Ok((name.to_owned(), value))
        })
        .collect()
}

pub fn execute(connection: &Connection, sql: &str, params: &[Value<'_>]) -> Result<u64> {
    let mut statement = connection.prepare_cached(sql).map_err(error)?;
    bind(&mut statement, params)?;
    statement.raw_execute().map(|count| count as u64).map_err(error)
}

fn send_groups<T>(
    connection: &Connection,
    sql: &str,
    params: &[Value<'_>],
    map: fn(&Row<'_>) -> Result<T>,
    sender: &mpsc::Sender<Result<Vec<T>>>,
) -> Result<()> {
    let runtime = tokio::runtime::Handle::current();
    let mut statement = connection.prepare(sql).map_err(error)?;
    bind(&mut statement, params)?;
    let mut rows = statement.raw_query();
    let mut group = Vec::with_capacity(ROWS_IN_A_GROUP);
    loop {
        let row = rows.next().map_err(error)?;
        let ended = row.is_none();
        if let Some(row) = row {
            group.push(map(&Row::Sqlite(row))?);
        }
        if (ended || group.len() == ROWS_IN_A_GROUP) && !group.is_empty() {
            let full = std::mem::replace(&mut group, Vec::with_capacity(ROWS_IN_A_GROUP));
            if !runtime.block_on(send_group(sender, full))? {
                return Ok(());
            }
        }
        if ended {
            return Ok(());
        }
    }
}

fn bind(statement: &mut rusqlite::Statement<'_>, params: &[Value<'_>]) -> Result<()> {
    for (i, param) in params.iter().enumerate() {
        statement.raw_bind_parameter(i + 1, param).map_err(error)?;
    }
    Ok(())
}

impl rusqlite::ToSql for Value<'_> {
    fn to_sql(&self) -> rusqlite::Result<types::ToSqlOutput<'_>> {
        Ok(types::ToSqlOutput::Borrowed(match self {
            Self::Null => types::ValueRef::Null,
            Self::Bool(value) => types::ValueRef::Integer(i64::from(*value)),
            Self::Int(value) => types::ValueRef::Integer(*value),
            Self::Text(value) => types::ValueRef::Text(value.as_bytes()),
        }))
    }
}

pub fn error(error: rusqlite::Error) -> Error {
    let Some(code) = error.sqlite_error_code() else { return Error::Broken(error.to_string()) };
    match code {
        ErrorCode::ConstraintViolation => Error::Conflict,
        ErrorCode::DatabaseBusy
        | ErrorCode::DatabaseLocked
        | ErrorCode::DiskFull
        | ErrorCode::SystemIoFailure
        | ErrorCode::CannotOpen
        | ErrorCode::ReadOnly => Error::Unavailable(error.to_string()),
        _ => Error::Broken(error.to_string()),
    }
}
