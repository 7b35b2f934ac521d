//! All data stored about one person, across all tables.

use std::collections::BTreeSet;

use serde_json::{Map, Value as Json};

use super::{Result, Row, Sql, Value, citus, courses, coverage, padded, placeholders};
use crate::domain::ids::{InstitutionId, NamePageId, ParticipantId};

/// What happens to the rows of a table when a person is erased.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OnErasure {
    /// Deleted, without further effects.
    Alone,
    /// Deleted by `media::delete_of`, which returns the files to delete.
    WithFiles,
    /// Deleted by `calls::delete_of`, which keeps detached attempts.
    WithAttempts,
    /// Kept, but unlinked from the registration: the rows are useful without it. `courses::staff::delete_of` deletes them.
    Unlinked,
    /// They list the people to be removed from existing reports, and are deleted once no report contains them.
    WithReports,
}

/// Every table with rows that refer to a registration by `participant_id`.
pub const TABLES: [(&str, OnErasure); 23] = [
    ("calls", OnErasure::WithAttempts),
    ("course_identities", OnErasure::Alone),
    ("course_members", OnErasure::Alone),
    ("course_staff", OnErasure::Unlinked),
    ("deleted_people", OnErasure::Alone),
    ("departures", OnErasure::WithReports),
    ("entry_cases", OnErasure::Alone),
    ("import_changes", OnErasure::Alone),
    ("kept_recordings", OnErasure::Alone),
    ("lti_sessions", OnErasure::Alone),
    ("media", OnErasure::WithFiles),
    ("moderation", OnErasure::Alone),
    ("outsiders", OnErasure::Alone),
    ("participant_consents", OnErasure::Alone),
    ("paused_participants", OnErasure::Alone),
    ("people_names", OnErasure::Alone),
    ("people_task_rows", OnErasure::Alone),
    ("people_words", OnErasure::Alone),
    ("plays", OnErasure::Alone),
    ("recording_makers", OnErasure::Alone),
    ("replaced_recordings", OnErasure::WithFiles),
    ("retention_notices", OnErasure::Alone),
    ("scim_registrations", OnErasure::Alone),
];

/// Those whose rows are about the registration alone.
pub(super) fn alone() -> impl Iterator<Item = &'static str> {
    TABLES.into_iter().filter(|(_, goes)| *goes == OnErasure::Alone).map(|(table, _)| table)
}

/// Every table with rows of a person by `email_key`. They are exported, and deleted when the person is erased. Rows that are to
/// follow a person to another email are copied by `follow_email`.
pub const PERSON_TABLES: [&str; 15] = [
    "admissions",
    "consents",
    "invitations",
    "mail_bounces",
    "mail_opt_outs",
    "member_pages",
    "members",
    "persons",
    "recording_requests",
    "refused_people",
    "scim_roles",
    "scim_users",
    "sessions",
    "sign_in_links",
    "sign_in_requests",
];

/// Those of `PERSON_TABLES` whose rows end with a person's last registration. The others are about people who may have none: members,
/// people who are invited, and those who want no mail.
const OF_REGISTERED: [&str; 6] =
    ["consents", "persons", "recording_requests", "sessions", "sign_in_links", "sign_in_requests"];

/// Those of `PERSON_TABLES` by which an institution knows somebody who is not registered.
const OF_UNREGISTERED: [&str; 7] =
    ["admissions", "invitations", "mail_bounces", "mail_opt_outs", "members", "refused_people", "scim_users"];

/// Whether the institution knows this email, other than from a registration.
pub async fn is_on_record(sql: &mut Sql, institution: InstitutionId, email_key: &str) -> Result<bool> {
    for table in OF_UNREGISTERED {
        if has_row(sql, institution, email_key, table).await? {
            return Ok(true);
        }
    }
    Ok(false)
}

async fn has_row(sql: &mut Sql, institution: InstitutionId, email_key: &str, table: &str) -> Result<bool> {
    let text = format!("SELECT 1 FROM {table} WHERE institution_id = $1 AND email_key = $2 LIMIT 1");
    Ok(sql.one(&text, &[institution.into(), email_key.into()], |_| Ok(())).await?.is_some())
}

/// The person's rows in one of `PERSON_TABLES`.
pub async fn rows_of_person(
    sql: &mut Sql,
    institution: InstitutionId,
    email_key: &str,
    table: &str,
) -> Result<Vec<Record>> {
    let text = format!("SELECT * FROM {table} WHERE institution_id = $1 AND email_key = $2");
    sql.rows(&text, &[institution.into(), email_key.into()], |row| row.record()).await
}

/// Deletes all rows of a person in `PERSON_TABLES`.
pub async fn delete_person(sql: &mut Sql, institution: InstitutionId, email_key: &str) -> Result<()> {
    coverage::uninvited(sql, institution, email_key).await?;
    delete_in(sql, institution, email_key, &PERSON_TABLES).await
}

async fn delete_in(
    sql: &mut Sql,
    institution: InstitutionId,
    email_key: &str,
    tables: &[&str],
) -> Result<()> {
    for table in tables {
        let text = format!("DELETE FROM {table} WHERE institution_id = $1 AND email_key = $2");
        sql.execute(&text, &[institution.into(), email_key.into()]).await?;
    }
    Ok(())
}

/// A person has another email: what they have agreed to, have chosen about messages, and were asked, is copied. What is known of the new
/// email already stays. The audience has rules of its own (`audiences`).
pub async fn follow_email(sql: &mut Sql, institution: InstitutionId, from: &str, to: &str) -> Result<()> {
    for (table, columns, key) in [
        ("consents", "version, language, consented_at, withdrawn_at, via, asked_again", "email_key, version"),
        ("mail_opt_outs", "created_at", "email_key"),
        ("persons", "language, no_requests, created_at", "email_key"),
        ("recording_requests", "requested_at", "email_key"),
    ] {
        let text = format!(
            "INSERT INTO {table} (institution_id, email_key, {columns}) SELECT institution_id, $1, {columns} FROM {table} \
             WHERE institution_id = $2 AND email_key = $3 ON CONFLICT (institution_id, {key}) DO NOTHING"
        );
        sql.execute(&text, &[to.into(), institution.into(), from.into()]).await?;
    }
    Ok(())
}

/// Deletes what a person with this email has chosen and their sessions, if they have no registration any more and are no member.
pub async fn delete_unregistered(sql: &mut Sql, institution: InstitutionId, email_key: &str) -> Result<bool> {
    let is_unknown = registrations(sql, institution, email_key).await?.is_empty()
        && !has_row(sql, institution, email_key, "members").await?;
    if is_unknown {
        delete_in(sql, institution, email_key, &OF_REGISTERED).await?;
    }
    Ok(is_unknown)
}

/// The same for everybody of an institution, after many registrations were deleted. Somebody who has just signed in to register, or
/// is about to, stays signed in.
pub async fn delete_all_unregistered(sql: &mut Sql, institution: InstitutionId) -> Result<()> {
    for table in OF_REGISTERED {
        if sql.is_citus() && !citus::is_by_institution(table) {
            delete_in_steps(sql, institution, table).await?;
        } else {
            sql.execute(&unregistered_text(table), &[institution.into()]).await?;
        }
    }
    Ok(())
}

/// Those who are in one of these tables are registered, or may register.
const STAYING: [&str; 5] = ["participants", "hidden_participants", "members", "admissions", "invitations"];

fn unregistered_text(table: &str) -> String {
    let of = |other: &str| {
        format!(
            "AND NOT EXISTS (SELECT 1 FROM {other} p WHERE p.institution_id = $1 AND p.email_key = {table}.email_key)"
        )
    };
    format!("DELETE FROM {table} WHERE institution_id = $1 {}", STAYING.map(of).join(" "))
}

/// For a table that is not on the institution's node of Citus.
async fn delete_in_steps(sql: &mut Sql, institution: InstitutionId, table: &str) -> Result<()> {
    let text = format!("SELECT DISTINCT email_key FROM {table} WHERE institution_id = $1");
    let keys = sql.rows(&text, &[institution.into()], |row| row.text(0)).await?;
    let keys: Vec<&str> = keys.iter().map(String::as_str).collect();
    for group in padded(&keys) {
        let mut leaving: BTreeSet<&str> = group.iter().copied().collect();
        for other in STAYING {
            let text = format!(
                "SELECT email_key FROM {other} WHERE institution_id = $1 AND email_key IN ({})",
                placeholders(2, group.len())
            );
            let params: Vec<Value<'_>> =
                [institution.into()].into_iter().chain(group.iter().copied().map(Value::from)).collect();
            for key in sql.rows(&text, &params, |row| row.text(0)).await? {
                leaving.remove(key.as_str());
            }
        }
        for email_key in leaving {
            delete_in(sql, institution, email_key, &[table]).await?;
        }
    }
    Ok(())
}

/// For the test that looks for statements that Citus would refuse.
#[doc(hidden)]
pub fn statements_on_citus() -> Vec<(&'static str, String)> {
    let together = OF_REGISTERED.into_iter().filter(|table| citus::is_by_institution(table));
    together.map(|table| (table, unregistered_text(table))).collect()
}

/// One registration of a person.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Registration {
    pub id: ParticipantId,
    pub page: NamePageId,
    /// Soft-deleted: the person left the course.
    pub hidden: bool,
}

impl Registration {
    const fn table(self) -> &'static str {
        table(self.hidden)
    }
}

const fn table(hidden: bool) -> &'static str {
    if hidden { "hidden_participants" } else { "participants" }
}

/// All registrations with this email, and registrations without an email that are known to belong to the same person: by
/// identifier, or by learning system user. A key that also leads to a different email is ignored: it may belong to somebody
/// else, such as a reassigned student number.
pub async fn registrations(
    sql: &mut Sql,
    institution: InstitutionId,
    email_key: &str,
) -> Result<Vec<Registration>> {
    let mut found = matching(sql, institution, "p.email_key", &[email_key], "").await?;
    let (without_email, with_email) = (" AND p.email_key IS NULL", " AND p.email_key IS NOT NULL");
    let mut more = Vec::new();
    for identifier in identifiers(sql, institution, &found).await? {
        let key = [identifier.as_str()];
        let known = matching(sql, institution, "p.identifier_key", &key, with_email).await?;
        if known.iter().all(|one| found.contains(one)) {
            more.extend(matching(sql, institution, "p.identifier_key", &key, without_email).await?);
        }
    }
    for one in &found {
        let elsewhere = courses::members::same_users(sql, institution, &[one.id]).await?;
        let known = matching(sql, institution, "p.id", &elsewhere, with_email).await?;
        if known.iter().all(|one| found.contains(one)) {
            more.extend(matching(sql, institution, "p.id", &elsewhere, without_email).await?);
        }
    }
    for one in more {
        if !found.contains(&one) {
            found.push(one);
        }
    }
    Ok(found)
}

async fn matching<'a, T>(
    sql: &mut Sql,
    institution: InstitutionId,
    column: &str,
    keys: &'a [T],
    and: &str,
) -> Result<Vec<Registration>>
where
    T: Copy + Sync,
    Value<'a>: From<T>,
{
    let mut found = Vec::new();
    for hidden in [false, true] {
        for group in padded(keys) {
            let text = matching_text(table(hidden), column, group.len(), and);
            let params: Vec<Value<'_>> =
                [institution.into()].into_iter().chain(group.into_iter().map(Value::from)).collect();
            let read = |row: &Row<'_>| Ok(Registration { id: row.id(0)?, page: row.id(1)?, hidden });
            found.extend(sql.rows(&text, &params, read).await?);
        }
    }
    Ok(found)
}

/// The sign keeps SQLite from reading everybody in this order until it has found the keys.
fn matching_text(table: &str, column: &str, count: usize, and: &str) -> String {
    format!(
        "SELECT p.id, p.name_page_id FROM {table} p WHERE p.institution_id = $1 AND {column} IN ({}){and} ORDER BY +p.id",
        placeholders(2, count)
    )
}

/// For the test that checks query plans: each with the index that it needs.
#[doc(hidden)]
pub fn statements() -> Vec<(&'static str, String, Vec<Value<'static>>)> {
    let with = |key: &'static str| -> Vec<Value<'static>> { vec![1_i64.into(), key.into()] };
    let text = |column: &str, and: &str| matching_text("participants", column, 1, and);
    vec![
        ("participants_by_email", text("p.email_key", ""), with("p1@example.edu")),
        ("participants_by_identifier", text("p.identifier_key", " AND p.email_key IS NOT NULL"), with("S3")),
        ("participants_by_identifier", text("p.identifier_key", " AND p.email_key IS NULL"), with("S3")),
    ]
}

/// The emails of these registrations.
pub async fn emails(
    sql: &mut Sql,
    institution: InstitutionId,
    registrations: &[Registration],
) -> Result<Vec<String>> {
    texts_of(sql, institution, registrations, "email_key").await
}

/// The ids in the institution of these registrations.
pub async fn identifiers(
    sql: &mut Sql,
    institution: InstitutionId,
    registrations: &[Registration],
) -> Result<Vec<String>> {
    texts_of(sql, institution, registrations, "identifier_key").await
}

async fn texts_of(
    sql: &mut Sql,
    institution: InstitutionId,
    registrations: &[Registration],
    column: &str,
) -> Result<Vec<String>> {
    let mut found = Vec::new();
    for one in registrations {
        let text = format!("SELECT {column} FROM {} WHERE institution_id = $1 AND id = $2", one.table());
        let key = sql.one(&text, &[institution.into(), one.id.into()], |row| row.opt_text(0)).await?;
        found.extend(key.flatten());
    }
    found.sort_unstable();
    found.dedup();
    Ok(found)
}

pub type Record = Map<String, Json>;

/// The whole row with all its columns.
pub async fn record(
    sql: &mut Sql,
    institution: InstitutionId,
    registration: Registration,
) -> Result<Option<Record>> {
    let text = format!("SELECT * FROM {} WHERE institution_id = $1 AND id = $2", registration.table());
    sql.one(&text, &[institution.into(), registration.id.into()], |row| row.record()).await
}

/// The person's rows in one of `TABLES`.
pub async fn rows_in(
    sql: &mut Sql,
    institution: InstitutionId,
    participant: ParticipantId,
    table: &str,
) -> Result<Vec<Record>> {
    let text = format!("SELECT * FROM {table} WHERE institution_id = $1 AND participant_id = $2");
    sql.rows(&text, &[institution.into(), participant.into()], |row| row.record()).await
}

/// All attempts of a person's calls.
pub async fn attempts(
    sql: &mut Sql,
    institution: InstitutionId,
    participant: ParticipantId,
) -> Result<Vec<Record>> {
    let text = "SELECT a.* FROM calls c JOIN call_attempts a ON a.institution_id = c.institution_id AND a.call_id = c.id \
         WHERE c.institution_id = $1 AND c.participant_id = $2 ORDER BY a.id";
    sql.rows(text, &[institution.into(), participant.into()], |row| row.record()).await
}

/// All phone numbers that a person gave, for the registration or for a call.
pub async fn phone_numbers(
    sql: &mut Sql,
    institution: InstitutionId,
    registration: Registration,
) -> Result<Vec<String>> {
    let params = [institution.into(), registration.id.into()];
    let own = format!(
        "SELECT phone_number FROM {} WHERE institution_id = $1 AND id = $2 AND phone_number IS NOT NULL",
        registration.table()
    );
    let called = "SELECT phone_number FROM calls WHERE institution_id = $1 AND participant_id = $2";
    if !sql.is_citus() {
        return sql.rows(&format!("{own} UNION {called}"), &params, |row| row.text(0)).await;
    }
    let mut numbers = sql.rows(&own, &params, |row| row.text(0)).await?;
    numbers.append(&mut sql.rows(called, &params, |row| row.text(0)).await?);
    numbers.sort();
    numbers.dedup();
    Ok(numbers)
}

/// Deletes the rows marked `Alone`, and unlinks those marked `Unlinked`.
pub async fn delete_belongings(
    sql: &mut Sql,
    institution: InstitutionId,
    participant: ParticipantId,
) -> Result<()> {
    courses::staff::unlink_entry(sql, institution, participant).await?;
    for table in alone() {
        let text = format!("DELETE FROM {table} WHERE institution_id = $1 AND participant_id = $2");
        sql.execute(&text, &[institution.into(), participant.into()]).await?;
    }
    Ok(())
}
