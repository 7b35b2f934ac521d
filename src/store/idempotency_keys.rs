//! Idempotency keys, with what was made by the first request with each of them.

use super::{Error, Result, Sql, Value, expiry, stored_json};
use crate::domain::{
    idempotency::{Made, RequestKey},
    moment::Moment,
};

/// A key that was used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UsedKey {
    pub request_digest: String,
    pub made: Made,
}

/// Finds a key that its token has used after `since`.
pub async fn find(sql: &mut Sql, key: &RequestKey, since: Moment) -> Result<Option<UsedKey>> {
    let text = "SELECT request_digest, made FROM idempotency_keys \
                WHERE institution_id = $1 AND token_id = $2 AND key_digest = $3 AND created_at > $4";
    let params: [Value<'_>; 4] =
        [key.institution.into(), key.token.into(), (&key.key_digest).into(), since.micros().into()];
    sql.one(text, &params, |row| {
        let made = stored_json(("idempotency_keys", "made", &key.key_digest), &row.text(1)?)?;
        Ok(UsedKey { request_digest: row.text(0)?, made })
    })
    .await
}

/// Records what is made. Returns false if the key was used after `since`. A transaction that has used it and is not finished is waited
/// for.
pub async fn insert(
    sql: &mut Sql,
    key: &RequestKey,
    made: &Made,
    now: Moment,
    since: Moment,
) -> Result<bool> {
    let text = "INSERT INTO idempotency_keys (institution_id, token_id, key_digest, request_digest, made, created_at) \
                VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (institution_id, token_id, key_digest) DO UPDATE \
                SET request_digest = excluded.request_digest, made = excluded.made, created_at = excluded.created_at \
                WHERE idempotency_keys.created_at <= $7";
    let made = serde_json::to_string(made).map_err(|error| Error::Broken(error.to_string()))?;
    let params: [Value<'_>; 7] = [
        key.institution.into(),
        key.token.into(),
        (&key.key_digest).into(),
        (&key.request_digest).into(),
        made.into(),
        now.micros().into(),
        since.micros().into(),
    ];
    Ok(sql.execute(text, &params).await? == 1)
}

/// Is there anything for `delete_expired` to delete?
pub async fn any_expired(sql: &mut Sql, before: Moment) -> Result<bool> {
    let text = "SELECT 1 FROM idempotency_keys WHERE created_at <= $1 LIMIT 1";
    Ok(sql.one(text, &[before.micros().into()], |_| Ok(())).await?.is_some())
}

/// Deletes some of the keys that were used before then, except those that are in use. Returns how many.
pub async fn delete_expired(sql: &mut Sql, before: Moment, most: i64) -> Result<u64> {
    // The age is checked again, because a key may be used again at the same time.
    let text = format!(
        "DELETE FROM idempotency_keys WHERE created_at <= $1 AND (institution_id, token_id, key_digest) IN \
         (SELECT institution_id, token_id, key_digest FROM idempotency_keys WHERE created_at <= $1 \
         ORDER BY created_at LIMIT $2{})",
        expiry::skipping(sql)
    );
    sql.execute(&text, &[before.micros().into(), most.into()]).await
}
