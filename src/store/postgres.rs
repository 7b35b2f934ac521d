//! PostgreSQL: connection pools, with one connection per open transaction or stream. Every wait has a timeout: a
//! server that is frozen or unreachable neither responds nor closes the connection.

mod batches;
mod certificate;
mod client;
mod groups;
mod host_configs;
mod hosts;
pub mod pipeline;
mod pooler;
mod pools;
mod remedy;
mod tls;
pub(super) mod turns;
mod url;
mod values;

use std::{
    panic::AssertUnwindSafe,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use deadpool_postgres::Pool;
use futures_util::FutureExt;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc};
use tokio_postgres::Config;
use tokio_postgres_rustls::MakeRustlsConnect;
use tokio_util::task::AbortOnDropHandle;

use self::{
    batches::Lookups,
    client::closed,
    groups::Groups,
    hosts::Hosts,
    pooler::Session,
    pools::{Pools, unavailable},
    turns::{Shares, Turn},
    url::DatabaseUrl,
    values::to_sql,
};
pub use self::{
    client::{Client, read},
    url::url_for_programs,
    values::{error, record},
};
use super::db::{
    Error, Handle, Options, Result, Row, STREAM_SLOT_TIMEOUT, Sql, StreamClass, Value, no_stream_slot,
    send_group,
};
use super::{
    audit_seals,
    queues::too_many_writes,
    transaction::{Effect, Job},
};
use crate::{domain::ids::InstitutionId, tasks, telemetry::metrics};

pub struct Postgres {
    pools: Pools,
    lookups: Lookups,
    /// Statement timeout.
    timeout: Duration,
    /// Writers of one institution wait for each other inside PostgreSQL, each holding a connection. This leaves some
    /// for readers.
    writers: Arc<Semaphore>,
    shares: Shares,
    /// Bookkeeping waits for no institution. Without its own share, leases of jobs would end while all writers wait for one.
    bookkeepers: Arc<Semaphore>,
    groups: Groups,
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
    rows: AtomicU64,
    next: AtomicU64,
}

/// Rows that are changed until the first ANALYZE; then four times as many each time, until autovacuum is frequent enough.
const FIRST_ANALYSIS: u64 = 500;
const LAST_ANALYSIS: u64 = 1_000_000;
const ANALYZE: &str = "ANALYZE participants, name_pages, codes, rolls, roll_gaps, tokens, custom_fields";

impl Growth {
    fn new() -> Arc<Self> {
        Arc::new(Self { rows: AtomicU64::new(0), next: AtomicU64::new(FIRST_ANALYSIS) })
    }

    fn count(&self, count: u64, pool: &Pool) {
        let sum = self.rows.fetch_add(count, Ordering::Relaxed) + count;
        let next = self.next.load(Ordering::Relaxed);
        if sum < next || next > LAST_ANALYSIS {
            return;
        }
        if self.next.compare_exchange(next, next * 4, Ordering::Relaxed, Ordering::Relaxed).is_ok() {
            let pool = pool.clone();
            tasks::spawn(async move {
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
        let turns = (shared / 2).max(1);
        let (writers, shares) = (Arc::new(Semaphore::new(turns)), Shares::of(turns));
        let bookkeepers = Arc::new(Semaphore::new((shared / 8).max(1)));
        let streams = Semaphore::new((shared / 4).max(1));
        // A pooler may not prepare statements, and Citus wants one institution in each.
        let batched = if session.is_shared || session.is_citus { 0 } else { options.threads };
        let lookups = Lookups::new(batched);
        let (growth, begin, groups) = (Growth::new(), session.begin(timeout), Groups::default());
        let postgres = Self {
            pools,
            lookups,
            timeout,
            writers,
            shares,
            bookkeepers,
            groups,
            streams,
            growth,
            session,
            begin,
            watcher,
        };
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
    async fn reader(&self) -> Result<Client> {
        Ok(Client::new(self.pools.reader().await?, self.timeout, self.session))
    }

    /// One statement outside a transaction.
    pub async fn query(&self, sql: &str, params: &[Value<'_>]) -> Result<Vec<tokio_postgres::Row>> {
        // The connection is back in the pool before the rows are read.
        client::query(&self.reader().await?, sql, params).await
    }

    /// See `Db::write_people`.
    pub async fn write_people(self: &Arc<Self>, institution: InstitutionId, job: Job) -> Result<()> {
        if self.shares_commits() {
            self.transact_in_group(institution, job).await
        } else {
            self.write(Effect::Data, job).await
        }
    }

    /// Where nothing is pipelined, savepoints would cost more round trips than they save, and Citus sends them to its workers.
    pub const fn shares_commits(&self) -> bool {
        !self.session.is_shared && !self.session.is_citus
    }

    /// How long a statement may take, and a write may wait.
    pub const fn timeout(&self) -> Duration {
        self.timeout
    }

    /// See `Db::execute_alone`.
    pub async fn execute_alone(&self, sql: &str, params: &[Value<'_>], writes: usize) -> Result<u64> {
        let (_permit, client) = self.writer(Effect::Data).await?;
        let changed = client::execute(&client, sql, params).await?;
        if changed > 0 {
            metrics::db_committed(writes);
            self.count_rows(writes as u64);
        }
        Ok(changed)
    }

    pub async fn write(self: &Arc<Self>, effect: Effect, job: Job) -> Result<()> {
        let waiting = metrics::db_write_waiting();
        let (turn, client) = Turn::wait(self.clone(), effect).await?;
        drop(waiting);
        let begin = self.begin.clone();
        // A separate task: if the caller is canceled, its transaction must not be left open on a pooled connection.
        let work = tasks::spawn(async move {
            let mut open = OpenTransaction(Some(Sql::new(Handle::Postgres(client.in_transaction(begin)))));
            let Some(sql) = &mut open.0 else { return Err(no_connection()) };
            // Until the connection is back in the pool, whether the caller waits for it or not.
            sql.turn = Some(turn);
            let commit = job(sql).await;
            if commit {
                audit_seals::seal(sql).await?;
            }
            let Handle::Postgres(client) = &mut sql.handle else { return Err(no_connection()) };
            if commit {
                pipeline::commit(client).await?;
                metrics::db_committed(1);
            } else if pipeline::roll_back(client).await.is_err() {
                // PostgreSQL does it when the connection is closed.
                return Ok(0);
            }
            let changed = sql.changed_rows;
            open.close();
            Ok(changed)
        });
        let ended = work.await.unwrap_or_else(|e| Err(Error::Broken(format!("a job panicked: {e}"))));
        ended.map(|changed| self.count_rows(changed))
    }

    /// A connection for a transaction that writes, when it is its turn.
    async fn writer(&self, effect: Effect) -> Result<(Option<OwnedSemaphorePermit>, Client)> {
        let permits = match effect {
            Effect::Data => &self.writers,
            Effect::Bookkeeping => &self.bookkeepers,
        };
        let permit = tokio::time::timeout(self.timeout, permits.clone().acquire_owned()).await;
        let permit = permit.map_err(|_| too_many_writes())?.ok();
        Ok((permit, self.client().await?))
    }

    pub fn free_writers(&self) -> usize {
        self.writers.available_permits()
    }

    /// This many rows have been changed.
    fn count_rows(&self, changed: u64) {
        // Citus plans a statement for the shards each time.
        if !self.session.is_citus {
            self.growth.count(changed, self.pools.shared());
        }
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
    // reads all of 200 name pages to find the one of a person. Of a list, a generic plan does not know how short it is: if the planner
    // expects very many rows, compiling the plan would take longer than running it a thousand times.
    let ours = || {
        format!(
            "-c statement_timeout={}ms -c tcp_keepalives_idle={} -c tcp_keepalives_interval={} \
             -c tcp_keepalives_count={KEEPALIVE_PROBES} -c plan_cache_mode=force_generic_plan \
             -c random_page_cost=1.1 -c jit=off",
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

#[cfg(test)]
mod tests {
    use super::*;

    /// A test with a real server cannot show it: while a server is suspended, its kernel acknowledges everything.
    #[test]
    fn a_connection_that_was_cut_is_noticed_unless_the_url_says_otherwise() {
        let prepared = |url: &str| {
            let mut config: Config = url.parse().unwrap();
            prepare(&mut config, Duration::from_secs(10));
            config
        };
        let config = prepared("postgres://db/endonym");
        assert_eq!(config.get_tcp_user_timeout(), Some(&Duration::from_secs(10)));
        assert!(config.get_keepalives());
        assert_eq!(config.get_keepalives_idle(), KEEPALIVE_IDLE);
        assert_eq!(config.get_keepalives_interval(), Some(KEEPALIVE_INTERVAL));
        assert_eq!(config.get_keepalives_retries(), Some(KEEPALIVE_PROBES));
        let config = prepared("postgres://db/endonym?tcp_user_timeout=7&keepalives_interval=3");
        assert_eq!(config.get_tcp_user_timeout(), Some(&Duration::from_secs(7)));
        assert_eq!(config.get_keepalives_interval(), Some(Duration::from_secs(3)));
        assert_eq!(config.get_keepalives_retries(), None);
    }

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
