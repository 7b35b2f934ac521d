//! The people of a page: invited, registered, or both.

use std::collections::HashMap;

use super::{
    super::{Result, Row, Sql, Value, padded, placeholders},
    COLUMNS, columns, from_row, keyed,
};
use crate::domain::{
    ids::{InstitutionId, InvitationId, NamePageId, ParticipantId},
    invitation::{Facts, Invitation},
};

/// A recording that waits for approval counts: nobody is reminded who has done their part. These are scalar subqueries, which both
/// databases evaluate by key for each row; with `EXISTS`, PostgreSQL may scan the table. `here` is the institution, as in what follows.
fn is_recorded(here: &str) -> String {
    format!(
        "COALESCE((SELECT 1 FROM media m WHERE m.institution_id = {here} \
         AND m.participant_id = p.id AND m.kind IN ('recording', 'held') LIMIT 1), 0) = 1"
    )
}

/// Is there a row with the address of the row `of` in this table?
fn is_in(table: &str, here: &str, of: &str) -> String {
    format!(
        "COALESCE((SELECT 1 FROM {table} x WHERE x.institution_id = {here} AND x.email_key = {of}.email_key LIMIT 1), 0) = 1"
    )
}

/// Somebody on a page: invited, registered, or both.
#[derive(Debug, Clone)]
pub struct Guest {
    pub invitation: Option<Invitation>,
    pub participant: Option<ParticipantId>,
    pub facts: Facts,
    /// As registered, or else as invited.
    pub first_name: Option<String>,
    pub last_name: Option<String>,
    /// `None` for somebody without an address, who was not invited.
    pub email: Option<String>,
    /// The place on the page's roll of somebody who is registered.
    pub place: i64,
}

/// What `guest_from_row` reads, after the columns of the invitation.
pub(super) fn guest_columns(here: &str) -> String {
    let (opted_out, bounced) = (is_in("mail_opt_outs", here, "i"), is_in("mail_bounces", here, "i"));
    format!("p.id, p.page_place, p.first_name, p.last_name, {}, {opted_out}, {bounced}", is_recorded(here))
}

pub(super) const JOINED: &str = "invitations i LEFT JOIN participants p ON p.institution_id = i.institution_id \
     AND p.name_page_id = i.name_page_id AND p.email_key = i.email_key";

pub(super) fn guest_from_row(row: &Row<'_>) -> Result<Guest> {
    let invitation = from_row(row)?;
    let first = COLUMNS.len();
    let participant: Option<ParticipantId> = row.opt_id(first)?;
    let (mut first_name, mut last_name) = (row.opt_text(first + 2)?, row.opt_text(first + 3)?);
    if participant.is_none() {
        (first_name, last_name) = (invitation.first_name.clone(), invitation.last_name.clone());
    }
    let facts = Facts {
        is_recorded: row.bool(first + 4)?,
        is_opted_out: row.bool(first + 5)?,
        is_bounced: row.bool(first + 6)?,
        is_registered: participant.is_some(),
        is_opened: invitation.opened_at.is_some(),
    };
    Ok(Guest {
        participant,
        facts,
        first_name,
        last_name,
        email: Some(invitation.email.clone()),
        place: row.opt_int(first + 1)?.unwrap_or_default(),
        invitation: Some(invitation),
    })
}

/// The invited people of a page, the newest invitation first, from before this one on.
pub async fn invited(
    sql: &mut Sql,
    institution: InstitutionId,
    page: NamePageId,
    before: InvitationId,
    count: i64,
) -> Result<Vec<Guest>> {
    let params: [Value<'_>; 4] = [institution.into(), page.into(), before.into(), count.into()];
    sql.rows(&invited_text(), &params, guest_from_row).await
}

pub(super) fn invited_text() -> String {
    format!(
        "SELECT {}, {} FROM {JOINED} WHERE i.institution_id = $1 AND i.name_page_id = $2 AND i.id < $3 \
         ORDER BY i.id DESC LIMIT $4",
        columns(),
        guest_columns("$1")
    )
}

/// The people of a page who were never invited, in the order of its roll, from after this place on.
pub async fn uninvited(
    sql: &mut Sql,
    institution: InstitutionId,
    page: NamePageId,
    after: i64,
    count: i64,
) -> Result<Vec<Guest>> {
    let params: [Value<'_>; 4] = [institution.into(), page.into(), after.into(), count.into()];
    let read = |row: &Row<'_>| {
        let facts = Facts {
            is_recorded: row.bool(5)?,
            is_opted_out: row.bool(6)?,
            is_bounced: row.bool(7)?,
            is_registered: true,
            is_opened: false,
        };
        Ok(Guest {
            invitation: None,
            participant: row.opt_id(0)?,
            facts,
            first_name: row.opt_text(2)?,
            last_name: row.opt_text(3)?,
            email: row.opt_text(4)?,
            place: row.int(1)?,
        })
    };
    sql.rows(&uninvited_text(), &params, read).await
}

pub(super) fn uninvited_text() -> String {
    let (opted_out, bounced) = (is_in("mail_opt_outs", "$1", "p"), is_in("mail_bounces", "$1", "p"));
    let is_recorded = is_recorded("$1");
    format!(
        "SELECT p.id, p.page_place, p.first_name, p.last_name, p.email, {is_recorded}, {opted_out}, {bounced} \
         FROM participants p WHERE p.institution_id = $1 AND p.name_page_id = $2 AND p.page_place > $3 \
         AND COALESCE((SELECT 1 FROM invitations i WHERE i.institution_id = $1 \
         AND i.name_page_id = p.name_page_id AND i.email_key = p.email_key LIMIT 1), 0) = 0 ORDER BY p.page_place LIMIT $4"
    )
}

/// Somebody on a page who has an address and no recording.
#[derive(Debug, Clone)]
pub struct Unrecorded {
    pub place: i64,
    pub email: String,
    pub first_name: Option<String>,
    pub last_name: Option<String>,
}

/// In the order of the page's roll, from after this place on.
pub async fn unrecorded(
    sql: &mut Sql,
    institution: InstitutionId,
    page: NamePageId,
    after: i64,
    count: i64,
) -> Result<Vec<Unrecorded>> {
    let params: [Value<'_>; 4] = [institution.into(), page.into(), after.into(), count.into()];
    let read = |row: &Row<'_>| {
        Ok(Unrecorded {
            place: row.int(0)?,
            email: row.text(1)?,
            first_name: row.opt_text(2)?,
            last_name: row.opt_text(3)?,
        })
    };
    sql.rows(&unrecorded_text(), &params, read).await
}

pub(super) fn unrecorded_text() -> String {
    format!(
        "SELECT p.page_place, p.email, p.first_name, p.last_name FROM participants p \
         WHERE p.institution_id = $1 AND p.name_page_id = $2 AND p.page_place > $3 AND p.email IS NOT NULL \
         AND NOT ({}) ORDER BY p.page_place LIMIT $4",
        is_recorded("$1")
    )
}

/// What is known about an address on a page, invited or not. `is_opened` is in the invitation.
pub async fn facts(
    sql: &mut Sql,
    institution: InstitutionId,
    page: NamePageId,
    email_key: &str,
) -> Result<Facts> {
    let mut found = facts_of(sql, institution, page, &[email_key]).await?;
    Ok(found.remove(email_key).unwrap_or_default())
}

/// `facts` of many addresses. Those that nothing is known about are left out.
pub async fn facts_of(
    sql: &mut Sql,
    institution: InstitutionId,
    page: NamePageId,
    email_keys: &[&str],
) -> Result<HashMap<String, Facts>> {
    let mut found: HashMap<String, Facts> = HashMap::new();
    for group in padded(email_keys) {
        let params = keyed(&[institution.into(), page.into()], &group);
        let read = |row: &Row<'_>| Ok((row.text(0)?, row.bool(1)?));
        for (email_key, is_recorded) in sql.rows(&on_page_text(group.len()), &params, read).await? {
            let facts = found.entry(email_key).or_default();
            (facts.is_registered, facts.is_recorded) = (true, is_recorded);
        }
        let params = keyed(&[institution.into()], &group);
        let text = listed_text("mail_opt_outs", group.len());
        for email_key in sql.rows(&text, &params, |row| row.text(0)).await? {
            found.entry(email_key).or_default().is_opted_out = true;
        }
        let text = listed_text("mail_bounces", group.len());
        for email_key in sql.rows(&text, &params, |row| row.text(0)).await? {
            found.entry(email_key).or_default().is_bounced = true;
        }
    }
    Ok(found)
}

pub(super) fn on_page_text(count: usize) -> String {
    format!(
        "SELECT p.email_key, {} FROM participants p \
         WHERE p.institution_id = $1 AND p.name_page_id = $2 AND p.email_key IN ({})",
        is_recorded("$1"),
        placeholders(3, count)
    )
}

fn listed_text(table: &str, count: usize) -> String {
    format!(
        "SELECT email_key FROM {table} WHERE institution_id = $1 AND email_key IN ({})",
        placeholders(2, count)
    )
}
