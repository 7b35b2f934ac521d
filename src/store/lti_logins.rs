//! Pending LTI logins: launches that were redirected to the platform and have not returned.

use super::{Result, Row, Sql, Value, expiry};
use crate::domain::{
    ids::{InstitutionId, ToolConsumerId},
    moment::Moment,
};

#[derive(Debug, Clone)]
pub struct Login {
    pub state_digest: String,
    pub browser_digest: String,
    pub institution: InstitutionId,
    pub tool_consumer: ToolConsumerId,
    pub nonce: String,
    /// The parameters of the platform's login request, as a query string.
    pub asked: String,
    pub expires_at: Moment,
}

pub async fn insert(sql: &mut Sql, login: &Login) -> Result<()> {
    let text = "INSERT INTO lti_logins (state_digest, browser_digest, institution_id, tool_consumer_id, nonce, asked, expires_at) \
         VALUES ($1, $2, $3, $4, $5, $6, $7)";
    let params: [Value<'_>; 7] = [
        (&login.state_digest).into(),
        (&login.browser_digest).into(),
        login.institution.into(),
        login.tool_consumer.into(),
        (&login.nonce).into(),
        (&login.asked).into(),
        login.expires_at.micros().into(),
    ];
    sql.execute(text, &params).await.map(|_| ())
}

/// Consumes the login. Works only once, also under concurrency (replay protection).
pub async fn take(sql: &mut Sql, state_digest: &str, now: Moment) -> Result<Option<Login>> {
    let text = "UPDATE lti_logins SET used_at = $1 WHERE state_digest = $2 AND used_at IS NULL RETURNING state_digest, \
         browser_digest, institution_id, tool_consumer_id, nonce, asked, expires_at";
    let read = |row: &Row<'_>| {
        Ok(Login {
            state_digest: row.text(0)?,
            browser_digest: row.text(1)?,
            institution: row.id(2)?,
            tool_consumer: row.id(3)?,
            nonce: row.text(4)?,
            asked: row.text(5)?,
            expires_at: Moment::from_micros(row.int(6)?),
        })
    };
    sql.one(text, &[now.micros().into(), state_digest.into()], read).await
}

/// The tool consumer of a login, used or not.
pub async fn consumer_of(
    sql: &mut Sql,
    state_digest: &str,
) -> Result<Option<(InstitutionId, ToolConsumerId)>> {
    let text = "SELECT institution_id, tool_consumer_id FROM lti_logins WHERE state_digest = $1";
    sql.one(text, &[state_digest.into()], |row| Ok((row.id(0)?, row.id(1)?))).await
}

/// Deletes logins that expired before then.
pub async fn delete_expired(sql: &mut Sql, before: Moment) -> Result<()> {
    expiry::remove(sql, "lti_logins", "expires_at < $1", &[before.micros().into()]).await.map(|_| ())
}

/// Deletes all logins of an institution that have expired. The caller holds the institution's lock.
pub async fn delete_expired_of(sql: &mut Sql, institution: InstitutionId, now: Moment) -> Result<()> {
    let text = "DELETE FROM lti_logins WHERE institution_id = $1 AND expires_at < $2";
    sql.execute(text, &[institution.into(), now.micros().into()]).await.map(|_| ())
}
