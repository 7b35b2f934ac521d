//! Who may hear a person's recordings: what the person chose, the institution's defaults, and what it permits.
//!
//! Pausing takes the recording out of the participant's row and marks its media as hidden, so no query has to know about it: lists,
//! look-ups, counts and exports show no recording, and its link is dead on every node. Resuming restores it from the media.

use std::collections::HashMap;

use super::{Error, Result, Row, Sql, Value, directory_holds, padded, placeholders};
use crate::domain::{
    audience::{Audience, Permitted},
    ids::{InstitutionId, ParticipantId},
    moment::Moment,
    session::PersonId,
};

fn audience(word: &str) -> Result<Audience> {
    Audience::parse(word)
        .ok_or_else(|| Error::Broken("an audience that this binary does not know".to_owned()))
}

/// What the person has chosen, if anything.
pub async fn chosen(sql: &mut Sql, institution: InstitutionId, email_key: &str) -> Result<Option<Audience>> {
    let text = "SELECT audience FROM persons WHERE institution_id = $1 AND email_key = $2";
    let word = sql.one(text, &[institution.into(), email_key.into()], |row| row.opt_text(0)).await?;
    word.flatten().as_deref().map(audience).transpose()
}

/// What the persons with these registrations have chosen, if anything.
pub async fn chosen_by(
    sql: &mut Sql,
    institution: InstitutionId,
    ids: &[ParticipantId],
) -> Result<HashMap<ParticipantId, Audience>> {
    let mut found = HashMap::new();
    for group in padded(ids) {
        let text = format!(
            "SELECT p.id, o.audience FROM participants p JOIN persons o \
             ON o.institution_id = p.institution_id AND o.email_key = p.email_key \
             WHERE p.institution_id = $1 AND p.id IN ({}) AND o.audience IS NOT NULL",
            placeholders(2, group.len())
        );
        let read = |row: &Row<'_>| Ok((row.id(0)?, audience(&row.text(1)?)?));
        found.extend(sql.rows(&text, &params(institution, group), read).await?);
    }
    Ok(found)
}

/// The defaults that the institution has set, oldest first, each with the time since which it holds. There are never many.
pub async fn defaults(sql: &mut Sql, institution: InstitutionId) -> Result<Vec<(Moment, Audience)>> {
    let text = "SELECT since, audience FROM audience_defaults WHERE institution_id = $1 ORDER BY since";
    let read = |row: &Row<'_>| Ok((Moment::from_micros(row.int(0)?), audience(&row.text(1)?)?));
    sql.rows(text, &[institution.into()], read).await
}

/// When the persons with these registrations were registered first. Without an email, a registration is a person.
pub async fn first_registered(
    sql: &mut Sql,
    institution: InstitutionId,
    ids: &[ParticipantId],
) -> Result<HashMap<ParticipantId, Moment>> {
    let mut found = HashMap::new();
    for group in padded(ids) {
        let text = first_registered_text(group.len());
        let read = |row: &Row<'_>| {
            let times = [Some(row.int(1)?), row.opt_int(2)?, row.opt_int(3)?];
            let first = times.into_iter().flatten().min().unwrap_or_default();
            Ok((row.id(0)?, Moment::from_micros(first)))
        };
        found.extend(sql.rows(&text, &params(institution, group), read).await?);
    }
    Ok(found)
}

fn first_registered_text(count: usize) -> String {
    let earliest = |table: &str| {
        format!(
            "(SELECT MIN(o.created_at) FROM {table} o WHERE o.institution_id = $1 AND o.email_key = p.email_key)"
        )
    };
    format!(
        "SELECT p.id, p.created_at, {}, {} FROM participants p WHERE p.institution_id = $1 AND p.id IN ({})",
        earliest("participants"),
        earliest("hidden_participants"),
        placeholders(2, count)
    )
}

/// `before_pause` is what holds until a pause, for somebody who pauses.
pub async fn choose(
    sql: &mut Sql,
    person: &PersonId,
    audience: Audience,
    before_pause: Option<Audience>,
    now: Moment,
) -> Result<()> {
    let text = "INSERT INTO persons (institution_id, email_key, audience, audience_before_pause, created_at) \
                VALUES ($1, $2, $3, $4, $5) ON CONFLICT (institution_id, email_key) DO UPDATE SET audience = excluded.audience, \
                audience_before_pause = excluded.audience_before_pause";
    let params: [Value<'_>; 5] = [
        person.institution.into(),
        (&person.email_key).into(),
        audience.word().into(),
        before_pause.map(Audience::word).into(),
        now.micros().into(),
    ];
    sql.execute(text, &params).await.map(|_| ())
}

/// What held before the person paused. `None` if nobody has noted it.
pub async fn before_pause(
    sql: &mut Sql,
    institution: InstitutionId,
    email_key: &str,
) -> Result<Option<Audience>> {
    let text = "SELECT audience_before_pause FROM persons WHERE institution_id = $1 AND email_key = $2";
    let word = sql.one(text, &[institution.into(), email_key.into()], |row| row.opt_text(0)).await?;
    word.flatten().as_deref().map(audience).transpose()
}

/// The default for people who were registered first at that time.
pub async fn default_at(
    sql: &mut Sql,
    institution: InstitutionId,
    registered_at: Moment,
) -> Result<Audience> {
    let text = "SELECT audience FROM audience_defaults WHERE institution_id = $1 AND since <= $2 ORDER BY since DESC LIMIT 1";
    let params = [institution.into(), registered_at.micros().into()];
    let word = sql.one(text, &params, |row| row.text(0)).await?;
    word.as_deref().map_or(Ok(Audience::default()), audience)
}

/// Sets the default for people who are registered from now on.
pub async fn set_default(sql: &mut Sql, institution: InstitutionId, to: Audience, now: Moment) -> Result<()> {
    let text = "INSERT INTO audience_defaults (institution_id, since, audience) VALUES ($1, $2, $3) \
                ON CONFLICT (institution_id, since) DO UPDATE SET audience = excluded.audience";
    sql.execute(text, &[institution.into(), now.micros().into(), to.word().into()]).await.map(|_| ())
}

pub async fn permitted(sql: &mut Sql, institution: InstitutionId) -> Result<Permitted> {
    let text = "SELECT audiences FROM institutions WHERE id = $1";
    let words = sql.one(text, &[institution.into()], |row| row.text(0)).await?;
    let Some(words) = words else { return Ok(Permitted::default()) };
    // A default would permit everything.
    Permitted::parse(&words).ok_or_else(|| {
        Error::Broken(format!("institutions.audiences of row {institution} is unreadable: `{words}`"))
    })
}

pub async fn permit(sql: &mut Sql, institution: InstitutionId, permitted: Permitted) -> Result<()> {
    let text = "UPDATE institutions SET audiences = $1 WHERE id = $2";
    sql.execute(text, &[permitted.words().into(), institution.into()]).await.map(|_| ())
}

/// When the person was registered first, on pages where they still are.
pub async fn registered_at(
    sql: &mut Sql,
    institution: InstitutionId,
    email_key: &str,
) -> Result<Option<Moment>> {
    let text = "SELECT MIN(created_at) FROM (SELECT created_at FROM participants WHERE institution_id = $1 AND email_key = $2 \
                UNION ALL SELECT created_at FROM hidden_participants WHERE institution_id = $1 AND email_key = $2) AS both_tables";
    let first = sql.one(text, &[institution.into(), email_key.into()], |row| row.opt_int(0)).await?;
    Ok(first.flatten().map(Moment::from_micros))
}

/// Returns those of these registrations that are paused, or whose email is that of a person who has paused.
pub async fn paused(
    sql: &mut Sql,
    institution: InstitutionId,
    ids: &[ParticipantId],
) -> Result<Vec<ParticipantId>> {
    let mut found = Vec::new();
    for group in padded(ids) {
        let (text, params) = (paused_text(group.len()), params(institution, group));
        found.extend(sql.rows(&text, &params, |row| row.id::<ParticipantId>(0)).await?);
    }
    Ok(found)
}

/// Hides the recordings of those of these registrations that are `paused`, and disables the links of those with a directory hold. To be
/// called after media was attached or shown, and after an email has changed.
pub async fn keep_paused(sql: &mut Sql, institution: InstitutionId, ids: &[ParticipantId]) -> Result<()> {
    directory_holds::keep(sql, institution, ids).await?;
    let paused = paused(sql, institution, ids).await?;
    pause(sql, institution, &paused).await
}

fn params(institution: InstitutionId, ids: Vec<ParticipantId>) -> Vec<Value<'static>> {
    [institution.into()].into_iter().chain(ids.into_iter().map(Value::from)).collect()
}

fn paused_text(count: usize) -> String {
    let these = placeholders(2, count);
    let of = |table: &str| {
        format!(
            "SELECT p.id FROM {table} p JOIN persons o ON o.institution_id = p.institution_id AND o.email_key = p.email_key \
             WHERE p.institution_id = $1 AND p.id IN ({these}) AND o.audience = 'paused'"
        )
    };
    format!(
        "SELECT participant_id FROM paused_participants WHERE institution_id = $1 AND participant_id IN ({these}) \
         UNION {} UNION {}",
        of("participants"),
        of("hidden_participants")
    )
}

/// A registration has got another email. If it is paused, so is the person with that email, unless they have chosen.
pub async fn keep_paused_with_email(
    sql: &mut Sql,
    institution: InstitutionId,
    id: ParticipantId,
    now: Moment,
) -> Result<()> {
    for table in ["participants", "hidden_participants"] {
        let text = format!(
            "INSERT INTO persons (institution_id, email_key, audience, created_at) \
             SELECT p.institution_id, p.email_key, 'paused', $1 FROM {table} p JOIN paused_participants q \
             ON q.institution_id = p.institution_id AND q.participant_id = p.id \
             WHERE p.institution_id = $2 AND p.id = $3 AND p.email_key IS NOT NULL \
             ON CONFLICT (institution_id, email_key) DO UPDATE SET audience = 'paused' WHERE persons.audience IS NULL"
        );
        sql.execute(&text, &[now.micros().into(), institution.into(), id.into()]).await?;
    }
    keep_paused(sql, institution, &[id]).await
}

/// The second of two registrations of a person is about to be merged into the first. If it is paused or has a directory hold, so is the
/// first.
pub async fn merge(
    sql: &mut Sql,
    institution: InstitutionId,
    (own, other): (ParticipantId, ParticipantId),
    now: Moment,
) -> Result<()> {
    if !directory_holds::held(sql, institution, &[other]).await?.is_empty() {
        directory_holds::set(sql, institution, &[own], true).await?;
    }
    directory_holds::spread(sql, institution, &[own]).await?;
    if !paused(sql, institution, &[other]).await?.is_empty() {
        pause(sql, institution, &[own]).await?;
        keep_paused_with_email(sql, institution, own, now).await?;
    }
    let text = "DELETE FROM paused_participants WHERE institution_id = $1 AND participant_id = $2";
    sql.execute(text, &[institution.into(), other.into()]).await.map(|_| ())
}

/// Makes every link to these people's recordings dead, and shows none.
pub async fn pause(sql: &mut Sql, institution: InstitutionId, ids: &[ParticipantId]) -> Result<()> {
    for group in padded(ids) {
        let (these, params) = (placeholders(2, group.len()), params(institution, group));
        for table in ["participants", "hidden_participants"] {
            let text = format!(
                "INSERT INTO paused_participants (institution_id, participant_id) SELECT institution_id, id FROM {table} \
                 WHERE institution_id = $1 AND id IN ({these}) ON CONFLICT (institution_id, participant_id) DO NOTHING"
            );
            sql.execute(&text, &params).await?;
            let text = format!(
                "UPDATE {table} SET recording = NULL, recorded_at = 0, legal_recording = NULL, legal_recorded_at = 0 \
                 WHERE institution_id = $1 AND id IN ({these})"
            );
            sql.execute(&text, &params).await?;
        }
        let text = format!(
            "UPDATE media SET hidden = TRUE WHERE institution_id = $1 AND participant_id IN ({these}) AND kind <> 'photo'"
        );
        sql.execute(&text, &params).await?;
    }
    Ok(())
}

/// Shows the recordings of those of these registrations that are paused, with the links and dates that they had, and returns these
/// registrations. The recordings of hidden people stay hidden.
pub async fn resume(
    sql: &mut Sql,
    institution: InstitutionId,
    ids: &[ParticipantId],
) -> Result<Vec<ParticipantId>> {
    let mut resumed = Vec::new();
    for group in padded(ids) {
        let text = format!(
            "DELETE FROM paused_participants WHERE institution_id = $1 AND participant_id IN ({}) RETURNING participant_id",
            placeholders(2, group.len())
        );
        resumed.extend(sql.rows(&text, &params(institution, group), |row| row.id::<ParticipantId>(0)).await?);
    }
    for group in padded(&resumed) {
        let (these, params) = (placeholders(2, group.len()), params(institution, group));
        for table in ["participants", "hidden_participants"] {
            let own = |column: &str, kind: &str| {
                format!(
                    "(SELECT m.{column} FROM media m WHERE m.institution_id = $1 \
                     AND m.participant_id = {table}.id AND m.kind = '{kind}')"
                )
            };
            let text = format!(
                "UPDATE {table} SET recording = {}, recorded_at = COALESCE({}, 0), legal_recording = {}, \
                 legal_recorded_at = COALESCE({}, 0) WHERE institution_id = $1 AND id IN ({these})",
                own("hex", "recording"),
                own("created_at", "recording"),
                own("hex", "legal_recording"),
                own("created_at", "legal_recording"),
            );
            sql.execute(&text, &params).await?;
        }
        let text = format!(
            "UPDATE media SET hidden = FALSE WHERE institution_id = $1 AND participant_id IN ({these}) \
             AND kind IN ('recording', 'legal_recording') \
             AND participant_id IN (SELECT p.id FROM participants p WHERE p.institution_id = $1 AND p.id IN ({these}) \
             AND p.directory_hold = FALSE)"
        );
        sql.execute(&text, &params).await?;
    }
    Ok(resumed)
}

/// Marks these registrations as changed, so that clients that ask for recent changes see that a recording came or went.
pub async fn mark_changed(
    sql: &mut Sql,
    institution: InstitutionId,
    ids: &[ParticipantId],
    now: Moment,
) -> Result<()> {
    for group in padded(ids) {
        let text = format!(
            "UPDATE participants SET updated_at = $1 WHERE institution_id = $2 AND id IN ({})",
            placeholders(3, group.len())
        );
        let ids = group.into_iter().map(Value::from);
        let params: Vec<Value<'_>> =
            [now.micros().into(), institution.into()].into_iter().chain(ids).collect();
        sql.execute(&text, &params).await?;
    }
    Ok(())
}

const HIDDEN_AND_HEARD: &str = "SELECT p.id FROM hidden_participants p WHERE p.institution_id = $1 AND p.id > $2 AND NOT EXISTS \
     (SELECT 1 FROM persons o WHERE o.institution_id = $1 AND o.email_key = p.email_key AND o.audience <> 'public') \
     ORDER BY p.id LIMIT $3";

/// People who are hidden for now and have not chosen to be heard by fewer than everybody, behind an id.
pub async fn hidden_and_heard(
    sql: &mut Sql,
    institution: InstitutionId,
    behind: ParticipantId,
    most: i64,
) -> Result<Vec<ParticipantId>> {
    let params = [institution.into(), behind.into(), most.into()];
    sql.rows(HIDDEN_AND_HEARD, &params, |row| row.id(0)).await
}

/// For the test that checks query plans.
#[doc(hidden)]
pub fn statements() -> Vec<(&'static str, String, Vec<Value<'static>>)> {
    let params = [vec![Value::Int(1)], vec![Value::Int(7); 64]].concat();
    vec![("when they were registered first", first_registered_text(64), params)]
}
