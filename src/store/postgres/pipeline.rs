//! Fewer round trips per transaction. BEGIN is sent together with the first statement, and writes whose results nobody needs
//! together with the next statement, at the latest with COMMIT: PostgreSQL executes in order what arrives on a connection.
//!
//! Each statement still ends by itself, so one that follows a failed one is executed nevertheless:
//! - after a failed BEGIN, it would be a transaction of its own. So BEGIN is sent together with reads only.
//! - after a failed SAVEPOINT, it fails too, because the transaction has. So SAVEPOINT is sent together with any statement.
//! - after a failed write, it fails too, and COMMIT rolls back.
//!
//! Several jobs may share a transaction, see `groups`. The first one begins with BEGIN, each other one with a savepoint.
//!
//! Behind a connection pooler, everything is sent by itself.

use std::{future::poll_fn, mem, sync::Arc, task::Poll, time::Duration};

use deadpool_postgres::Object;
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

    /// Has the transaction sent nothing, and nothing to send?
    pub fn is_untouched(&self) -> bool {
        self.is_unsent && self.savepoint == 0 && self.writes.is_empty()
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

    /// May a statement be sent together with what the job begins with, and with the deferred writes?
    fn is_started_by(&self, sql: &str) -> bool {
        self.savepoint > 0 || (only_reads(sql) && self.writes.iter().all(|write| only_reads(&write.sql)))
    }

    fn take_unsent(&mut self) -> Unsent {
        Unsent { start: self.take_start(), writes: mem::take(&mut self.writes) }
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
    let unsent = unsent_before(client, sql).await?;
    if unsent.is_empty() {
        return client::query(client, sql, params).await;
    }
    let (connection, params) = (client.connection()?, to_sql(params));
    let answer = async {
        let statement = connection.prepare_cached(sql).await?;
        unsent.send(connection, connection.query(&statement, &params)).await
    };
    client.deadline.meet_within(unsent.time(client), answer).await
}

/// `execute` in a transaction.
pub async fn execute(client: &mut Client, sql: &str, params: &[Value<'_>]) -> Result<u64> {
    let count = send_execute(client, sql, params).await;
    noted(client, count)
}

async fn send_execute(client: &mut Client, sql: &str, params: &[Value<'_>]) -> Result<u64> {
    let unsent = unsent_before(client, sql).await?;
    if unsent.is_empty() {
        return client::execute(client, sql, params).await;
    }
    let (connection, params) = (client.connection()?, to_sql(params));
    let answer = async {
        let statement = connection.prepare_cached(sql).await?;
        unsent.send(connection, connection.execute(&statement, &params)).await
    };
    client.deadline.meet_within(unsent.time(client), answer).await
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
    let unsent = unsent_before(client, "COMMIT").await?;
    let connection = client.connection()?;
    client
        .deadline
        .meet_within(unsent.time(client), unsent.send(connection, connection.batch_execute("COMMIT")))
        .await
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
    let sent = send_unsent(client).await;
    noted(client, sent)
}

async fn send_unsent(client: &mut Client) -> Result<()> {
    let unsent = unsent_before(client, "").await?;
    if unsent.is_empty() {
        return Ok(());
    }
    let nothing = future::ready(Ok(()));
    client.deadline.meet_within(unsent.time(client), unsent.send(client.connection()?, nothing)).await
}

/// Takes what is to be sent together with a statement, directly before it. If the statement writes, BEGIN is sent first.
async fn unsent_before(client: &mut Client, sql: &str) -> Result<Unsent> {
    check(client)?;
    if !client.pipelines() || !client.progress.is_started_by(sql) {
        start(client).await?;
    }
    Ok(client.progress.take_unsent())
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

/// What was not sent yet: how the current job begins, and deferred writes.
struct Unsent {
    start: Option<Arc<str>>,
    writes: Vec<Write>,
}

impl Unsent {
    fn is_empty(&self) -> bool {
        self.start.is_none() && self.writes.is_empty()
    }

    /// The server's timeout is for each statement, and must be the first to end: COMMIT may be on its way.
    fn time(&self, client: &Client) -> Duration {
        let count = u32::try_from(self.writes.len() + 1).unwrap_or(u32::MAX);
        client.deadline.time.saturating_mul(count)
    }

    /// Sends everything together, and `last` after it, whose first poll sends it.
    async fn send<T: Send>(
        &self,
        connection: &Object,
        last: impl Future<Output = Outcome<T>> + Send,
    ) -> Outcome<T> {
        // First of all, because preparing a new statement waits for a response.
        let mut statements = Vec::with_capacity(self.writes.len());
        for write in &self.writes {
            statements.push(connection.prepare_cached(&write.sql).await?);
        }
        let mut answers = Vec::with_capacity(self.writes.len() + 1);
        if let Some(start) = &self.start {
            answers.push(sent(Box::pin(connection.batch_execute(start))).await?);
        }
        for (write, statement) in self.writes.iter().zip(&statements) {
            let params = to_sql(&write.params);
            let write = async move { connection.execute(statement, &params).await.map(|_| ()) };
            // If it cannot be sent, neither is what follows.
            answers.push(sent(Box::pin(write)).await?);
        }
        let last = sent(Box::pin(last)).await?;
        // In order: the driver keeps few responses, and reads no more until somebody takes them. If one of the writes has
        // failed, so has the transaction, whatever the response to COMMIT says.
        let mut ended = Ok(());
        for answer in answers {
            ended = ended.and(answer.await);
        }
        let last = last.await;
        ended.and(last)
    }
}

type Outcome<T> = std::result::Result<T, tokio_postgres::Error>;
type Answer<'a, T> = BoxFuture<'a, Outcome<T>>;

/// Sends a statement, which its first poll does. Fails if it cannot be sent.
async fn sent<'a, T: Send + 'a>(mut answer: Answer<'a, T>) -> Outcome<Answer<'a, T>> {
    let polled = poll_fn(|context| Poll::Ready(answer.as_mut().poll(context))).await;
    match polled {
        Poll::Pending => Ok(answer),
        Poll::Ready(Ok(outcome)) => Ok(Box::pin(future::ready(Ok(outcome)))),
        // It was sent, and the response is already there.
        Poll::Ready(Err(error)) if error.as_db_error().is_some() => Ok(Box::pin(future::ready(Err(error)))),
        Poll::Ready(Err(error)) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use super::{Progress, Write, only_reads};

    #[test]
    fn a_savepoint_releases_the_one_before_and_is_sent_once() {
        let mut progress = Progress::new("BEGIN".into());
        for (savepoint, start, is_started_by_a_write) in
            [(0, "BEGIN", false), (1, "SAVEPOINT job_1", true), (2, "RELEASE job_1; SAVEPOINT job_2", true)]
        {
            (progress.savepoint, progress.is_unsent) = (savepoint, true);
            assert!(progress.is_started_by("SELECT 1"));
            assert_eq!(progress.is_started_by("DELETE FROM jobs"), is_started_by_a_write);
            assert_eq!(progress.take_unsent().start.as_deref(), Some(start));
            assert!(progress.take_unsent().is_empty());
        }
    }

    #[test]
    fn begin_is_sent_together_with_deferred_locks_but_not_with_deferred_writes() {
        let mut progress = Progress::new("BEGIN".into());
        let deferred = |sql: &str| Write { sql: sql.to_owned(), params: Vec::new() };
        progress.writes.push(deferred("SELECT 1 FROM rolls FOR UPDATE"));
        assert!(progress.is_started_by("SELECT 1"));
        progress.writes.push(deferred("DELETE FROM jobs"));
        assert!(!progress.is_started_by("SELECT 1"));
        progress.savepoint = 1;
        assert!(progress.is_started_by("SELECT 1"));
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
