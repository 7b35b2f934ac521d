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

/// Invitations whose reminder is due, the longest due first, by institution.
pub async fn due(
    sql: &mut Sql,
    now: Moment,
    count: i64,
) -> Result<BTreeMap<InstitutionId, Vec<InvitationId>>> {
    let mut ids: BTreeMap<InstitutionId, Vec<InvitationId>> = BTreeMap::new();
    let keys = |row: &Row<'_>| Ok((row.id(0)?, row.id(1)?));
    for (institution, id) in sql.rows(DUE, &[now.micros().into(), count.into()], keys).await? {
        ids.entry(institution).or_default().push(id);
    }
    Ok(ids)
}

const DUE: &str = "SELECT institution_id, id FROM invitations WHERE next_reminder_at <= $1 \
     ORDER BY next_reminder_at, id LIMIT $2";

/// Those of these invitations whose reminder is still due, the longest due first.
pub async fn due_among(
    sql: &mut Sql,
    institution: InstitutionId,
    ids: &[InvitationId],
    now: Moment,
) -> Result<Vec<Due>> {
    let mut all = Vec::new();
    for group in padded(ids) {
        let text = due_among_text(group.len());
        let mut params: Vec<Value<'_>> = vec![institution.into()];
        params.extend(group.into_iter().map(Value::from));
        params.push(now.micros().into());
        all.append(&mut sql.rows(&text, &params, from_row).await?);
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

pub(super) fn due_among_text(count: usize) -> String {
    // The alias of the institution's columns is that of invitations elsewhere.
    let of_institution = institutions::COLUMNS.replace("i.", "t.");
    format!(
        "SELECT {}, {}, {}, n.closes_at, n.archived_at, p.phone_number, {of_institution} FROM {JOINED} \
         JOIN name_pages n ON n.institution_id = i.institution_id AND n.id = i.name_page_id \
         JOIN institutions t ON t.id = i.institution_id \
         WHERE i.institution_id = $1 AND i.id IN ({}) AND i.next_reminder_at <= ${}",
        columns(),
        guest_columns("$1"),
        is_audible("$1"),
        placeholders(2, count),
        count + 2
    )
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
