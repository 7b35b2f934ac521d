//! What is going on in an institution: its newest imports and exports with how far they are, and how much waits. Every count ends at
//! `MOST`, so that a hundred thousand waiting messages cost no more than a thousand.

use std::collections::HashMap;

use super::{Error, Result, Row, Sql, Value, exports::PEOPLE, opt_outs::on_pages};
use crate::domain::{
    export::State as ExportState,
    ids::{ExportId, ImportId, InstitutionId, JobId, NamePageId},
    import::ImportState,
    job::{Job, Kind, State as JobState},
};

/// How many imports, exports, tasks and jobs of a kind are read.
pub const SHOWN: i64 = 50;
/// Where counting ends.
pub const MOST: i64 = 1_000;

pub struct ImportRow {
    pub id: ImportId,
    pub page: NamePageId,
    pub state: ImportState,
    pub done: u64,
    pub total: Option<u64>,
}

/// The newest imports.
pub async fn imports(sql: &mut Sql, institution: InstitutionId) -> Result<Vec<ImportRow>> {
    let text = "SELECT id, name_page_id, state, rows_done, rows_total FROM imports WHERE institution_id = $1 \
                ORDER BY id DESC LIMIT $2";
    let read = |row: &Row<'_>| {
        let unknown = || Error::Broken("a state of an import that this binary does not know".to_owned());
        Ok(ImportRow {
            id: row.id(0)?,
            page: row.id(1)?,
            state: ImportState::parse(&row.text(2)?).ok_or_else(unknown)?,
            done: row.int(3)?.unsigned_abs(),
            total: row.opt_int(4)?.map(i64::unsigned_abs),
        })
    };
    sql.rows(text, &[institution.into(), SHOWN.into()], read).await
}

pub struct ExportRow {
    pub id: ExportId,
    pub state: ExportState,
    /// The pages whose people it has; `None` for all of them.
    pub pages: Option<Vec<NamePageId>>,
    /// As in `Export`.
    pub people: Option<u64>,
    pub people_total: Option<u64>,
}

/// The newest exports.
pub async fn exports(sql: &mut Sql, institution: InstitutionId) -> Result<Vec<ExportRow>> {
    let text = format!(
        "SELECT id, state, name_page_id, pages_limited, {PEOPLE}, people_total FROM exports WHERE institution_id = $1 \
         ORDER BY id DESC LIMIT $2"
    );
    let read = |row: &Row<'_>| {
        let word = row.text(1)?;
        let unknown = || Error::Broken("an export in a state that this binary does not know".to_owned());
        let state = ExportState::ALL.into_iter().find(|state| state.word() == word);
        let pages = match (row.opt_id(2)?, row.bool(3)?) {
            (Some(page), _) => Some(vec![page]),
            (None, true) => Some(Vec::new()),
            (None, false) => None,
        };
        Ok(ExportRow {
            id: row.id(0)?,
            state: state.ok_or_else(unknown)?,
            pages,
            people: row.opt_int(4)?.map(i64::unsigned_abs),
            people_total: row.opt_int(5)?.map(i64::unsigned_abs),
        })
    };
    let mut found = sql.rows(&text, &[institution.into(), SHOWN.into()], read).await?;
    let Some(oldest) = found.iter().map(|export| export.id).min() else { return Ok(found) };
    let text =
        "SELECT export_id, name_page_id FROM export_pages WHERE institution_id = $1 AND export_id >= $2";
    let mut pages: HashMap<ExportId, Vec<NamePageId>> = HashMap::new();
    let read = |row: &Row<'_>| Ok((row.id::<ExportId>(0)?, row.id::<NamePageId>(1)?));
    for (export, page) in sql.rows(text, &[institution.into(), oldest.into()], read).await? {
        pages.entry(export).or_default().push(page);
    }
    for export in &mut found {
        if let (Some(own), Some(more)) = (&mut export.pages, pages.remove(&export.id)) {
            own.extend(more);
        }
    }
    Ok(found)
}

pub struct JobRow {
    pub id: JobId,
    pub state: JobState,
    /// `None` if only a newer binary can read it.
    pub job: Option<Job>,
}

/// Waiting and running jobs of a kind.
pub async fn jobs(sql: &mut Sql, institution: InstitutionId, kind: Kind) -> Result<Vec<JobRow>> {
    let text = "SELECT id, state, payload FROM jobs WHERE kind = $1 AND institution_id = $2 AND run_at IS NOT NULL \
                ORDER BY run_at, id LIMIT $3";
    let params: [Value<'_>; 3] = [kind.name().into(), institution.into(), SHOWN.into()];
    let read = |row: &Row<'_>| {
        let is_running = row.text(1)? == JobState::Running.word();
        Ok(JobRow {
            id: row.id(0)?,
            state: if is_running { JobState::Running } else { JobState::Waiting },
            job: serde_json::from_str(&row.text(2)?).ok(),
        })
    };
    sql.rows(text, &params, read).await
}

/// How many jobs of this kind wait or run.
pub async fn alive(sql: &mut Sql, institution: InstitutionId, kind: Kind) -> Result<u64> {
    let text = "SELECT COUNT(*) FROM (SELECT 1 FROM jobs WHERE kind = $1 AND institution_id = $2 AND run_at IS NOT NULL \
                LIMIT $3) w";
    count(sql, text, &[kind.name().into(), institution.into(), MOST.into()]).await
}

/// How many jobs of the institution have been given up. They have no time.
pub async fn dead(sql: &mut Sql, institution: InstitutionId) -> Result<u64> {
    count(sql, DEAD, &[institution.into(), MOST.into()]).await
}

// The order makes both databases choose the index of just these rows.
const DEAD: &str = "SELECT COUNT(*) FROM (SELECT 1 FROM jobs WHERE run_at IS NULL AND institution_id = $1 \
     ORDER BY id LIMIT $2) w";
const UNDER_WAY: &str = "SELECT COUNT(*) FROM (SELECT 1 FROM calls WHERE institution_id = $1 \
     AND state IN ('scheduled', 'dialing', 'in_progress') AND run_at IS NULL ORDER BY id LIMIT $2) w";

/// For the test that checks query plans: counts of the console, each with the index that it needs.
#[doc(hidden)]
pub fn console_statements() -> Vec<(&'static str, String, Vec<Value<'static>>)> {
    let params = || vec![Value::Int(1), Value::Int(MOST)];
    vec![("jobs_dead", DEAD.to_owned(), params()), ("calls_under_way", UNDER_WAY.to_owned(), params())]
}

/// How many calls are scheduled, and how many are being made.
pub async fn calls(sql: &mut Sql, institution: InstitutionId) -> Result<(u64, u64)> {
    let scheduled = "SELECT COUNT(*) FROM (SELECT 1 FROM calls WHERE institution_id = $1 AND run_at IS NOT NULL LIMIT $2) w";
    let params: [Value<'_>; 2] = [institution.into(), MOST.into()];
    Ok((count(sql, scheduled, &params).await?, count(sql, UNDER_WAY, &params).await?))
}

/// How many addresses the mail server has rejected: in the institution, or of people on these pages.
pub async fn bounces(sql: &mut Sql, institution: InstitutionId, pages: Option<&[NamePageId]>) -> Result<u64> {
    let mut params: Vec<Value<'_>> = vec![institution.into()];
    let on_pages = on_pages("b", pages, &mut params);
    params.push(MOST.into());
    let text = format!(
        "SELECT COUNT(*) FROM (SELECT 1 FROM mail_bounces b WHERE b.institution_id = $1{on_pages} LIMIT ${}) w",
        params.len()
    );
    count(sql, &text, &params).await
}

/// How many cases wait for a decision: in the institution, or on these pages.
pub async fn cases(sql: &mut Sql, institution: InstitutionId, pages: Option<&[NamePageId]>) -> Result<u64> {
    // As in `moderation::list`: recordings that were replaced since, and people who have left, are left out.
    const STILL_THERE: &str = "c.state = 'open' \
         AND (SELECT p.id FROM participants p WHERE p.institution_id = $1 AND p.id = c.participant_id) IS NOT NULL";
    const STILL_HEARD: &str =
        "AND (SELECT m.hex FROM media m WHERE m.institution_id = $1 AND m.hex = c.hex) IS NOT NULL";
    let mut all = 0;
    for (table, still) in [("moderation", STILL_HEARD), ("entry_cases", "")] {
        let from = format!("SELECT COUNT(*) FROM (SELECT 1 FROM {table} c WHERE c.institution_id = $1");
        let Some(pages) = pages else {
            let text = format!("{from} AND {STILL_THERE} {still} LIMIT $2) w");
            all += count(sql, &text, &[institution.into(), MOST.into()]).await?;
            continue;
        };
        let text = format!("{from} AND c.name_page_id = $2 AND {STILL_THERE} {still} LIMIT $3) w");
        for page in pages {
            all += count(sql, &text, &[institution.into(), (*page).into(), MOST.into()]).await?;
        }
    }
    Ok(all)
}

async fn count(sql: &mut Sql, text: &str, params: &[Value<'_>]) -> Result<u64> {
    Ok(sql.one(text, params, |row| row.int(0)).await?.unwrap_or(0).unsigned_abs())
}

/// Jobs by kind and state, of all institutions.
pub async fn jobs_by_kind(sql: &mut Sql) -> Result<Vec<(String, String, u64)>> {
    let text = "SELECT kind, state, COUNT(*) FROM jobs GROUP BY kind, state ORDER BY kind, state";
    sql.rows(text, &[], |row| Ok((row.text(0)?, row.text(1)?, row.int(2)?.unsigned_abs()))).await
}

/// Messages of all institutions that wait or are being sent.
pub async fn messages(sql: &mut Sql) -> Result<u64> {
    let text = "SELECT COUNT(*) FROM outbox WHERE state IN ('queued', 'sending')";
    count(sql, text, &[]).await
}
