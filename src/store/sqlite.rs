//! SQLite: readers that run on the caller's thread, one writer that commits what is waiting together.

use std::{
    cell::Cell,
    os::unix::fs::{OpenOptionsExt, PermissionsExt},
    panic::{AssertUnwindSafe, catch_unwind},
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, AtomicUsize, Ordering},
        mpsc as sync_mpsc,
    },
    time::Duration,
};

use futures_util::FutureExt;
use rusqlite::{
    Connection, ErrorCode, OpenFlags,
    backup::{Backup, StepResult},
    config::DbConfig,
    types,
};
use tokio::sync::{Semaphore, mpsc, oneshot};

use super::{
    db::{Error, Handle, Result, Row, Sql, TURN_WAIT, Transaction, Turn, Value, hand_over, no_turn},
    folder::{self, Here},
};
use crate::telemetry::metrics;

/// A job that ran, waiting to hear whether its transaction reached the disk.
type Reply = Box<dyn FnOnce(Result<()>) + Send>;
type Work = Box<dyn FnOnce(&mut Sql) -> Reply + Send>;

pub struct Sqlite {
    path: PathBuf,
    /// Says that somebody is here, for as long as this process lives.
    _here: Here,
    readers: Vec<Mutex<Connection>>,
    writer: sync_mpsc::Sender<Work>,
    streams: Semaphore,
}

/// Writes that share one commit, so that none waits long for the others.
const MOST_TOGETHER: usize = 256;
const STREAMS_AT_ONCE: usize = 4;
const ROWS_IN_A_GROUP: usize = 500;
/// Pages that all readers together keep in memory: the inner pages of the trees fit, and more has bought no speed.
const READ_CACHE_KIB: usize = 16 * 1024;
const WRITE_CACHE_KIB: usize = 16 * 1024;
/// How long a connection waits for another's lock.
const PATIENCE: Duration = Duration::from_secs(15);
/// For a write to begin, while another process or a long transaction has the database.
const WRITE_WAIT: Duration = Duration::from_secs(20);
/// After people were deleted, the write-ahead log is emptied once nobody has written for so long, or after so many commits.
const LOG_PAUSE: Duration = Duration::from_millis(100);
const LOG_COMMITS: u32 = 1_000;
const STREAM_CACHE_KIB: usize = 2 * 1024;

/// What a connection is for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Use {
    Read { kib: usize },
    Write,
}

impl Sqlite {
    pub fn open(path: PathBuf, readers: usize) -> Result<Self> {
        if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
            folder::create(folder).map_err(|e| {
                Error::Unavailable(format!("cannot make the folder {}: {e}", folder.display()))
            })?;
        }
        let here = Here::with_others(&path)?;
        make_private(&path)?;
        let writer = connect(&path, Use::Write)?;
        // Reads run on the threads of the runtime, one for each core: more connections would only cost memory.
        let cores = std::thread::available_parallelism().map_or(4, std::num::NonZeroUsize::get);
        let readers = readers.clamp(1, cores);
        let kib = READ_CACHE_KIB / readers;
        let readers =
            (0..readers).map(|_| connect(&path, Use::Read { kib }).map(Mutex::new)).collect::<Result<_>>()?;
        let (sender, receiver) = sync_mpsc::channel();
        std::thread::Builder::new()
            .name("sqlite-writer".to_owned())
            .spawn(move || write_together(Sql::new(Handle::Sqlite(writer)), &receiver))
            .map_err(|e| Error::Unavailable(e.to_string()))?;
        let streams = Semaphore::new(STREAMS_AT_ONCE);
        Ok(Self { path, _here: here, readers, writer: sender, streams })
    }

    pub fn folder(&self) -> &Path {
        self.path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
    }

    /// Sees one moment for as long as it is kept, however much is written meanwhile. The write-ahead log cannot start
    /// anew until it is dropped.
    pub fn moment(&self) -> Result<Sql> {
        let connection = connect(&self.path, Use::Read { kib: STREAM_CACHE_KIB })?;
        // The moment is that of the first read.
        connection.execute_batch("BEGIN; SELECT COUNT(*) FROM sqlite_master").map_err(error)?;
        Ok(Sql::new(Handle::Sqlite(connection)))
    }

    /// Rewrites the file with what is there now, and empties the write-ahead log: what was deleted is in neither afterwards.
    /// Zeros alone are not enough, because SQLite leaves copies behind when it moves entries of an index to another page.
    /// Others read meanwhile, and wait if they write.
    pub async fn rewrite(&self) -> Result<()> {
        let path = self.path.clone();
        let work = move || {
            let connection = connect(&path, Use::Write)?;
            connection.execute_batch("VACUUM").map_err(error)?;
            if empty_log(&connection, PATIENCE).map_err(error)? {
                Ok(())
            } else {
                Err(Error::Unavailable(
                    "somebody reads the database, so that its log could not be emptied".to_owned(),
                ))
            }
        };
        tokio::task::spawn_blocking(work).await.map_err(|error| Error::Broken(error.to_string()))?
    }

    /// The connection that this thread prefers, or another that is free.
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

    /// Which readers are busy is seen by trying, so that reading costs nothing more.
    pub fn measure(&self) {
        let busy = self.readers.iter().filter(|reader| reader.try_lock().is_err()).count();
        metrics::db_connections(self.readers.len(), busy, self.readers.len() - busy, 0);
    }

    pub async fn write<T, E>(&self, job: impl Transaction<T, E>) -> Result<T, E>
    where
        T: Send + 'static,
        E: From<Error> + Send + 'static,
    {
        let (sender, mut receiver) = oneshot::channel();
        let waiting = metrics::db_write_waiting();
        // Whoever gets there first decides: the writer by beginning, or the caller by giving up.
        let decided = Arc::new(AtomicBool::new(false));
        let begin = decided.clone();
        let work: Work = Box::new(move |sql| {
            drop(waiting);
            if begin.swap(true, Ordering::Relaxed) {
                return Box::new(|_| ());
            }
            let outcome = run(sql, job);
            Box::new(move |committed| {
                // The caller may have gone; the work is done all the same.
                let _ = sender.send(match committed {
                    Ok(()) => outcome,
                    Err(error) => outcome.and(Err(error.into())),
                });
            })
        });
        self.writer.send(work).map_err(|_| gone())?;
        let answered = match tokio::time::timeout(WRITE_WAIT, &mut receiver).await {
            Ok(answered) => answered,
            Err(_) if !decided.swap(true, Ordering::Relaxed) => {
                return Err(Error::Unavailable("too many writes are waiting".to_owned()).into());
            }
            Err(_) => receiver.await,
        };
        answered.unwrap_or_else(|_| Err(gone().into()))
    }

    pub fn stream<T: Send + 'static>(
        self: Arc<Self>,
        turn: Turn,
        sql: String,
        params: Vec<Value<'static>>,
        map: fn(&Row<'_>) -> Result<T>,
        sender: mpsc::Sender<Result<Vec<T>>>,
    ) {
        tokio::spawn(async move {
            let _turn = match turn {
                Turn::WithOthers => match tokio::time::timeout(TURN_WAIT, self.streams.acquire()).await {
                    Ok(turn) => turn.ok(),
                    Err(_) => return drop(sender.send(Err(no_turn())).await),
                },
                Turn::Apart => None,
            };
            let failed = sender.clone();
            let path = self.path.clone();
            // A connection of its own: a long read must not keep a reader from the others.
            let streaming = tokio::task::spawn_blocking(move || {
                send_groups(
                    &connect(&path, Use::Read { kib: STREAM_CACHE_KIB })?,
                    &sql,
                    &params,
                    map,
                    &sender,
                )
            });
            // Without a word, whoever reads would take it for the end.
            let broken = match streaming.await {
                Ok(Ok(())) => return,
                Ok(Err(error)) => error,
                Err(error) => Error::Broken(format!("a stream of rows has broken: {error}")),
            };
            let _ = failed.send(Err(broken)).await;
        });
    }
}

fn connect(path: &Path, purpose: Use) -> Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE
        | OpenFlags::SQLITE_OPEN_CREATE
        // Each connection is used by one thread at a time, which a Mutex sees to; SQLite's own would cost on every call.
        | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags)
        .map_err(|e| Error::Unavailable(format!("cannot open {}: {e}", path.display())))?;
    let kib = match purpose {
        Use::Read { kib } => kib,
        Use::Write => WRITE_CACHE_KIB,
    };
    let set_up = || {
        connection.busy_timeout(PATIENCE)?;
        connection.set_prepared_statement_cache_capacity(128);
        write_ahead(&connection)?;
        // An answered write survives a loss of power.
        connection.pragma_update(None, "synchronous", "full")?;
        connection.pragma_update(None, "cache_size", -(kib as i64))?;
        connection.pragma_update(None, "query_only", purpose != Use::Write)?;
        if purpose == Use::Write {
            // What is deleted is overwritten with zeros, and not merely marked as free: it is people's data.
            connection.pragma_update(None, "secure_delete", true)?;
        }
        // Without this, a statement is planned again for each new bound value: three times slower.
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)
    };
    set_up().map(|_| ()).map_err(error)?;
    Ok(connection)
}

/// Only the user that runs us may read the database: it is created so, and tightened where an earlier version left it open.
/// SQLite gives `-wal` and `-shm` the permissions of the database.
fn make_private(path: &Path) -> Result<()> {
    let cannot = |e: std::io::Error| Error::Unavailable(format!("cannot open {}: {e}", path.display()));
    // Never opened for that alone: to close a file gives up every lock that this process has on it.
    match std::fs::OpenOptions::new().write(true).create_new(true).mode(PRIVATE).open(path) {
        Ok(_) => {}
        Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {}
        Err(error) => return Err(cannot(error)),
    }
    for ending in ["", "-wal", "-shm"] {
        let mut file = path.as_os_str().to_owned();
        file.push(ending);
        let Ok(metadata) = std::fs::metadata(&file) else { continue };
        if metadata.permissions().mode() & 0o077 != 0
            && let Err(error) = std::fs::set_permissions(&file, std::fs::Permissions::from_mode(PRIVATE))
        {
            let file = Path::new(&file).display();
            tracing::warn!(%file, %error, "others may read the database, and its permissions cannot be changed");
        }
    }
    Ok(())
}

const PRIVATE: u32 = 0o600;

/// Copies all that this connection sees into a new file. In one step: one that pauses starts again whenever somebody
/// writes, and beside a busy server would never end. Nobody waits for it; the write-ahead log grows meanwhile.
pub fn copy(connection: &Connection, target: &Path) -> Result<()> {
    make_private(target)?;
    let mut copy = Connection::open(target).map_err(error)?;
    // The caller makes it durable.
    copy.pragma_update(None, "synchronous", "off").map_err(error)?;
    let step = Backup::new(connection, &mut copy).and_then(|backup| backup.step(-1)).map_err(error)?;
    if step != StepResult::Done {
        return Err(Error::Unavailable(format!("the database could not be copied: {step:?}")));
    }
    alone(&copy).map_err(error)
}

/// Brings a database that nobody uses into one file: what is in the write-ahead log moves there, and the log goes.
pub fn settle(path: &Path) -> Result<()> {
    let connection = Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_WRITE).map_err(error)?;
    alone(&connection).map_err(error)
}

/// Is every page, row and index as it should be?
pub fn check(path: &Path) -> Result<()> {
    let connection = Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_ONLY).map_err(error)?;
    let says: String =
        connection.query_row("PRAGMA integrity_check(1)", [], |row| row.get(0)).map_err(error)?;
    if says == "ok" { Ok(()) } else { Err(Error::Broken(format!("{} is damaged: {says}", path.display()))) }
}

/// The other way, for which no other connection may be left; those of a thread that ends take a moment to close.
fn alone(connection: &Connection) -> rusqlite::Result<()> {
    go_over(connection, "delete", 100)
}

/// Going over to the write-ahead log needs the file for oneself for a moment, and SQLite does not wait for that as it
/// waits for locks: several programs that start on a new database at once must ask again.
fn write_ahead(connection: &Connection) -> rusqlite::Result<()> {
    go_over(connection, "wal", 500)
}

fn go_over(connection: &Connection, mode: &str, times: usize) -> rusqlite::Result<()> {
    for _ in 0..times {
        match connection.pragma_update(None, "journal_mode", mode) {
            Err(error) if error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy) => {
                std::thread::sleep(Duration::from_millis(20));
            }
            other => return other,
        }
    }
    connection.pragma_update(None, "journal_mode", mode)
}

/// Runs one job inside a savepoint and undoes it when it fails.
fn run<T, E: From<Error>>(sql: &mut Sql, job: impl Transaction<T, E>) -> Result<T, E> {
    statement(sql, "SAVEPOINT job")?;
    // SQLite answers at once, so a job that awaits nothing but `Sql` is ready when first asked.
    let outcome = catch_unwind(AssertUnwindSafe(|| job(sql).now_or_never()));
    let outcome = match outcome {
        Ok(Some(outcome)) => outcome,
        Ok(None) => {
            Err(Error::Broken("a job waited for something other than the database".to_owned()).into())
        }
        Err(_) => Err(Error::Broken("a job panicked".to_owned()).into()),
    };
    let end = if outcome.is_ok() { "RELEASE job" } else { "ROLLBACK TO job; RELEASE job" };
    match statement(sql, end) {
        Ok(()) => outcome,
        Err(error) => outcome.and(Err(error.into())),
    }
}

/// Moves everything from the write-ahead log to the database and cuts the log to nothing. False when somebody still reads it.
fn empty_log(connection: &Connection, patience: Duration) -> rusqlite::Result<bool> {
    connection.busy_timeout(patience)?;
    let busy = connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get::<_, bool>(0));
    connection.busy_timeout(PATIENCE)?;
    match busy {
        Err(error) if error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy) => Ok(false),
        other => other.map(|busy| !busy),
    }
}

/// The next piece of work. Before it, the log is emptied if people were deleted: their pages lie there until it begins anew.
fn next(sql: &Sql, waiting: &sync_mpsc::Receiver<Work>, traces: &mut Option<u32>) -> Option<Work> {
    while let (Some(commits), Handle::Sqlite(connection)) = (*traces, &sql.handle) {
        match waiting.recv_timeout(if commits == 0 { Duration::ZERO } else { LOG_PAUSE }) {
            Ok(work) if commits > 0 => {
                *traces = Some(commits - 1);
                return Some(work);
            }
            Err(sync_mpsc::RecvTimeoutError::Disconnected) => return None,
            met => {
                // Nobody who waits to write is kept waiting for somebody who reads.
                let emptied = empty_log(connection, Duration::ZERO).unwrap_or(false);
                *traces = (!emptied).then_some(LOG_COMMITS);
                if let Ok(work) = met {
                    return Some(work);
                }
            }
        }
    }
    waiting.recv().ok()
}

fn write_together(mut sql: Sql, waiting: &sync_mpsc::Receiver<Work>) {
    let mut traces = None;
    while let Some(first) = next(&sql, waiting, &mut traces) {
        let mut replies = Vec::new();
        let outcome = statement(&mut sql, "BEGIN IMMEDIATE").and_then(|()| {
            replies.push(first(&mut sql));
            while replies.len() < MOST_TOGETHER
                && in_transaction(&sql)
                && let Ok(next) = waiting.try_recv()
            {
                replies.push(next(&mut sql));
            }
            // A full disk makes SQLite undo the whole transaction by itself.
            if !in_transaction(&sql) {
                return Err(Error::Unavailable("the transaction was undone".to_owned()));
            }
            statement(&mut sql, "COMMIT")
        });
        if std::mem::take(&mut sql.forgets) {
            traces = Some(LOG_COMMITS);
        }
        match &outcome {
            Ok(()) => metrics::db_committed(replies.len()),
            Err(_) if in_transaction(&sql) => drop(statement(&mut sql, "ROLLBACK")),
            Err(_) => {}
        }
        for reply in replies {
            reply(outcome.clone());
        }
        // A job that could not even begin drops its sender; its caller hears that the database is not available.
    }
}

fn gone() -> Error {
    Error::Unavailable("the write could not begin".to_owned())
}

fn statement(sql: &mut Sql, text: &str) -> Result<()> {
    match &sql.handle {
        Handle::Sqlite(connection) => connection.execute_batch(text).map_err(error),
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
    let mut statement = connection.prepare_cached(sql).map_err(error)?;
    bind(&mut statement, params)?;
    let mut rows = statement.raw_query();
    let mut found = Vec::new();
    while let Some(row) = rows.next().map_err(error)? {
        found.push(map(&Row::Sqlite(row))?);
    }
    Ok(found)
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
                    return Err(Error::Broken(format!("the column {name} holds what none of ours does")));
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
            if !runtime.block_on(hand_over(sender, full))? {
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
