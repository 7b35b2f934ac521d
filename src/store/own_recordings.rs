//! Reads the data that decides which registrations belong to the same person, including hidden ones.

use std::collections::HashSet;

use super::{Result, Row, Sql, Value, media, padded, placeholders, position_in};
use crate::domain::{
    ids::{InstitutionId, ParticipantId, ToolConsumerId},
    moment::Moment,
    own_recording::{Recorded, Registration},
};

/// Each round expands what the previous one found: from a registration without an email to a person's email, to their other
/// registrations, to those that share a key with one of them, to what those share with others.
const ROUNDS: usize = 4;

/// These registrations, and all others that may belong to the same people.
pub async fn around(
    sql: &mut Sql,
    institution: InstitutionId,
    these: Vec<Registration>,
) -> Result<Vec<Registration>> {
    let mut all = these;
    let mut ids: HashSet<ParticipantId> = all.iter().filter_map(|one| one.id).collect();
    let (mut emails, mut identifiers, mut users) = (HashSet::new(), HashSet::new(), HashSet::new());
    let mut from = 0;
    for _ in 0..ROUNDS {
        let (mut by_email, mut by_identifier, mut by_user) = (Vec::new(), Vec::new(), Vec::new());
        for one in &all[from..] {
            by_email.extend(one.email_key.iter().filter(|key| emails.insert((*key).clone())).cloned());
            by_identifier
                .extend(one.identifier_key.iter().filter(|key| identifiers.insert((*key).clone())).cloned());
            by_user.extend(one.users.iter().filter(|user| users.insert((*user).clone())).cloned());
        }
        from = all.len();
        let mut found = by(sql, institution, "email_key", &texts(&by_email)).await?;
        found.extend(by(sql, institution, "identifier_key", &texts(&by_identifier)).await?);
        found.retain(|one| one.id.is_some_and(|id| ids.insert(id)));
        let mut linked = of_users(sql, institution, &by_user).await?;
        linked.retain(|id| ids.insert(*id));
        found.extend(by_ids(sql, institution, &linked).await?);
        if found.is_empty() {
            break;
        }
        add_users(sql, institution, &mut found).await?;
        all.append(&mut found);
    }
    Ok(all)
}

fn texts(keys: &[String]) -> Vec<Value<'_>> {
    keys.iter().map(Value::from).collect()
}

/// One registration, visible or hidden.
pub async fn find(
    sql: &mut Sql,
    institution: InstitutionId,
    id: ParticipantId,
) -> Result<Option<Registration>> {
    let mut found = by_ids(sql, institution, &[id]).await?;
    add_users(sql, institution, &mut found).await?;
    Ok(found.pop())
}

/// Returns those of these registrations that have no email, visible or hidden.
pub async fn without_email(
    sql: &mut Sql,
    institution: InstitutionId,
    ids: &[ParticipantId],
) -> Result<Vec<Registration>> {
    let mut found = by_ids(sql, institution, ids).await?;
    found.retain(|one| one.email_key.is_none());
    add_users(sql, institution, &mut found).await?;
    Ok(found)
}

/// Returns those of these registrations that have no recording.
pub async fn unrecorded(
    sql: &mut Sql,
    institution: InstitutionId,
    ids: &[ParticipantId],
) -> Result<HashSet<ParticipantId>> {
    let found = by_ids(sql, institution, ids).await?;
    Ok(found.into_iter().filter(|one| one.recording.is_none()).filter_map(|one| one.id).collect())
}

async fn by_ids(
    sql: &mut Sql,
    institution: InstitutionId,
    ids: &[ParticipantId],
) -> Result<Vec<Registration>> {
    let ids: Vec<Value<'_>> = ids.iter().map(|id| Value::from(*id)).collect();
    by(sql, institution, "id", &ids).await
}

async fn by(
    sql: &mut Sql,
    institution: InstitutionId,
    column: &str,
    keys: &[Value<'_>],
) -> Result<Vec<Registration>> {
    let keys: Vec<&Value<'_>> = keys.iter().collect();
    let mut found = Vec::new();
    for table in ["participants", "hidden_participants"] {
        for group in padded(&keys) {
            let params: Vec<Value<'_>> =
                [institution.into()].into_iter().chain(group.iter().map(|key| (*key).clone())).collect();
            found.extend(sql.rows(&by_text(table, column, group.len()), &params, from_row).await?);
        }
    }
    Ok(found)
}

const REGISTRATION: [&str; 7] =
    ["p.id", "p.email_key", "p.identifier_key", "p.phonetic", "m.hex", "m.origin", "m.created_at"];

fn by_text(table: &str, column: &str, count: usize) -> String {
    format!(
        "SELECT {} FROM {table} p \
         LEFT JOIN media m ON m.institution_id = p.institution_id AND m.participant_id = p.id AND m.kind = 'recording' \
         WHERE p.institution_id = $1 AND p.{column} IN ({})",
        REGISTRATION.join(", "),
        placeholders(2, count)
    )
}

fn from_row(row: &Row<'_>) -> Result<Registration> {
    let recording = match (
        row.opt_text(const { position_in(&REGISTRATION, "m.hex") })?,
        row.opt_text(const { position_in(&REGISTRATION, "m.origin") })?,
        row.opt_int(const { position_in(&REGISTRATION, "m.created_at") })?,
    ) {
        (Some(hex), Some(origin), Some(created_at)) => Some(Recorded {
            hex,
            origin: media::origin(&origin)?,
            created_at: Moment::from_micros(created_at),
        }),
        _ => None,
    };
    Ok(Registration {
        id: Some(row.id(const { position_in(&REGISTRATION, "p.id") })?),
        email_key: row.opt_text(const { position_in(&REGISTRATION, "p.email_key") })?,
        identifier_key: row.opt_text(const { position_in(&REGISTRATION, "p.identifier_key") })?,
        users: Vec::new(),
        phonetic: row.opt_text(const { position_in(&REGISTRATION, "p.phonetic") })?,
        recording,
    })
}

const USERS: &str = "SELECT m.participant_id, c.tool_consumer_id, m.user_id FROM course_members m \
     JOIN courses c ON c.institution_id = m.institution_id AND c.id = m.course_id WHERE m.institution_id = $1";

fn users_text(column: &str, count: usize) -> String {
    format!("{USERS} AND m.{column} IN ({})", placeholders(2, count))
}

/// Adds the user ids in learning systems.
async fn add_users(sql: &mut Sql, institution: InstitutionId, found: &mut [Registration]) -> Result<()> {
    let ids: Vec<ParticipantId> = found.iter().filter_map(|one| one.id).collect();
    let mut users = std::collections::HashMap::<ParticipantId, Vec<(ToolConsumerId, String)>>::new();
    for group in padded(&ids) {
        let text = users_text("participant_id", group.len());
        let params: Vec<Value<'_>> =
            [institution.into()].into_iter().chain(group.into_iter().map(Value::from)).collect();
        let read = |row: &Row<'_>| Ok((row.id(0)?, (row.id(1)?, row.text(2)?)));
        for (participant, user) in sql.rows(&text, &params, read).await? {
            users.entry(participant).or_default().push(user);
        }
    }
    for one in found {
        one.users = one.id.and_then(|id| users.remove(&id)).unwrap_or_default();
    }
    Ok(())
}

/// The registrations of these learning system users.
async fn of_users(
    sql: &mut Sql,
    institution: InstitutionId,
    users: &[(ToolConsumerId, String)],
) -> Result<Vec<ParticipantId>> {
    let wanted: HashSet<(ToolConsumerId, &str)> =
        users.iter().map(|(consumer, user)| (*consumer, user.as_str())).collect();
    let keys: Vec<&str> = users.iter().map(|(_, user)| user.as_str()).collect();
    let mut found = Vec::new();
    for group in padded(&keys) {
        let text = users_text("user_id", group.len());
        let params: Vec<Value<'_>> =
            [institution.into()].into_iter().chain(group.into_iter().map(Value::from)).collect();
        let read = |row: &Row<'_>| Ok((row.id::<ParticipantId>(0)?, row.id(1)?, row.text(2)?));
        let rows = sql.rows(&text, &params, read).await?;
        let theirs = rows.into_iter().filter(|(_, consumer, user)| wanted.contains(&(*consumer, user)));
        found.extend(theirs.map(|(participant, ..)| participant));
    }
    Ok(found)
}

/// For the test that checks query plans.
#[doc(hidden)]
pub fn statements() -> Vec<(&'static str, String, Vec<Value<'static>>)> {
    let keys = |key: Value<'static>| [vec![1_i64.into()], vec![key; 8]].concat();
    vec![
        ("registrations by email", by_text("participants", "email_key", 8), keys("a@example.edu".into())),
        ("registrations by identifier", by_text("participants", "identifier_key", 8), keys("A1".into())),
        ("registrations by id", by_text("participants", "id", 8), keys(7_i64.into())),
    ]
}
