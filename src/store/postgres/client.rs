//! A pooled connection and the timeouts of its statements.

use std::{
    future::Future,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use deadpool_postgres::Object;
use tokio_postgres::error::SqlState;

use super::{
    LONG_STATEMENT,
    pipeline::Progress,
    pooler::{self, Session},
    values::{error, to_sql},
};
use crate::store::db::{Error, Result, Row, Value};

/// A pooled connection. After a timeout, or if its user stops waiting, a response is still outstanding, so the connection is
/// closed instead of being reused.
pub struct Client {
    pub(super) connection: Option<Object>,
    pub(super) deadline: Deadline,
    pub(super) session: Session,
    pub(super) progress: Progress,
}

/// The statement timeout.
pub(super) struct Deadline {
    pub(super) time: Duration,
    /// The connection must not be returned to the pool.
    broken: AtomicBool,
    /// The server did not even report its own timeout, which is shorter.
    missed: AtomicBool,
}

impl Deadline {
    pub(super) fn new(time: Duration) -> Self {
        Self { time, broken: AtomicBool::new(false), missed: AtomicBool::new(false) }
    }

    /// One timer per statement costs about 200 ns; a round trip takes 100 µs and more. The connection counts as broken until
    /// the answer is there: if nobody waits for it any longer, because the client of a read has gone, the next statement would.
    pub(super) async fn meet<T>(
        &self,
        answer: impl Future<Output = std::result::Result<T, tokio_postgres::Error>>,
    ) -> Result<T> {
        self.meet_within(self.time, answer).await
    }

    pub(super) async fn meet_within<T>(
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
    pub(super) fn new(connection: Object, time: Duration, session: Session) -> Self {
        let (deadline, progress) = (Deadline::new(time), Progress::default());
        Self { connection: Some(connection), deadline, session, progress }
    }

    /// Begins a transaction with the first statement. It is used through `pipeline` from now on.
    pub(super) fn in_transaction(mut self, begin: Arc<str>) -> Self {
        self.progress = Progress::new(begin);
        self
    }

    /// May statements be sent before the responses to earlier ones have arrived?
    pub(super) const fn pipelines(&self) -> bool {
        !self.session.is_shared
    }

    pub const fn is_citus(&self) -> bool {
        self.session.is_citus
    }

    pub(super) fn connection(&self) -> Result<&Object> {
        self.connection.as_ref().ok_or_else(closed)
    }

    /// Closes the connection instead of returning it to the pool.
    pub(super) fn discard(&self) {
        self.deadline.broken.store(true, Ordering::Relaxed);
    }

    pub(super) async fn script(&self, sql: &str) -> Result<()> {
        self.deadline.meet(self.connection()?.batch_execute(sql)).await
    }

    pub(super) async fn allow_long_statements(&mut self) -> Result<()> {
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

pub(super) fn closed() -> Error {
    Error::Unavailable("the connection is closed".to_owned())
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
    // `collect` would be compiled to twenty functions for each type.
    let mut found = Vec::with_capacity(rows.len());
    for row in rows {
        found.push(map(&Row::Postgres(row))?);
    }
    Ok(found)
}

pub async fn execute(client: &Client, sql: &str, params: &[Value<'_>]) -> Result<u64> {
    if !client.session.prepares {
        return pooler::execute(client, sql, params).await;
    }
    let (connection, params) = (client.connection()?, to_sql(params));
    let answer = async { connection.execute(&connection.prepare_cached(sql).await?, &params).await };
    client.deadline.meet(answer).await
}
