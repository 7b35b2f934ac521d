//! Attempts to call somebody. `until` is set while an attempt is in progress. An attempt over a SIP trunk also has a lease.

use std::collections::HashMap;

use super::{Error, Result, Row, Sql, Value, calls, padded, placeholders, stored_json, within};
use crate::domain::{
    call::{self, Outcome, Reason, State},
    conversation::Step,
    ids::{AttemptId, CallId, InstitutionId},
    moment::Moment,
    scope::Scope,
};

#[derive(Debug, Clone)]
pub struct Attempt {
    pub institution: InstitutionId,
    pub id: AttemptId,
    pub call: CallId,
    pub phone_number: String,
    pub state: State,
    /// Lease token of the process that makes the call. `None` for a cloud provider's calls.
    pub lease: Option<String>,
    /// When the attempt is overdue. `None` once it has ended.
    pub until: Option<Moment>,
    /// The provider's call id.
    pub vendor_call: Option<String>,
    /// The current step of the conversation, and its number. Cloud calls only.
    pub step: Option<Step>,
    pub step_number: i64,
    pub started_at: Moment,
}

impl Attempt {
    pub const fn is_under_way(&self) -> bool {
        self.until.is_some()
    }
}

const COLUMNS: &str = "institution_id, id, call_id, phone_number, state, lease, until, vendor_call, step, step_number, \
     started_at";

fn from_row(row: &Row<'_>) -> Result<Attempt> {
    let id: AttemptId = row.id(1)?;
    let step = row.opt_text(8)?.map(|json| stored_json(("call_attempts", "step", id), &json));
    Ok(Attempt {
        institution: row.id(0)?,
        id,
        call: row.id(2)?,
        phone_number: row.text(3)?,
        state: calls::state(&row.text(4)?)?,
        lease: row.opt_text(5)?,
        until: row.opt_int(6)?.map(Moment::from_micros),
        vendor_call: row.opt_text(7)?,
        step: step.transpose()?,
        step_number: row.int(9)?,
        started_at: Moment::from_micros(row.int(10)?),
    })
}

pub async fn insert(sql: &mut Sql, attempt: &Attempt) -> Result<()> {
    let text = "INSERT INTO call_attempts (institution_id, id, call_id, phone_number, state, lease, until, step, \
         step_number, started_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)";
    let params: [Value<'_>; 10] = [
        attempt.institution.into(),
        attempt.id.into(),
        attempt.call.into(),
        (&attempt.phone_number).into(),
        attempt.state.word().into(),
        attempt.lease.as_ref().into(),
        attempt.until.map(Moment::micros).into(),
        attempt.step.map(shown).transpose()?.into(),
        attempt.step_number.into(),
        attempt.started_at.micros().into(),
    ];
    sql.execute(text, &params).await.map(|_| ())
}

fn shown(step: Step) -> Result<String> {
    serde_json::to_string(&step).map_err(|error| Error::Broken(error.to_string()))
}

/// Attempt ids are unique across institutions: a webhook URL contains nothing else.
pub async fn find(sql: &mut Sql, scope: Scope, id: AttemptId) -> Result<Option<Attempt>> {
    let mut params: Vec<Value<'_>> = vec![id.into()];
    let within = within(scope, "institution_id", &mut params);
    sql.one(&format!("SELECT {COLUMNS} FROM call_attempts WHERE id = $1 AND {within}"), &params, from_row)
        .await
}

/// The attempt that is in progress.
pub async fn under_way(sql: &mut Sql, institution: InstitutionId, call: CallId) -> Result<Option<Attempt>> {
    let text = format!(
        "SELECT {COLUMNS} FROM call_attempts WHERE institution_id = $1 AND call_id = $2 AND until IS NOT NULL"
    );
    sql.one(&text, &[institution.into(), call.into()], from_row).await
}

pub async fn count_under_way(sql: &mut Sql) -> Result<u64> {
    let text = "SELECT COUNT(*) FROM call_attempts WHERE until IS NOT NULL";
    Ok(sql.one(text, &[], |row| row.int(0)).await?.unwrap_or(0).unsigned_abs())
}

/// Start times of all attempts since then, oldest first.
pub async fn begun_since(sql: &mut Sql, since: Moment) -> Result<Vec<Moment>> {
    let text = "SELECT started_at FROM call_attempts WHERE started_at > $1 ORDER BY started_at";
    sql.rows(text, &[since.micros().into()], |row| row.int(0).map(Moment::from_micros)).await
}

/// Number of attempts that an institution has started since then, and the time of the first.
pub async fn begun_by(
    sql: &mut Sql,
    institution: InstitutionId,
    since: Moment,
) -> Result<(u64, Option<Moment>)> {
    let text =
        "SELECT COUNT(*), MIN(started_at) FROM call_attempts WHERE institution_id = $1 AND started_at > $2";
    let params: [Value<'_>; 2] = [institution.into(), since.micros().into()];
    let found = sql
        .one(text, &params, |row| Ok((row.int(0)?.unsigned_abs(), row.opt_int(1)?.map(Moment::from_micros))));
    Ok(found.await?.unwrap_or((0, None)))
}

/// Start times of the newest attempts to call a number since then, by any institution, at most `most`. Of a detached attempt, only the
/// last four digits are known: ten thousand numbers of a place share them, and deleting and recreating people evades nothing.
pub async fn begun_to(sql: &mut Sql, phone_number: &str, since: Moment, most: usize) -> Result<Vec<Moment>> {
    let text = format!(
        "SELECT started_at FROM call_attempts WHERE phone_number IN ($1, $2) AND started_at > $3 \
         ORDER BY started_at DESC LIMIT {most}"
    );
    let last = phone_number.get(phone_number.len().saturating_sub(4)..).unwrap_or_default();
    let params = [phone_number.into(), last.into(), since.micros().into()];
    sql.rows(&text, &params, |row| row.int(0).map(Moment::from_micros)).await
}

/// Deletes detached attempts once they no longer count toward the rate limits.
pub async fn delete_detached(sql: &mut Sql, institution: InstitutionId, before: Moment) -> Result<()> {
    let text = "DELETE FROM call_attempts WHERE institution_id = $1 AND call_id = $2 AND started_at <= $3";
    let params: [Value<'_>; 3] = [institution.into(), calls::DETACHED.into(), before.micros().into()];
    sql.execute(text, &params).await.map(|_| ())
}

/// Attempts without a sign of life before their deadline.
pub async fn overdue(sql: &mut Sql, now: Moment) -> Result<Vec<Attempt>> {
    let text = format!("SELECT {COLUMNS} FROM call_attempts WHERE until <= $1 ORDER BY until, id LIMIT 100");
    sql.rows(&text, &[now.micros().into()], from_row).await
}

/// Extends the deadline. False if the attempt has ended.
pub async fn renew(sql: &mut Sql, attempt: &Attempt, until: Moment) -> Result<bool> {
    let text =
        "UPDATE call_attempts SET until = $1 WHERE institution_id = $2 AND id = $3 AND until IS NOT NULL";
    let params: [Value<'_>; 3] = [until.micros().into(), attempt.institution.into(), attempt.id.into()];
    Ok(sql.execute(text, &params).await? == 1)
}

/// Marks the call as answered. False if it already was, or has ended.
pub async fn answered(sql: &mut Sql, attempt: &Attempt) -> Result<bool> {
    let text = "UPDATE call_attempts SET state = 'in_progress' \
                WHERE institution_id = $1 AND id = $2 AND state = 'dialing'";
    Ok(sql.execute(text, &[attempt.institution.into(), attempt.id.into()]).await? == 1)
}

/// Ends the attempt. False if it had already ended, so this is idempotent.
pub async fn end(sql: &mut Sql, attempt: &Attempt, outcome: Outcome, now: Moment) -> Result<bool> {
    let text = "UPDATE call_attempts SET state = $1, reason = $2, until = NULL, lease = NULL, ended_at = $3 \
                WHERE institution_id = $4 AND id = $5 AND until IS NOT NULL";
    let params: [Value<'_>; 5] = [
        outcome.state().word().into(),
        outcome.reason().map(Reason::word).into(),
        now.micros().into(),
        attempt.institution.into(),
        attempt.id.into(),
    ];
    Ok(sql.execute(text, &params).await? == 1)
}

/// The attempts of each of these calls, in the order in which they were made.
pub async fn of_calls(
    sql: &mut Sql,
    institution: InstitutionId,
    calls: &[CallId],
) -> Result<HashMap<CallId, Vec<call::Attempt>>> {
    let mut all: HashMap<CallId, Vec<call::Attempt>> = HashMap::new();
    for group in padded(calls) {
        let text = format!(
            "SELECT call_id, state, reason, started_at FROM call_attempts WHERE institution_id = $1 \
             AND call_id IN ({}) ORDER BY call_id, id",
            placeholders(2, group.len())
        );
        let mut params: Vec<Value<'_>> = vec![institution.into()];
        params.extend(group.iter().map(|id| Value::from(*id)));
        let found = sql.rows(&text, &params, |row| {
            let attempt = call::Attempt {
                state: calls::state(&row.text(1)?)?,
                reason: row.opt_text(2)?.as_deref().and_then(Reason::parse),
                at: Moment::from_micros(row.int(3)?),
            };
            Ok((row.id(0)?, attempt))
        });
        for (call, attempt) in found.await? {
            all.entry(call).or_default().push(attempt);
        }
    }
    Ok(all)
}
