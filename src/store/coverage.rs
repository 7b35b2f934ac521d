//! How many people of a page have a recording, and how many are invited. The counters change in the transaction that changes the
//! rows, under the institution's lock; `rolls` counts the people. Hidden people do not count, as in `rolls`.

use super::{Result, Row, Sql, Value, padded, placeholders};
use crate::domain::{
    coverage::Coverage,
    ids::{InstitutionId, NamePageId, ParticipantId},
};

pub async fn open(sql: &mut Sql, institution: InstitutionId, page: NamePageId) -> Result<()> {
    let text = "INSERT INTO coverage (institution_id, name_page_id, recorded, invited) VALUES ($1, $2, 0, 0)";
    sql.execute(text, &[institution.into(), page.into()]).await.map(|_| ())
}

pub async fn close(sql: &mut Sql, institution: InstitutionId, page: NamePageId) -> Result<()> {
    for text in [
        "DELETE FROM coverage WHERE institution_id = $1 AND name_page_id = $2",
        "DELETE FROM coverage_days WHERE institution_id = $1 AND name_page_id = $2",
    ] {
        sql.execute(text, &[institution.into(), page.into()]).await?;
    }
    Ok(())
}

/// The figures of a page.
pub async fn of(sql: &mut Sql, institution: InstitutionId, page: NamePageId) -> Result<Coverage> {
    let found = sql.one(OF, &[institution.into(), page.into()], |row| from_row(row, 0)).await?;
    Ok(found.unwrap_or_default())
}

const OF: &str = "SELECT r.members, c.recorded, c.invited FROM rolls r \
     LEFT JOIN coverage c ON c.institution_id = r.institution_id AND c.name_page_id = r.name_page_id \
     WHERE r.institution_id = $1 AND r.name_page_id = $2";

/// The figures of an institution: of all its pages, archived or not.
pub async fn of_institution(sql: &mut Sql, institution: InstitutionId) -> Result<Coverage> {
    let found = sql.one(OF_INSTITUTION, &[institution.into()], |row| from_row(row, 0)).await?;
    Ok(found.unwrap_or_default())
}

/// PostgreSQL returns sums of BIGINT as NUMERIC.
const OF_INSTITUTION: &str = "SELECT r.members, \
     (SELECT CAST(SUM(c.recorded) AS BIGINT) FROM coverage c WHERE c.institution_id = $1), \
     (SELECT CAST(SUM(c.invited) AS BIGINT) FROM coverage c WHERE c.institution_id = $1) \
     FROM rolls r WHERE r.institution_id = $1 AND r.name_page_id = 0";

/// The figures of these pages together.
pub async fn of_pages(sql: &mut Sql, institution: InstitutionId, pages: &[NamePageId]) -> Result<Coverage> {
    let mut all = Coverage::default();
    for group in padded(pages) {
        let text = format!(
            "SELECT CAST(SUM(r.members) AS BIGINT), CAST(SUM(c.recorded) AS BIGINT), CAST(SUM(c.invited) AS BIGINT) \
             FROM rolls r LEFT JOIN coverage c ON c.institution_id = r.institution_id AND c.name_page_id = r.name_page_id \
             WHERE r.institution_id = $1 AND r.name_page_id IN ({})",
            placeholders(2, group.len())
        );
        let params: Vec<Value<'_>> =
            [institution.into()].into_iter().chain(group.into_iter().map(Value::from)).collect();
        all = all.plus(sql.one(&text, &params, |row| from_row(row, 0)).await?.unwrap_or_default());
    }
    Ok(all)
}

/// Reads the three counters, starting at `first`.
pub(super) fn from_row(row: &Row<'_>, first: usize) -> Result<Coverage> {
    let count = |column: usize| row.opt_int(column).map(Option::unwrap_or_default);
    Ok(Coverage { registered: count(first)?, recorded: count(first + 1)?, invited: count(first + 2)? })
}

/// A person who had no recording has got one.
pub async fn recorded(sql: &mut Sql, institution: InstitutionId, id: ParticipantId) -> Result<()> {
    sql.execute(RECORDED, &[institution.into(), id.into()]).await.map(|_| ())
}

/// A person's recording was removed.
pub async fn unrecorded(sql: &mut Sql, institution: InstitutionId, id: ParticipantId) -> Result<()> {
    sql.execute(UNRECORDED, &[institution.into(), id.into()]).await.map(|_| ())
}

/// Hidden people are not in this table, so nothing changes for them.
const RECORDED: &str = "UPDATE coverage SET recorded = recorded + 1 WHERE institution_id = $1 AND name_page_id = \
     (SELECT p.name_page_id FROM participants p WHERE p.institution_id = $1 AND p.id = $2)";
const UNRECORDED: &str = "UPDATE coverage SET recorded = recorded - 1 WHERE institution_id = $1 AND name_page_id = \
     (SELECT p.name_page_id FROM participants p WHERE p.institution_id = $1 AND p.id = $2)";

/// Like `recorded`, for many people.
pub async fn all_recorded(sql: &mut Sql, institution: InstitutionId, ids: &[ParticipantId]) -> Result<()> {
    for group in padded(ids) {
        let text = format!(
            "SELECT name_page_id, COUNT(*) FROM participants WHERE institution_id = $1 AND id IN ({}) GROUP BY name_page_id",
            placeholders(2, group.len())
        );
        let read = |row: &Row<'_>| Ok((row.id::<NamePageId>(0)?, row.int(1)?));
        for (page, count) in sql.rows(&text, &params(institution, group), read).await? {
            let text = "UPDATE coverage SET recorded = recorded + $1 WHERE institution_id = $2 AND name_page_id = $3";
            sql.execute(text, &[count.into(), institution.into(), page.into()]).await?;
        }
    }
    Ok(())
}

fn params(institution: InstitutionId, ids: Vec<ParticipantId>) -> Vec<Value<'static>> {
    [institution.into()].into_iter().chain(ids.into_iter().map(Value::from)).collect()
}

/// People came to a page, with the recordings that they have.
pub async fn joined(
    sql: &mut Sql,
    institution: InstitutionId,
    page: NamePageId,
    ids: &[ParticipantId],
) -> Result<()> {
    carry(sql, institution, page, ids, '+').await
}

/// People left a page. Their recordings still exist: whoever deletes them later finds nobody to count.
pub async fn left(
    sql: &mut Sql,
    institution: InstitutionId,
    page: NamePageId,
    ids: &[ParticipantId],
) -> Result<()> {
    carry(sql, institution, page, ids, '-').await
}

async fn carry(
    sql: &mut Sql,
    institution: InstitutionId,
    page: NamePageId,
    ids: &[ParticipantId],
    sign: char,
) -> Result<()> {
    for group in padded(ids) {
        let text = carry_text(sign, group.len());
        let mut params = params(institution, group);
        params.push(page.into());
        sql.execute(&text, &params).await?;
    }
    Ok(())
}

fn carry_text(sign: char, count: usize) -> String {
    format!(
        "UPDATE coverage SET recorded = recorded {sign} (SELECT COUNT(*) FROM media m WHERE m.institution_id = $1 \
         AND m.participant_id IN ({}) AND m.kind = 'recording') WHERE institution_id = $1 AND name_page_id = ${}",
        placeholders(2, count),
        count + 2
    )
}

/// Invitations to a page were added, or withdrawn if `change` is negative.
pub async fn invited(sql: &mut Sql, institution: InstitutionId, page: NamePageId, change: i64) -> Result<()> {
    let text = "UPDATE coverage SET invited = invited + $1 WHERE institution_id = $2 AND name_page_id = $3";
    sql.execute(text, &[change.into(), institution.into(), page.into()]).await.map(|_| ())
}

/// All invitations of a person are about to be deleted.
pub async fn uninvited(sql: &mut Sql, institution: InstitutionId, email_key: &str) -> Result<()> {
    let text = "SELECT name_page_id FROM invitations WHERE institution_id = $1 AND email_key = $2 AND withdrawn_at IS NULL";
    let read = |row: &Row<'_>| row.id::<NamePageId>(0);
    for page in sql.rows(text, &[institution.into(), email_key.into()], read).await? {
        invited(sql, institution, page, -1).await?;
    }
    Ok(())
}

/// The invitations of two pages were merged: counts them once.
pub async fn count_invited(sql: &mut Sql, institution: InstitutionId, page: NamePageId) -> Result<()> {
    let text = "UPDATE coverage SET invited = (SELECT COUNT(*) FROM invitations i WHERE i.institution_id = $1 \
         AND i.name_page_id = $2 AND i.withdrawn_at IS NULL) WHERE institution_id = $1 AND name_page_id = $2";
    sql.execute(text, &[institution.into(), page.into()]).await.map(|_| ())
}

/// For the test that checks query plans.
#[doc(hidden)]
pub fn statements() -> Vec<(&'static str, String, Vec<Value<'static>>)> {
    let (institution, page, participant) = (Value::Int(1), Value::Int(1), Value::Int(7));
    vec![
        ("one more recording", RECORDED.to_owned(), vec![institution.clone(), participant.clone()]),
        ("one recording less", UNRECORDED.to_owned(), vec![institution.clone(), participant.clone()]),
        (
            "recordings of people who come",
            carry_text('+', 8),
            [vec![institution], vec![participant; 8], vec![page]].concat(),
        ),
    ]
}
