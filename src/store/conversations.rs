//! Attempts made by a cloud provider: their call ids, and the state of their conversations.

use super::{Error, Result, Sql, Value, call_attempts::Attempt};
use crate::domain::{conversation::Step, moment::Moment};

/// Advances the conversation to a step. The next webhook is expected before `until`.
pub async fn go_on(sql: &mut Sql, attempt: &Attempt, step: Step, number: i64, until: Moment) -> Result<()> {
    let step = serde_json::to_string(&step).map_err(|error| Error::Broken(error.to_string()))?;
    let text = "UPDATE call_attempts SET step = $1, step_number = $2, until = $3 \
                WHERE institution_id = $4 AND id = $5 AND until IS NOT NULL";
    let params: [Value<'_>; 5] =
        [step.into(), number.into(), until.micros().into(), attempt.institution.into(), attempt.id.into()];
    sql.execute(text, &params).await.map(|_| ())
}

/// Stores the provider's call id. False if the attempt has a different one.
pub async fn name(sql: &mut Sql, attempt: &Attempt, vendor_call: &str) -> Result<bool> {
    let text = "UPDATE call_attempts SET vendor_call = $1 WHERE institution_id = $2 AND id = $3 \
                AND (vendor_call IS NULL OR vendor_call = $1)";
    let params: [Value<'_>; 3] = [vendor_call.into(), attempt.institution.into(), attempt.id.into()];
    Ok(sql.execute(text, &params).await? == 1)
}

/// Does another attempt that started since then have this call id?
pub async fn is_anothers(sql: &mut Sql, attempt: &Attempt, vendor_call: &str, since: Moment) -> Result<bool> {
    let text = "SELECT 1 FROM call_attempts WHERE started_at > $1 AND vendor_call = $2 AND id <> $3 LIMIT 1";
    let params: [Value<'_>; 3] = [since.micros().into(), vendor_call.into(), attempt.id.into()];
    Ok(sql.one(text, &params, |_| Ok(())).await?.is_some())
}
