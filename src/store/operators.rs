//! The operator's sessions in the browser, and the single-use links that open them. Only digests of their secrets are stored.

use super::{Result, Sql, Value, expiry};
use crate::domain::moment::Moment;

pub async fn insert_link(sql: &mut Sql, digest: &str, now: Moment, expires_at: Moment) -> Result<()> {
    let text = "INSERT INTO operator_links (digest, created_at, expires_at) VALUES ($1, $2, $3)";
    sql.execute(text, &params(digest, now, expires_at)).await.map(|_| ())
}

/// Can this link be spent?
pub async fn has_link(sql: &mut Sql, digest: &str, now: Moment) -> Result<bool> {
    let text = "SELECT 1 FROM operator_links WHERE digest = $1 AND expires_at > $2";
    Ok(sql.one(text, &[digest.into(), now.micros().into()], |_| Ok(())).await?.is_some())
}

/// False if there is no such link, or if it has expired or was spent.
pub async fn spend_link(sql: &mut Sql, digest: &str, now: Moment) -> Result<bool> {
    let text = "DELETE FROM operator_links WHERE digest = $1 AND expires_at > $2";
    Ok(sql.execute(text, &[digest.into(), now.micros().into()]).await? == 1)
}

pub async fn insert_session(sql: &mut Sql, digest: &str, now: Moment, expires_at: Moment) -> Result<()> {
    let text = "INSERT INTO operator_sessions (digest, created_at, expires_at) VALUES ($1, $2, $3)";
    sql.execute(text, &params(digest, now, expires_at)).await.map(|_| ())
}

fn params<'a>(digest: &'a str, now: Moment, expires_at: Moment) -> [Value<'a>; 3] {
    [digest.into(), now.micros().into(), expires_at.micros().into()]
}

pub async fn has_session(sql: &mut Sql, digest: &str, now: Moment) -> Result<bool> {
    let text = "SELECT 1 FROM operator_sessions WHERE digest = $1 AND expires_at > $2";
    Ok(sql.one(text, &[digest.into(), now.micros().into()], |_| Ok(())).await?.is_some())
}

pub async fn delete_session(sql: &mut Sql, digest: &str) -> Result<()> {
    sql.execute("DELETE FROM operator_sessions WHERE digest = $1", &[digest.into()]).await.map(|_| ())
}

pub async fn delete_expired(sql: &mut Sql, now: Moment) -> Result<()> {
    for table in ["operator_links", "operator_sessions"] {
        expiry::remove(sql, table, "expires_at <= $1", &[now.micros().into()]).await?;
    }
    Ok(())
}
