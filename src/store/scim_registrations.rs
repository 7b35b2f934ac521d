//! Registrations and roles that follow the users of directories. The caller holds the institution's lock.

use std::collections::{BTreeMap, HashSet};

use super::{Result, Row, Sql, Value, in_power_of_two_chunks, padded, placeholders, value_rows};
use crate::domain::{
    ids::{InstitutionId, NamePageId, ParticipantId, ScimUserId},
    matching,
    moment::Moment,
    scim::plan::{Entry, Link},
};

const fn table(hidden: bool) -> &'static str {
    if hidden { "hidden_participants" } else { "participants" }
}

/// The first columns of an entry. Its link follows.
fn entry(row: &Row<'_>, hidden: bool) -> Result<Entry> {
    let link = match row.opt_id::<ScimUserId>(2)? {
        Some(user) => Some(Link { user, parked: row.bool(3)? }),
        None => None,
    };
    Ok(Entry { id: row.id(0)?, page: row.id(1)?, hidden, link })
}

fn following_text(hidden: bool, count: usize) -> String {
    format!(
        "SELECT p.id, p.name_page_id, l.user_id, l.parked FROM scim_registrations l \
         JOIN {} p ON p.institution_id = l.institution_id AND p.id = l.participant_id \
         WHERE l.institution_id = $1 AND l.user_id IN ({})",
        table(hidden),
        placeholders(2, count)
    )
}

/// The registrations that follow these users.
pub async fn following(
    sql: &mut Sql,
    institution: InstitutionId,
    users: &[ScimUserId],
) -> Result<Vec<Entry>> {
    let mut found = Vec::new();
    for hidden in [false, true] {
        for group in padded(users) {
            let text = following_text(hidden, group.len());
            let params: Vec<Value<'_>> =
                [institution.into()].into_iter().chain(group.into_iter().map(Value::from)).collect();
            found.extend(sql.rows(&text, &params, |row| entry(row, hidden)).await?);
        }
    }
    Ok(found)
}

fn by_emails_text(hidden: bool, count: usize) -> String {
    format!(
        "SELECT p.id, p.name_page_id, l.user_id, l.parked, p.email_key FROM {} p \
         LEFT JOIN scim_registrations l ON l.institution_id = p.institution_id AND l.participant_id = p.id \
         WHERE p.institution_id = $1 AND p.email_key IN ({})",
        table(hidden),
        placeholders(2, count)
    )
}

/// The registrations with these emails, each with its email.
pub async fn by_emails(
    sql: &mut Sql,
    institution: InstitutionId,
    email_keys: &[&str],
) -> Result<Vec<(String, Entry)>> {
    let mut found = Vec::new();
    for hidden in [false, true] {
        for group in padded(email_keys) {
            let text = by_emails_text(hidden, group.len());
            let params: Vec<Value<'_>> =
                [institution.into()].into_iter().chain(group.into_iter().map(Value::from)).collect();
            found.extend(sql.rows(&text, &params, |row| Ok((row.text(4)?, entry(row, hidden)?))).await?);
        }
    }
    Ok(found)
}

/// For the test of query plans.
pub fn statements() -> Vec<(&'static str, String, Vec<Value<'static>>)> {
    let institution = || Value::from(InstitutionId::new(1));
    vec![
        ("scim following", following_text(false, 2), vec![institution(), 1.into(), 2.into()]),
        ("scim by emails", by_emails_text(false, 2), vec![institution(), "a@x.org".into(), "b@x.org".into()]),
    ]
}

/// The registrations of a user that come from a group, with their pages and what a directory can change in them.
pub async fn identities(
    sql: &mut Sql,
    institution: InstitutionId,
    user: ScimUserId,
) -> Result<Vec<(NamePageId, matching::Entry)>> {
    let mut found = Vec::new();
    for hidden in [false, true] {
        let text = format!(
            "SELECT p.id, p.name_page_id, p.first_name, p.last_name, p.email, p.email_key, p.identifier, p.identifier_key \
             FROM scim_registrations l JOIN {} p ON p.institution_id = l.institution_id AND p.id = l.participant_id \
             WHERE l.institution_id = $1 AND l.user_id = $2 AND l.parked = FALSE ORDER BY p.id",
            table(hidden)
        );
        let read = |row: &Row<'_>| {
            let entry = matching::Entry {
                id: row.id(0)?,
                first_name: row.opt_text(2)?,
                last_name: row.opt_text(3)?,
                email: row.opt_text(4)?,
                email_key: row.opt_text(5)?,
                identifier: row.opt_text(6)?,
                identifier_key: row.opt_text(7)?,
                hidden,
                ..matching::Entry::default()
            };
            Ok((row.id(1)?, entry))
        };
        found.extend(sql.rows(&text, &[institution.into(), user.into()], read).await?);
    }
    Ok(found)
}

/// Is somebody else visible on the page with this email?
pub async fn has_other(
    sql: &mut Sql,
    institution: InstitutionId,
    page: NamePageId,
    email_key: &str,
    own: ParticipantId,
) -> Result<bool> {
    let text = "SELECT 1 FROM participants WHERE institution_id = $1 AND name_page_id = $2 AND email_key = $3 AND id <> $4";
    let params: [Value<'_>; 4] = [institution.into(), page.into(), email_key.into(), own.into()];
    Ok(sql.one(text, &params, |_| Ok(())).await?.is_some())
}

/// Those of these hidden registrations whose email somebody else has on their page by now.
pub async fn superseded(
    sql: &mut Sql,
    institution: InstitutionId,
    ids: &[ParticipantId],
) -> Result<Vec<matching::Entry>> {
    let mut found = Vec::new();
    for group in padded(ids) {
        let text = format!(
            "SELECT h.id FROM hidden_participants h JOIN participants p ON p.institution_id = h.institution_id \
             AND p.name_page_id = h.name_page_id AND p.email_key = h.email_key \
             WHERE h.institution_id = $1 AND h.id IN ({})",
            placeholders(2, group.len())
        );
        let params: Vec<Value<'_>> =
            [institution.into()].into_iter().chain(group.into_iter().map(Value::from)).collect();
        // Whoever has the email keeps what they have chosen, so the entry is without it.
        let read = |row: &Row<'_>| {
            Ok(matching::Entry { id: row.id(0)?, hidden: true, ..matching::Entry::default() })
        };
        found.extend(sql.rows(&text, &params, read).await?);
    }
    Ok(found)
}

/// Lets registrations follow users. Of several links of a registration, the last one counts.
pub async fn link(sql: &mut Sql, institution: InstitutionId, links: &[(ParticipantId, Link)]) -> Result<()> {
    // PostgreSQL changes a row only once in a statement.
    let links: BTreeMap<ParticipantId, Link> = links.iter().copied().collect();
    let links: Vec<(ParticipantId, Link)> = links.into_iter().collect();
    for chunk in in_power_of_two_chunks(&links) {
        let text = format!(
            "INSERT INTO scim_registrations (institution_id, participant_id, user_id, parked) VALUES {} \
             ON CONFLICT (institution_id, participant_id) DO UPDATE SET user_id = excluded.user_id, parked = excluded.parked",
            value_rows(1, chunk.len(), 4)
        );
        let row = |(participant, link): &(ParticipantId, Link)| {
            let user = Value::from(link.user);
            [Value::from(institution), Value::from(*participant), user, Value::from(link.parked)]
        };
        let params: Vec<Value<'_>> = chunk.iter().flat_map(row).collect();
        sql.execute(&text, &params).await?;
    }
    Ok(())
}

pub async fn unlink(sql: &mut Sql, institution: InstitutionId, ids: &[ParticipantId]) -> Result<()> {
    for group in padded(ids) {
        let text = format!(
            "DELETE FROM scim_registrations WHERE institution_id = $1 AND participant_id IN ({})",
            placeholders(2, group.len())
        );
        let params: Vec<Value<'_>> =
            [institution.into()].into_iter().chain(group.into_iter().map(Value::from)).collect();
        sql.execute(&text, &params).await?;
    }
    Ok(())
}

/// Those of these people whose role comes from a group.
pub async fn with_role(
    sql: &mut Sql,
    institution: InstitutionId,
    email_keys: &[&str],
) -> Result<HashSet<String>> {
    let mut found = HashSet::new();
    for group in padded(email_keys) {
        let text = format!(
            "SELECT email_key FROM scim_roles WHERE institution_id = $1 AND email_key IN ({})",
            placeholders(2, group.len())
        );
        let params: Vec<Value<'_>> =
            [institution.into()].into_iter().chain(group.into_iter().map(Value::from)).collect();
        found.extend(sql.rows(&text, &params, |row| row.text(0)).await?);
    }
    Ok(found)
}

pub async fn mark_role(
    sql: &mut Sql,
    institution: InstitutionId,
    email_key: &str,
    now: Moment,
) -> Result<()> {
    let text = "INSERT INTO scim_roles (institution_id, email_key, created_at) VALUES ($1, $2, $3) \
                ON CONFLICT (institution_id, email_key) DO NOTHING";
    sql.execute(text, &[institution.into(), email_key.into(), now.micros().into()]).await.map(|_| ())
}

/// From now on, the role does not follow a group.
pub async fn unmark_role(sql: &mut Sql, institution: InstitutionId, email_key: &str) -> Result<()> {
    let text = "DELETE FROM scim_roles WHERE institution_id = $1 AND email_key = $2";
    sql.execute(text, &[institution.into(), email_key.into()]).await.map(|_| ())
}
