//! Whose turn it is: institutions are served one after the other, however much each of them has waiting (ADR 9).

use super::{Result, Row, Sql, Value, calls, jobs};
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
}

/// Which institutions have due jobs of these kinds. The one that was served least recently in the lane is first, and of its kinds the one
/// with the oldest job. Others follow, because another worker may take that job first.
pub async fn waiting(sql: &mut Sql, kinds: &[(Kind, Lane)], now: Moment) -> Result<Vec<Waiting>> {
    let read = |row: &Row<'_>| {
        let (name, institution) = (row.text(0)?, row.id(1)?);
        let known = kinds.iter().find(|(kind, _)| kind.name() == name);
        Ok(known.map(|(kind, lane)| Waiting { kind: *kind, lane: *lane, institution }))
    };
    let found = sql.rows(&waiting_text(kinds), &[now.micros().into()], read).await?;
    Ok(found.into_iter().flatten().collect())
}

/// Goes from one institution with jobs of a kind to the next by its key (a loose index scan), and reads one job of each. So an institution
/// with 100,000 jobs costs as much as one with a single job. Names are constants, so they can be inlined safely.
fn waiting_text(kinds: &[(Kind, Lane)]) -> String {
    let named = |(kind, lane): &(Kind, Lane)| format!("('{}', '{}')", kind.name(), lane.name());
    format!(
        "WITH RECURSIVE kinds(kind, lane) AS (VALUES {}), \
         waiting(kind, lane, institution_id) AS (SELECT kind, lane, CAST(-1 AS BIGINT) FROM kinds UNION ALL \
         SELECT w.kind, w.lane, (SELECT j.institution_id FROM jobs j WHERE j.kind = w.kind \
         AND j.institution_id > w.institution_id AND j.run_at IS NOT NULL ORDER BY j.institution_id LIMIT 1) \
         FROM waiting w WHERE w.institution_id IS NOT NULL), \
         due(kind, lane, institution_id, run_at) AS MATERIALIZED (SELECT w.kind, w.lane, w.institution_id, \
         (SELECT j.run_at FROM jobs j WHERE j.kind = w.kind AND j.institution_id = w.institution_id \
         AND j.run_at <= $1 ORDER BY j.run_at LIMIT 1) FROM waiting w WHERE w.institution_id >= 0) \
         SELECT d.kind, d.institution_id FROM due d \
         LEFT JOIN turns t ON t.lane = d.lane AND t.institution_id = d.institution_id WHERE d.run_at IS NOT NULL \
         ORDER BY COALESCE(t.turn, 0), d.run_at, d.institution_id, d.kind LIMIT 32",
        kinds.iter().map(named).collect::<Vec<_>>().join(", ")
    )
}

/// Puts an institution behind all others of the lane, in the transaction that serves it. It is the last statement, because other workers that
/// serve the same institution wait for its lock.
pub async fn take(sql: &mut Sql, lane: &str, institution: InstitutionId) -> Result<()> {
    // Two workers may get the same number. Then the older job is first, which is fair enough.
    let newest = sql.one("SELECT MAX(turn) FROM turns", &[], |row| row.opt_int(0)).await?.flatten();
    let turn = newest.unwrap_or(0) + 1;
    let text = "INSERT INTO turns (lane, institution_id, turn) VALUES ($1, $2, $3) \
                ON CONFLICT (lane, institution_id) DO UPDATE SET turn = excluded.turn";
    sql.execute(text, &[lane.into(), institution.into(), turn.into()]).await.map(|_| ())
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
        ("the next call", calls::due_text(), vec![now()]),
        ("a due job of an institution", jobs::due_text(Kind::FetchTake, 1), vec![Value::Int(7), now()]),
    ]
}
