//! PostgreSQL: a pool of connections, one of them for each transaction or stream under way.

use std::{
    panic::AssertUnwindSafe,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use deadpool_postgres::{Manager, ManagerConfig, Object, Pool, RecyclingMethod, Runtime, Timeouts};
use futures_util::FutureExt;
use tokio::sync::{Semaphore, mpsc};
use tokio_postgres::{
    Config,
    error::SqlState,
    types::{IsNull, ToSql, Type, private::BytesMut, to_sql_checked},
};
use tokio_postgres_rustls::MakeRustlsConnect;

use super::db::{Error, Handle, Options, Result, Row, Sql, Transaction, Turn, Value};
use crate::telemetry::metrics;

pub struct Postgres {
    pool: Pool,
    /// Writers of one institution wait for each other inside PostgreSQL, each with a connection. Some are left to readers.
    writers: Semaphore,
    /// A stream keeps its connection as long as its reader takes, which may be long.
    streams: Semaphore,
    growth: Arc<Growth>,
}

/// PostgreSQL plans a statement for the table as it is at that moment and keeps the plan. What it keeps from an empty
/// table reads all of an institution's people once there are many, until its own statistics come, a minute later.
/// A roster of 20,000 took 85 seconds to import, and 9 with statistics. So we ask for them as we write.
struct Growth {
    executed: AtomicU64,
    next: AtomicU64,
}

/// Statements until the first time; then four times as many, until the server's own housekeeping is soon enough.
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
                if let Ok(client) = pool.get().await
                    && let Err(error) = client.batch_execute(ANALYZE).await
                {
                    tracing::debug!(%error, "no statistics could be made");
                }
            });
        }
    }
}

/// A URL as it may be shown.
pub fn without_password(url: &str) -> String {
    let (scheme, rest) = url.split_once("://").unwrap_or(("postgres", url));
    // At the last one: a password may have an `@` or a `?` that somebody forgot to encode.
    let (who, place) = rest.rsplit_once('@').unwrap_or(("", rest));
    let user = who.split(':').next().filter(|user| !user.is_empty());
    let (address, query) = place.split_once('?').unwrap_or((place, ""));
    let query: Vec<&str> =
        query.split('&').filter(|pair| !pair.is_empty() && !pair.starts_with("password=")).collect();
    let at = user.map_or_else(String::new, |user| format!("{user}@"));
    let question = if query.is_empty() { "" } else { "?" };
    format!("{scheme}://{at}{address}{question}{}", query.join("&"))
}

const ROWS_IN_A_GROUP: i32 = 500;
const WAIT: Duration = Duration::from_secs(5);

impl Postgres {
    pub async fn open(url: &str, options: &Options) -> Result<Self> {
        let mut config: Config =
            url.parse().map_err(|e| Error::Broken(format!("the database URL cannot be read: {e}")))?;
        config.application_name("endonym");
        if config.get_connect_timeout().is_none() {
            config.connect_timeout(WAIT);
        }
        if config.get_options().is_none() {
            // No statement of ours takes this long unless the server is in trouble, and then waiting helps nobody. And no
            // plan of ours depends on a value: planning anew cost three times as much as reading a page of a list.
            config.options("-c statement_timeout=60s -c plan_cache_mode=force_generic_plan");
        }
        let manager = Manager::from_config(
            config,
            MakeRustlsConnect::new(tls(options)?),
            ManagerConfig { recycling_method: RecyclingMethod::Fast },
        );
        let pool = Pool::builder(manager)
            .max_size(options.connections.max(2))
            .runtime(Runtime::Tokio1)
            .timeouts(Timeouts { wait: Some(WAIT), create: Some(WAIT), recycle: Some(WAIT) })
            .build()
            .map_err(|e| Error::Broken(e.to_string()))?;
        let writers = Semaphore::new((options.connections / 2).max(1));
        let streams = Semaphore::new((options.connections / 4).max(1));
        let postgres = Self { pool, writers, streams, growth: Growth::new() };
        // Say at once when the server cannot be reached.
        let _ = postgres.client().await?;
        Ok(postgres)
    }

    pub fn measure(&self) {
        let pool = self.pool.status();
        let busy = pool.size.saturating_sub(pool.available);
        metrics::db_connections(pool.max_size, busy, pool.available, pool.waiting);
    }

    pub async fn client(&self) -> Result<Object> {
        self.pool.get().await.map_err(|e| Error::Unavailable(with_sources(&e)))
    }

    pub async fn write<T, E>(&self, job: impl Transaction<T, E>) -> Result<T, E>
    where
        T: Send + 'static,
        E: From<Error> + Send + 'static,
    {
        let waiting = metrics::db_write_waiting();
        let _turn = self.writers.acquire().await.map_err(|e| Error::Broken(e.to_string()))?;
        let client = self.client().await?;
        drop(waiting);
        let (growth, pool) = (self.growth.clone(), self.pool.clone());
        // A task of its own: a caller who hangs up must not leave a transaction half-way on a pooled connection.
        let work = tokio::spawn(async move {
            let mut open = OpenTransaction(Some(Sql::new(Handle::Postgres(client))));
            let Some(sql) = &mut open.0 else { return Err(Error::Broken("no connection".to_owned()).into()) };
            sql.script("BEGIN").await?;
            let outcome = job(sql).await;
            let end = if outcome.is_ok() { "COMMIT" } else { "ROLLBACK" };
            let ended = sql.script(end).await;
            if ended.is_ok() {
                growth.executed(sql.executed, &pool);
                open.close();
            }
            match ended {
                Ok(()) => outcome,
                Err(error) => outcome.and(Err(error.into())),
            }
        });
        work.await.unwrap_or_else(|e| Err(Error::Broken(format!("a job panicked: {e}")).into()))
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
            let sending = AssertUnwindSafe(self.send_groups(turn, &sql, &params, map, &sender));
            // Without a word, whoever reads would take it for the end.
            let broken = match sending.catch_unwind().await {
                Ok(Ok(())) => return,
                Ok(Err(error)) => error,
                Err(_) => Error::Broken("a stream of rows has broken".to_owned()),
            };
            let _ = sender.send(Err(broken)).await;
        });
    }

    /// A portal gives rows of one snapshot, so many at a time, and holds no more than that in memory.
    async fn send_groups<T: Send + 'static>(
        &self,
        turn: Turn,
        sql: &str,
        params: &[Value<'static>],
        map: fn(&Row<'_>) -> Result<T>,
        sender: &mpsc::Sender<Result<Vec<T>>>,
    ) -> Result<()> {
        let _turn = match turn {
            Turn::WithOthers => self.streams.acquire().await.ok(),
            Turn::Apart => None,
        };
        let mut client = self.client().await?;
        let statement = client.prepare_cached(sql).await.map_err(error)?;
        let transaction = client.transaction().await.map_err(error)?;
        let portal = transaction.bind(&statement, &to_sql(params)).await.map_err(error)?;
        loop {
            let rows = transaction.query_portal(&portal, ROWS_IN_A_GROUP).await.map_err(error)?;
            let last = rows.len() < ROWS_IN_A_GROUP as usize;
            let group = rows.iter().map(|row| map(&Row::Postgres(row))).collect::<Result<Vec<_>>>()?;
            if !group.is_empty() && sender.send(Ok(group)).await.is_err() || last {
                return transaction.rollback().await.map_err(error);
            }
        }
    }
}

/// Takes the connection out of the pool when a transaction was left open, by a panic for example.
struct OpenTransaction(Option<Sql>);

impl OpenTransaction {
    fn close(&mut self) {
        self.0 = None;
    }
}

impl Drop for OpenTransaction {
    fn drop(&mut self) {
        if let Some(Sql { handle: Handle::Postgres(client), .. }) = self.0.take() {
            drop(Object::take(client));
        }
    }
}

fn tls(options: &Options) -> Result<rustls::ClientConfig> {
    let mut roots = rustls::RootCertStore::empty();
    roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    if let Some(path) = &options.ca_file {
        use rustls::pki_types::{CertificateDer, pem::PemObject};
        let broken =
            |e: &dyn std::fmt::Display| Error::Broken(format!("cannot read {}: {e}", path.display()));
        for certificate in CertificateDer::pem_file_iter(path).map_err(|e| broken(&e))? {
            roots.add(certificate.map_err(|e| broken(&e))?).map_err(|e| broken(&e))?;
        }
    }
    let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
    let config = rustls::ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|e| Error::Broken(e.to_string()))?;
    Ok(config.with_root_certificates(roots).with_no_client_auth())
}

pub async fn rows<T>(
    client: &Object,
    sql: &str,
    params: &[Value<'_>],
    map: impl Fn(&Row<'_>) -> Result<T>,
) -> Result<Vec<T>> {
    let statement = client.prepare_cached(sql).await.map_err(error)?;
    let rows = client.query(&statement, &to_sql(params)).await.map_err(error)?;
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

pub async fn execute(client: &Object, sql: &str, params: &[Value<'_>]) -> Result<u64> {
    let statement = client.prepare_cached(sql).await.map_err(error)?;
    client.execute(&statement, &to_sql(params)).await.map_err(error)
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
            // PostgreSQL's texts hold no NUL. We store none, so what is looked up with one matches nobody.
            Self::Text(value) if value.contains('\0') => {
                value.replace('\0', "\u{fffd}").to_sql_checked(ty, out)
            }
            Self::Text(value) => value.as_ref().to_sql_checked(ty, out),
        }
    }

    /// Each kind of value checks the type itself, when it is written.
    fn accepts(_: &Type) -> bool {
        true
    }

    to_sql_checked!();
}

pub fn error(error: tokio_postgres::Error) -> Error {
    let why = with_sources(&error);
    match error.code() {
        Some(&SqlState::UNIQUE_VIOLATION) => Error::Conflict,
        // Class 08: connection; 53: resources; 57: operator; 40: conflict between transactions; 25006: read-only standby.
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
        ] {
            assert_eq!(without_password(given), shown);
        }
    }
}
