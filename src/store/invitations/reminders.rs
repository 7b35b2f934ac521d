//! Reminders that are due.

use std::collections::BTreeMap;

use super::{
    super::{Result, Row, Sql, Value, institutions, padded, placeholders},
    COLUMNS, Guest, columns,
    guests::{JOINED, guest_columns, guest_from_row},
    times_from_row,
};
use crate::domain::{
    ids::{InstitutionId, InvitationId},
    institution::Institution,
    invitation::{Invitation, PageTimes},
    moment::Moment,
};

/// Like `guests::is_recorded`, without recordings that wait for approval.
fn is_audible(here: &str) -> String {
    format!(
        "COALESCE((SELECT 1 FROM media m WHERE m.institution_id = {here} \
         AND m.participant_id = p.id AND m.kind = 'recording' LIMIT 1), 0) = 1"
    )
}

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
    if sql.is_citus() {
        return due_by_institution(sql, now, count).await;
    }
    sql.rows(&due_text(), &[now.micros().into(), count.into()], from_row).await
}

/// The same with a statement for each institution, because each is on a node of its own.
async fn due_by_institution(sql: &mut Sql, now: Moment, count: i64) -> Result<Vec<Due>> {
    let mut ids: BTreeMap<InstitutionId, Vec<InvitationId>> = BTreeMap::new();
    let text = "SELECT institution_id, id FROM invitations WHERE next_reminder_at <= $1 \
                ORDER BY next_reminder_at, id LIMIT $2";
    let keys = |row: &Row<'_>| Ok((row.id(0)?, row.id(1)?));
    for (institution, id) in sql.rows(text, &[now.micros().into(), count.into()], keys).await? {
        ids.entry(institution).or_default().push(id);
    }
    let mut all = Vec::new();
    for (institution, ids) in ids {
        for group in padded(&ids) {
            let text = due_among_text(group.len());
            let mut params: Vec<Value<'_>> = vec![institution.into()];
            params.extend(group.into_iter().map(Value::from));
            params.push(now.micros().into());
            all.append(&mut sql.rows(&text, &params, from_row).await?);
        }
    }
    all.sort_by_key(|due: &Due| {
        due.guest.invitation.as_ref().map(|invitation| (invitation.next_reminder_at, invitation.id))
    });
    Ok(all)
}

fn from_row(row: &Row<'_>) -> Result<Due> {
    let after = COLUMNS.len() + GUEST_COLUMNS;
    let guest = guest_from_row(row)?;
    Ok(Due {
        is_held: guest.facts.is_recorded && !row.bool(after)?,
        guest,
        times: times_from_row(row, after + 1)?,
        phone_number: row.opt_text(after + 3)?,
        institution: institutions::from_row(row, after + 4)?,
    })
}

/// How many `guest_columns` are.
const GUEST_COLUMNS: usize = 7;

pub(super) fn due_text() -> String {
    let text = select_text("i.institution_id");
    format!("{text} WHERE i.next_reminder_at <= $1 ORDER BY i.next_reminder_at, i.id LIMIT $2")
}

/// Those of these invitations whose reminder is still due.
pub(super) fn due_among_text(count: usize) -> String {
    format!(
        "{} WHERE i.institution_id = $1 AND i.id IN ({}) AND i.next_reminder_at <= ${}",
        select_text("$1"),
        placeholders(2, count),
        count + 2
    )
}

/// What `from_row` reads. `here` is the institution.
fn select_text(here: &str) -> String {
    // The alias of the institution's columns is that of invitations elsewhere.
    let of_institution = institutions::COLUMNS.replace("i.", "t.");
    format!(
        "SELECT {}, {}, {}, n.closes_at, n.archived_at, p.phone_number, {of_institution} FROM {JOINED} \
         JOIN name_pages n ON n.institution_id = i.institution_id AND n.id = i.name_page_id \
         JOIN institutions t ON t.id = i.institution_id",
        columns(),
        guest_columns(here),
        is_audible(here)
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
