//! PostgreSQL: connection pools, with one connection per open transaction or stream. Every wait has a timeout: a
//! server that is frozen or unreachable neither responds nor closes the connection.

mod batches;
mod certificate;
mod host_configs;
mod hosts;
pub mod pipeline;
mod pooler;
mod pools;
mod remedy;
mod tls;
mod url;

use std::{
    future::Future,
    panic::AssertUnwindSafe,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    time::Duration,
};

use deadpool_postgres::{Object, Pool};
use futures_util::{FutureExt, future::BoxFuture};
use tokio::sync::{Semaphore, mpsc, oneshot};
use tokio_postgres::{
    Config,
    error::SqlState,
    types::{IsNull, ToSql, Type, private::BytesMut, to_sql_checked},
};
use tokio_postgres_rustls::MakeRustlsConnect;
use tokio_util::task::AbortOnDropHandle;

pub use self::url::url_for_programs;
use self::{
    batches::Lookups,
    hosts::Hosts,
    pipeline::Unsent,
    pooler::Session,
    pools::{Pools, unavailable},
    url::DatabaseUrl,
};
use super::db::{
    Error, Handle, Options, Result, Row, STREAM_SLOT_TIMEOUT, Sql, StreamClass, Transaction, Value,
    no_stream_slot, send_group,
};
use crate::telemetry::metrics;

/// A transaction's work without its types, so that everything around it is compiled once and not for each caller. It keeps
/// its outcome to itself, and answers whether to commit.
type Job = Box<dyn for<'a> FnOnce(&'a mut Sql) -> BoxFuture<'a, bool> + Send>;

pub struct Postgres {
    pools: Pools,
    lookups: Lookups,
    /// Statement timeout.
    timeout: Duration,
    /// Writers of one institution wait for each other inside PostgreSQL, each holding a connection. This leaves some
    /// for readers.
    writers: Semaphore,
    /// A stream holds its connection until it has been read completely.
    streams: Semaphore,
    growth: Arc<Growth>,
    session: Session,
    /// The statement that begins a transaction.
    begin: Arc<str>,
    /// With several hosts.
    watcher: Option<AbortOnDropHandle<()>>,
}

/// Triggers ANALYZE as tables grow. PostgreSQL plans a prepared statement for the current table size and keeps the
/// plan. A plan made for an empty table scans all people of an institution until autovacuum updates the statistics a
/// minute later: importing a roster of 20,000 took 85 seconds, and 9 with statistics.
struct Growth {
    executed: AtomicU64,
    next: AtomicU64,
}

/// Statements until the first ANALYZE; then four times as many each time, until autovacuum is frequent enough.
const FIRST_ANALYSIS: u64 = 500;
const LAST_ANALYSIS: u64 = 1_000_000;
const ANALYZE: &str = "ANALYZE participants, name_pages, codes, rolls, roll_gaps, tokens, custom_fields";

impl Growth {
    fn new() -> Arc<Self> {
        Arc::new(Self { executed: AtomicU64::new(0), next: AtomicU64::new(FIRST_ANALYSIS) })
    }

    fn executed(&self, count: u64, pool: &Pool) {
        let sum = self.executed.fetch_add(count, Ordering::Relaxed) + count;
        let next = self.next.load(Ordering::Relaxed);
        if sum < next || next > LAST_ANALYSIS {
            return;
        }
        if self.next.compare_exchange(next, next * 4, Ordering::Relaxed, Ordering::Relaxed).is_ok() {
            let pool = pool.clone();
            tokio::spawn(async move {
                if let Err(error) = analyze(&pool).await {
                    tracing::debug!(%error, "ANALYZE failed");
                }
            });
        }
    }
}

async fn analyze(pool: &Pool) -> Result<()> {
    let connection = pool.get().await.map_err(unavailable)?;
    // Only scripts, which are never prepared.
    let mut client = Client::new(connection, LONG_STATEMENT, Session::OWN);
    client.script("BEGIN").await?;
    let made = match client.allow_long_statements().await {
        Ok(()) => client.script(ANALYZE).await,
        refused => refused,
    };
    let ended = client.script("COMMIT").await;
    if ended.is_err() {
        client.discard();
    }
    made.and(ended)
}

/// A URL without its password and without what only we understand, for messages.
pub fn without_password(url: &str) -> String {
    let (scheme, rest) = url.split_once("://").unwrap_or(("postgres", url));
    // Split at the last `@`: the password may contain an unencoded `@` or `?`.
    let (who, place) = rest.rsplit_once('@').unwrap_or(("", rest));
    let user = who.split(':').next().filter(|user| !user.is_empty());
    let (address, query) = place.split_once('?').unwrap_or((place, ""));
    let is_shown =
        |pair: &&str| !pair.is_empty() && !pair.starts_with("password=") && !pair.starts_with("pgbouncer=");
    let query: Vec<&str> = query.split('&').filter(is_shown).collect();
    let at = user.map_or_else(String::new, |user| format!("{user}@"));
    let question = if query.is_empty() { "" } else { "?" };
    format!("{scheme}://{at}{address}{question}{}", query.join("&"))
}

const ROWS_IN_A_GROUP: i32 = 500;
/// Connection timeout.
const CONNECT: Duration = Duration::from_secs(5);
/// Statement timeout of migrations and other statements on whole tables.
const LONG_STATEMENT: Duration = Duration::from_secs(3_600);
/// TCP keepalive: idle time, interval and number of probes.
const KEEPALIVE_IDLE: Duration = Duration::from_secs(15);
const KEEPALIVE_INTERVAL: Duration = Duration::from_secs(5);
const KEEPALIVE_PROBES: u32 = 3;

impl Postgres {
    pub async fn open(url: &str, options: &Options) -> Result<Self> {
        let DatabaseUrl { mut config, tls, is_pooled } = DatabaseUrl::parse(url, options.ca_file.as_deref())?;
        let timeout = options.timeout.max(Duration::from_millis(100));
        let connect = host_configs::connect_timeout(&config).min(timeout);
        host_configs::want_writes(&mut config, url)?;
        prepare(&mut config, timeout);
        let tls = MakeRustlsConnect::new(tls.client_config()?);
        // Fails early if the server is unreachable.
        let own = with_options(&config, timeout);
        let (config, session) = Session::detect(own, config, is_pooled, &tls, connect).await?;
        let hosts = Hosts::new(&config, &tls, connect)?;
        let watcher = hosts.watch().await?;
        // The setting is for all connections of the process.
        let connections = (options.connections, usize::from(watcher.is_some()));
        let pools = Pools::new(&hosts, connections, options.threads, connect, timeout)?;
        let shared = pools.shared().status().max_size;
        let writers = Semaphore::new((shared / 2).max(1));
        let streams = Semaphore::new((shared / 4).max(1));
        // A pooler may not prepare statements, and Citus wants one institution in each.
        let batched = if session.is_shared || session.is_citus { 0 } else { options.threads };
        let lookups = Lookups::new(batched);
        let (growth, begin) = (Growth::new(), session.begin(timeout));
        let postgres = Self { pools, lookups, timeout, writers, streams, growth, session, begin, watcher };
        // The pool keeps it, so that a node has one even if the server is full later.
        drop(postgres.client().await?);
        Ok(postgres)
    }

    pub const fn is_citus(&self) -> bool {
        self.session.is_citus
    }

    /// How many connections this process opens at most.
    pub fn most_connections(&self) -> usize {
        self.pools.status().max_size + usize::from(self.watcher.is_some())
    }

    pub fn measure(&self) {
        let pool = self.pools.status();
        let busy = pool.size.saturating_sub(pool.available);
        metrics::db_connections(pool.max_size, busy, pool.available, pool.waiting);
    }

    pub async fn client(&self) -> Result<Client> {
        Ok(Client::new(self.pools.client().await?, self.timeout, self.session))
    }

    /// For one statement outside a transaction.
    pub async fn reader(&self) -> Result<Client> {
        Ok(Client::new(self.pools.reader().await?, self.timeout, self.session))
    }

    pub async fn write<T, E>(&self, job: impl Transaction<T, E>) -> Result<T, E>
    where
        T: Send + 'static,
        E: From<Error> + Send + 'static,
    {
        let (sender, mut receiver) = oneshot::channel();
        let job: Job = Box::new(move |sql| {
            Box::pin(async move {
                let outcome = job(sql).await;
                let commit = outcome.is_ok();
                // The caller may have gone; the work is completed nevertheless.
                let _ = sender.send(outcome);
                commit
            })
        });
        let ended = self.transact(job).await;
        match (receiver.try_recv(), ended) {
            (Ok(outcome), Ok(())) => outcome,
            (Ok(outcome), Err(error)) => outcome.and(Err(error.into())),
            (Err(_), Err(error)) => Err(error.into()),
            (Err(_), Ok(())) => Err(Error::Broken("a job has no outcome".to_owned()).into()),
        }
    }

    async fn transact(&self, job: Job) -> Result<()> {
        let waiting = metrics::db_write_waiting();
        let permit = tokio::time::timeout(self.timeout, self.writers.acquire()).await;
        let _permit = permit.map_err(|_| Error::Unavailable("too many writes are waiting".to_owned()))?;
        let client = self.client().await?;
        drop(waiting);
        let begin = self.begin.clone();
        // Citus plans a statement for the shards each time.
        let growth = (!self.session.is_citus).then(|| (self.growth.clone(), self.pools.shared().clone()));
        // A separate task: if the caller is canceled, its transaction must not be left open on a pooled connection.
        let work = tokio::spawn(async move {
            let mut open = OpenTransaction(Some(Sql::new(Handle::Postgres(client.in_transaction(begin)))));
            let Some(sql) = &mut open.0 else { return Err(no_connection()) };
            let commit = job(sql).await;
            let Handle::Postgres(client) = &mut sql.handle else { return Err(no_connection()) };
            if commit {
                pipeline::commit(client).await?;
            } else {
                pipeline::roll_back(client).await?;
            }
            if let Some((growth, pool)) = growth {
                growth.executed(sql.executed, &pool);
            }
            open.close();
            Ok(())
        });
        work.await.unwrap_or_else(|e| Err(Error::Broken(format!("a job panicked: {e}"))))
    }

    pub fn stream<T: Send + 'static>(
        self: Arc<Self>,
        class: StreamClass,
        sql: String,
        params: Vec<Value<'static>>,
        map: fn(&Row<'_>) -> Result<T>,
        sender: mpsc::Sender<Result<Vec<T>>>,
    ) {
        tokio::spawn(async move {
            let sending = AssertUnwindSafe(self.send_groups(class, &sql, &params, map, &sender));
            // Report the error, or the reader would take it for the end of the stream.
            let broken = match sending.catch_unwind().await {
                Ok(Ok(())) => return,
                Ok(Err(error)) => error,
                Err(_) => Error::Broken("a row stream was aborted".to_owned()),
            };
            let _ = sender.send(Err(broken)).await;
        });
    }

    /// A portal returns the rows of one snapshot in batches, which bounds memory.
    async fn send_groups<T: Send + 'static>(
        &self,
        class: StreamClass,
        sql: &str,
        params: &[Value<'static>],
        map: fn(&Row<'_>) -> Result<T>,
        sender: &mpsc::Sender<Result<Vec<T>>>,
    ) -> Result<()> {
        let _slot = match class {
            StreamClass::Foreground => tokio::time::timeout(STREAM_SLOT_TIMEOUT, self.streams.acquire())
                .await
                .map_err(|_| no_stream_slot())?
                .ok(),
            StreamClass::Background => None,
        };
        let mut client = self.client().await?;
        if self.session.is_shared {
            return pooler::send_groups(&client, &self.begin, (sql, params), map, sender).await;
        }
        let Client { connection: Some(connection), deadline, .. } = &mut client else { return Err(closed()) };
        let statement = deadline.meet(connection.prepare_cached(sql)).await?;
        let transaction = deadline.meet(connection.transaction()).await?;
        let portal = deadline.meet(transaction.bind(&statement, &to_sql(params))).await?;
        loop {
            let rows = deadline.meet(transaction.query_portal(&portal, ROWS_IN_A_GROUP)).await?;
            let last = rows.len() < ROWS_IN_A_GROUP as usize;
            let group = read(&rows, map)?;
            if !group.is_empty() && !send_group(sender, group).await? || last {
                return deadline.meet(transaction.rollback()).await;
            }
        }
    }
}

/// Defaults for what the URL leaves open.
fn prepare(config: &mut Config, timeout: Duration) {
    config.application_name("endonym");
    if config.get_connect_timeout().is_none() {
        config.connect_timeout(CONNECT.min(timeout));
    }
    // For unacknowledged data.
    if config.get_tcp_user_timeout().is_none() {
        config.tcp_user_timeout(timeout);
    }
    if config.get_keepalives_interval().is_none() && config.get_keepalives_retries().is_none() {
        config.keepalives_idle(KEEPALIVE_IDLE.min(config.get_keepalives_idle()));
        config.keepalives_interval(KEEPALIVE_INTERVAL);
        config.keepalives_retries(KEEPALIVE_PROBES);
    }
}

/// The server's statement timeout is slightly shorter than ours, so that the connection stays usable.
fn server_timeout(timeout: Duration) -> Duration {
    timeout * 9 / 10
}

/// Settings of a session, unless the URL has some.
fn with_options(config: &Config, timeout: Duration) -> Config {
    // The server's keepalives release our locks when we are cut off. Plans are generic: replanning per value cost
    // three times as much as reading a page of a list. With the default cost of a random page, which is for hard disks, the planner
    // reads all of 200 name pages to find the one of a person.
    let ours = || {
        format!(
            "-c statement_timeout={}ms -c tcp_keepalives_idle={} -c tcp_keepalives_interval={} \
             -c tcp_keepalives_count={KEEPALIVE_PROBES} -c plan_cache_mode=force_generic_plan \
             -c random_page_cost=1.1",
            server_timeout(timeout).as_millis(),
            KEEPALIVE_IDLE.as_secs(),
            KEEPALIVE_INTERVAL.as_secs(),
        )
    };
    let options = config.get_options().map_or_else(ours, str::to_owned);
    let mut config = config.clone();
    config.options(format!("{options} {}", pooler::MARK));
    config
}

/// Citus chooses the shard when it plans, so it cannot make a generic plan of a statement that joins tables. Of the other statements
/// it keeps plans by itself.
fn plan_by_value(config: &mut Config) {
    let options = config.get_options().unwrap_or_default();
    // The last value of a setting counts.
    let options = format!("{options} -c plan_cache_mode=auto");
    config.options(options.trim_start());
}

/// A pooled connection. After a timeout, or if its user stops waiting, a response is still outstanding, so the connection is
/// closed instead of being reused.
pub struct Client {
    connection: Option<Object>,
    deadline: Deadline,
    session: Session,
    unsent: Unsent,
}

/// The statement timeout.
struct Deadline {
    time: Duration,
    /// The connection must not be returned to the pool.
    broken: AtomicBool,
    /// The server did not even report its own timeout, which is shorter.
    missed: AtomicBool,
}

impl Deadline {
    fn new(time: Duration) -> Self {
        Self { time, broken: AtomicBool::new(false), missed: AtomicBool::new(false) }
    }

    /// One timer per statement costs about 200 ns; a round trip takes 100 µs and more. The connection counts as broken until
    /// the answer is there: if nobody waits for it any longer, because the client of a read has gone, the next statement would.
    async fn meet<T>(
        &self,
        answer: impl Future<Output = std::result::Result<T, tokio_postgres::Error>>,
    ) -> Result<T> {
        self.meet_within(self.time, answer).await
    }

    async fn meet_within<T>(
        &self,
        time: Duration,
        answer: impl Future<Output = std::result::Result<T, tokio_postgres::Error>>,
    ) -> Result<T> {
        if self.broken.swap(true, Ordering::Relaxed) {
            return Err(closed());
        }
        match tokio::time::timeout(time, answer).await {
            Ok(answered) => {
                // A standby, which was the primary before.
                let is_read_only = answered
                    .as_ref()
                    .is_err_and(|error| error.code() == Some(&SqlState::READ_ONLY_SQL_TRANSACTION));
                self.broken.store(is_read_only, Ordering::Relaxed);
                answered.map_err(error)
            }
            Err(_) => {
                self.missed.store(true, Ordering::Relaxed);
                Err(Error::Unavailable(format!("PostgreSQL did not respond within {time:?}")))
            }
        }
    }
}

impl Client {
    fn new(connection: Object, time: Duration, session: Session) -> Self {
        let (deadline, unsent) = (Deadline::new(time), Unsent::default());
        Self { connection: Some(connection), deadline, session, unsent }
    }

    /// Begins a transaction with the first statement. It is used through `pipeline` from now on.
    fn in_transaction(mut self, begin: Arc<str>) -> Self {
        self.unsent = Unsent::transaction(begin);
        self
    }

    /// May statements be sent before the responses to earlier ones have arrived?
    const fn pipelines(&self) -> bool {
        !self.session.is_shared
    }

    pub const fn is_citus(&self) -> bool {
        self.session.is_citus
    }

    fn connection(&self) -> Result<&Object> {
        self.connection.as_ref().ok_or_else(closed)
    }

    /// Closes the connection instead of returning it to the pool.
    fn discard(&self) {
        self.deadline.broken.store(true, Ordering::Relaxed);
    }

    async fn script(&self, sql: &str) -> Result<()> {
        self.deadline.meet(self.connection()?.batch_execute(sql)).await
    }

    async fn allow_long_statements(&mut self) -> Result<()> {
        self.deadline.time = LONG_STATEMENT;
        self.script(&format!("SET LOCAL statement_timeout = {}", LONG_STATEMENT.as_millis())).await
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        if *self.deadline.broken.get_mut()
            && let Some(connection) = self.connection.take()
        {
            // If the server is frozen, each idle connection would cost a timeout. Those that were used since the statement began
            // show that only this statement was slow, for example because a synchronous standby is away.
            // Through a pooler they lead to other sessions, and one slow read says nothing about those.
            let time = self.deadline.time;
            if *self.deadline.missed.get_mut()
                && !self.session.is_shared
                && let Some(pool) = Object::pool(&connection)
            {
                drop(pool.retain(|_, metrics| metrics.last_used() < time));
            }
            drop(Object::take(connection));
        }
    }
}

fn closed() -> Error {
    Error::Unavailable("the connection is closed".to_owned())
}

fn no_connection() -> Error {
    Error::Broken("no connection".to_owned())
}

/// Removes the connection from the pool if a transaction was left open, for example after a panic.
struct OpenTransaction(Option<Sql>);

impl OpenTransaction {
    fn close(&mut self) {
        self.0 = None;
    }
}

impl Drop for OpenTransaction {
    fn drop(&mut self) {
        if let Some(Sql { handle: Handle::Postgres(client), .. }) = self.0.take() {
            client.discard();
        }
    }
}

pub async fn query(client: &Client, sql: &str, params: &[Value<'_>]) -> Result<Vec<tokio_postgres::Row>> {
    if !client.session.prepares {
        return pooler::query(client, sql, params).await;
    }
    let (connection, params) = (client.connection()?, to_sql(params));
    let answer = async { connection.query(&connection.prepare_cached(sql).await?, &params).await };
    client.deadline.meet(answer).await
}

pub fn read<T>(rows: &[tokio_postgres::Row], map: impl Fn(&Row<'_>) -> Result<T>) -> Result<Vec<T>> {
    rows.iter().map(|row| map(&Row::Postgres(row))).collect()
}

pub fn record(row: &tokio_postgres::Row) -> Result<serde_json::Map<String, serde_json::Value>> {
    let columns = row.columns().iter().enumerate();
    columns
        .map(|(n, column)| {
            let value = match *column.type_() {
                Type::INT8 => row.try_get::<_, Option<i64>>(n).map_err(error)?.into(),
                Type::BOOL => row.try_get::<_, Option<bool>>(n).map_err(error)?.into(),
                _ => row.try_get::<_, Option<String>>(n).map_err(error)?.into(),
            };
            Ok((column.name().to_owned(), value))
        })
        .collect()
}

pub async fn execute(client: &Client, sql: &str, params: &[Value<'_>]) -> Result<u64> {
    if !client.session.prepares {
        return pooler::execute(client, sql, params).await;
    }
    let (connection, params) = (client.connection()?, to_sql(params));
    let answer = async { connection.execute(&connection.prepare_cached(sql).await?, &params).await };
    client.deadline.meet(answer).await
}

fn to_sql<'a>(params: &'a [Value<'a>]) -> Vec<&'a (dyn ToSql + Sync)> {
    params.iter().map(|param| param as &(dyn ToSql + Sync)).collect()
}

impl ToSql for Value<'_> {
    fn to_sql(
        &self,
        ty: &Type,
        out: &mut BytesMut,
    ) -> std::result::Result<IsNull, Box<dyn std::error::Error + Sync + Send>> {
        match self {
            Self::Null => Ok(IsNull::Yes),
            Self::Bool(value) => value.to_sql_checked(ty, out),
            Self::Int(value) => value.to_sql_checked(ty, out),
            // PostgreSQL text cannot contain NUL. We store none, so a lookup with NUL matches nothing.
            Self::Text(value) if value.contains('\0') => {
                value.replace('\0', "\u{fffd}").to_sql_checked(ty, out)
            }
            Self::Text(value) => value.as_ref().to_sql_checked(ty, out),
        }
    }

    /// Each value checks its type when it is written.
    fn accepts(_: &Type) -> bool {
        true
    }

    to_sql_checked!();
}

pub fn error(error: tokio_postgres::Error) -> Error {
    let why = with_sources(&error);
    match error.code() {
        Some(&SqlState::UNIQUE_VIOLATION) => Error::Conflict,
        // Class 08: connection; 53: resources; 57: operator intervention; 40: transaction rollback; 25006: read-only
        // standby.
        Some(code) if ["08", "53", "57", "40"].contains(&&code.code()[..2]) || code.code() == "25006" => {
            Error::Unavailable(why)
        }
        Some(_) => Error::Broken(why),
        None if error.is_closed()
            || std::error::Error::source(&error).is_some_and(|s| s.is::<std::io::Error>()) =>
        {
            Error::Unavailable(why)
        }
        None => Error::Broken(why),
    }
}

/// The error with its causes, and with what to do about it.
fn with_sources(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut next = error.source();
    while let Some(source) = next {
        let more = source.to_string();
        if !text.contains(&more) {
            text.push_str(": ");
            text.push_str(&more);
        }
        next = source.source();
    }
    if let Some(remedy) = remedy::of(error) {
        text.push_str(": ");
        text.push_str(remedy);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::without_password;

    #[test]
    fn a_password_is_never_shown() {
        for (given, shown) in [
            ("postgres://db/endonym", "postgres://db/endonym"),
            ("postgres://me:secret@db:5432/endonym", "postgres://me@db:5432/endonym"),
            (
                "postgresql://me:se@cr?et@db/endonym?sslmode=require",
                "postgresql://me@db/endonym?sslmode=require",
            ),
            ("postgres://db/endonym?user=me&password=secret", "postgres://db/endonym?user=me"),
            ("postgres://:secret@db/endonym", "postgres://db/endonym"),
            ("postgres://me@db/endonym?pgbouncer=true", "postgres://me@db/endonym"),
        ] {
            assert_eq!(without_password(given), shown);
        }
    }
}
