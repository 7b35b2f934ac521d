//! Whose turn it is: institutions are served one after the other, however much each of them has waiting (ADR 9).

use super::{Result, Row, Sql, Value, jobs};
use crate::domain::{
    ids::InstitutionId,
    job::{Kind, Lane},
    moment::Moment,
};

/// The lane of phone calls. Those of jobs are in `Lane`.
pub const CALLS: &str = "calls";

/// An institution that has a due job of this kind.
#[derive(Debug, Clone, Copy)]
pub struct Waiting {
    pub kind: Kind,
    pub lane: Lane,
    /// 0 for jobs of the installation.
    pub institution: InstitutionId,
    pub turn: Turn,
}

/// What moves the cursor of a lane.
#[derive(Debug, Clone, Copy)]
pub struct Turn {
    /// The number of the lane's last turn, when somebody looked.
    pub last: i64,
    /// The number of the turn that follows.
    pub next: i64,
}

/// Which institutions have due jobs of these kinds. First those of the lane that was served least recently, beginning after the institution
/// that was served last there; and of its kinds the one with the oldest job. Others follow, because another worker may take that job first.
pub async fn waiting(sql: &mut Sql, kinds: &[(Kind, Lane)], now: Moment) -> Result<Vec<Waiting>> {
    let read = |row: &Row<'_>| {
        let (name, institution) = (row.text(0)?, row.id(1)?);
        let turn = Turn { last: row.int(2)?, next: row.int(3)? };
        let known = kinds.iter().find(|(kind, _)| kind.name() == name);
        Ok(known.map(|(kind, lane)| Waiting { kind: *kind, lane: *lane, institution, turn }))
    };
    let found = sql.rows(&waiting_text(kinds), &[now.micros().into()], read).await?;
    Ok(found.into_iter().flatten().collect())
}

/// How many institutions of each kind are found. More than one, because the jobs of the first may be locked by processes that hang.
const FOUND: usize = 8;

/// Goes from one institution with jobs of a kind to the next by its key (a loose index scan), from the cursor to the end and from the start
/// to the cursor, and reads the oldest job of each. It ends when enough institutions have due jobs, so it costs the same for ten thousand
/// institutions, and for one with 100,000 jobs. What is deferred is skipped: institutions that have something to do tomorrow cost nothing
/// today. Kinds without a due job are left out. Names are constants, so they can be inlined safely.
///
/// Columns are named where they are selected, because Citus drops the column list of a common table expression.
fn walk_text(kinds: &[(Kind, Lane)]) -> String {
    let named = |(kind, lane): &(Kind, Lane)| {
        format!(
            "SELECT '{}' AS kind, '{}' AS lane, {} AS run_at",
            kind.name(),
            lane.name(),
            jobs::first_text(*kind)
        )
    };
    format!(
        "WITH RECURSIVE kinds AS ({}), \
         cursors AS (SELECT k.kind, k.lane, COALESCE(t.turn, 0) AS turn, COALESCE(t.institution_id, -1) AS institution_id \
         FROM kinds k LEFT JOIN turns t ON t.lane = k.lane WHERE k.run_at <= $1), \
         parts AS (\
         SELECT kind, lane, turn, 1 AS part, institution_id AS above, {} AS up_to FROM cursors UNION ALL \
         SELECT kind, lane, turn, 2, -1, institution_id FROM cursors), \
         walk AS (SELECT p.kind, p.lane, p.turn, p.part, p.up_to, \
         (SELECT j.institution_id FROM jobs j WHERE j.kind = p.kind AND j.deferred = FALSE AND j.institution_id > p.above \
         AND j.institution_id <= p.up_to AND j.run_at IS NOT NULL ORDER BY j.institution_id LIMIT 1) AS institution_id, 0 AS found FROM parts p UNION ALL \
         SELECT w.kind, w.lane, w.turn, w.part, w.up_to, \
         (SELECT j.institution_id FROM jobs j WHERE j.kind = w.kind AND j.deferred = FALSE AND j.institution_id > w.institution_id \
         AND j.institution_id <= w.up_to AND j.run_at IS NOT NULL ORDER BY j.institution_id LIMIT 1), \
         w.found + CASE WHEN (SELECT j.run_at FROM jobs j WHERE j.kind = w.kind AND j.institution_id = w.institution_id \
         AND j.run_at IS NOT NULL ORDER BY j.run_at LIMIT 1) <= $1 THEN 1 ELSE 0 END \
         FROM walk w WHERE w.institution_id IS NOT NULL AND w.found < {FOUND})",
        kinds.iter().map(named).collect::<Vec<_>>().join(" UNION ALL "),
        i64::MAX
    )
}

fn waiting_text(kinds: &[(Kind, Lane)]) -> String {
    format!(
        "{}, due AS MATERIALIZED (\
         SELECT w.kind, w.lane, w.turn, w.part, w.institution_id, \
         (SELECT j.run_at FROM jobs j WHERE j.kind = w.kind AND j.institution_id = w.institution_id \
         AND j.run_at <= $1 ORDER BY j.run_at LIMIT 1) AS run_at FROM walk w) \
         SELECT d.kind, d.institution_id, d.turn, (SELECT COALESCE(MAX(t.turn), 0) + 1 FROM turns t) FROM due d \
         WHERE d.run_at IS NOT NULL ORDER BY d.turn, d.lane, d.part, d.institution_id, d.run_at, d.kind",
        walk_text(kinds)
    )
}

/// How many institutions `waiting` visits, for the test that checks that it does not visit those without due jobs.
#[doc(hidden)]
pub async fn visits(sql: &mut Sql, kinds: &[(Kind, Lane)], now: Moment) -> Result<i64> {
    let text = format!("{} SELECT COUNT(w.institution_id) FROM walk w", walk_text(kinds));
    Ok(sql.one(&text, &[now.micros().into()], |row| row.int(0)).await?.unwrap_or_default())
}

/// Goes from one institution with scheduled calls to the next by its key, and ends at the first one with a due call. What is deferred is
/// skipped.
pub(super) fn call_text() -> String {
    format!(
        "WITH RECURSIVE cursors AS (SELECT COALESCE(MAX(t.turn), 0) AS turn, COALESCE(MAX(t.institution_id), -1) AS institution_id \
         FROM turns t WHERE t.lane = '{CALLS}'), \
         parts AS (SELECT turn, 1 AS part, institution_id AS above, {} AS up_to FROM cursors UNION ALL \
         SELECT turn, 2, -1, institution_id FROM cursors), \
         walk AS (SELECT p.turn, p.part, p.up_to, \
         (SELECT c.institution_id FROM calls c WHERE c.deferred = FALSE AND c.institution_id > p.above \
         AND c.institution_id <= p.up_to AND c.run_at IS NOT NULL ORDER BY c.institution_id LIMIT 1) AS institution_id FROM parts p \
         UNION ALL SELECT w.turn, w.part, w.up_to, \
         (SELECT c.institution_id FROM calls c WHERE c.deferred = FALSE AND c.institution_id > w.institution_id \
         AND c.institution_id <= w.up_to AND c.run_at IS NOT NULL ORDER BY c.institution_id LIMIT 1) \
         FROM walk w WHERE w.institution_id IS NOT NULL AND {DUE_CALL} IS NULL), \
         due AS MATERIALIZED (SELECT w.turn, w.part, w.institution_id, {DUE_CALL} AS id FROM walk w) \
         SELECT d.institution_id, d.id, d.turn FROM due d WHERE d.id IS NOT NULL ORDER BY d.part LIMIT 1",
        i64::MAX
    )
}

/// The due call of the institution that the walk has reached.
const DUE_CALL: &str = "(SELECT c.id FROM calls c WHERE c.institution_id = w.institution_id AND c.run_at <= $1 \
     AND NOT EXISTS (SELECT 1 FROM call_attempts a WHERE a.until IS NOT NULL AND a.phone_number = c.phone_number) \
     ORDER BY c.run_at, c.id LIMIT 1)";

/// What is deferred until it is due.
#[derive(Debug, Clone, Copy)]
pub enum Backlog {
    Jobs,
    Calls,
}

impl Backlog {
    const fn table(self) -> &'static str {
        match self {
            Self::Jobs => "jobs",
            Self::Calls => "calls",
        }
    }
}

/// How many deferrals end at a time: SQLite has one writer, and others wait for it.
const BATCH: u64 = 500;

/// Has anything that was deferred become due?
pub async fn has_due_deferrals(sql: &mut Sql, backlog: Backlog, now: Moment) -> Result<bool> {
    let text = format!("{} LIMIT 1", due_deferrals_text(backlog));
    Ok(sql.one(&text, &[now.micros().into()], |row| row.int(0)).await?.is_some())
}

/// Ends the deferral of what has become due, before institutions take turns. What another process has locked is left to the next who looks.
/// Returns whether there may be more.
pub async fn end_deferrals(sql: &mut Sql, backlog: Backlog, now: Moment) -> Result<bool> {
    let text = format!(
        "UPDATE {} SET deferred = FALSE WHERE id IN ({} LIMIT {BATCH}{})",
        backlog.table(),
        due_deferrals_text(backlog),
        sql.skip_locked()
    );
    Ok(sql.execute(&text, &[now.micros().into()]).await? >= BATCH)
}

fn due_deferrals_text(backlog: Backlog) -> String {
    let table = backlog.table();
    format!("SELECT q.id FROM {table} q WHERE q.deferred = TRUE AND q.run_at <= $1 ORDER BY q.run_at, q.id")
}

/// Moves the cursor of the lane to the institution that is served, in the transaction that serves it. If another worker has moved it since
/// this one looked, or is about to, it stays: nobody waits for a worker that hangs.
pub async fn take(sql: &mut Sql, lane: &str, turn: Turn, institution: InstitutionId) -> Result<()> {
    let text = format!(
        "UPDATE turns SET institution_id = $1, turn = $2 \
         WHERE lane = (SELECT t.lane FROM turns t WHERE t.lane = $3 AND t.turn = $4{})",
        sql.skip_locked()
    );
    let params: [Value<'_>; 4] = [institution.into(), turn.next.into(), lane.into(), turn.last.into()];
    sql.execute(&text, &params).await.map(|_| ())
}

/// Sample queries for the test that checks query plans.
#[doc(hidden)]
pub fn statements() -> Vec<(&'static str, String, Vec<Value<'static>>)> {
    let now = || Value::Int(10_000_000);
    let kinds = [
        (Kind::FetchTake, Lane::Interactive),
        (Kind::SyncCourse, Lane::Sync),
        (Kind::DeleteTakes, Lane::Background),
    ];
    vec![
        ("institutions with due jobs", waiting_text(&kinds), vec![now()]),
        ("the next call", call_text(), vec![now()]),
        ("a due job of an institution", jobs::due_text(Kind::FetchTake, 1), vec![Value::Int(7), now()]),
        (
            "deferred jobs that are due",
            format!("{} LIMIT {BATCH}", due_deferrals_text(Backlog::Jobs)),
            vec![now()],
        ),
        (
            "deferred calls that are due",
            format!("{} LIMIT {BATCH}", due_deferrals_text(Backlog::Calls)),
            vec![now()],
        ),
    ]
}
