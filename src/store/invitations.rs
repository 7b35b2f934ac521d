//! Invitations to name pages, and what is known about the people who were invited.

mod guests;
mod reminders;

use std::collections::HashMap;

pub use guests::{Guest, Unrecorded, facts, facts_of, invited, uninvited, unrecorded};
pub use reminders::{Due, due, due_among, postpone, remind};

use super::{Error, Result, Row, Sql, Value, coverage, padded, placeholders, position_in};
use crate::domain::{
    ids::{InstitutionId, InvitationId, NamePageId},
    invitation::{Invitation, PageTimes},
    language::Language,
    moment::Moment,
    session::PersonId,
};

const COLUMNS: &[&str] = &[
    "institution_id",
    "id",
    "name_page_id",
    "email",
    "email_key",
    "first_name",
    "last_name",
    "language",
    "generation",
    "base_url",
    "created_at",
    "expires_at",
    "sent_at",
    "opened_at",
    "registered_at",
    "withdrawn_at",
    "reminders",
    "reminded_at",
    "next_reminder_at",
];

/// The columns of the invitation `i`.
fn columns() -> String {
    COLUMNS.iter().map(|column| format!("i.{column}")).collect::<Vec<_>>().join(", ")
}

fn from_row(row: &Row<'_>) -> Result<Invitation> {
    let moment = |column: usize| row.int(column).map(Moment::from_micros);
    let opt_moment = |column: usize| Ok::<_, Error>(row.opt_int(column)?.map(Moment::from_micros));
    let language = row.opt_text(const { position_in(COLUMNS, "language") })?;
    Ok(Invitation {
        institution: row.id(const { position_in(COLUMNS, "institution_id") })?,
        id: row.id(const { position_in(COLUMNS, "id") })?,
        page: row.id(const { position_in(COLUMNS, "name_page_id") })?,
        email: row.text(const { position_in(COLUMNS, "email") })?,
        email_key: row.text(const { position_in(COLUMNS, "email_key") })?,
        first_name: row.opt_text(const { position_in(COLUMNS, "first_name") })?,
        last_name: row.opt_text(const { position_in(COLUMNS, "last_name") })?,
        language: language.as_deref().and_then(Language::parse),
        generation: row.int(const { position_in(COLUMNS, "generation") })?,
        base_url: row.text(const { position_in(COLUMNS, "base_url") })?,
        created_at: moment(const { position_in(COLUMNS, "created_at") })?,
        expires_at: moment(const { position_in(COLUMNS, "expires_at") })?,
        sent_at: opt_moment(const { position_in(COLUMNS, "sent_at") })?,
        opened_at: opt_moment(const { position_in(COLUMNS, "opened_at") })?,
        registered_at: opt_moment(const { position_in(COLUMNS, "registered_at") })?,
        withdrawn_at: opt_moment(const { position_in(COLUMNS, "withdrawn_at") })?,
        reminders: u32::try_from(row.int(const { position_in(COLUMNS, "reminders") })?).unwrap_or(u32::MAX),
        reminded_at: opt_moment(const { position_in(COLUMNS, "reminded_at") })?,
        next_reminder_at: opt_moment(const { position_in(COLUMNS, "next_reminder_at") })?,
    })
}

/// The invitation of an address to a page.
pub async fn of_address(
    sql: &mut Sql,
    institution: InstitutionId,
    page: NamePageId,
    email_key: &str,
) -> Result<Option<Invitation>> {
    let text = format!(
        "SELECT {} FROM invitations i WHERE i.institution_id = $1 AND i.name_page_id = $2 AND i.email_key = $3",
        columns()
    );
    sql.one(&text, &[institution.into(), page.into(), email_key.into()], from_row).await
}

/// Does the address have an invitation to the page that nobody has withdrawn?
pub async fn is_invited(
    sql: &mut Sql,
    institution: InstitutionId,
    (page, email_key): (NamePageId, &str),
) -> Result<bool> {
    let found = of_address(sql, institution, page, email_key).await?;
    Ok(found.is_some_and(|invitation| invitation.withdrawn_at.is_none()))
}

/// The invitations of these addresses to a page.
pub async fn of_addresses(
    sql: &mut Sql,
    institution: InstitutionId,
    page: NamePageId,
    email_keys: &[&str],
) -> Result<HashMap<String, Invitation>> {
    let mut found = HashMap::new();
    for group in padded(email_keys) {
        let text = format!(
            "SELECT {} FROM invitations i WHERE i.institution_id = $1 AND i.name_page_id = $2 AND i.email_key IN ({})",
            columns(),
            placeholders(3, group.len())
        );
        let params = keyed(&[institution.into(), page.into()], &group);
        let invitations = sql.rows(&text, &params, from_row).await?;
        found.extend(invitations.into_iter().map(|one| (one.email_key.clone(), one)));
    }
    Ok(found)
}

fn keyed<'a>(first: &[Value<'a>], email_keys: &[&'a str]) -> Vec<Value<'a>> {
    first.iter().cloned().chain(email_keys.iter().map(|key| Value::from(*key))).collect()
}

pub async fn find(sql: &mut Sql, institution: InstitutionId, id: InvitationId) -> Result<Option<Invitation>> {
    let text = format!("SELECT {} FROM invitations i WHERE i.institution_id = $1 AND i.id = $2", columns());
    sql.one(&text, &[institution.into(), id.into()], from_row).await
}

/// The invitations with this id. A read across tenants (ADR 3): the link that it is for has the id alone, and its proof says which
/// one is meant.
pub async fn by_id(sql: &mut Sql, id: InvitationId) -> Result<Vec<Invitation>> {
    let text = format!("SELECT {} FROM invitations i WHERE i.id = $1 ORDER BY i.institution_id", columns());
    sql.rows(&text, &[id.into()], from_row).await
}

/// False if the address is invited to the page already. The caller counts what was added, with `coverage::invited`.
pub async fn insert(sql: &mut Sql, new: &Invitation) -> Result<bool> {
    let text = "INSERT INTO invitations (institution_id, id, name_page_id, email, email_key, first_name, last_name, language, \
                generation, base_url, created_at, expires_at, sent_at, reminders, next_reminder_at) \
                VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15) \
                ON CONFLICT (institution_id, name_page_id, email_key) DO NOTHING";
    let params: [Value<'_>; 15] = [
        new.institution.into(),
        new.id.into(),
        new.page.into(),
        (&new.email).into(),
        (&new.email_key).into(),
        new.first_name.as_deref().into(),
        new.last_name.as_deref().into(),
        new.language.map(Language::tag).into(),
        new.generation.into(),
        (&new.base_url).into(),
        new.created_at.micros().into(),
        new.expires_at.micros().into(),
        new.sent_at.map(Moment::micros).into(),
        i64::from(new.reminders).into(),
        new.next_reminder_at.map(Moment::micros).into(),
    ];
    Ok(sql.execute(text, &params).await? == 1)
}

/// Writes everything but the address. Withdrawn invitations are not counted, so it matters whether this one was withdrawn before.
pub async fn update(sql: &mut Sql, invitation: &Invitation, was_withdrawn: bool) -> Result<()> {
    let text = "UPDATE invitations SET first_name = $1, last_name = $2, language = $3, generation = $4, base_url = $5, \
                created_at = $6, expires_at = $7, sent_at = $8, opened_at = $9, registered_at = $10, withdrawn_at = $11, \
                reminders = $12, reminded_at = $13, next_reminder_at = $14 WHERE institution_id = $15 AND id = $16";
    let moment = |moment: Option<Moment>| Value::from(moment.map(Moment::micros));
    let params: [Value<'_>; 16] = [
        invitation.first_name.as_deref().into(),
        invitation.last_name.as_deref().into(),
        invitation.language.map(Language::tag).into(),
        invitation.generation.into(),
        (&invitation.base_url).into(),
        invitation.created_at.micros().into(),
        invitation.expires_at.micros().into(),
        moment(invitation.sent_at),
        moment(invitation.opened_at),
        moment(invitation.registered_at),
        moment(invitation.withdrawn_at),
        i64::from(invitation.reminders).into(),
        moment(invitation.reminded_at),
        moment(invitation.next_reminder_at),
        invitation.institution.into(),
        invitation.id.into(),
    ];
    let changed = sql.execute(text, &params).await? == 1;
    let difference = i64::from(was_withdrawn) - i64::from(invitation.withdrawn_at.is_some());
    if changed && difference != 0 {
        coverage::invited(sql, invitation.institution, invitation.page, difference).await?;
    }
    Ok(())
}

/// Notes that the link was opened, the first time.
pub async fn open(sql: &mut Sql, institution: InstitutionId, id: InvitationId, now: Moment) -> Result<()> {
    note(sql, "opened_at", institution, id, now).await
}

/// Withdraws all invitations of a person, and returns them. The caller counts what is gone, with `coverage::invited`.
pub async fn withdraw_all_of(sql: &mut Sql, person: &PersonId, now: Moment) -> Result<Vec<Invitation>> {
    let text = format!(
        "SELECT {} FROM invitations i WHERE i.institution_id = $1 AND i.email_key = $2 AND i.withdrawn_at IS NULL \
         ORDER BY i.id",
        columns()
    );
    let params = [person.institution.into(), (&person.email_key).into()];
    let open = sql.rows(&text, &params, from_row).await?;
    if !open.is_empty() {
        let text = "UPDATE invitations SET withdrawn_at = $1, next_reminder_at = NULL WHERE institution_id = $2 \
                    AND email_key = $3 AND withdrawn_at IS NULL";
        let params = [now.micros().into(), person.institution.into(), (&person.email_key).into()];
        sql.execute(text, &params).await?;
    }
    Ok(open)
}

/// Notes that somebody registered through the link, the first time.
pub async fn register(
    sql: &mut Sql,
    institution: InstitutionId,
    id: InvitationId,
    now: Moment,
) -> Result<()> {
    note(sql, "registered_at", institution, id, now).await
}

async fn note(
    sql: &mut Sql,
    column: &str,
    institution: InstitutionId,
    id: InvitationId,
    now: Moment,
) -> Result<()> {
    let text = format!(
        "UPDATE invitations SET {column} = $1 WHERE institution_id = $2 AND id = $3 AND {column} IS NULL"
    );
    sql.execute(&text, &[now.micros().into(), institution.into(), id.into()]).await.map(|_| ())
}

/// The closing time of a page, and when it was archived. `None` if there is no such page.
pub async fn page_times(
    sql: &mut Sql,
    institution: InstitutionId,
    page: NamePageId,
) -> Result<Option<PageTimes>> {
    let text = "SELECT closes_at, archived_at FROM name_pages WHERE institution_id = $1 AND id = $2";
    sql.one(text, &[institution.into(), page.into()], |row| times_from_row(row, 0)).await
}

fn times_from_row(row: &Row<'_>, first: usize) -> Result<PageTimes> {
    Ok(PageTimes {
        closes_at: row.opt_int(first)?.map(Moment::from_micros),
        archived_at: row.opt_int(first + 1)?.map(Moment::from_micros),
    })
}

/// Gives an address another chance, because somebody says that it works now.
pub async fn forget_bounce(sql: &mut Sql, institution: InstitutionId, email_key: &str) -> Result<()> {
    let text = "DELETE FROM mail_bounces WHERE institution_id = $1 AND email_key = $2";
    sql.execute(text, &[institution.into(), email_key.into()]).await.map(|_| ())
}

/// Deletes the invitation of somebody whose registration is deleted: otherwise the link would bring them back.
pub async fn delete_on_page(
    sql: &mut Sql,
    institution: InstitutionId,
    page: NamePageId,
    email_key: &str,
) -> Result<()> {
    let Some(gone) = of_address(sql, institution, page, email_key).await? else { return Ok(()) };
    if gone.withdrawn_at.is_none() {
        coverage::invited(sql, institution, page, -1).await?;
    }
    let text = "DELETE FROM invitations WHERE institution_id = $1 AND id = $2";
    sql.execute(text, &[institution.into(), gone.id.into()]).await.map(|_| ())
}

/// The reads that must not scan a table, each with example parameters.
#[doc(hidden)]
pub fn statements() -> Vec<(&'static str, String, Vec<Value<'static>>)> {
    let page = || vec![1_i64.into(), 2_i64.into(), 3_i64.into(), 50_i64.into()];
    vec![
        ("invited people of a page", guests::invited_text(), page()),
        ("people of a page who were not invited", guests::uninvited_text(), page()),
        ("people of a page without a recording", guests::unrecorded_text(), page()),
        (
            "what is known about addresses",
            guests::on_page_text(64),
            [vec![Value::Int(1), Value::Int(2)], vec![Value::from("p7@example.edu"); 64]].concat(),
        ),
        (
            "due reminders of an institution",
            reminders::due_among_text(64),
            [vec![Value::Int(1)], vec![Value::Int(7); 64], vec![Value::Int(1)]].concat(),
        ),
    ]
}
