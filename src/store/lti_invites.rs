//! One-time links for dynamic registration.

use super::{Result, Sql, Value, expiry};
use crate::domain::{
    ids::{InstitutionId, ToolConsumerId},
    moment::Moment,
};

pub async fn insert(
    sql: &mut Sql,
    digest: &str,
    institution: InstitutionId,
    until: Moment,
    now: Moment,
) -> Result<()> {
    let text =
        "INSERT INTO lti_invites (digest, institution_id, created_at, expires_at) VALUES ($1, $2, $3, $4)";
    let params: [Value<'_>; 4] =
        [digest.into(), institution.into(), now.micros().into(), until.micros().into()];
    sql.execute(text, &params).await.map(|_| ())
}

/// The institution of an invite, unless it is used or expired. A use before `lost` that led to no registration was abandoned
/// and does not count.
pub async fn find(sql: &mut Sql, digest: &str, now: Moment, lost: Moment) -> Result<Option<InstitutionId>> {
    let text = "SELECT institution_id FROM lti_invites WHERE digest = $1 AND expires_at > $2 \
                AND (used_at IS NULL OR (used_at < $3 AND tool_consumer_id IS NULL))";
    sql.one(text, &[digest.into(), now.micros().into(), lost.micros().into()], |row| row.id(0)).await
}

/// Like `find`, and marks the invite as used. Of concurrent callers, only one succeeds.
pub async fn take(sql: &mut Sql, digest: &str, now: Moment, lost: Moment) -> Result<Option<InstitutionId>> {
    let text = "UPDATE lti_invites SET used_at = $1 WHERE digest = $2 AND expires_at > $1 \
                AND (used_at IS NULL OR (used_at < $3 AND tool_consumer_id IS NULL)) RETURNING institution_id";
    sql.one(text, &[now.micros().into(), digest.into(), lost.micros().into()], |row| row.id(0)).await
}

/// Unless it is tied to a tool consumer: a commit whose response was lost may have happened.
pub async fn give_back(sql: &mut Sql, digest: &str) -> Result<()> {
    sql.execute(
        "UPDATE lti_invites SET used_at = NULL WHERE digest = $1 AND tool_consumer_id IS NULL",
        &[digest.into()],
    )
    .await
    .map(|_| ())
}

/// Ties the invite to the registered tool consumer. It cannot be used again.
pub async fn keep(sql: &mut Sql, digest: &str, tool_consumer: ToolConsumerId) -> Result<()> {
    let text = "UPDATE lti_invites SET tool_consumer_id = $1 WHERE digest = $2";
    sql.execute(text, &[tool_consumer.into(), digest.into()]).await.map(|_| ())
}

/// Deletes invites that expired before then.
pub async fn delete_expired(sql: &mut Sql, before: Moment) -> Result<()> {
    expiry::remove(sql, "lti_invites", "expires_at < $1", &[before.micros().into()]).await.map(|_| ())
}
