//! Fewer round trips per transaction. BEGIN is sent together with the first statement, and writes whose results nobody needs
//! are sent together with COMMIT: PostgreSQL executes in order what arrives on a connection.
//!
//! Each statement still ends by itself, so one that follows a failed one is executed nevertheless:
//! - after a failed BEGIN, it would be a transaction of its own. So BEGIN is sent together with reads only.
//! - after a failed SAVEPOINT, it fails too, because the transaction has. So SAVEPOINT is sent together with any statement.
//! - after a failed write, COMMIT rolls back.
//!
//! Several jobs may share a transaction, see `groups`. The first one begins with BEGIN, each other one with a savepoint.
//!
//! Behind a connection pooler, everything is sent by itself.

use std::{future::poll_fn, mem, sync::Arc, task::Poll};

use futures_util::future::{self, BoxFuture};
use tokio_postgres::Row;

use super::{
    client::{self, Client},
    values::to_sql,
};
use crate::store::db::{Error, Result, Value};

/// How far a transaction is.
#[derive(Default)]
pub struct Progress {
    /// The statement that begins a transaction.
    begin: Arc<str>,
    /// The number of the savepoint with which the current job begins, or 0 if it begins with BEGIN. Each has a name of its own: if it
    /// could not be set, nothing is rolled back to an earlier one.
    savepoint: u32,
    /// The current job has sent nothing, not even how it begins.
    is_unsent: bool,
    /// Deferred writes that were not sent.
    writes: Vec<Write>,
    /// A statement of the current job has failed. PostgreSQL refuses all others, and would answer COMMIT with a rollback.
    has_failed: bool,
}

/// A write whose result nobody needs.
struct Write {
    sql: String,
    params: Vec<Value<'static>>,
}

impl Progress {
    pub fn new(begin: Arc<str>) -> Self {
        Self { begin, is_unsent: true, ..Self::default() }
    }

    /// Takes the statement with which the current job begins, unless it was sent.
    fn take_start(&mut self) -> Option<Arc<str>> {
        let is_unsent = mem::take(&mut self.is_unsent);
        is_unsent.then(|| match self.savepoint {
            0 => self.begin.clone(),
            1 => "SAVEPOINT job_1".into(),
            next => format!("RELEASE job_{}; SAVEPOINT job_{next}", next - 1).into(),
        })
    }

    /// May a statement be sent together with what the job begins with?
    fn is_started_by(&self, sql: &str) -> bool {
        self.is_unsent && self.writes.is_empty() && (self.savepoint > 0 || only_reads(sql))
    }
}

/// A statement that changes nothing, in a transaction or outside.
fn only_reads(sql: &str) -> bool {
    sql.starts_with("SELECT ")
}

/// `query` in a transaction.
pub async fn query(client: &mut Client, sql: &str, params: &[Value<'_>]) -> Result<Vec<Row>> {
    let rows = send_query(client, sql, params).await;
    noted(client, rows)
}

async fn send_query(client: &mut Client, sql: &str, params: &[Value<'_>]) -> Result<Vec<Row>> {
    check(client)?;
    if client.pipelines()
        && client.progress.is_started_by(sql)
        && let Some(start) = client.progress.take_start()
    {
        return start_and_query(client, &start, sql, params).await;
    }
    send_unsent(client).await?;
    client::query(client, sql, params).await
}

/// `execute` in a transaction.
pub async fn execute(client: &mut Client, sql: &str, params: &[Value<'_>]) -> Result<u64> {
    let count = send_execute(client, sql, params).await;
    noted(client, count)
}

async fn send_execute(client: &mut Client, sql: &str, params: &[Value<'_>]) -> Result<u64> {
    check(client)?;
    if client.pipelines()
        && client.progress.is_started_by(sql)
        && let Some(start) = client.progress.take_start()
    {
        return start_and_execute(client, &start, sql, params).await;
    }
    send_unsent(client).await?;
    client::execute(client, sql, params).await
}

/// `execute` later, at the latest with COMMIT, and in order.
pub async fn defer(client: &mut Client, sql: &str, params: &[Value<'_>]) -> Result<()> {
    if !client.pipelines() {
        return execute(client, sql, params).await.map(|_| ());
    }
    check(client)?;
    let params = params.iter().cloned().map(Value::into_owned).collect();
    client.progress.writes.push(Write { sql: sql.to_owned(), params });
    Ok(())
}

/// A script in a transaction.
pub async fn script(client: &mut Client, sql: &str) -> Result<()> {
    send(client).await?;
    let done = client.script(sql).await;
    noted(client, done)
}

pub async fn allow_long_statements(client: &mut Client) -> Result<()> {
    send(client).await?;
    let allowed = client.allow_long_statements().await;
    noted(client, allowed)
}

/// Returns when PostgreSQL has confirmed the commit. After an error, the connection must not be used again.
pub async fn commit(client: &mut Client) -> Result<()> {
    check(client)?;
    if client.progress.is_unsent && client.progress.writes.is_empty() {
        // The current job has done nothing. Those before it may have.
        if client.progress.savepoint == 0 {
            return Ok(());
        }
        client.progress.is_unsent = false;
    }
    start(client).await?;
    send_writes(client, Some("COMMIT")).await
}

/// Rolls back the current job, and only that. Then another one may begin. After an error, the connection must not be used again.
pub async fn roll_back(client: &mut Client) -> Result<()> {
    client.progress.writes.clear();
    client.progress.has_failed = false;
    if client.progress.is_unsent {
        return Ok(());
    }
    match client.progress.savepoint {
        0 => {
            client.script("ROLLBACK").await?;
            client.progress.is_unsent = true;
            Ok(())
        }
        number => client.script(&format!("ROLLBACK TO job_{number}")).await,
    }
}

/// Another job follows in the same transaction. The one before has sent everything or was rolled back.
pub fn next_job(client: &mut Client) {
    if !client.progress.is_unsent {
        client.progress.savepoint += 1;
        client.progress.is_unsent = true;
    }
}

/// Sends the deferred writes of the current job, and waits for the responses.
pub async fn send_deferred(client: &mut Client) -> Result<()> {
    if client.progress.writes.is_empty() { Ok(()) } else { send(client).await }
}

/// Sends what is unsent, and waits for the responses.
async fn send(client: &mut Client) -> Result<()> {
    check(client)?;
    let sent = send_unsent(client).await;
    noted(client, sent)
}

async fn send_unsent(client: &mut Client) -> Result<()> {
    start(client).await?;
    if client.progress.writes.is_empty() {
        return Ok(());
    }
    send_writes(client, None).await
}

/// Has a statement failed? Whatever follows would be lost, or, if that was BEGIN, be a transaction of its own.
pub fn check(client: &Client) -> Result<()> {
    if client.progress.has_failed {
        return Err(Error::Broken("an earlier statement of the transaction has failed".to_owned()));
    }
    Ok(())
}

fn noted<T>(client: &mut Client, answer: Result<T>) -> Result<T> {
    client.progress.has_failed |= answer.is_err();
    answer
}

async fn start(client: &mut Client) -> Result<()> {
    let Some(start) = client.progress.take_start() else { return Ok(()) };
    client.script(&start).await
}

async fn start_and_query(client: &Client, start: &str, sql: &str, params: &[Value<'_>]) -> Result<Vec<Row>> {
    let (connection, params) = (client.connection()?, to_sql(params));
    let answer = async {
        let statement = connection.prepare_cached(sql).await?;
        // Each is sent when it is polled first, which `join` does in this order.
        let both = future::join(connection.batch_execute(start), connection.query(&statement, &params));
        let (started, rows) = both.await;
        started.and(rows)
    };
    client.deadline.meet(answer).await
}

async fn start_and_execute(client: &Client, start: &str, sql: &str, params: &[Value<'_>]) -> Result<u64> {
    let (connection, params) = (client.connection()?, to_sql(params));
    let answer = async {
        let statement = connection.prepare_cached(sql).await?;
        let both = future::join(connection.batch_execute(start), connection.execute(&statement, &params));
        let (started, count) = both.await;
        started.and(count)
    };
    client.deadline.meet(answer).await
}

/// Sends the writes together, and `end` after them.
async fn send_writes(client: &mut Client, end: Option<&str>) -> Result<()> {
    let writes = mem::take(&mut client.progress.writes);
    let connection = client.connection()?;
    // The server's timeout is for each statement, and must be the first to end: COMMIT may be on its way.
    let count = u32::try_from(writes.len() + 1).unwrap_or(u32::MAX);
    let time = client.deadline.time.saturating_mul(count);
    let answer = async {
        // First of all, because preparing a new statement waits for a response.
        let mut statements = Vec::with_capacity(writes.len());
        for write in &writes {
            statements.push(connection.prepare_cached(&write.sql).await?);
        }
        let mut answers = Vec::with_capacity(writes.len() + 1);
        for (write, statement) in writes.iter().zip(&statements) {
            let params = to_sql(&write.params);
            let write = async move { connection.execute(statement, &params).await.map(|_| ()) };
            // If it cannot be sent, neither is `end`.
            answers.push(sent(Box::pin(write)).await?);
        }
        if let Some(end) = end {
            answers.push(sent(Box::pin(connection.batch_execute(end))).await?);
        }
        // In order: the driver keeps few responses, and reads no more until somebody takes them. If one of the writes has
        // failed, so has the transaction, whatever the response to COMMIT says.
        let mut ended = Ok(());
        for answer in answers {
            ended = ended.and(answer.await);
        }
        ended
    };
    client.deadline.meet_within(time, answer).await
}

type Answer<'a> = BoxFuture<'a, std::result::Result<(), tokio_postgres::Error>>;

/// Sends a statement, which its first poll does. Fails if it cannot be sent.
async fn sent(mut answer: Answer<'_>) -> std::result::Result<Answer<'_>, tokio_postgres::Error> {
    let polled = poll_fn(|context| Poll::Ready(answer.as_mut().poll(context))).await;
    match polled {
        Poll::Pending => Ok(answer),
        Poll::Ready(Ok(())) => Ok(Box::pin(future::ready(Ok(())))),
        // It was sent, and the response is already there.
        Poll::Ready(Err(error)) if error.as_db_error().is_some() => Ok(Box::pin(future::ready(Err(error)))),
        Poll::Ready(Err(error)) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use super::{Progress, only_reads};

    #[test]
    fn a_savepoint_releases_the_one_before_and_is_sent_once() {
        let mut progress = Progress::new("BEGIN".into());
        for (savepoint, start, is_started_by_a_write) in
            [(0, "BEGIN", false), (1, "SAVEPOINT job_1", true), (2, "RELEASE job_1; SAVEPOINT job_2", true)]
        {
            (progress.savepoint, progress.is_unsent) = (savepoint, true);
            assert!(progress.is_started_by("SELECT 1"));
            assert_eq!(progress.is_started_by("DELETE FROM jobs"), is_started_by_a_write);
            assert_eq!(progress.take_start().as_deref(), Some(start));
            assert_eq!(progress.take_start(), None);
            assert!(!progress.is_started_by("SELECT 1"));
        }
    }

    #[test]
    fn begin_is_sent_together_with_reads_only() {
        // A lock that is taken outside a transaction is released at once.
        for sql in ["SELECT 1", "SELECT id FROM jobs FOR UPDATE SKIP LOCKED"] {
            assert!(only_reads(sql), "{sql}");
        }
        for sql in ["UPDATE jobs SET run_at = $1 RETURNING id", "DELETE FROM jobs", "selected"] {
            assert!(!only_reads(sql), "{sql}");
        }
    }
}
