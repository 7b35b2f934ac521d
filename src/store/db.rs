//! One interface over both drivers: rows, one row, execute, transactions, streams.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use futures_util::{FutureExt, future::BoxFuture};
use tokio::sync::mpsc;

use super::{
    audit_seals::Unsealed,
    folder,
    lookup::Lookup,
    postgres::{self, pipeline, turns::Turn},
    sqlite::{self, DataVersion},
    transaction::{self, Effect, Job, Transaction},
};
use crate::{
    domain::ids::InstitutionId,
    telemetry::{metrics, traces},
};

pub(super) use super::streams::{STREAM_SLOT_TIMEOUT, StreamClass, no_stream_slot, send_group};
pub use super::{
    streams::RowStream,
    values::{Row, Value},
};

pub type Result<T, E = Error> = std::result::Result<T, E>;

#[derive(Debug, Clone, thiserror::Error)]
pub enum Error {
    /// A unique constraint was violated.
    #[error("unique constraint violated")]
    Conflict,
    /// The database is unreachable, busy or full; a retry may succeed.
    #[error("the database is not available: {0}")]
    Unavailable(String),
    #[error("{0}")]
    Broken(String),
}

#[derive(Debug, Clone)]
pub struct Options {
    /// `None` means SQLite in the data folder; otherwise `sqlite:PATH` or `postgres://…`.
    pub url: Option<String>,
    pub data_dir: PathBuf,
    /// Trusted certificates for PostgreSQL over TLS, instead of the system's.
    pub ca_file: Option<PathBuf>,
    pub connections: usize,
    /// How many threads serve requests, each with a runtime of its own. They get PostgreSQL connections of their own.
    pub threads: usize,
    /// The statement timeout for PostgreSQL. SQLite runs on the caller's thread.
    pub timeout: Duration,
}

/// The default of `Options::timeout`.
pub const TIMEOUT: Duration = Duration::from_secs(10);

/// The location of a database.
#[derive(Debug, PartialEq, Eq)]
pub enum Place<'a> {
    File(PathBuf),
    /// The URL of a PostgreSQL server.
    Server(&'a str),
}

impl Options {
    pub fn place(&self) -> Result<Place<'_>> {
        match self.url.as_deref() {
            None => Ok(Place::File(self.data_dir.join(folder::DATABASE))),
            Some(url) if url.starts_with("postgres://") || url.starts_with("postgresql://") => {
                Ok(Place::Server(url))
            }
            Some(url) => match url.strip_prefix("sqlite:") {
                Some(path) => Ok(Place::File(PathBuf::from(path.trim_start_matches("//")))),
                None => Err(Error::Broken(
                    "the database URL must start with `postgres://` or `sqlite:`".to_owned(),
                )),
            },
        }
    }
}

#[derive(Clone)]
pub enum Db {
    Sqlite(Arc<sqlite::Sqlite>),
    Postgres(Arc<postgres::Postgres>),
}

impl Db {
    pub async fn open(options: &Options) -> Result<Self> {
        match options.place()? {
            Place::Server(url) => Ok(Self::Postgres(Arc::new(postgres::Postgres::open(url, options).await?))),
            Place::File(path) => {
                let opened = sqlite::Sqlite::open(path.clone(), options.connections)?;
                folder::finish_restore(&path, &options.data_dir)?;
                Ok(Self::Sqlite(Arc::new(opened)))
            }
        }
    }

    /// The folder of a SQLite database.
    pub fn folder(&self) -> Option<&Path> {
        match self {
            Self::Sqlite(sqlite) => Some(sqlite.folder()),
            Self::Postgres(_) => None,
        }
    }

    /// A snapshot of a SQLite database; PostgreSQL has its own backup tools.
    pub fn snapshot(&self) -> Result<Sql> {
        match self {
            Self::Sqlite(sqlite) => sqlite.snapshot(),
            Self::Postgres(_) => Err(Error::Broken("not a SQLite database".to_owned())),
        }
    }

    /// Erases deleted data from the files of a SQLite database. Returns false for PostgreSQL, which has its own
    /// tools.
    pub async fn rewrite(&self) -> Result<bool> {
        match self {
            Self::Sqlite(sqlite) => sqlite.rewrite().await.map(|()| true),
            Self::Postgres(_) => Ok(false),
        }
    }

    /// For reads outside a transaction.
    pub fn read(&self) -> Sql {
        Sql::new(Handle::Pool(self.clone()))
    }

    /// Changes whenever a read may return something new, whoever wrote it. `None` if that cannot be told without asking
    /// the database, as with PostgreSQL.
    pub fn version(&self) -> Option<DataVersion> {
        match self {
            Self::Sqlite(sqlite) => sqlite.version(),
            Self::Postgres(_) => None,
        }
    }

    pub fn write<T, E>(&self, job: impl Transaction<T, E>) -> BoxFuture<'_, Result<T, E>>
    where
        T: Send + 'static,
        E: From<Error> + Send + 'static,
    {
        self.write_with(Effect::Data, None, job)
    }

    /// `write` for the people of an institution. The first lock that the job takes must be that of the institution (`rolls::lock`), and all
    /// others must belong to the institution. With PostgreSQL, such writes that wait at the same time share a commit, as all do with SQLite.
    pub fn write_people<T, E>(
        &self,
        institution: InstitutionId,
        job: impl Transaction<T, E>,
    ) -> BoxFuture<'_, Result<T, E>>
    where
        T: Send + 'static,
        E: From<Error> + Send + 'static,
    {
        self.write_with(Effect::Data, Some(institution), job)
    }

    /// How long those may wait who are added by `execute_alone`, or `None` if nobody is.
    pub fn wait_to_join(&self) -> Option<Duration> {
        match self {
            Self::Sqlite(_) => None,
            Self::Postgres(postgres) => postgres.shares_commits().then(|| postgres.timeout()),
        }
    }

    /// A statement that is a transaction of its own and stands for this many writes. For PostgreSQL. The caller must not be canceled: it
    /// would not learn whether the statement was executed.
    pub(super) async fn execute_alone(&self, sql: &str, params: &[Value<'_>], writes: usize) -> Result<u64> {
        let (timer, _span) = (metrics::Timer::start(), traces::child_span("db write", self.system()));
        let outcome = match self {
            Self::Sqlite(_) => Err(Error::Broken("a write outside a transaction".to_owned())),
            Self::Postgres(postgres) => postgres.execute_alone(sql, params, writes).boxed().await,
        };
        metrics::db_written(timer);
        outcome
    }

    /// A write that changes nothing that a lookup of people shows, such as counters and leases: `version` stays.
    pub fn write_bookkeeping<T, E>(&self, job: impl Transaction<T, E>) -> BoxFuture<'_, Result<T, E>>
    where
        T: Send + 'static,
        E: From<Error> + Send + 'static,
    {
        self.write_with(Effect::Bookkeeping, None, job)
    }

    fn write_with<T, E>(
        &self,
        effect: Effect,
        people_of: Option<InstitutionId>,
        transaction: impl Transaction<T, E>,
    ) -> BoxFuture<'_, Result<T, E>>
    where
        T: Send + 'static,
        E: From<Error> + Send + 'static,
    {
        let (job, outcome) = transaction::erase(transaction);
        let committed = self.commit(effect, people_of, job).boxed();
        Box::pin(async move { outcome.after(committed.await) })
    }

    async fn commit(&self, effect: Effect, people_of: Option<InstitutionId>, job: Job) -> Result<()> {
        let (timer, _span) = (metrics::Timer::start(), traces::child_span("db write", self.system()));
        let ended = match self {
            Self::Sqlite(sqlite) => sqlite.write(effect, job).await,
            Self::Postgres(postgres) => match people_of {
                Some(institution) => postgres.write_people(institution, job).await,
                None => postgres.write(effect, job).await,
            },
        };
        metrics::db_written(timer);
        ended
    }

    /// Updates the connection pool metrics.
    pub fn measure(&self) {
        match self {
            Self::Sqlite(sqlite) => sqlite.measure(),
            Self::Postgres(postgres) => postgres.measure(),
        }
    }

    pub fn stream<T: Send + 'static>(
        &self,
        sql: impl Into<String>,
        params: &[Value<'_>],
        map: fn(&Row<'_>) -> Result<T>,
    ) -> RowStream<T> {
        self.stream_in(StreamClass::Foreground, sql.into(), params, map)
    }

    /// For background workers, which must not take slots from clients.
    pub fn stream_in_background<T: Send + 'static>(
        &self,
        sql: impl Into<String>,
        params: &[Value<'_>],
        map: fn(&Row<'_>) -> Result<T>,
    ) -> RowStream<T> {
        self.stream_in(StreamClass::Background, sql.into(), params, map)
    }

    fn stream_in<T: Send + 'static>(
        &self,
        class: StreamClass,
        sql: String,
        params: &[Value<'_>],
        map: fn(&Row<'_>) -> Result<T>,
    ) -> RowStream<T> {
        let params = params.iter().cloned().map(Value::into_owned).collect();
        let (sender, receiver) = mpsc::channel(2);
        match self {
            Self::Sqlite(sqlite) => sqlite.clone().stream(class, sql, params, map, sender),
            Self::Postgres(postgres) => postgres.clone().stream(class, sql, params, map, sender),
        }
        RowStream(receiver)
    }

    /// The database system and its name in traces.
    fn system(&self) -> (&'static str, &'static str) {
        let name = match self {
            Self::Sqlite(_) => "sqlite",
            Self::Postgres(_) => "postgresql",
        };
        ("db.system.name", name)
    }

    pub fn kind(&self) -> &'static str {
        match self {
            Self::Sqlite(_) => "SQLite",
            Self::Postgres(postgres) if postgres.is_citus() => "PostgreSQL with Citus",
            Self::Postgres(_) => "PostgreSQL",
        }
    }

    /// For tests: how many transactions that write can begin at once now. `None` if nothing limits them.
    #[doc(hidden)]
    pub fn free_writers(&self) -> Option<usize> {
        match self {
            Self::Sqlite(_) => None,
            Self::Postgres(postgres) => Some(postgres.free_writers()),
        }
    }

    /// Is this PostgreSQL with the Citus extension?
    pub fn is_citus(&self) -> bool {
        match self {
            Self::Sqlite(_) => false,
            Self::Postgres(postgres) => postgres.is_citus(),
        }
    }
}

/// The handle that store functions use: the pool or a transaction.
pub struct Sql {
    pub(super) handle: Handle,
    /// Of a transaction on PostgreSQL that is not shared. It ends after the connection is back in the pool.
    pub(super) turn: Option<Turn>,
    /// Rows that were inserted, updated or deleted.
    pub(super) changed_rows: u64,
    /// Were people deleted?
    pub(super) scrubs_wal: bool,
    /// What the transaction has written to the audit log. It is sealed at the end.
    pub(super) unsealed: Unsealed,
}

pub(super) enum Handle {
    Pool(Db),
    Sqlite(rusqlite::Connection),
    Postgres(postgres::Client),
}

impl Sql {
    pub(super) fn new(handle: Handle) -> Self {
        Self { handle, turn: None, changed_rows: 0, scrubs_wal: false, unsealed: Unsealed::default() }
    }

    /// To be called before an institution is locked: it has only a share of the connections for writing.
    pub(super) async fn enter(&mut self, institution: InstitutionId) -> Result<()> {
        match (&mut self.handle, &mut self.turn) {
            (Handle::Postgres(client), Some(turn)) => turn.enter(client, institution).boxed().await,
            _ => Ok(()),
        }
    }

    /// For queues: skips rows that are locked by other workers. SQLite has a single writer anyway.
    pub(super) const fn skip_locked(&self) -> &'static str {
        match &self.handle {
            Handle::Postgres(_) | Handle::Pool(Db::Postgres(_)) => " FOR UPDATE SKIP LOCKED",
            Handle::Sqlite(_) | Handle::Pool(Db::Sqlite(_)) => "",
        }
    }

    pub(super) fn is_postgres(&self) -> bool {
        matches!(&self.handle, Handle::Postgres(_) | Handle::Pool(Db::Postgres(_)))
    }

    /// Is this PostgreSQL with the Citus extension? For statements that have to be split there.
    pub(super) fn is_citus(&self) -> bool {
        match &self.handle {
            Handle::Pool(db) => db.is_citus(),
            Handle::Sqlite(_) => false,
            Handle::Postgres(client) => client.is_citus(),
        }
    }

    pub async fn rows<T: Send>(
        &mut self,
        sql: &str,
        params: &[Value<'_>],
        map: impl Fn(&Row<'_>) -> Result<T> + Send + Sync,
    ) -> Result<Vec<T>> {
        let _span = match &self.handle {
            Handle::Pool(db) => Some(traces::child_span("db read", db.system())),
            // The transaction has its own span.
            Handle::Sqlite(_) | Handle::Postgres(_) => None,
        };
        match &mut self.handle {
            Handle::Pool(Db::Sqlite(db)) => sqlite::rows(&db.reader(), sql, params, map),
            // The futures of the PostgreSQL client have many kilobytes. Boxed, they do not make those of all use cases as large,
            // which are moved several times for each request. Type-erased, the compiler need not walk through them for each handler to
            // prove that it is `Send`, which took a fifth of the compile time.
            Handle::Pool(Db::Postgres(db)) => postgres::read(&db.query(sql, params).boxed().await?, map),
            Handle::Sqlite(connection) => sqlite::rows(connection, sql, params, map),
            Handle::Postgres(client) => {
                postgres::read(&pipeline::query(client, sql, params).boxed().await?, map)
            }
        }
    }

    pub async fn one<T: Send>(
        &mut self,
        sql: &str,
        params: &[Value<'_>],
        map: impl Fn(&Row<'_>) -> Result<T> + Send + Sync,
    ) -> Result<Option<T>> {
        Ok(self.rows(sql, params, map).await?.into_iter().next())
    }

    /// `rows` of a frequent read. With PostgreSQL, those that wait at the same time on this thread are one statement.
    pub(super) async fn look_up<T: Send>(
        &mut self,
        lookup: &'static Lookup,
        params: &[Value<'_>],
        map: impl Fn(&Row<'_>) -> Result<T> + Send + Sync,
    ) -> Result<Vec<T>> {
        let pooled = match &self.handle {
            Handle::Pool(db @ Db::Postgres(postgres)) => Some((postgres.clone(), db.system())),
            Handle::Pool(Db::Sqlite(_)) | Handle::Sqlite(_) | Handle::Postgres(_) => None,
        };
        let Some((postgres, system)) = pooled else {
            return self.rows(lookup.one(), params, map).await;
        };
        let _span = traces::child_span("db read", system);
        postgres::read(&postgres.look_up(lookup, params).await?, map)
    }

    /// `one` of a frequent read.
    pub(super) async fn look_up_one<T: Send>(
        &mut self,
        lookup: &'static Lookup,
        params: &[Value<'_>],
        map: impl Fn(&Row<'_>) -> Result<T> + Send + Sync,
    ) -> Result<Option<T>> {
        Ok(self.look_up(lookup, params, map).await?.into_iter().next())
    }

    /// Data deleted in this transaction must not remain in SQLite's write-ahead log. PostgreSQL manages its own.
    pub(super) const fn scrub_wal(&mut self) {
        self.scrubs_wal = true;
    }

    /// Returns the number of affected rows.
    pub async fn execute(&mut self, sql: &str, params: &[Value<'_>]) -> Result<u64> {
        let changed = match &mut self.handle {
            Handle::Pool(_) => Err(Error::Broken("a write outside a transaction".to_owned())),
            Handle::Sqlite(connection) => sqlite::execute(connection, sql, params),
            Handle::Postgres(client) => pipeline::execute(client, sql, params).boxed().await,
        }?;
        self.changed_rows += changed;
        Ok(changed)
    }

    /// `execute` for a write or a lock that must succeed and whose result nobody needs. PostgreSQL gets it together with the next
    /// statement or with COMMIT, which saves a round trip. There, an error is reported only then.
    pub async fn defer(&mut self, sql: &str, params: &[Value<'_>]) -> Result<()> {
        match &mut self.handle {
            Handle::Postgres(client) => {
                // As far as is known.
                self.changed_rows += 1;
                pipeline::defer(client, sql, params).boxed().await
            }
            Handle::Pool(_) | Handle::Sqlite(_) => self.execute(sql, params).await.map(|_| ()),
        }
    }

    /// Copies a snapshot to a new file.
    pub fn copy_to(&self, target: &Path) -> Result<()> {
        match &self.handle {
            Handle::Sqlite(connection) => sqlite::copy(connection, target),
            Handle::Pool(_) | Handle::Postgres(_) => Err(Error::Broken("not a SQLite snapshot".to_owned())),
        }
    }

    /// Removes the statement timeout for the rest of a transaction that changes whole tables.
    pub(crate) async fn allow_long_statements(&mut self) -> Result<()> {
        match &mut self.handle {
            Handle::Pool(_) | Handle::Sqlite(_) => Ok(()),
            Handle::Postgres(client) => pipeline::allow_long_statements(client).boxed().await,
        }
    }

    /// Several statements without parameters, as in migrations.
    pub(super) async fn script(&mut self, sql: &str) -> Result<()> {
        match &mut self.handle {
            Handle::Pool(_) => Err(Error::Broken("a write outside a transaction".to_owned())),
            Handle::Sqlite(connection) => connection.execute_batch(sql).map_err(sqlite::error),
            Handle::Postgres(client) => pipeline::script(client, sql).boxed().await,
        }
    }
}
