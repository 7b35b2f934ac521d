//! People whom somebody has deleted, and who can be restored for some time. They are in `hidden_participants`, like people who have left a
//! course (ADR 14).

use super::{
    Result, Row, Sql, Value, coverage, in_power_of_two_chunks, own_list, padded, placeholders, value_rows,
};
use crate::domain::{
    ids::{InstitutionId, NamePageId, ParticipantId},
    moment::Moment,
};

pub async fn insert(
    sql: &mut Sql,
    institution: InstitutionId,
    ids: &[ParticipantId],
    by: &str,
    (now, purge_at): (Moment, Moment),
) -> Result<()> {
    for group in in_power_of_two_chunks(ids) {
        let text = format!(
            "INSERT INTO deleted_people (institution_id, participant_id, deleted_at, deleted_by, purge_at) VALUES {} \
             ON CONFLICT (institution_id, participant_id) DO UPDATE SET deleted_at = excluded.deleted_at, \
             deleted_by = excluded.deleted_by, purge_at = excluded.purge_at",
            value_rows(1, group.len(), 5)
        );
        let mut params: Vec<Value<'_>> = Vec::with_capacity(group.len() * 5);
        for id in group {
            let times = [now.micros(), purge_at.micros()];
            params.extend([institution.into(), (*id).into(), times[0].into(), by.into(), times[1].into()]);
        }
        sql.execute(&text, &params).await?;
    }
    Ok(())
}

/// Somebody who can be restored.
#[derive(Debug, Clone)]
pub struct Deleted {
    pub id: ParticipantId,
    pub page: NamePageId,
    pub first_name: Option<String>,
    pub last_name: Option<String>,
    pub email: Option<String>,
    pub deleted_at: Moment,
    /// Empty if whoever it was has been erased.
    pub deleted_by: String,
    pub purge_at: Moment,
}

/// Those who were deleted last come first, behind this one. With pages, only those of these pages.
pub async fn list(
    sql: &mut Sql,
    institution: InstitutionId,
    pages: Option<&[NamePageId]>,
    (before, id): (Moment, ParticipantId),
    count: i64,
) -> Result<Vec<Deleted>> {
    let pages = pages.map(own_list).unwrap_or_default();
    let count_pages = pages.len();
    let mut params: Vec<Value<'_>> = vec![institution.into(), before.micros().into(), id.into()];
    params.extend(pages.into_iter().map(Value::from));
    params.push(count.into());
    let read = |row: &Row<'_>| {
        Ok(Deleted {
            id: row.id(0)?,
            page: row.id(1)?,
            first_name: row.opt_text(2)?,
            last_name: row.opt_text(3)?,
            email: row.opt_text(4)?,
            deleted_at: Moment::from_micros(row.int(5)?),
            deleted_by: row.text(6)?,
            purge_at: Moment::from_micros(row.int(7)?),
        })
    };
    sql.rows(&list_text(count_pages), &params, read).await
}

fn list_text(pages: usize) -> String {
    let on_pages = match pages {
        0 => String::new(),
        count => format!(" AND h.name_page_id IN ({})", placeholders(4, count)),
    };
    format!(
        "SELECT h.id, h.name_page_id, h.first_name, h.last_name, h.email, d.deleted_at, d.deleted_by, d.purge_at \
         FROM deleted_people d JOIN hidden_participants h ON h.institution_id = d.institution_id \
         AND h.id = d.participant_id WHERE d.institution_id = $1 AND (d.deleted_at, d.participant_id) < ($2, $3){on_pages} \
         ORDER BY d.deleted_at DESC, d.participant_id DESC LIMIT ${}",
        pages + 4
    )
}

/// When each of these people was deleted. Others, who have left a course, are left out.
pub async fn among(
    sql: &mut Sql,
    institution: InstitutionId,
    ids: &[ParticipantId],
) -> Result<Vec<(ParticipantId, Moment)>> {
    let mut found = Vec::new();
    for group in padded(ids) {
        let text = format!(
            "SELECT participant_id, deleted_at FROM deleted_people WHERE institution_id = $1 AND participant_id IN ({})",
            placeholders(2, group.len())
        );
        let params: Vec<Value<'_>> =
            [institution.into()].into_iter().chain(group.into_iter().map(Value::from)).collect();
        let read = |row: &Row<'_>| Ok((row.id::<ParticipantId>(0)?, Moment::from_micros(row.int(1)?)));
        found.extend(sql.rows(&text, &params, read).await?);
    }
    found.sort_unstable();
    found.dedup();
    Ok(found)
}

/// Those whose time is over, of any institution (ADR 3): for the job that deletes them for good.
pub async fn due(sql: &mut Sql, now: Moment, count: i64) -> Result<Vec<(InstitutionId, ParticipantId)>> {
    let text = "SELECT institution_id, participant_id FROM deleted_people WHERE purge_at <= $1 ORDER BY purge_at LIMIT $2";
    sql.rows(text, &[now.micros().into(), count.into()], |row| Ok((row.id(0)?, row.id(1)?))).await
}

pub async fn forget(sql: &mut Sql, institution: InstitutionId, id: ParticipantId) -> Result<()> {
    let text = "DELETE FROM deleted_people WHERE institution_id = $1 AND participant_id = $2";
    sql.execute(text, &[institution.into(), id.into()]).await.map(|_| ())
}

/// Withdraws the invitation of somebody who is deleted: otherwise the link would bring them back.
pub async fn withdraw_invitation(
    sql: &mut Sql,
    institution: InstitutionId,
    (page, email_key): (NamePageId, &str),
    now: Moment,
) -> Result<()> {
    let text = "UPDATE invitations SET withdrawn_at = $1, next_reminder_at = NULL WHERE institution_id = $2 \
                AND name_page_id = $3 AND email_key = $4 AND withdrawn_at IS NULL";
    let params: [Value<'_>; 4] = [now.micros().into(), institution.into(), page.into(), email_key.into()];
    if sql.execute(text, &params).await? > 0 {
        coverage::invited(sql, institution, page, -1).await?;
    }
    Ok(())
}

/// Undoes `withdraw_invitation`. Reminders do not go on.
pub async fn renew_invitation(
    sql: &mut Sql,
    institution: InstitutionId,
    (page, email_key): (NamePageId, &str),
    deleted_at: Moment,
) -> Result<()> {
    let text = "UPDATE invitations SET withdrawn_at = NULL WHERE institution_id = $1 AND name_page_id = $2 \
                AND email_key = $3 AND withdrawn_at = $4";
    let params: [Value<'_>; 4] =
        [institution.into(), page.into(), email_key.into(), deleted_at.micros().into()];
    if sql.execute(text, &params).await? > 0 {
        coverage::invited(sql, institution, page, 1).await?;
    }
    Ok(())
}
