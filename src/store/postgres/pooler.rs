//! PgBouncer and other connection poolers in transaction mode: each transaction may run in another session of PostgreSQL. So
//! nothing is set for a session, and statements have no name, unless the pooler keeps track of prepared statements
//! (PgBouncer from 1.21, with `max_prepared_statements`).

use std::{sync::Arc, time::Duration};

use futures_util::{StreamExt, stream::FuturesUnordered};
use tokio::sync::mpsc;
use tokio_postgres::{
    Config, SimpleQueryMessage,
    config::TargetSessionAttrs,
    types::{ToSql, Type},
};
use tokio_postgres_rustls::MakeRustlsConnect;

use super::{
    Client, Deadline, ROWS_IN_A_GROUP, host_configs, plan_by_value, read, server_timeout, with_sources,
};
use crate::store::db::{Error, Result, Row, Value, send_group};

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

impl Session {
    pub const OWN: Self = Self { is_shared: false, prepares: true, is_citus: false };

    /// Connects to the server and finds out, unless the URL says so. `own` is for a session of our own, with settings for
    /// it, `shared` is without. Returns one of them.
    pub async fn detect(
        mut own: Config,
        shared: Config,
        is_pooled: Option<bool>,
        tls: &MakeRustlsConnect,
        patience: Duration,
    ) -> Result<(Config, Self)> {
        if is_pooled != Some(true) {
            match Probe::connect(&own, tls, patience).await? {
                Ok(probe) => {
                    if is_pooled == Some(false) || probe.answer(ASK_FOR_MARK).await?.as_deref() == Some("on")
                    {
                        let is_citus = probe.has_citus().await?;
                        if is_citus {
                            plan_by_value(&mut own);
                        }
                        return Ok((own, Self { is_citus, ..Self::OWN }));
                    }
                }
                Err(why) if is_pooled.is_none() && is_refusal(&why) => {}
                Err(why) => return Err(Error::Unavailable(why)),
            }
        }
        let probe = Probe::connect(&shared, tls, patience).await?.map_err(Error::Unavailable)?;
        let (prepares, is_citus) = (probe.prepares().await?, probe.has_citus().await?);
        tracing::debug!(prepares, "connections lead through a pooler");
        Ok((shared, Self { is_shared: true, prepares, is_citus }))
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

/// PgBouncer refuses settings that it does not know.
fn is_refusal(why: &str) -> bool {
    why.contains("unsupported startup parameter")
}

/// A connection that is used once.
struct Probe {
    client: tokio_postgres::Client,
    deadline: Deadline,
}

impl Probe {
    /// To the first host that responds, a standby too. Returns what is wrong if there is none.
    async fn connect(
        config: &Config,
        tls: &MakeRustlsConnect,
        patience: Duration,
    ) -> Result<std::result::Result<Self, String>> {
        let hosts = host_configs::split(config)?;
        let is_one = hosts.len() == 1;
        let mut attempts: FuturesUnordered<_> =
            hosts.into_iter().map(|host| Self::connect_to(host, tls, patience)).collect();
        let mut faults = Vec::new();
        while let Some((host, attempt)) = attempts.next().await {
            match attempt {
                Err(why) if !is_refusal(&why) => {
                    faults.push(if is_one { why } else { format!("{host}: {why}") });
                }
                decided => return Ok(decided),
            }
        }
        Ok(Err(faults.join("; ")))
    }

    /// Also returns the name of the host.
    async fn connect_to(
        mut config: Config,
        tls: &MakeRustlsConnect,
        patience: Duration,
    ) -> (String, std::result::Result<Self, String>) {
        config.target_session_attrs(TargetSessionAttrs::Any);
        let connected = match tokio::time::timeout(patience, config.connect(tls.clone())).await {
            Ok(Ok((client, connection))) => {
                // It ends with the client.
                tokio::spawn(connection);
                Ok(Self { client, deadline: Deadline::new(patience) })
            }
            Ok(Err(error)) => Err(with_sources(&error)),
            Err(_) => Err(format!("PostgreSQL did not respond within {patience:?}")),
        };
        (host_configs::name(&config), connected)
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
    fn values_have_the_types_of_columns() {
        let values = [Value::Null, true.into(), 7_i64.into(), "seven".into()];
        let types: Vec<_> = values.iter().map(type_of).collect();
        assert_eq!(types, [Type::UNKNOWN, Type::BOOL, Type::INT8, Type::TEXT]);
    }
}
