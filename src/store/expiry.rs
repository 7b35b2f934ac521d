//! Removing rows that nobody needs any more, such as expired sessions.

use super::{Result, Sql, Value};

/// Deletes the rows of a table that meet a condition, except those that another transaction has locked: the next removal gets them. So it
/// never waits, and cannot deadlock with whoever locks the same rows in another order. Others wait for the rows that it has deleted, so
/// in a transaction it comes after everything that may wait.
pub(super) async fn remove(sql: &mut Sql, table: &str, condition: &str, params: &[Value<'_>]) -> Result<u64> {
    let text = match skipping(sql) {
        "" => format!("DELETE FROM {table} WHERE {condition}"),
        clause => format!(
            "DELETE FROM {table} WHERE ctid = ANY(ARRAY(SELECT ctid FROM {table} WHERE {condition}{clause}))"
        ),
    };
    sql.execute(&text, params).await
}

/// `Sql::skip_locked` for a table that may be sharded: Citus cannot lock rows of several shards.
pub(super) fn skipping(sql: &Sql) -> &'static str {
    if sql.is_citus() { "" } else { sql.skip_locked() }
}
