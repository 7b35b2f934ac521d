//! How often recordings were played: per recording, day and place.

use jiff::civil::Date;

use super::{Error, Result, Row, Sql, Value, expiry, padded, placeholders};
use crate::domain::{
    ids::{InstitutionId, ParticipantId},
    play::{Played, Source},
};

/// Nothing is added for a recording that does not exist any more. One that was replaced still belongs to its participant.
const ADD: &str = "INSERT INTO plays (institution_id, recording, participant_id, day, source, site, times) \
     SELECT $1, $2, o.participant_id, $3, $4, $5, $6 FROM ( \
     SELECT participant_id FROM media WHERE institution_id = $1 AND hex = $2 UNION \
     SELECT participant_id FROM replaced_recordings WHERE institution_id = $1 AND hex = $2) o WHERE TRUE \
     ON CONFLICT (institution_id, recording, day, source, site) DO UPDATE SET times = plays.times + excluded.times";

/// Adds to the count of a recording, so several nodes add up. The caller holds the institution's lock.
pub async fn add(sql: &mut Sql, institution: InstitutionId, recording: &str, played: &Played) -> Result<()> {
    let params: [Value<'_>; 6] = [
        institution.into(),
        recording.into(),
        played.day.to_string().into(),
        played.source.word().into(),
        (&played.site).into(),
        i64::try_from(played.times).unwrap_or(i64::MAX).into(),
    ];
    sql.execute(ADD, &params).await.map(|_| ())
}

/// The sites that were counted for a recording and a day.
pub async fn sites(
    sql: &mut Sql,
    institution: InstitutionId,
    recording: &str,
    day: Date,
) -> Result<Vec<String>> {
    let text =
        "SELECT site FROM plays WHERE institution_id = $1 AND recording = $2 AND day = $3 AND source = $4";
    let params = [institution.into(), recording.into(), day.to_string().into(), Source::Player.word().into()];
    sql.rows(text, &params, |row| row.text(0)).await
}

/// The plays of these participants from a day on.
pub async fn of(
    sql: &mut Sql,
    institution: InstitutionId,
    participants: &[ParticipantId],
    since: Date,
) -> Result<Vec<Played>> {
    let (mut found, since) = (Vec::new(), since.to_string());
    for group in padded(participants) {
        let text = format!(
            "SELECT day, source, site, CAST(SUM(times) AS BIGINT) FROM plays WHERE institution_id = $1 AND day >= $2 \
             AND participant_id IN ({}) GROUP BY day, source, site ORDER BY day, source, site",
            placeholders(3, group.len())
        );
        let mut params: Vec<Value<'_>> = vec![institution.into(), (&since).into()];
        params.extend(group.into_iter().map(Value::from));
        found.extend(sql.rows(&text, &params, from_row).await?.into_iter().flatten());
    }
    Ok(found)
}

/// `None` if the source is one that only a newer version of this software knows.
fn from_row(row: &Row<'_>) -> Result<Option<Played>> {
    let (day, word) = (row.text(0)?, row.text(1)?);
    let unreadable = |_| Error::Broken(format!("plays.day is unreadable: `{day}`"));
    let day: Date = day.parse().map_err(unreadable)?;
    let (site, times) = (row.text(2)?, row.int(3)?.unsigned_abs());
    Ok(Source::parse(&word).map(|source| Played { day, source, site, times }))
}

/// Moves the plays of an entry to the one that it is merged into.
pub async fn hand_over(
    sql: &mut Sql,
    institution: InstitutionId,
    (to, from): (ParticipantId, ParticipantId),
) -> Result<()> {
    let text = "UPDATE plays SET participant_id = $1 WHERE institution_id = $2 AND participant_id = $3";
    sql.execute(text, &[to.into(), institution.into(), from.into()]).await.map(|_| ())
}

/// Are any plays older than this day?
pub async fn any_before(sql: &mut Sql, day: Date) -> Result<bool> {
    let text = "SELECT 1 FROM plays WHERE day < $1 LIMIT 1";
    Ok(sql.one(text, &[day.to_string().into()], |_| Ok(())).await?.is_some())
}

pub async fn delete_before(sql: &mut Sql, day: Date) -> Result<u64> {
    expiry::remove(sql, "plays", "day < $1", &[day.to_string().into()]).await
}
