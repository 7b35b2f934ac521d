//! Inserts, updates and deletes. The caller holds the institution's lock and has validated the data.

use std::sync::OnceLock;

use super::{columns::custom_to_json, *};
use crate::{
    domain::{
        ids::{InstitutionId, NamePageId},
        matching::{Entry, TargetIdentity},
        participant::{TextKind, name_key},
        session::PersonId,
    },
    store::{
        audiences, coverage, directory_holds, in_power_of_two_chunks, persons, rolls, sessions, sign_ins,
        value_rows,
    },
};

/// A row to insert: a participant without media, and the columns that are not part of a `Participant`.
pub struct Record {
    pub person: Participant,
    pub name_page_id: NamePageId,
    pub email_key: Option<String>,
    pub identifier_key: Option<String>,
    pub phone_number: Option<String>,
    pub now: Moment,
}

/// Deferred: the caller has checked everything that could fail.
pub async fn insert(sql: &mut Sql, institution: InstitutionId, new: &Record) -> Result<()> {
    let row = inserted(institution, new)?;
    // Building the text would be a fifth of the work of inserting one row.
    let text = INSERT_ONE.get_or_init(|| insert_text(&row, 1));
    let params: Vec<Value<'_>> = row.into_iter().map(|(_, value)| value).collect();
    sql.defer(text, &params).await
}

/// Multi-row insert. Whoever has a directory hold elsewhere has it here.
pub async fn insert_all(sql: &mut Sql, institution: InstitutionId, new: &[Record]) -> Result<()> {
    for group in in_power_of_two_chunks(new) {
        let rows = group.iter().map(|one| inserted(institution, one)).collect::<Result<Vec<_>>>()?;
        // Building the text would be a fifth of the work of inserting one row.
        let several;
        let text = match rows.as_slice() {
            [row] => INSERT_ONE.get_or_init(|| insert_text(row, 1)),
            [row, ..] => {
                several = insert_text(row, rows.len());
                &several
            }
            [] => continue,
        };
        let params: Vec<Value<'_>> = rows.into_iter().flatten().map(|(_, value)| value).collect();
        sql.execute(text, &params).await?;
    }
    let ids: Vec<ParticipantId> = new.iter().map(|one| one.person.id).collect();
    directory_holds::spread(sql, institution, &ids).await
}

static INSERT_ONE: OnceLock<String> = OnceLock::new();

fn insert_text(row: &[Written<'_>], rows: usize) -> String {
    let columns: Vec<&str> = row.iter().map(|(column, _)| *column).collect();
    let places = value_rows(1, rows, columns.len());
    format!("INSERT INTO participants ({}) VALUES {places}", columns.join(", "))
}

/// A column and its new value.
pub(super) type Written<'a> = (&'static str, Value<'a>);

/// The columns are in the same order for every row.
pub(super) fn inserted(institution: InstitutionId, new: &Record) -> Result<Vec<Written<'_>>> {
    let person = &new.person;
    let mut row: Vec<Written<'_>> = vec![
        ("institution_id", institution.into()),
        ("id", person.id.into()),
        ("name_page_id", new.name_page_id.into()),
        ("page_place", person.page_place.into()),
        ("token", (&person.token).into()),
        ("email", person.email.as_ref().into()),
        ("email_key", new.email_key.as_ref().into()),
        ("identifier_key", new.identifier_key.as_ref().into()),
        ("phone_number", new.phone_number.as_ref().into()),
        ("recorded_at", 0.into()),
        ("legal_recorded_at", 0.into()),
        ("held", person.is_held.into()),
        ("created_at", new.now.micros().into()),
        ("directory_hold", person.directory_hold.into()),
    ];
    row.extend(person.texts().map(|(field, text)| (field.column, text.into())));
    row.extend(derived(person, new.now)?);
    Ok(row)
}

/// What inserts and updates write besides the text fields.
fn derived(person: &Participant, now: Moment) -> Result<[Written<'_>; 5]> {
    Ok([
        ("first_name_key", person.first_name.as_deref().map(name_key).into()),
        ("last_name_key", person.last_name.as_deref().map(name_key).into()),
        ("custom", custom_to_json(&person.custom)?.into()),
        ("custom_changed_at", person.custom_changed_at.map(Moment::micros).into()),
        ("updated_at", now.micros().into()),
    ])
}

/// Hides an entry from everybody but managers and the person, or shows it.
pub async fn set_held(
    sql: &mut Sql,
    institution: InstitutionId,
    id: ParticipantId,
    held: bool,
    now: Moment,
) -> Result<()> {
    for table in ["participants", "hidden_participants"] {
        let text =
            format!("UPDATE {table} SET held = $1, updated_at = $2 WHERE institution_id = $3 AND id = $4");
        sql.execute(&text, &[held.into(), now.micros().into(), institution.into(), id.into()]).await?;
    }
    Ok(())
}

/// Updates what a learning system says about a person, visible or hidden.
pub async fn set_identity(
    sql: &mut Sql,
    institution: InstitutionId,
    (id, hidden): (ParticipantId, bool),
    wanted: &TargetIdentity,
    now: Moment,
) -> Result<()> {
    let table = if hidden { "hidden_participants" } else { "participants" };
    let text = format!(
        "UPDATE {table} SET first_name = $1, last_name = $2, email = $3, email_key = $4, identifier = $5, identifier_key = $6, \
         first_name_key = $7, last_name_key = $8, updated_at = $9 WHERE institution_id = $10 AND id = $11"
    );
    let params: [Value<'_>; 11] = [
        wanted.first_name.as_ref().into(),
        wanted.last_name.as_ref().into(),
        wanted.email.as_ref().into(),
        wanted.email_key.as_ref().into(),
        wanted.identifier.as_ref().into(),
        wanted.identifier_key.as_ref().into(),
        wanted.first_name.as_deref().map(name_key).into(),
        wanted.last_name.as_deref().map(name_key).into(),
        now.micros().into(),
        institution.into(),
        id.into(),
    ];
    sql.execute(&text, &params).await?;
    directory_holds::spread(sql, institution, &[id]).await?;
    audiences::keep_paused_with_email(sql, institution, id, now).await
}

/// Clears the emails of people who are about to get other ones, or none. Otherwise two people swapping emails would violate the
/// unique index.
///
/// From now on, such an email may be somebody else's: whoever has signed in with it is signed out, and what the person has chosen
/// and agreed to is deleted with their last registration. Who has paused stays paused.
pub async fn clear_emails(sql: &mut Sql, institution: InstitutionId, entries: &[&Entry]) -> Result<()> {
    let ids: Vec<ParticipantId> = entries.iter().map(|entry| entry.id).collect();
    audiences::keep_paused(sql, institution, &ids).await?;
    for group in padded(&ids) {
        let these = placeholders(2, group.len());
        let params: Vec<Value<'_>> =
            [institution.into()].into_iter().chain(group.into_iter().map(Value::from)).collect();
        for table in ["participants", "hidden_participants"] {
            let text = format!(
                "UPDATE {table} SET email = NULL, email_key = NULL WHERE institution_id = $1 AND id IN ({these})"
            );
            sql.execute(&text, &params).await?;
        }
    }
    let mut keys: Vec<&String> = entries.iter().filter_map(|entry| entry.email_key.as_ref()).collect();
    keys.sort_unstable();
    keys.dedup();
    for email_key in keys {
        sessions::delete_all_of(sql, institution, email_key).await?;
        sign_ins::delete_of(sql, &PersonId { institution, email_key: email_key.clone() }).await?;
        persons::delete_unregistered(sql, institution, email_key).await?;
    }
    Ok(())
}

/// Updates the text fields and custom values. `phone_number: None` keeps the stored number.
pub async fn update(
    sql: &mut Sql,
    institution: InstitutionId,
    changed: &Participant,
    phone_number: Option<Option<&str>>,
    now: Moment,
) -> Result<()> {
    // The identifier is part of the identity, which `update` never changes.
    let texts = changed.texts().filter(|(field, _)| field.kind != TextKind::Identifier);
    let mut set: Vec<Written<'_>> = texts.map(|(field, text)| (field.column, text.into())).collect();
    set.extend(derived(changed, now)?);
    set.extend(phone_number.map(|number| ("phone_number", number.into())));
    let assignments: Vec<String> =
        (1..).zip(&set).map(|(place, (column, _)): (usize, _)| format!("{column} = ${place}")).collect();
    let text = format!(
        "UPDATE participants SET {} WHERE institution_id = ${} AND id = ${}",
        assignments.join(", "),
        set.len() + 1,
        set.len() + 2
    );
    let key_params = [institution.into(), changed.id.into()];
    let params: Vec<Value<'_>> = set.into_iter().map(|(_, value)| value).chain(key_params).collect();
    sql.execute(&text, &params).await.map(|_| ())
}

pub async fn list_badge(
    sql: &mut Sql,
    institution: InstitutionId,
    id: ParticipantId,
    listed: bool,
) -> Result<()> {
    let text = "UPDATE participants SET badge_listed = $1 WHERE institution_id = $2 AND id = $3";
    sql.execute(text, &[listed.into(), institution.into(), id.into()]).await.map(|_| ())
}

/// The same for all registrations of a person.
pub async fn list_badges(
    sql: &mut Sql,
    institution: InstitutionId,
    email_key: &str,
    listed: bool,
) -> Result<()> {
    for table in ["participants", "hidden_participants"] {
        let text =
            format!("UPDATE {table} SET badge_listed = $1 WHERE institution_id = $2 AND email_key = $3");
        sql.execute(&text, &[listed.into(), institution.into(), email_key.into()]).await?;
    }
    Ok(())
}

/// Deletes the row only. `store/persons.rs` lists the tables that refer to it. The caller holds the institution's lock.
pub async fn delete(
    sql: &mut Sql,
    institution: InstitutionId,
    page: NamePageId,
    id: ParticipantId,
) -> Result<()> {
    sql.scrub_wal();
    let text = "DELETE FROM participants WHERE institution_id = $1 AND id = $2 RETURNING page_place";
    let place = sql.one(text, &[institution.into(), id.into()], |row| row.int(0)).await?;
    if let Some(place) = place {
        rolls::leave(sql, institution, rolls::INSTITUTION, &[id]).await?;
        rolls::leave(sql, institution, page, &[place]).await?;
        coverage::left(sql, institution, page, &[id]).await?;
    }
    Ok(())
}
