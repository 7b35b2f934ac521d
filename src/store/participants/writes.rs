//! People: written, changed, removed. The caller holds the institution's lock and has checked everything.

use super::*;
use crate::{
    domain::{
        ids::{InstitutionId, NamePageId, ParticipantId},
        matching::Wanted,
    },
    store::{in_powers, rolls, value_rows},
};

/// A row as it is written; `Participant` is how it is read.
pub struct Record {
    pub id: ParticipantId,
    pub name_page_id: NamePageId,
    pub page_place: i64,
    pub token: String,
    pub first_name: Option<String>,
    pub last_name: Option<String>,
    pub email: Option<String>,
    pub email_key: Option<String>,
    pub identifier: Option<String>,
    pub identifier_key: Option<String>,
    pub phonetic: Option<String>,
    pub notes: Option<String>,
    pub phone_number: Option<String>,
    pub legal: Legal,
    pub custom: CustomValues,
    pub custom_changed_at: Option<Moment>,
    pub now: Moment,
}

pub async fn insert(sql: &mut Sql, institution: InstitutionId, new: &Record) -> Result<()> {
    static TEXT: LazyLock<String> = LazyLock::new(|| insert_text(1));
    sql.execute(&TEXT, &insert_params(institution, new)).await.map(|_| ())
}

/// Many at once.
pub async fn insert_all(sql: &mut Sql, institution: InstitutionId, new: &[Record]) -> Result<()> {
    for group in in_powers(new) {
        let params: Vec<Value<'_>> = group.iter().flat_map(|one| insert_params(institution, one)).collect();
        sql.execute(&insert_text(group.len()), &params).await?;
    }
    Ok(())
}

const INSERTED: usize = 27;

fn insert_text(rows: usize) -> String {
    format!(
        "INSERT INTO participants (institution_id, id, name_page_id, page_place, token, first_name, last_name, \
         email, email_key, identifier, identifier_key, phonetic, notes, phone_number, recorded_at, \
         legal_first_name, legal_last_name, legal_middle_name, legal_phonetic, legal_notes, legal_recorded_at, \
         custom, custom_changed_at, created_at, updated_at, first_name_key, last_name_key) VALUES {}",
        value_rows(1, rows, INSERTED)
    )
}

fn insert_params(institution: InstitutionId, new: &Record) -> [Value<'_>; INSERTED] {
    [
        institution.into(),
        new.id.into(),
        new.name_page_id.into(),
        new.page_place.into(),
        (&new.token).into(),
        new.first_name.as_ref().into(),
        new.last_name.as_ref().into(),
        new.email.as_ref().into(),
        new.email_key.as_ref().into(),
        new.identifier.as_ref().into(),
        new.identifier_key.as_ref().into(),
        new.phonetic.as_ref().into(),
        new.notes.as_ref().into(),
        new.phone_number.as_ref().into(),
        0.into(),
        new.legal.first_name.as_ref().into(),
        new.legal.last_name.as_ref().into(),
        new.legal.middle_name.as_ref().into(),
        new.legal.phonetic.as_ref().into(),
        new.legal.notes.as_ref().into(),
        0.into(),
        custom_to_json(&new.custom).into(),
        new.custom_changed_at.map(Moment::micros).into(),
        new.now.micros().into(),
        new.now.micros().into(),
        new.first_name.as_deref().map(name_key).into(),
        new.last_name.as_deref().map(name_key).into(),
    ]
}

/// What a learning system says of somebody, whether they are to be seen or hidden.
pub async fn set_identity(
    sql: &mut Sql,
    institution: InstitutionId,
    (id, hidden): (ParticipantId, bool),
    wanted: &Wanted,
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
    sql.execute(&text, &params).await.map(|_| ())
}

/// From people who are to have others: two who exchange theirs would stand in each other's way.
pub async fn take_emails(sql: &mut Sql, institution: InstitutionId, ids: &[ParticipantId]) -> Result<()> {
    for group in padded(ids) {
        let text = format!(
            "UPDATE participants SET email = NULL, email_key = NULL WHERE institution_id = $1 AND id IN ({})",
            placeholders(2, group.len())
        );
        let params: Vec<Value<'_>> =
            [institution.into()].into_iter().chain(group.into_iter().map(Value::from)).collect();
        sql.execute(&text, &params).await?;
    }
    Ok(())
}

/// What an update may change.
pub struct Change<'a> {
    pub first_name: Option<&'a str>,
    pub last_name: Option<&'a str>,
    pub phonetic: Option<&'a str>,
    pub notes: Option<&'a str>,
    /// `None` leaves the number as it is.
    pub phone_number: Option<Option<&'a str>>,
    pub legal: &'a Legal,
    pub custom: &'a CustomValues,
    pub custom_changed_at: Option<Moment>,
    pub now: Moment,
}

pub async fn update(
    sql: &mut Sql,
    institution: InstitutionId,
    id: ParticipantId,
    change: &Change<'_>,
) -> Result<()> {
    let text = "UPDATE participants SET first_name = $1, last_name = $2, phonetic = $3, notes = $4, legal_first_name = $5, \
         legal_last_name = $6, legal_middle_name = $7, legal_phonetic = $8, legal_notes = $9, custom = $10, \
         custom_changed_at = $11, updated_at = $12, first_name_key = $13, last_name_key = $14 \
         WHERE institution_id = $15 AND id = $16";
    let legal = change.legal;
    let params: [Value<'_>; 16] = [
        change.first_name.into(),
        change.last_name.into(),
        change.phonetic.into(),
        change.notes.into(),
        legal.first_name.as_ref().into(),
        legal.last_name.as_ref().into(),
        legal.middle_name.as_ref().into(),
        legal.phonetic.as_ref().into(),
        legal.notes.as_ref().into(),
        custom_to_json(change.custom).into(),
        change.custom_changed_at.map(Moment::micros).into(),
        change.now.micros().into(),
        change.first_name.map(name_key).into(),
        change.last_name.map(name_key).into(),
        institution.into(),
        id.into(),
    ];
    sql.execute(text, &params).await?;
    if let Some(phone_number) = change.phone_number {
        let text = "UPDATE participants SET phone_number = $1 WHERE institution_id = $2 AND id = $3";
        sql.execute(text, &[phone_number.into(), institution.into(), id.into()]).await?;
    }
    Ok(())
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

/// The row alone: what belongs to it is `store/persons.rs`. The caller holds the institution's lock.
pub async fn delete(
    sql: &mut Sql,
    institution: InstitutionId,
    page: NamePageId,
    id: ParticipantId,
) -> Result<()> {
    sql.forget();
    let text = "DELETE FROM participants WHERE institution_id = $1 AND id = $2 RETURNING page_place";
    let place = sql.one(text, &[institution.into(), id.into()], |row| row.int(0)).await?;
    if let Some(place) = place {
        rolls::leave(sql, institution, rolls::INSTITUTION, &[id]).await?;
        rolls::leave(sql, institution, page, &[place]).await?;
    }
    Ok(())
}
