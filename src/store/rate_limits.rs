//! Counters of rate limits that all nodes share, on PostgreSQL. With SQLite there is one process, which counts in its memory.

use std::{sync::LazyLock, time::Duration};

use super::{Db, Error, Result, Sql, Value};
use crate::domain::{
    moment::Moment,
    rate_limit::{Claim, Counter, Grant, LEASES_OF_REST},
};

/// Why a store did not count.
#[derive(Debug)]
pub struct Failure {
    pub why: String,
    /// The store got the claim, and may have counted.
    pub is_unanswered: bool,
}

impl Failure {
    pub fn unanswered() -> Self {
        Self { why: "it did not answer in time".to_owned(), is_unanswered: true }
    }
}

/// One round trip, outside a transaction. Does what `Counter::claim` does; concurrent claims wait for each other at the row. Every
/// expression reads the row as it was before.
static CLAIM: LazyLock<String> = LazyLock::new(|| {
    let is_current = "r.window_start + $7 > $4 AND r.window_start < $4 + $7";
    // Without the cast, PostgreSQL would take $8 for an integer of 32 bits.
    let is_known = "CAST($8 AS BIGINT) > 0 AND $2 <= r.window_start AND $2 + $7 > r.window_start";
    let start = format!(
        "CASE WHEN {is_current} THEN CASE WHEN {is_known} THEN $2 ELSE r.window_start END \
         WHEN r.window_start + $7 <= $4 THEN GREATEST($2, r.window_start + $7) ELSE $2 END"
    );
    let used = format!(
        "(CASE WHEN NOT ({is_current}) THEN $8 WHEN NOT ({is_known}) THEN r.used \
         WHEN r.window_start = $2 THEN GREATEST(r.used, $8) ELSE r.used + $8 END + $9)"
    );
    let last = format!("CASE WHEN {is_current} THEN r.last_at ELSE $4 END");
    let granted = format!(
        "(CASE WHEN {used} < $10 THEN GREATEST(1, LEAST($11, ($10 - {used}) / {LEASES_OF_REST})) \
         WHEN $4 - ({last}) >= $12 THEN 1 ELSE 0 END)"
    );
    format!(
        "INSERT INTO rate_limits AS r (digest, window_start, used, last_at, granted, expires_at) \
         VALUES ($1, $2, $3, $4, $5, $6) \
         ON CONFLICT (digest) DO UPDATE SET window_start = {start}, used = {used} + {granted}, \
         last_at = CASE WHEN {granted} > 0 THEN $4 ELSE {last} END, granted = {granted}, \
         expires_at = ({start}) + $7 \
         RETURNING granted, window_start, used, last_at"
    )
});

pub async fn claim(sql: &mut Sql, digest: &str, claim: &Claim) -> Result<Grant> {
    let window = claim.policy.window_micros();
    // What a new row has.
    let mut counter = Counter::continuing(claim);
    let first = counter.claim(claim);
    let params: [Value<'_>; 12] = [
        digest.into(),
        claim.start.into(),
        counter.used.into(),
        claim.now.into(),
        first.permits.into(),
        claim.start.saturating_add(window).into(),
        window.into(),
        claim.known.into(),
        claim.owed.into(),
        i64::from(claim.policy.ceiling).into(),
        claim.most.into(),
        claim.policy.throttle_micros().into(),
    ];
    let read = |row: &super::Row<'_>| {
        let counter = Counter { start: row.int(1)?, used: row.int(2)?, last: row.int(3)? };
        Ok(Grant { permits: row.int(0)?, counter })
    };
    let granted = sql.one(&CLAIM, &params, read).await?;
    granted.ok_or_else(|| Error::Broken("a rate limit was not counted".to_owned()))
}

/// The time by the clock of PostgreSQL, in microseconds, to compare it with our own.
pub async fn time(db: &Db) -> Result<i64> {
    let text = "SELECT CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000000 AS BIGINT)";
    let time = db.read().one(text, &[], |row| row.int(0)).await?;
    time.ok_or_else(|| Error::Broken("PostgreSQL does not say what time it is".to_owned()))
}

/// Rows that are deleted at a time.
const BATCH: i64 = 1_000;
/// How long a row is kept after its window, because clocks differ.
const RETENTION: Duration = Duration::from_secs(60);

/// Deletes a batch of rows whose windows have ended. Returns true if there may be more.
pub async fn delete_expired(db: &Db, now: Moment) -> Result<bool> {
    let before = now.minus(RETENTION).micros();
    // The read is cheap, and most of the time there is nothing to delete.
    let any = "SELECT 1 FROM rate_limits WHERE expires_at < $1 LIMIT 1";
    if db.read().one(any, &[before.into()], |_| Ok(())).await?.is_none() {
        return Ok(false);
    }
    let deleted = db.write_bookkeeping::<_, Error>(move |sql| {
        Box::pin(async move {
            let text = format!(
                "DELETE FROM rate_limits WHERE digest IN \
                 (SELECT digest FROM rate_limits WHERE expires_at < $1 ORDER BY expires_at, digest LIMIT $2{})",
                sql.skip_locked()
            );
            sql.execute(&text, &[before.into(), BATCH.into()]).await
        })
    });
    Ok(deleted.await? >= u64::try_from(BATCH).unwrap_or(u64::MAX))
}
