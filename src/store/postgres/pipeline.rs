//! Fewer round trips per transaction. BEGIN is sent together with the first statement, and writes whose results nobody needs
//! are sent together with COMMIT: PostgreSQL executes in order what arrives on a connection.
//!
//! Each statement still ends by itself, so one that follows a failed one is executed nevertheless:
//! - after a failed BEGIN, it would be a transaction of its own. So BEGIN is sent together with reads only.
//! - after a failed write, COMMIT rolls back.
//!
//! Behind a connection pooler, everything is sent by itself.

use std::{future::poll_fn, mem, sync::Arc, task::Poll};

use futures_util::future::{self, BoxFuture};
use tokio_postgres::Row;

use super::{
    client::{self, Client},
    values::to_sql,
};
use crate::store::db::{Result, Value};

/// What a transaction has not sent yet.
#[derive(Default)]
pub struct Unsent {
    begin: Option<Arc<str>>,
    writes: Vec<Write>,
}

/// A write whose result nobody needs.
struct Write {
    sql: String,
    params: Vec<Value<'static>>,
}

impl Unsent {
    pub fn transaction(begin: Arc<str>) -> Self {
        Self { begin: Some(begin), writes: Vec::new() }
    }
}

/// A statement that changes nothing, in a transaction or outside.
fn only_reads(sql: &str) -> bool {
    sql.starts_with("SELECT ")
}

/// `query` in a transaction.
pub async fn query(client: &mut Client, sql: &str, params: &[Value<'_>]) -> Result<Vec<Row>> {
    if client.pipelines()
        && client.unsent.writes.is_empty()
        && only_reads(sql)
        && let Some(begin) = client.unsent.begin.take()
    {
        let rows = begin_and_read(client, &begin, sql, params).await;
        if rows.is_err() {
            // It is not known whether a transaction is open.
            client.discard();
        }
        return rows;
    }
    send(client).await?;
    client::query(client, sql, params).await
}

/// `execute` in a transaction.
pub async fn execute(client: &mut Client, sql: &str, params: &[Value<'_>]) -> Result<u64> {
    send(client).await?;
    client::execute(client, sql, params).await
}

/// `execute` later, at the latest with COMMIT, and in order.
pub async fn defer(client: &mut Client, sql: &str, params: &[Value<'_>]) -> Result<()> {
    if !client.pipelines() {
        return execute(client, sql, params).await.map(|_| ());
    }
    let params = params.iter().cloned().map(Value::into_owned).collect();
    client.unsent.writes.push(Write { sql: sql.to_owned(), params });
    Ok(())
}

/// A script in a transaction.
pub async fn script(client: &mut Client, sql: &str) -> Result<()> {
    send(client).await?;
    client.script(sql).await
}

pub async fn allow_long_statements(client: &mut Client) -> Result<()> {
    send(client).await?;
    client.allow_long_statements().await
}

/// Returns when PostgreSQL has confirmed the commit. After an error, the connection must not be used again.
pub async fn commit(client: &mut Client) -> Result<()> {
    if client.unsent.writes.is_empty() && client.unsent.begin.take().is_some() {
        return Ok(());
    }
    begin(client).await?;
    send_writes(client, Some("COMMIT")).await
}

pub async fn roll_back(client: &mut Client) -> Result<()> {
    match mem::take(&mut client.unsent).begin {
        Some(_) => Ok(()),
        None => client.script("ROLLBACK").await,
    }
}

/// Sends what is unsent, and waits for the responses.
async fn send(client: &mut Client) -> Result<()> {
    begin(client).await?;
    if client.unsent.writes.is_empty() {
        return Ok(());
    }
    let sent = send_writes(client, None).await;
    if sent.is_err() {
        // A write that was not sent must not be left out of what is committed.
        client.discard();
    }
    sent
}

async fn begin(client: &mut Client) -> Result<()> {
    let Some(begin) = client.unsent.begin.take() else { return Ok(()) };
    let begun = client.script(&begin).await;
    if begun.is_err() {
        client.discard();
    }
    begun
}

async fn begin_and_read(client: &Client, begin: &str, sql: &str, params: &[Value<'_>]) -> Result<Vec<Row>> {
    let (connection, params) = (client.connection()?, to_sql(params));
    let answer = async {
        let statement = connection.prepare_cached(sql).await?;
        // Each is sent when it is polled first, which `join` does in this order.
        let both = future::join(connection.batch_execute(begin), connection.query(&statement, &params));
        let (begun, rows) = both.await;
        begun.and(rows)
    };
    client.deadline.meet(answer).await
}

/// Sends the writes together, and `end` after them.
async fn send_writes(client: &mut Client, end: Option<&str>) -> Result<()> {
    let writes = mem::take(&mut client.unsent.writes);
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
    use super::only_reads;

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
