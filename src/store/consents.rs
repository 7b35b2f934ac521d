//! The texts that people agree to before they record, and who has agreed to which version.

use std::collections::BTreeMap;

use super::{Error, Result, Row, Sql, Value, stored_json};
use crate::domain::{
    consent::{Consent, ConsentText, Giver},
    ids::{InstitutionId, ParticipantId},
    language::Language,
    moment::Moment,
};

/// The institution's newest text. With `{}` in place of texts, the institution has gone back to the built-in one.
pub async fn newest_text(sql: &mut Sql, institution: InstitutionId) -> Result<Option<ConsentText>> {
    let text = "SELECT version, texts FROM consent_texts WHERE institution_id = $1 \
                ORDER BY created_at DESC, LENGTH(version) DESC, version DESC LIMIT 1";
    sql.one(text, &[institution.into()], |row| Ok((row.text(0)?, row.text(1)?)))
        .await?
        .map(|(version, json)| {
            let texts: BTreeMap<String, String> = stored_json(("consent_texts", "texts", &version), &json)?;
            Ok(ConsentText { version, texts })
        })
        .transpose()
}

/// The institution's text of a version that somebody has agreed to earlier.
pub async fn text(sql: &mut Sql, institution: InstitutionId, version: &str) -> Result<Option<ConsentText>> {
    let text = "SELECT texts FROM consent_texts WHERE institution_id = $1 AND version = $2";
    let json = sql.one(text, &[institution.into(), version.into()], |row| row.text(0)).await?;
    let Some(json) = json else { return Ok(None) };
    let texts = stored_json(("consent_texts", "texts", version), &json)?;
    Ok(Some(ConsentText { version: version.to_owned(), texts }))
}

pub async fn count_texts(sql: &mut Sql, institution: InstitutionId) -> Result<i64> {
    let text = "SELECT COUNT(*) FROM consent_texts WHERE institution_id = $1";
    Ok(sql.one(text, &[institution.into()], |row| row.int(0)).await?.unwrap_or(0))
}

/// Stores a new version, or more languages of one.
pub async fn put_text(
    sql: &mut Sql,
    institution: InstitutionId,
    text: &ConsentText,
    now: Moment,
) -> Result<()> {
    let json = serde_json::to_string(&text.texts).map_err(|error| Error::Broken(error.to_string()))?;
    let statement = "INSERT INTO consent_texts (institution_id, version, texts, created_at) VALUES ($1, $2, $3, $4) \
                     ON CONFLICT (institution_id, version) DO UPDATE SET texts = excluded.texts";
    let params: [Value<'_>; 4] =
        [institution.into(), (&text.version).into(), json.into(), now.micros().into()];
    sql.execute(statement, &params).await.map(|_| ())
}

/// The table and the key of who agrees.
fn place(giver: &Giver) -> (&'static str, &'static str, [Value<'_>; 2]) {
    match giver {
        Giver::Person(person) => {
            ("consents", "email_key", [person.institution.into(), (&person.email_key).into()])
        }
        Giver::Registration(institution, id) => {
            ("participant_consents", "participant_id", [(*institution).into(), (*id).into()])
        }
    }
}

/// What they have agreed to and not withdrawn, of this version.
pub async fn in_force(sql: &mut Sql, giver: &Giver, version: &str) -> Result<Option<Consent>> {
    let (table, column, [institution, key]) = place(giver);
    let text = format!(
        "SELECT version, language, consented_at, withdrawn_at FROM {table} \
         WHERE institution_id = $1 AND {column} = $2 AND version = $3 AND withdrawn_at IS NULL"
    );
    sql.one(&text, &[institution, key, version.into()], |row| consent(row, 0)).await
}

fn consent(row: &Row<'_>, first: usize) -> Result<Consent> {
    Ok(Consent {
        version: row.text(first)?,
        language: Language::parse(&row.text(first + 1)?).unwrap_or_default(),
        consented_at: Moment::from_micros(row.int(first + 2)?),
        withdrawn_at: row.opt_int(first + 3)?.map(Moment::from_micros),
    })
}

/// Stores a consent. One that is in force keeps its date.
pub async fn agree(
    sql: &mut Sql,
    giver: &Giver,
    version: &str,
    language: Language,
    now: Moment,
) -> Result<()> {
    let (table, column, [institution, key]) = place(giver);
    let text = format!(
        "INSERT INTO {table} (institution_id, {column}, version, language, consented_at) VALUES ($1, $2, $3, $4, $5) \
         ON CONFLICT (institution_id, {column}, version) DO UPDATE SET language = excluded.language, \
         consented_at = excluded.consented_at, withdrawn_at = NULL WHERE {table}.withdrawn_at IS NOT NULL"
    );
    let params = [institution, key, version.into(), language.tag().into(), now.micros().into()];
    sql.execute(&text, &params).await.map(|_| ())
}

/// Withdraws all consents of somebody, whichever version they are of.
pub async fn withdraw(sql: &mut Sql, giver: &Giver, now: Moment) -> Result<u64> {
    let (table, column, [institution, key]) = place(giver);
    let text = format!(
        "UPDATE {table} SET withdrawn_at = $1 WHERE institution_id = $2 AND {column} = $3 AND withdrawn_at IS NULL"
    );
    sql.execute(&text, &[now.micros().into(), institution, key]).await
}

/// Moves the consents of a registration to the one that it is merged into. What is known there already stays.
pub async fn hand_over(
    sql: &mut Sql,
    institution: InstitutionId,
    (to, from): (ParticipantId, ParticipantId),
) -> Result<()> {
    let text = "INSERT INTO participant_consents \
                (institution_id, participant_id, version, language, consented_at, withdrawn_at) \
                SELECT institution_id, $1, version, language, consented_at, withdrawn_at FROM participant_consents \
                WHERE institution_id = $2 AND participant_id = $3 \
                ON CONFLICT (institution_id, participant_id, version) DO NOTHING";
    sql.execute(text, &[to.into(), institution.into(), from.into()]).await?;
    let text = "DELETE FROM participant_consents WHERE institution_id = $1 AND participant_id = $2";
    sql.execute(text, &[institution.into(), from.into()]).await.map(|_| ())
}

/// All consents of an institution, by email or by the number of a registration without one.
pub async fn all(sql: &mut Sql, institution: InstitutionId) -> Result<Vec<(String, Consent)>> {
    let mut found = Vec::new();
    for (table, column) in [("consents", "email_key"), ("participant_consents", "participant_id")] {
        let text = format!(
            "SELECT CAST({column} AS TEXT), version, language, consented_at, withdrawn_at FROM {table} \
             WHERE institution_id = $1 ORDER BY consented_at, {column}, version"
        );
        let read = |row: &Row<'_>| Ok((row.text(0)?, consent(row, 1)?));
        found.extend(sql.rows(&text, &[institution.into()], read).await?);
    }
    Ok(found)
}
