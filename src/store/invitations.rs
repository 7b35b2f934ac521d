//! Invitations to name pages, and what is known about the people who were invited.

use std::collections::HashMap;

use super::{Error, Result, Row, Sql, Value, coverage, institutions, padded, placeholders, position_in};
use crate::domain::{
    ids::{InstitutionId, InvitationId, NamePageId, ParticipantId},
    institution::Institution,
    invitation::{Facts, Invitation, PageTimes},
    language::Language,
    moment::Moment,
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

/// A recording that waits for approval counts: nobody is reminded who has done their part. These are scalar subqueries, which both
/// databases evaluate by key for each row; with `EXISTS`, PostgreSQL may scan the table.
const IS_RECORDED: &str = "COALESCE((SELECT 1 FROM media m WHERE m.institution_id = p.institution_id \
     AND m.participant_id = p.id AND m.kind IN ('recording', 'held') LIMIT 1), 0) = 1";

/// Like `IS_RECORDED`, without recordings that wait for approval.
const IS_AUDIBLE: &str = "COALESCE((SELECT 1 FROM media m WHERE m.institution_id = p.institution_id \
     AND m.participant_id = p.id AND m.kind = 'recording' LIMIT 1), 0) = 1";

/// Is there a row with the institution and the address of the row `of` in this table?
fn is_in(table: &str, of: &str) -> String {
    format!(
        "COALESCE((SELECT 1 FROM {table} x WHERE x.institution_id = {of}.institution_id AND x.email_key = {of}.email_key LIMIT 1), 0) \
         = 1"
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
fn guest_columns() -> String {
    let (opted_out, bounced) = (is_in("mail_opt_outs", "i"), is_in("mail_bounces", "i"));
    format!("p.id, p.page_place, p.first_name, p.last_name, {IS_RECORDED}, {opted_out}, {bounced}")
}

const JOINED: &str = "invitations i LEFT JOIN participants p ON p.institution_id = i.institution_id \
     AND p.name_page_id = i.name_page_id AND p.email_key = i.email_key";

fn guest_from_row(row: &Row<'_>) -> Result<Guest> {
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

fn invited_text() -> String {
    format!(
        "SELECT {}, {} FROM {JOINED} WHERE i.institution_id = $1 AND i.name_page_id = $2 AND i.id < $3 \
         ORDER BY i.id DESC LIMIT $4",
        columns(),
        guest_columns()
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

fn uninvited_text() -> String {
    let (opted_out, bounced) = (is_in("mail_opt_outs", "p"), is_in("mail_bounces", "p"));
    format!(
        "SELECT p.id, p.page_place, p.first_name, p.last_name, p.email, {IS_RECORDED}, {opted_out}, {bounced} \
         FROM participants p WHERE p.institution_id = $1 AND p.name_page_id = $2 AND p.page_place > $3 \
         AND COALESCE((SELECT 1 FROM invitations i WHERE i.institution_id = p.institution_id \
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

fn unrecorded_text() -> String {
    format!(
        "SELECT p.page_place, p.email, p.first_name, p.last_name FROM participants p \
         WHERE p.institution_id = $1 AND p.name_page_id = $2 AND p.page_place > $3 AND p.email IS NOT NULL \
         AND NOT ({IS_RECORDED}) ORDER BY p.page_place LIMIT $4"
    )
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

fn keyed<'a>(first: &[Value<'a>], email_keys: &[&'a str]) -> Vec<Value<'a>> {
    first.iter().cloned().chain(email_keys.iter().map(|key| Value::from(*key))).collect()
}

fn on_page_text(count: usize) -> String {
    format!(
        "SELECT p.email_key, {IS_RECORDED} FROM participants p \
         WHERE p.institution_id = $1 AND p.name_page_id = $2 AND p.email_key IN ({})",
        placeholders(3, count)
    )
}

fn listed_text(table: &str, count: usize) -> String {
    format!(
        "SELECT email_key FROM {table} WHERE institution_id = $1 AND email_key IN ({})",
        placeholders(2, count)
    )
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

fn due_text() -> String {
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
        ("invited people of a page", invited_text(), page()),
        ("people of a page who were not invited", uninvited_text(), page()),
        ("people of a page without a recording", unrecorded_text(), page()),
        (
            "what is known about addresses",
            on_page_text(64),
            [vec![Value::Int(1), Value::Int(2)], vec![Value::from("p7@example.edu"); 64]].concat(),
        ),
        ("due reminders", due_text(), vec![1_i64.into(), 100_i64.into()]),
    ]
}
