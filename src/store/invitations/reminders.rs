//! Reminders that are due.

use super::{
    super::{Result, Row, Sql, Value, institutions},
    COLUMNS, Guest, columns,
    guests::{JOINED, guest_columns, guest_from_row},
    times_from_row,
};
use crate::domain::{
    institution::Institution,
    invitation::{Invitation, PageTimes},
    moment::Moment,
};

/// Like `guests::IS_RECORDED`, without recordings that wait for approval.
const IS_AUDIBLE: &str = "COALESCE((SELECT 1 FROM media m WHERE m.institution_id = p.institution_id \
     AND m.participant_id = p.id AND m.kind = 'recording' LIMIT 1), 0) = 1";

/// Somebody whose reminder is due.
#[derive(Debug, Clone)]
pub struct Due {
    pub guest: Guest,
    /// Their only recording waits for approval.
    pub is_held: bool,
    pub times: PageTimes,
    /// Of their registration.
    pub phone_number: Option<String>,
    pub institution: Institution,
}

/// Those whose reminder is due, the longest due first.
pub async fn due(sql: &mut Sql, now: Moment, count: i64) -> Result<Vec<Due>> {
    let read = |row: &Row<'_>| {
        let after = COLUMNS.len() + GUEST_COLUMNS;
        let guest = guest_from_row(row)?;
        Ok(Due {
            is_held: guest.facts.is_recorded && !row.bool(after)?,
            guest,
            times: times_from_row(row, after + 1)?,
            phone_number: row.opt_text(after + 3)?,
            institution: institutions::from_row(row, after + 4)?,
        })
    };
    sql.rows(&due_text(), &[now.micros().into(), count.into()], read).await
}

/// How many `guest_columns` are.
const GUEST_COLUMNS: usize = 7;

pub(super) fn due_text() -> String {
    // The alias of the institution's columns is that of invitations elsewhere.
    let of_institution = institutions::COLUMNS.replace("i.", "t.");
    format!(
        "SELECT {}, {}, {IS_AUDIBLE}, n.closes_at, n.archived_at, p.phone_number, {of_institution} FROM {JOINED} \
         JOIN name_pages n ON n.institution_id = i.institution_id AND n.id = i.name_page_id \
         JOIN institutions t ON t.id = i.institution_id \
         WHERE i.next_reminder_at <= $1 ORDER BY i.next_reminder_at, i.id LIMIT $2",
        columns(),
        guest_columns()
    )
}

/// Is any reminder due?
pub async fn any_due(sql: &mut Sql, now: Moment) -> Result<bool> {
    let text = "SELECT 1 FROM invitations WHERE next_reminder_at <= $1 LIMIT 1";
    Ok(sql.one(text, &[now.micros().into()], |_| Ok(())).await?.is_some())
}

/// Sets when the next reminder is due, unless another worker has done so since the row was read.
pub async fn postpone(sql: &mut Sql, read: &Invitation, next: Option<Moment>) -> Result<bool> {
    let text = "UPDATE invitations SET next_reminder_at = $1 \
                WHERE institution_id = $2 AND id = $3 AND next_reminder_at = $4 AND generation = $5";
    let params: [Value<'_>; 5] = [
        next.map(Moment::micros).into(),
        read.institution.into(),
        read.id.into(),
        read.next_reminder_at.map(Moment::micros).into(),
        read.generation.into(),
    ];
    Ok(sql.execute(text, &params).await? == 1)
}

/// Like `postpone`, and counts a reminder that is sent in the same transaction.
pub async fn remind(sql: &mut Sql, read: &Invitation, next: Option<Moment>, now: Moment) -> Result<bool> {
    let text = "UPDATE invitations SET next_reminder_at = $1, reminders = reminders + 1, reminded_at = $2 \
                WHERE institution_id = $3 AND id = $4 AND next_reminder_at = $5 AND generation = $6";
    let params: [Value<'_>; 6] = [
        next.map(Moment::micros).into(),
        now.micros().into(),
        read.institution.into(),
        read.id.into(),
        read.next_reminder_at.map(Moment::micros).into(),
        read.generation.into(),
    ];
    Ok(sql.execute(text, &params).await? == 1)
}
