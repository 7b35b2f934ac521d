//! Numbers that grow with what processes keep in memory: one row says that nothing has changed.

use super::{Error, Result, Sql};

/// The version of everything that callers of the API are made of: tokens, their name pages, and institutions with their allowed origins.
pub async fn of_callers(sql: &mut Sql) -> Result<i64> {
    let found = sql.one("SELECT version FROM versions WHERE name = 'callers'", &[], |row| row.int(0)).await?;
    found.ok_or_else(|| Error::Broken("versions has no row for callers".to_owned()))
}

/// For use cases that change one of these. It is the last statement of a transaction: until it ends, nobody else can do so, and that may be
/// somebody who revokes a token.
pub async fn callers_changed(sql: &mut Sql) -> Result<()> {
    sql.execute("UPDATE versions SET version = version + 1 WHERE name = 'callers'", &[]).await.map(|_| ())
}
