//! The seals of the audit log: what a transaction has written there is chained to what was written before, directly before COMMIT. So the
//! row of the chain is the last one that any transaction locks, and nobody waits for it longer than for a COMMIT.

use std::{collections::BTreeMap, sync::OnceLock};

use super::{Result, Sql, Value, audit, padded, placeholders, rolls};
use crate::domain::{
    audit::{
        NewEntry,
        chain::{LEAST_DAYS, Salts, Sealed, days_kept, ends_at, seal_digest, seal_hash},
    },
    ids::InstitutionId,
    moment::Moment,
};

/// What a transaction has written to the log.
#[derive(Default)]
pub struct Unsealed {
    entries: Vec<(InstitutionId, Sealed)>,
    /// For how many days these institutions keep what this transaction writes, if it changes that.
    days: Vec<(InstitutionId, i64)>,
}

impl Unsealed {
    pub(super) fn len(&self) -> usize {
        self.entries.len()
    }

    /// Forgets what comes after the first entries: it was rolled back.
    pub(super) fn cut(&mut self, entries: usize) {
        self.entries.truncate(entries);
        if entries == 0 {
            self.days.clear();
        }
    }

    pub(super) fn add(&mut self, institution: InstitutionId, entry: Sealed) {
        self.entries.push((institution, entry));
    }
}

/// Entries in one seal.
const MOST: usize = 500;
/// Seals that end at most so long after the time of their oldest entry is over.
const LONGEST_DAYS: i64 = 1;

/// A seal without its place in the chain.
pub(super) struct Seal {
    pub lines: String,
    pub digest: String,
    pub newest: Moment,
}

impl Seal {
    pub fn of(entries: &[Sealed]) -> Self {
        let lines = Sealed::lines(entries);
        let newest = entries.iter().map(|entry| entry.at).max().unwrap_or(Moment::from_micros(0));
        Self { digest: seal_digest(&lines), lines, newest }
    }
}

/// The entries of an institution in the order in which they were written, a list for each seal.
fn in_seals(entries: Vec<Sealed>) -> Vec<Vec<Sealed>> {
    let mut seals: Vec<Vec<Sealed>> = Vec::new();
    for entry in entries {
        let joins = |seal: &&mut Vec<Sealed>| {
            let is_near = |first: &Sealed| {
                let (early, late) = (first.at.min(entry.at), first.at.max(entry.at));
                late <= early.plus_days(LONGEST_DAYS)
            };
            seal.len() < MOST && seal.first().is_some_and(is_near)
        };
        match seals.last_mut().filter(joins) {
            Some(seal) => seal.push(entry),
            None => seals.push(vec![entry]),
        }
    }
    seals
}

/// Seals what the transaction has written to the log. It must be the last thing that happens in it.
pub(super) async fn seal(sql: &mut Sql) -> Result<()> {
    let Unsealed { entries, days } = std::mem::take(&mut sql.unsealed);
    // Sorted, so that two transactions lock the chains of several institutions in the same order.
    let mut by_institution: BTreeMap<InstitutionId, Vec<Sealed>> = BTreeMap::new();
    for (institution, entry) in entries {
        by_institution.entry(institution).or_default().push(entry);
    }
    for (institution, entries) in by_institution {
        let days = days.iter().find(|(of, _)| *of == institution).map(|(_, days)| *days);
        for entries in in_seals(entries) {
            let seal = Seal::of(&entries);
            if sql.is_postgres() && !sql.is_citus() {
                append_unseen(sql, institution, days, &seal).await?;
            } else {
                append(sql, institution, days, &seal).await?;
            }
        }
    }
    Ok(())
}

/// The institution is about to keep entries for another time. What this transaction writes is kept for the longer one: it says who has
/// changed it.
pub(super) async fn retention_changes(
    sql: &mut Sql,
    institution: InstitutionId,
    to: Option<i64>,
) -> Result<()> {
    if let Some(from) = audit::retention(sql, institution).await? {
        let (from, to) = (days_kept(from), days_kept(to));
        let days = if from == 0 || to == 0 { 0 } else { from.max(to) };
        sql.unsealed.days.push((institution, days));
    }
    Ok(())
}

/// The hash of a chain after one more seal, for PostgreSQL: `seal_hash`. The columns are those of the chain before, and of the new seal.
pub(super) fn hash_text(before: &str, digest: &str, days: &str, newest: &str) -> String {
    format!(
        "encode(sha256(decode({before}, 'hex') || decode({digest}, 'hex') || int8send({days}) || int8send({newest})), 'hex')"
    )
}

/// For how many days an institution keeps what is written now: `days_kept`. A scalar, for PostgreSQL.
pub(super) fn days_text(institution: &str) -> String {
    format!(
        "COALESCE((SELECT CASE WHEN audit_days IS NULL THEN 0 WHEN audit_days < {LEAST_DAYS} THEN {LEAST_DAYS} ELSE audit_days END \
         FROM institutions WHERE id = {institution}), 0)"
    )
}

/// The columns of a seal.
pub(super) const SEAL_COLUMNS: &str = "institution_id, number, days, newest_at, ends_at, digest, lines, hash";

/// When the time of a seal is over, for PostgreSQL: `ends_at`.
pub(super) fn ends_text(newest: &str) -> String {
    format!("{newest} + (CASE WHEN days = 0 THEN 730 ELSE days END) * CAST(86400000000 AS BIGINT)")
}

/// Without a round trip: PostgreSQL computes the hash.
async fn append_unseen(
    sql: &mut Sql,
    institution: InstitutionId,
    days: Option<i64>,
    seal: &Seal,
) -> Result<()> {
    let newest: Value<'_> = seal.newest.micros().into();
    let chain: [Value<'_>; 4] = [institution.into(), days.into(), (&seal.digest).into(), newest.clone()];
    sql.defer(CHAIN.get_or_init(chain_text), &chain).await?;
    let seal: [Value<'_>; 4] = [newest, (&seal.digest).into(), (&seal.lines).into(), institution.into()];
    sql.defer(SEAL.get_or_init(seal_text), &seal).await
}

static CHAIN: OnceLock<String> = OnceLock::new();
static SEAL: OnceLock<String> = OnceLock::new();

fn chain_text() -> String {
    let (digest, newest) = ("CAST($3 AS TEXT)", "CAST($4 AS BIGINT)");
    format!(
        "INSERT INTO audit_chains (institution_id, number, days, hash) SELECT f.institution_id, 1, f.days, {first} \
         FROM (SELECT CAST($1 AS BIGINT) AS institution_id, COALESCE(CAST($2 AS BIGINT), {setting}) AS days) f \
         ON CONFLICT (institution_id) DO UPDATE SET number = audit_chains.number + 1, days = EXCLUDED.days, hash = {next}",
        first = hash_text("''", digest, "f.days", newest),
        setting = days_text("$1"),
        next = hash_text("audit_chains.hash", digest, "EXCLUDED.days", newest),
    )
}

fn seal_text() -> String {
    format!(
        "INSERT INTO audit_seals ({SEAL_COLUMNS}) SELECT institution_id, number, days, CAST($1 AS BIGINT), {ends}, CAST($2 AS TEXT), \
         CAST($3 AS TEXT), hash FROM audit_chains WHERE institution_id = $4",
        ends = ends_text("CAST($1 AS BIGINT)"),
    )
}

/// The same with reads: SQLite has no such functions, and Citus no such statement.
async fn append(sql: &mut Sql, institution: InstitutionId, days: Option<i64>, seal: &Seal) -> Result<()> {
    let days = match days {
        Some(days) => days,
        None => days_kept(audit::retention(sql, institution).await?.flatten()),
    };
    let (number, before) = match locked(sql, institution).await? {
        Some(newest) => newest,
        None => {
            let text = "INSERT INTO audit_chains (institution_id, number, days, hash) VALUES ($1, 0, 0, '') ON CONFLICT DO NOTHING";
            sql.execute(text, &[institution.into()]).await?;
            locked(sql, institution).await?.unwrap_or_default()
        }
    };
    let hash = seal_hash(&before, &seal.digest, days, seal.newest).ok_or_else(unreadable)?;
    let chain = "UPDATE audit_chains SET number = $1, days = $2, hash = $3 WHERE institution_id = $4";
    sql.execute(chain, &[(number + 1).into(), days.into(), (&hash).into(), institution.into()]).await?;
    let text = format!("INSERT INTO audit_seals ({SEAL_COLUMNS}) VALUES ({})", placeholders(1, 8));
    let params: [Value<'_>; 8] = [
        institution.into(),
        (number + 1).into(),
        days.into(),
        seal.newest.micros().into(),
        ends_at(seal.newest, days).micros().into(),
        (&seal.digest).into(),
        (&seal.lines).into(),
        (&hash).into(),
    ];
    sql.execute(&text, &params).await.map(|_| ())
}

fn unreadable() -> super::Error {
    super::Error::Broken("a hash in audit_chains is not in hex".to_owned())
}

async fn locked(sql: &mut Sql, institution: InstitutionId) -> Result<Option<(i64, String)>> {
    let lock = if sql.is_postgres() { " FOR UPDATE" } else { "" };
    let text = format!("SELECT number, hash FROM audit_chains WHERE institution_id = $1{lock}");
    sql.one(&text, &[institution.into()], |row| Ok((row.int(0)?, row.text(1)?))).await
}

/// A chain: its newest seal, and up to where its seals were removed because their time was over.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Chain {
    pub number: i64,
    /// Blank before the first seal.
    pub hash: String,
    pub anchor: Option<Anchor>,
}

/// The newest seal that was removed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Anchor {
    pub number: i64,
    pub hash: String,
    pub signature: String,
}

pub async fn chain(sql: &mut Sql, institution: InstitutionId) -> Result<Chain> {
    let text = "SELECT number, hash, anchor_number, anchor_hash, anchor_signature FROM audit_chains WHERE institution_id = $1";
    let params = [institution.into()];
    let found = sql.one(text, &params, |row| {
        let anchor = match (row.int(2)?, row.opt_text(3)?, row.opt_text(4)?) {
            (0, None, None) => None,
            (number, hash, signature) => Some(Anchor {
                number,
                hash: hash.unwrap_or_default(),
                signature: signature.unwrap_or_default(),
            }),
        };
        Ok(Chain { number: row.int(0)?, hash: row.text(1)?, anchor })
    });
    Ok(found.await?.unwrap_or_default())
}

/// A seal as it is stored.
#[derive(Debug, Clone)]
pub struct Stored {
    pub number: i64,
    pub days: i64,
    pub newest: Moment,
    pub digest: String,
    /// `None` if the time of its entries is over.
    pub lines: Option<String>,
    pub hash: String,
}

/// The next seals after a number.
pub async fn after(sql: &mut Sql, institution: InstitutionId, number: i64, most: i64) -> Result<Vec<Stored>> {
    let text = "SELECT number, days, newest_at, digest, lines, hash FROM audit_seals \
                WHERE institution_id = $1 AND number > $2 ORDER BY number LIMIT $3";
    sql.rows(text, &[institution.into(), number.into(), most.into()], |row| {
        Ok(Stored {
            number: row.int(0)?,
            days: row.int(1)?,
            newest: Moment::from_micros(row.int(2)?),
            digest: row.text(3)?,
            lines: row.opt_text(4)?,
            hash: row.text(5)?,
        })
    })
    .await
}

/// Institutions with entries that are in no seal: those that were written by an older version.
pub async fn with_unsealed(sql: &mut Sql) -> Result<Vec<InstitutionId>> {
    let text = "SELECT DISTINCT institution_id FROM audit WHERE NOT sealed ORDER BY institution_id";
    sql.rows(text, &[], |row| row.id(0)).await
}

/// Seals the oldest entries that an older version has written. Returns how many they were.
pub async fn adopt(
    sql: &mut Sql,
    institution: InstitutionId,
    salts: impl Fn() -> Salts + Send,
) -> Result<usize> {
    // Whoever is erased is forgotten in these entries under this lock.
    rolls::lock(sql, institution).await?;
    let found = audit::unsealed(sql, institution, MOST as i64).await?;
    let text = "UPDATE audit SET sealed = TRUE, who_proof = $1, person_proof = $2 \
                WHERE institution_id = $3 AND created_at = $4 AND id = $5";
    for row in &found {
        let proofs = row.written().proofs(salts());
        let sealed = Sealed { at: row.at, id: row.id, digest: row.written().digest(&proofs) };
        let texts = [&proofs.who, &proofs.person].map(|proof| proof.as_ref().map(ToString::to_string));
        let params: [Value<'_>; 5] = [
            texts[0].as_deref().into(),
            texts[1].as_deref().into(),
            institution.into(),
            row.at.micros().into(),
            row.id.into(),
        ];
        sql.execute(text, &params).await?;
        sql.unsealed.add(institution, sealed);
    }
    Ok(found.len())
}

/// The seals whose time is over and that still have their lines: their numbers and lines. What was to be kept forever is kept as long as
/// the institution wants it.
pub async fn ended(
    sql: &mut Sql,
    institution: InstitutionId,
    now: Moment,
    most: i64,
) -> Result<Vec<(i64, String)>> {
    let mut ended = Vec::new();
    let is_forever = audit::retention(sql, institution).await?.is_some_and(|days| days.is_none());
    // Each has an index of its own.
    for kept in ["days > 0", "days = 0"] {
        if is_forever && kept == "days = 0" {
            break;
        }
        let text = format!(
            "SELECT number, lines FROM audit_seals WHERE institution_id = $1 AND lines IS NOT NULL AND {kept} AND ends_at < $2 \
             ORDER BY ends_at LIMIT $3"
        );
        let params: [Value<'_>; 3] = [institution.into(), now.micros().into(), most.into()];
        ended.extend(sql.rows(&text, &params, |row| Ok((row.int(0)?, row.text(1)?))).await?);
    }
    Ok(ended)
}

/// Seals that end in one transaction.
const MOST_ENDING: i64 = 200;

/// Deletes the entries of seals whose time is over. Returns how many entries they were.
pub async fn end(sql: &mut Sql, institution: InstitutionId, now: Moment) -> Result<u64> {
    // Whoever is erased is forgotten in these entries under this lock.
    rolls::lock(sql, institution).await?;
    let mut deleted = 0;
    for (number, lines) in ended(sql, institution, now, MOST_ENDING).await? {
        for entries in Sealed::parse(&lines).unwrap_or_default().chunks(MOST) {
            deleted += delete(sql, institution, entries).await?;
        }
        let text = "UPDATE audit_seals SET lines = NULL WHERE institution_id = $1 AND number = $2";
        sql.execute(text, &[institution.into(), number.into()]).await?;
    }
    Ok(deleted)
}

async fn delete(sql: &mut Sql, institution: InstitutionId, entries: &[Sealed]) -> Result<u64> {
    let mut deleted = 0;
    for (text, params) in keyed("DELETE FROM audit", institution, entries) {
        deleted += sql.execute(&text, &params).await?;
    }
    Ok(deleted)
}

/// Statements about these entries, each with its parameters.
pub(super) fn keyed(
    start: &str,
    institution: InstitutionId,
    entries: &[Sealed],
) -> Vec<(String, Vec<Value<'static>>)> {
    let times = || entries.iter().map(|entry| entry.at.micros());
    let (Some(oldest), Some(newest)) = (times().min(), times().max()) else { return Vec::new() };
    let ids: Vec<i64> = entries.iter().map(|entry| entry.id.get()).collect();
    let statement = |group: Vec<i64>| {
        let text = format!(
            "{start} WHERE institution_id = $1 AND created_at >= $2 AND created_at <= $3 AND id IN ({})",
            placeholders(4, group.len())
        );
        let mut params: Vec<Value<'static>> = vec![institution.into(), oldest.into(), newest.into()];
        params.extend(group.into_iter().map(Value::from));
        (text, params)
    };
    padded(&ids).map(statement).collect()
}

/// Removes the oldest seals, as far as the time of all of them is over, and remembers the last one. `sign` gets its number and hash.
pub async fn anchor(
    sql: &mut Sql,
    institution: InstitutionId,
    sign: impl Fn(i64, &str) -> Result<String> + Send,
) -> Result<()> {
    let first = "SELECT number FROM audit_seals WHERE institution_id = $1 AND lines IS NOT NULL ORDER BY number LIMIT 1";
    let first = sql.one(first, &[institution.into()], |row| row.int(0)).await?;
    let last = "SELECT number, hash FROM audit_seals WHERE institution_id = $1 AND number < $2 ORDER BY number DESC LIMIT 1";
    let params: [Value<'_>; 2] = [institution.into(), first.unwrap_or(i64::MAX).into()];
    let last = sql.one(last, &params, |row| Ok((row.int(0)?, row.text(1)?))).await?;
    let Some((number, hash)) = last else { return Ok(()) };
    let signature = sign(number, &hash)?;
    let gone = "DELETE FROM audit_seals WHERE institution_id = $1 AND number <= $2";
    sql.execute(gone, &[institution.into(), number.into()]).await?;
    let text = "UPDATE audit_chains SET anchor_number = $1, anchor_hash = $2, anchor_signature = $3 WHERE institution_id = $4";
    let params: [Value<'_>; 4] = [number.into(), (&hash).into(), (&signature).into(), institution.into()];
    sql.execute(text, &params).await.map(|_| ())
}

/// Institutions whose chain has an anchor.
pub async fn with_anchor(sql: &mut Sql) -> Result<Vec<InstitutionId>> {
    let text = "SELECT institution_id FROM audit_chains WHERE anchor_number > 0 ORDER BY institution_id";
    sql.rows(text, &[], |row| row.id(0)).await
}

/// Signs an anchor, unless there is a newer one.
pub async fn set_signature(
    sql: &mut Sql,
    institution: InstitutionId,
    number: i64,
    signature: &str,
) -> Result<()> {
    let text =
        "UPDATE audit_chains SET anchor_signature = $1 WHERE institution_id = $2 AND anchor_number = $3";
    sql.execute(text, &[signature.into(), institution.into(), number.into()]).await.map(|_| ())
}

/// Chains whose newest hash was not logged since a moment: the institution and its slug.
pub async fn unlogged(sql: &mut Sql, since: Moment) -> Result<Vec<(InstitutionId, String)>> {
    let text = "SELECT c.institution_id, i.slug FROM audit_chains c JOIN institutions i ON i.id = c.institution_id \
                WHERE c.logged_at < $1 ORDER BY c.institution_id";
    sql.rows(text, &[since.micros().into()], |row| Ok((row.id(0)?, row.text(1)?))).await
}

/// Notes that the newest hash is logged, and returns it with its number. `None` if somebody else has logged it meanwhile.
pub async fn take_to_log(
    sql: &mut Sql,
    institution: InstitutionId,
    since: Moment,
    now: Moment,
) -> Result<Option<(i64, String)>> {
    let text = "UPDATE audit_chains SET logged_at = $1 WHERE institution_id = $2 AND logged_at < $3 RETURNING number, hash";
    let params: [Value<'_>; 3] = [now.micros().into(), institution.into(), since.micros().into()];
    sql.one(text, &params, |row| Ok((row.int(0)?, row.text(1)?))).await
}

/// Notes entries that are about to be written.
pub(super) fn note(sql: &mut Sql, entry: &NewEntry, digest: String) {
    let sealed = Sealed { at: entry.entry.at, id: entry.entry.id, digest };
    sql.unsealed.add(entry.entry.institution, sealed);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::ids::AuditId;

    #[test]
    fn a_seal_has_few_entries_of_a_short_time() {
        let entry = |day: i64, id: usize| Sealed {
            at: Moment::from_micros(0).plus_days(day),
            id: AuditId::new(id as i64),
            digest: String::new(),
        };
        assert!(in_seals(Vec::new()).is_empty());
        let seals = in_seals((0..MOST + 1).map(|id| entry(0, id)).collect());
        assert_eq!(seals.iter().map(Vec::len).collect::<Vec<_>>(), [MOST, 1]);
        let seals = in_seals(vec![entry(5, 1), entry(6, 2), entry(8, 3), entry(1, 4)]);
        assert_eq!(seals.iter().map(Vec::len).collect::<Vec<_>>(), [2, 1, 1]);
    }
}
