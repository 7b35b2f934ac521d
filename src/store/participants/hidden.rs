//! Soft delete: rows of people who left a course move to a separate table that no other query reads, and back if they return.
//! The caller holds the institution's lock.

use super::*;
use crate::{
    domain::ids::{InstitutionId, NamePageId, ParticipantId},
    store::{audiences, coverage, media, rolls},
};

/// Soft-deletes people of one page: removes them from every list, lookup and count, and disables the links to their media.
pub async fn hide(
    sql: &mut Sql,
    institution: InstitutionId,
    page: NamePageId,
    ids: &[ParticipantId],
) -> Result<()> {
    let (ids, places) = moved(sql, institution, page, ids, ("participants", "hidden_participants")).await?;
    rolls::leave(sql, institution, rolls::INSTITUTION, &ids).await?;
    rolls::leave(sql, institution, page, &places).await?;
    coverage::left(sql, institution, page, &ids).await?;
    media::hide(sql, institution, &ids, true).await
}

/// Restores soft-deleted people in their former places, with all their data.
pub async fn show(
    sql: &mut Sql,
    institution: InstitutionId,
    page: NamePageId,
    ids: &[ParticipantId],
    now: Moment,
) -> Result<()> {
    let (ids, places) = moved(sql, institution, page, ids, ("hidden_participants", "participants")).await?;
    rolls::rejoin(sql, institution, rolls::INSTITUTION, &ids).await?;
    rolls::rejoin(sql, institution, page, &places).await?;
    coverage::joined(sql, institution, page, &ids).await?;
    media::hide(sql, institution, &ids, false).await?;
    audiences::keep_paused(sql, institution, &ids).await?;
    for group in padded(&ids) {
        // Whoever had deleted them: they are back.
        let text = format!(
            "DELETE FROM deleted_people WHERE institution_id = $1 AND participant_id IN ({})",
            placeholders(2, group.len())
        );
        let these = group.iter().map(|id| Value::from(*id));
        let params: Vec<Value<'_>> = [institution.into()].into_iter().chain(these).collect();
        sql.execute(&text, &params).await?;
        // Queries for recent changes must include them.
        let text = format!(
            "UPDATE participants SET updated_at = $1 WHERE institution_id = $2 AND id IN ({})",
            placeholders(3, group.len())
        );
        let params: Vec<Value<'_>> = [now.micros().into(), institution.into()]
            .into_iter()
            .chain(group.into_iter().map(Value::from))
            .collect();
        sql.execute(&text, &params).await?;
    }
    Ok(())
}

/// Hidden people of one page who match a key.
pub async fn on_page(
    sql: &mut Sql,
    institution: InstitutionId,
    page: NamePageId,
    by: KeyKind,
    key: &str,
) -> Result<Vec<ParticipantId>> {
    let text = format!(
        "SELECT id FROM hidden_participants WHERE institution_id = $1 AND {} = $2 AND name_page_id = $3 ORDER BY id",
        by.column()
    );
    sql.rows(&text, &[institution.into(), key.into(), page.into()], |row| row.id(0)).await
}

/// Deletes a hidden person permanently. Their place stays empty.
pub async fn delete(sql: &mut Sql, institution: InstitutionId, id: ParticipantId) -> Result<()> {
    sql.scrub_wal();
    let text = "DELETE FROM hidden_participants WHERE institution_id = $1 AND id = $2";
    sql.execute(text, &[institution.into(), id.into()]).await.map(|_| ())
}

/// Moves rows between the tables. Returns who was found, and their places on the page.
async fn moved(
    sql: &mut Sql,
    institution: InstitutionId,
    page: NamePageId,
    ids: &[ParticipantId],
    (from, to): (&str, &str),
) -> Result<(Vec<ParticipantId>, Vec<i64>)> {
    // All columns, so that nothing is lost.
    let columns = columns::all().join(", ");
    let (mut moved, mut places) = (Vec::with_capacity(ids.len()), Vec::with_capacity(ids.len()));
    for group in padded(ids) {
        let these = format!(
            "FROM {from} WHERE institution_id = $1 AND name_page_id = $2 AND id IN ({})",
            placeholders(3, group.len())
        );
        let params: Vec<Value<'_>> =
            [institution.into(), page.into()].into_iter().chain(group.into_iter().map(Value::from)).collect();
        sql.execute(&format!("INSERT INTO {to} ({columns}) SELECT {columns} {these}"), &params).await?;
        let text = format!("DELETE {these} RETURNING id, page_place");
        for (id, place) in sql.rows(&text, &params, |row| Ok((row.id(0)?, row.int(1)?))).await? {
            moved.push(id);
            places.push(place);
        }
    }
    Ok((moved, places))
}
