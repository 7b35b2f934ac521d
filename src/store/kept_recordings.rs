//! Recordings that their owners have made and somebody else has replaced, and who in a learning system has made which. The recordings
//! themselves are media that were set aside.

use super::{Result, Row, Sql, Value, padded, placeholders};
use crate::domain::{
    ids::{InstitutionId, ParticipantId},
    moment::Moment,
};

/// A recording that its owner can put back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Kept {
    pub participant: ParticipantId,
    pub hex: String,
    pub kept_at: Moment,
    pub purge_at: Moment,
}

pub async fn insert(sql: &mut Sql, institution: InstitutionId, new: &Kept) -> Result<()> {
    let text = "INSERT INTO kept_recordings (institution_id, hex, participant_id, kept_at, purge_at) \
                VALUES ($1, $2, $3, $4, $5)";
    let params: [Value<'_>; 5] = [
        institution.into(),
        (&new.hex).into(),
        new.participant.into(),
        new.kept_at.micros().into(),
        new.purge_at.micros().into(),
    ];
    sql.execute(text, &params).await.map(|_| ())
}

fn from_row(row: &Row<'_>) -> Result<Kept> {
    Ok(Kept {
        participant: row.id(0)?,
        hex: row.text(1)?,
        kept_at: Moment::from_micros(row.int(2)?),
        purge_at: Moment::from_micros(row.int(3)?),
    })
}

/// Those of these registrations, the newest first.
pub async fn of(sql: &mut Sql, institution: InstitutionId, ids: &[ParticipantId]) -> Result<Vec<Kept>> {
    let mut found = Vec::new();
    for group in padded(ids) {
        let text = format!(
            "SELECT participant_id, hex, kept_at, purge_at FROM kept_recordings \
             WHERE institution_id = $1 AND participant_id IN ({})",
            placeholders(2, group.len())
        );
        let params: Vec<Value<'_>> =
            [institution.into()].into_iter().chain(group.into_iter().map(Value::from)).collect();
        found.extend(sql.rows(&text, &params, from_row).await?);
    }
    found.sort_by(|a, b| b.kept_at.cmp(&a.kept_at).then_with(|| a.hex.cmp(&b.hex)));
    found.dedup();
    Ok(found)
}

/// Forgets that a recording can be put back. False if it was not there.
pub async fn delete(sql: &mut Sql, institution: InstitutionId, hex: &str) -> Result<bool> {
    let text = "DELETE FROM kept_recordings WHERE institution_id = $1 AND hex = $2";
    Ok(sql.execute(text, &[institution.into(), hex.into()]).await? == 1)
}

pub async fn delete_of(sql: &mut Sql, institution: InstitutionId, id: ParticipantId) -> Result<()> {
    let text = "DELETE FROM kept_recordings WHERE institution_id = $1 AND participant_id = $2";
    sql.execute(text, &[institution.into(), id.into()]).await.map(|_| ())
}

/// Two entries of a person are merged.
pub async fn hand_over(
    sql: &mut Sql,
    institution: InstitutionId,
    (to, from): (ParticipantId, ParticipantId),
) -> Result<()> {
    let text =
        "UPDATE kept_recordings SET participant_id = $1 WHERE institution_id = $2 AND participant_id = $3";
    sql.execute(text, &[to.into(), institution.into(), from.into()]).await.map(|_| ())
}

/// What nobody has put back in time, of any institution.
pub async fn due(sql: &mut Sql, now: Moment, limit: i64) -> Result<Vec<(InstitutionId, Kept)>> {
    let text = "SELECT participant_id, hex, kept_at, purge_at, institution_id FROM kept_recordings \
                WHERE purge_at <= $1 ORDER BY purge_at, hex LIMIT $2";
    sql.rows(text, &[now.micros().into(), limit.into()], |row| Ok((row.id(4)?, from_row(row)?))).await
}

/// Who in a learning system has made the newest own recordings of these registrations.
pub async fn makers(sql: &mut Sql, institution: InstitutionId, ids: &[ParticipantId]) -> Result<Vec<String>> {
    let mut found = Vec::new();
    for group in padded(ids) {
        let text = format!(
            "SELECT maker FROM recording_makers WHERE institution_id = $1 AND participant_id IN ({})",
            placeholders(2, group.len())
        );
        let params: Vec<Value<'_>> =
            [institution.into()].into_iter().chain(group.into_iter().map(Value::from)).collect();
        found.extend(sql.rows(&text, &params, |row| row.text(0)).await?);
    }
    Ok(found)
}

/// The owner of a registration has recorded: in a learning system, or elsewhere.
pub async fn set_maker(
    sql: &mut Sql,
    institution: InstitutionId,
    id: ParticipantId,
    maker: Option<&str>,
) -> Result<()> {
    let Some(maker) = maker else {
        let text = "DELETE FROM recording_makers WHERE institution_id = $1 AND participant_id = $2";
        return sql.execute(text, &[institution.into(), id.into()]).await.map(|_| ());
    };
    let text = "INSERT INTO recording_makers (institution_id, participant_id, maker) VALUES ($1, $2, $3) \
                ON CONFLICT (institution_id, participant_id) DO UPDATE SET maker = excluded.maker";
    sql.execute(text, &[institution.into(), id.into(), maker.into()]).await.map(|_| ())
}
