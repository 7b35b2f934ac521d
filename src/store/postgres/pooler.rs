//! PgBouncer and other connection poolers in transaction mode: each transaction may run in another session of PostgreSQL. So
//! nothing is set for a session, and statements have no name, unless the pooler keeps track of prepared statements
//! (PgBouncer from 1.21, with `max_prepared_statements`).

use std::{sync::Arc, time::Duration};

use futures_util::{StreamExt, stream::FuturesUnordered};
use tokio::{
    sync::mpsc,
    time::{Instant, sleep, timeout},
};
use tokio_postgres::{
    Config, SimpleQueryMessage,
    config::TargetSessionAttrs,
    error::SqlState,
    types::{ToSql, Type},
};
use tokio_postgres_rustls::MakeRustlsConnect;

use super::{
    ROWS_IN_A_GROUP,
    client::{Client, Deadline, read},
    host_configs, plan_by_value,
    pools::WAIT,
    remedy, server_timeout,
    values::with_sources,
};
use crate::{
    store::db::{Error, Result, Row, Value, send_group},
    tasks,
};

/// What a connection can rely on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Session {
    /// Other clients use it between our transactions.
    pub is_shared: bool,
    /// Statements can be prepared once and used many times.
    pub prepares: bool,
    /// Does the database have the Citus extension? See `store/citus.rs`.
    pub is_citus: bool,
}

/// A setting that has no effect. It arrives with all the others, or not at all.
pub const MARK: &str = "-c endonym.options=on";
const ASK_FOR_MARK: &str = "SELECT current_setting('endonym.options', true)";
/// The driver names prepared statements `s0`, `s1` and so on. PgBouncer gives them names of its own, if it supports them.
const ASK_FOR_NAMES: &str = "SELECT count(*) FROM pg_prepared_statements WHERE name ~ '^s[0-9]+$'";
const CURSOR: &str = "streamed_rows";
/// How long to wait for the other hosts when the first one has answered.
const WAIT_FOR_OTHERS: Duration = Duration::from_millis(300);
/// Pause between two attempts to connect.
const PAUSE: Duration = Duration::from_millis(100);

impl Session {
    pub const OWN: Self = Self { is_shared: false, prepares: true, is_citus: false };

    /// Connects to all hosts and finds out, unless the URL says so. `own` is for a session of our own, with settings for
    /// it, `shared` is without. Returns one of them.
    pub async fn detect(
        mut own: Config,
        shared: Config,
        is_pooled: Option<bool>,
        tls: &MakeRustlsConnect,
        patience: Duration,
    ) -> Result<(Config, Self)> {
        let hosts = host_configs::split(&own)?.into_iter().zip(host_configs::split(&shared)?);
        let mut examined: FuturesUnordered<_> = hosts
            .map(async |(own, shared)| {
                let host = host_configs::name(&own);
                (host, Self::examine(own, shared, is_pooled, tls, patience).await)
            })
            .collect();
        let (mut faults, is_one) = (Vec::new(), examined.len() == 1);
        let mut session = loop {
            match examined.next().await {
                Some((_, Ok(found))) => break found,
                Some((_, Err(error))) if is_one => return Err(error),
                Some((host, Err(error))) => faults.push(format!("{host}: {error}")),
                None => return Err(Error::Unavailable(faults.join("; "))),
            }
        };
        // A frozen host must not delay the start.
        let others = async {
            while let Some((_, other)) = examined.next().await {
                session = other.map_or(session, |other| session.and(other));
            }
        };
        let _ = timeout(WAIT_FOR_OTHERS, others).await;
        if session.is_shared {
            tracing::debug!(session.prepares, "connections lead through a pooler");
            return Ok((shared, session));
        }
        if session.is_citus {
            plan_by_value(&mut own);
        }
        Ok((own, session))
    }

    /// What a connection to this host can rely on.
    async fn examine(
        own: Config,
        shared: Config,
        is_pooled: Option<bool>,
        tls: &MakeRustlsConnect,
        patience: Duration,
    ) -> Result<Self> {
        if is_pooled != Some(true) {
            match Probe::connect(own, tls, patience).await {
                Ok(probe) => {
                    if is_pooled == Some(false) || probe.answer(ASK_FOR_MARK).await?.as_deref() == Some("on")
                    {
                        return Ok(Self { is_citus: probe.has_citus().await?, ..Self::OWN });
                    }
                }
                Err(Obstacle::Settings(_)) if is_pooled.is_none() => {}
                Err(obstacle) => return Err(obstacle.into()),
            }
        }
        let probe = Probe::connect(shared, tls, patience).await?;
        let (prepares, is_citus) = (probe.prepares().await?, probe.has_citus().await?);
        Ok(Self { is_shared: true, prepares, is_citus })
    }

    /// What connections to either host can rely on.
    const fn and(self, other: Self) -> Self {
        Self {
            is_shared: self.is_shared || other.is_shared,
            prepares: self.prepares && other.prepares,
            is_citus: self.is_citus || other.is_citus,
        }
    }

    /// The statement that begins a transaction.
    pub fn begin(self, timeout: Duration) -> Arc<str> {
        if self.is_shared {
            let limit = server_timeout(timeout).as_millis();
            format!("BEGIN; SET LOCAL statement_timeout = {limit}").into()
        } else {
            "BEGIN".into()
        }
    }
}

/// Why there is no connection.
enum Obstacle {
    /// A pooler refuses settings of a session.
    Settings(String),
    /// The server has no connections left, is starting, or is slow.
    Temporary(String),
    Other(String),
}

impl Obstacle {
    fn of(error: &tokio_postgres::Error) -> Self {
        let why = with_sources(error);
        let busy = [SqlState::TOO_MANY_CONNECTIONS, SqlState::CANNOT_CONNECT_NOW];
        match error.as_db_error() {
            Some(answer) if remedy::refuses_settings(answer.message()) => Self::Settings(why),
            Some(answer) if busy.contains(answer.code()) => Self::Temporary(why),
            _ => Self::Other(why),
        }
    }
}

impl From<Obstacle> for Error {
    fn from(obstacle: Obstacle) -> Self {
        let (Obstacle::Settings(why) | Obstacle::Temporary(why) | Obstacle::Other(why)) = obstacle;
        Self::Unavailable(why)
    }
}

/// A connection that is used once.
struct Probe {
    client: tokio_postgres::Client,
    deadline: Deadline,
}

impl Probe {
    /// To a standby too. Waits as long as requests would.
    async fn connect(
        mut config: Config,
        tls: &MakeRustlsConnect,
        patience: Duration,
    ) -> Result<Self, Obstacle> {
        config.target_session_attrs(TargetSessionAttrs::Any);
        let started = Instant::now();
        loop {
            match Self::attempt(&config, tls, patience).await {
                Err(Obstacle::Temporary(_)) if started.elapsed() < WAIT => sleep(PAUSE).await,
                ended => return ended,
            }
        }
    }

    async fn attempt(config: &Config, tls: &MakeRustlsConnect, patience: Duration) -> Result<Self, Obstacle> {
        match timeout(patience, config.connect(tls.clone())).await {
            Ok(Ok((client, connection))) => {
                // It ends with the client.
                tasks::spawn(connection);
                Ok(Self { client, deadline: Deadline::new(patience) })
            }
            Ok(Err(error)) => Err(Obstacle::of(&error)),
            Err(_) => Err(Obstacle::Temporary(format!("PostgreSQL did not respond within {patience:?}"))),
        }
    }

    /// The first column of the first row.
    async fn answer(&self, sql: &str) -> Result<Option<String>> {
        let messages = self.deadline.meet(self.client.simple_query(sql)).await?;
        Ok(messages.iter().find_map(|message| match message {
            SimpleQueryMessage::Row(row) => row.try_get(0).ok().flatten().map(str::to_owned),
            _ => None,
        }))
    }

    async fn has_citus(&self) -> Result<bool> {
        let extension = "SELECT extname FROM pg_catalog.pg_extension WHERE extname = 'citus'";
        Ok(self.answer(extension).await?.is_some())
    }

    async fn prepares(&self) -> Result<bool> {
        self.deadline.meet(self.client.batch_execute("BEGIN")).await?;
        let statement = self.deadline.meet(self.client.prepare("SELECT 1")).await;
        let names = if statement.is_ok() { self.answer(ASK_FOR_NAMES).await? } else { None };
        // It is closed in the session in which it was made.
        drop(statement);
        self.deadline.meet(self.client.batch_execute("ROLLBACK")).await?;
        Ok(names.as_deref() == Some("0"))
    }
}

/// With an unnamed statement, in one round trip.
pub async fn query(client: &Client, sql: &str, params: &[Value<'_>]) -> Result<Vec<tokio_postgres::Row>> {
    let (connection, params) = (client.connection()?, typed(params));
    client.deadline.meet(connection.query_typed(sql, &params)).await
}

pub async fn execute(client: &Client, sql: &str, params: &[Value<'_>]) -> Result<u64> {
    let (connection, params) = (client.connection()?, typed(params));
    client.deadline.meet(connection.execute_typed(sql, &params)).await
}

fn typed<'a>(params: &'a [Value<'a>]) -> Vec<(&'a (dyn ToSql + Sync), Type)> {
    params.iter().map(|param| (param as &(dyn ToSql + Sync), type_of(param))).collect()
}

/// Columns are TEXT, BIGINT and BOOLEAN only.
fn type_of(value: &Value<'_>) -> Type {
    match value {
        // The server infers it.
        Value::Null => Type::UNKNOWN,
        Value::Bool(_) => Type::BOOL,
        Value::Int(_) => Type::INT8,
        Value::Text(_) => Type::TEXT,
    }
}

/// Sends the rows of one snapshot in groups. A portal would need a statement with a name; a cursor does not.
pub async fn send_groups<T: Send + 'static>(
    client: &Client,
    begin: &str,
    (sql, params): (&str, &[Value<'static>]),
    map: fn(&Row<'_>) -> Result<T>,
    sender: &mpsc::Sender<Result<Vec<T>>>,
) -> Result<()> {
    let transaction = OpenTransaction { client, is_open: true };
    // All rows are wanted, and not the first ones soon.
    client.script(&format!("{begin}; SET LOCAL cursor_tuple_fraction = 1")).await?;
    execute(client, &format!("DECLARE {CURSOR} NO SCROLL CURSOR FOR {sql}"), params).await?;
    let fetch = format!("FETCH {ROWS_IN_A_GROUP} FROM {CURSOR}");
    loop {
        let rows = query(client, &fetch, &[]).await?;
        let last = rows.len() < ROWS_IN_A_GROUP as usize;
        let group = read(&rows, map)?;
        if !group.is_empty() && !send_group(sender, group).await? || last {
            return transaction.end().await;
        }
    }
}

/// Closes the connection if the transaction was not ended, for example after a panic.
struct OpenTransaction<'a> {
    client: &'a Client,
    is_open: bool,
}

impl OpenTransaction<'_> {
    async fn end(mut self) -> Result<()> {
        let ended = self.client.script("ROLLBACK").await;
        self.is_open = ended.is_err();
        ended
    }
}

impl Drop for OpenTransaction<'_> {
    fn drop(&mut self) {
        if self.is_open {
            self.client.discard();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn in_a_shared_session_each_transaction_has_its_own_timeout() {
        let shared = Session { is_shared: true, ..Session::OWN };
        assert_eq!(&*shared.begin(Duration::from_secs(10)), "BEGIN; SET LOCAL statement_timeout = 9000");
        assert_eq!(&*Session::OWN.begin(Duration::from_secs(10)), "BEGIN");
    }

    #[test]
    fn one_host_behind_a_pooler_is_enough_to_rely_on_nothing() {
        let shared = Session { is_shared: true, prepares: false, is_citus: false };
        assert_eq!(Session::OWN.and(shared), shared);
        assert_eq!(shared.and(Session::OWN), shared);
        assert_eq!(Session::OWN.and(Session::OWN), Session::OWN);
    }

    #[test]
    fn values_have_the_types_of_columns() {
        let values = [Value::Null, true.into(), 7_i64.into(), "seven".into()];
        let types: Vec<_> = values.iter().map(type_of).collect();
        assert_eq!(types, [Type::UNKNOWN, Type::BOOL, Type::INT8, Type::TEXT]);
    }
}
