//! The figures of pages on earlier days (`domain/coverage.rs`). A job notes them (`app/coverage.rs`).

use std::collections::HashMap;

use super::{Result, Row, Sql, Value, coverage, padded, placeholders, rolls};
use crate::domain::{
    coverage::{Coverage, Noted},
    ids::{InstitutionId, NamePageId},
};

/// The pages whose figures are not the ones that were noted last.
pub async fn changed(sql: &mut Sql, institution: InstitutionId) -> Result<Vec<(NamePageId, Coverage)>> {
    let text = "SELECT r.name_page_id, r.members, c.recorded, c.invited FROM rolls r \
         JOIN coverage c ON c.institution_id = r.institution_id AND c.name_page_id = r.name_page_id \
         WHERE r.institution_id = $1 AND (c.noted_registered <> r.members OR c.noted_recorded <> c.recorded \
         OR c.noted_invited <> c.invited) ORDER BY r.name_page_id";
    let read = |row: &Row<'_>| Ok((row.id(0)?, coverage::from_row(row, 1)?));
    sql.rows(text, &[institution.into()], read).await
}

/// Notes the figures of a page, or of the institution (`rolls::INSTITUTION`), on this day.
pub async fn note(sql: &mut Sql, institution: InstitutionId, noted: Noted) -> Result<()> {
    let Noted { page, day, coverage: Coverage { registered, recorded, invited } } = noted;
    let text = "INSERT INTO coverage_days (institution_id, name_page_id, day, registered, recorded, invited) \
         VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (institution_id, name_page_id, day) \
         DO UPDATE SET registered = excluded.registered, recorded = excluded.recorded, invited = excluded.invited";
    let params: [Value<'_>; 6] =
        [institution.into(), page.into(), day.into(), registered.into(), recorded.into(), invited.into()];
    sql.execute(text, &params).await?;
    if page == rolls::INSTITUTION {
        return Ok(());
    }
    let text = "UPDATE coverage SET noted_registered = $1, noted_recorded = $2, noted_invited = $3 \
         WHERE institution_id = $4 AND name_page_id = $5";
    let params: [Value<'_>; 5] =
        [registered.into(), recorded.into(), invited.into(), institution.into(), page.into()];
    sql.execute(text, &params).await.map(|_| ())
}

/// Deletes the days of the institution before this one. Those of pages are kept: they stand for all days until the next.
pub async fn delete_before(sql: &mut Sql, institution: InstitutionId, day: i64) -> Result<()> {
    let text = "DELETE FROM coverage_days WHERE institution_id = $1 AND name_page_id = 0 AND day < $2";
    sql.execute(text, &[institution.into(), day.into()]).await.map(|_| ())
}

/// What was noted about these pages from a day on.
pub async fn since(
    sql: &mut Sql,
    institution: InstitutionId,
    pages: &[NamePageId],
    day: i64,
) -> Result<Vec<Noted>> {
    let mut found = Vec::new();
    for group in padded(pages) {
        let text = format!(
            "SELECT d.name_page_id, d.day, d.registered, d.recorded, d.invited FROM coverage_days d \
             WHERE d.institution_id = $1 AND d.day >= $2 AND d.name_page_id IN ({})",
            placeholders(3, group.len())
        );
        let mut params: Vec<Value<'_>> = vec![institution.into(), day.into()];
        params.extend(group.into_iter().map(Value::from));
        let read = |row: &Row<'_>| {
            Ok(Noted { page: row.id(0)?, day: row.int(1)?, coverage: coverage::from_row(row, 2)? })
        };
        found.extend(sql.rows(&text, &params, read).await?);
    }
    Ok(found)
}

/// What was noted last about these pages before a day.
pub async fn before(
    sql: &mut Sql,
    institution: InstitutionId,
    pages: &[NamePageId],
    day: i64,
) -> Result<HashMap<NamePageId, Coverage>> {
    let mut found = HashMap::new();
    for group in padded(pages) {
        let text = format!(
            "SELECT d.name_page_id, d.registered, d.recorded, d.invited FROM coverage_days d \
             WHERE d.institution_id = $1 AND d.day < $2 AND d.name_page_id IN ({}) AND d.day = \
             (SELECT MAX(x.day) FROM coverage_days x WHERE x.institution_id = $1 AND x.name_page_id = d.name_page_id AND x.day < $2)",
            placeholders(3, group.len())
        );
        let mut params: Vec<Value<'_>> = vec![institution.into(), day.into()];
        params.extend(group.into_iter().map(Value::from));
        let read = |row: &Row<'_>| Ok((row.id(0)?, coverage::from_row(row, 1)?));
        found.extend(sql.rows(&text, &params, read).await?);
    }
    Ok(found)
}
