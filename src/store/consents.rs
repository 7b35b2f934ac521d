//! The texts that people agree to before they record, and who has agreed to which version.

use std::collections::{BTreeMap, HashMap};

use super::{Error, Result, Row, Sql, Value, padded, placeholders, stored_json};
use crate::domain::{
    consent::{Consent, ConsentText, Giver, Via},
    ids::{InstitutionId, ParticipantId},
    language::Language,
    moment::Moment,
    session::PersonId,
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

/// The column that says how somebody has agreed, and the condition under which it counts. Only a person can have been invited.
const fn via_and_condition(giver: &Giver) -> (&'static str, &'static str) {
    match giver {
        Giver::Person(_) => ("via", " AND NOT asked_again"),
        Giver::Registration(..) => (NO_VIA, ""),
    }
}

const NO_VIA: &str = "CAST(NULL AS TEXT)";

/// What they have agreed to and not withdrawn, of this version. What somebody has agreed to with an invitation counts until the person
/// signs in.
pub async fn in_force(sql: &mut Sql, giver: &Giver, version: &str) -> Result<Option<Consent>> {
    let (table, column, [institution, key]) = place(giver);
    let (via, and) = via_and_condition(giver);
    let text = format!(
        "SELECT version, language, consented_at, withdrawn_at, {via} FROM {table} \
         WHERE institution_id = $1 AND {column} = $2 AND version = $3 AND withdrawn_at IS NULL{and}"
    );
    sql.one(&text, &[institution, key, version.into()], |row| consent(row, 0)).await
}

fn consent(row: &Row<'_>, first: usize) -> Result<Consent> {
    Ok(Consent {
        version: row.text(first)?,
        language: Language::parse(&row.text(first + 1)?).unwrap_or_default(),
        consented_at: Moment::from_micros(row.int(first + 2)?),
        withdrawn_at: row.opt_int(first + 3)?.map(Moment::from_micros),
        via: {
            let word = row.opt_text(first + 4)?;
            Via::parse(word.as_deref())
                .ok_or_else(|| Error::Broken(format!("a consent by unknown means: {word:?}")))?
        },
    })
}

/// Stores a consent. One that is in force keeps its date.
pub async fn agree(
    sql: &mut Sql,
    giver: &Giver,
    via: Via,
    version: &str,
    language: Language,
    now: Moment,
) -> Result<()> {
    let (institution, id) = match giver {
        Giver::Person(person) => return agree_person(sql, person, via, version, language, now).await,
        Giver::Registration(institution, id) => (*institution, *id),
    };
    let text = "INSERT INTO participant_consents (institution_id, participant_id, version, language, consented_at) \
                VALUES ($1, $2, $3, $4, $5) \
                ON CONFLICT (institution_id, participant_id, version) DO UPDATE SET language = excluded.language, \
                consented_at = excluded.consented_at, withdrawn_at = NULL \
                WHERE participant_consents.withdrawn_at IS NOT NULL";
    let params = [institution.into(), id.into(), version.into(), language.tag().into(), now.micros().into()];
    sql.execute(text, &params).await.map(|_| ())
}

/// What people agree to when they have signed in replaces what somebody has agreed to with their invitation.
async fn agree_person(
    sql: &mut Sql,
    person: &PersonId,
    via: Via,
    version: &str,
    language: Language,
    now: Moment,
) -> Result<()> {
    let text = "INSERT INTO consents (institution_id, email_key, version, language, consented_at, via) \
                VALUES ($1, $2, $3, $4, $5, $6) \
                ON CONFLICT (institution_id, email_key, version) DO UPDATE SET language = excluded.language, \
                consented_at = excluded.consented_at, via = excluded.via, withdrawn_at = NULL, asked_again = FALSE \
                WHERE consents.withdrawn_at IS NOT NULL OR consents.via IS NOT NULL";
    let params: [Value<'_>; 6] = [
        person.institution.into(),
        (&person.email_key).into(),
        version.into(),
        language.tag().into(),
        now.micros().into(),
        via.word().into(),
    ];
    sql.execute(text, &params).await.map(|_| ())
}

/// The person has signed in: what somebody has agreed to with their invitation counts no longer.
pub async fn ask_again(sql: &mut Sql, person: &PersonId) -> Result<()> {
    let text = "UPDATE consents SET asked_again = TRUE WHERE institution_id = $1 AND email_key = $2 AND via IS NOT NULL \
                AND NOT asked_again";
    sql.execute(text, &[person.institution.into(), (&person.email_key).into()]).await.map(|_| ())
}

/// Is there anything for `ask_again` to do?
pub async fn any_by_invitation(sql: &mut Sql, person: &PersonId) -> Result<bool> {
    let text = "SELECT 1 FROM consents WHERE institution_id = $1 AND email_key = $2 AND via IS NOT NULL \
                AND NOT asked_again LIMIT 1";
    let params = [person.institution.into(), (&person.email_key).into()];
    Ok(sql.one(text, &params, |_| Ok(())).await?.is_some())
}

/// Withdraws all consents of somebody, whichever version they are of.
pub async fn withdraw(sql: &mut Sql, giver: &Giver, now: Moment) -> Result<u64> {
    let (table, column, [institution, key]) = place(giver);
    let text = format!(
        "UPDATE {table} SET withdrawn_at = $1 WHERE institution_id = $2 AND {column} = $3 AND withdrawn_at IS NULL"
    );
    sql.execute(&text, &[now.micros().into(), institution, key]).await
}

/// Those of these registrations whose owners have withdrawn their consent, and have given none since.
pub async fn withdrawn(
    sql: &mut Sql,
    institution: InstitutionId,
    ids: &[ParticipantId],
) -> Result<Vec<ParticipantId>> {
    let mut in_force: HashMap<ParticipantId, bool> = HashMap::new();
    for group in padded(ids) {
        let params: Vec<Value<'_>> =
            [institution.into()].into_iter().chain(group.iter().copied().map(Value::from)).collect();
        let read = |row: &Row<'_>| Ok((row.id::<ParticipantId>(0)?, row.opt_int(1)?.is_none()));
        for (id, is_in_force) in sql.rows(&given_text(group.len()), &params, read).await? {
            *in_force.entry(id).or_default() |= is_in_force;
        }
    }
    Ok(in_force.into_iter().filter(|(_, is_in_force)| !is_in_force).map(|(id, _)| id).collect())
}

fn given_text(count: usize) -> String {
    let these = placeholders(2, count);
    let of = |table: &str| {
        format!(
            "SELECT p.id, c.withdrawn_at FROM {table} p JOIN consents c ON c.institution_id = p.institution_id \
             AND c.email_key = p.email_key WHERE p.institution_id = $1 AND p.id IN ({these})"
        )
    };
    format!(
        "SELECT participant_id, withdrawn_at FROM participant_consents WHERE institution_id = $1 \
         AND participant_id IN ({these}) UNION ALL {} UNION ALL {}",
        of("participants"),
        of("hidden_participants")
    )
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
    for (table, column, via) in
        [("consents", "email_key", "via"), ("participant_consents", "participant_id", NO_VIA)]
    {
        let text = format!(
            "SELECT CAST({column} AS TEXT), version, language, consented_at, withdrawn_at, {via} FROM {table} \
             WHERE institution_id = $1 ORDER BY consented_at, {column}, version"
        );
        let read = |row: &Row<'_>| Ok((row.text(0)?, consent(row, 1)?));
        found.extend(sql.rows(&text, &[institution.into()], read).await?);
    }
    Ok(found)
}
