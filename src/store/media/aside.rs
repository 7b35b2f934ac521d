//! Recordings that only managers and their owners may hear: those that are held for moderation, and those that were removed.

use super::{COLUMNS, INSERTED, PUBLIC, REMOVE, from_row, insert_params, of, remove, removed};
use crate::{
    domain::{
        ids::{InstitutionId, ParticipantId},
        media::{Kind, Media},
    },
    store::{Error, Result, Sql, kept_recordings, placeholders},
};

/// The value of the column. A unique index permits one row of each kind per participant. They may have several recordings that were
/// removed, so the value of these has the hex, too.
pub(super) fn stored_kind(kind: Kind, hex: &str) -> String {
    match kind {
        Kind::Removed => format!("{} {hex}", kind.word()),
        Kind::Recording | Kind::LegalRecording | Kind::Photo | Kind::Held => kind.word().to_owned(),
    }
}

/// Stores a recording that only managers and its owner may hear: `kind` is `Held` or `Removed`. Of the first, it returns the one that
/// it replaces.
pub async fn set_aside(
    sql: &mut Sql,
    institution: InstitutionId,
    participant: ParticipantId,
    new: &Media,
) -> Result<Option<Media>> {
    let old = match new.kind {
        Kind::Held => remove(sql, institution, participant, Kind::Held).await?,
        Kind::Removed => None,
        Kind::Recording | Kind::LegalRecording | Kind::Photo => {
            return Err(Error::Broken("public media cannot be set aside".to_owned()));
        }
    };
    let mut params = insert_params(institution, participant, new);
    params[3] = stored_kind(new.kind, &new.hex).into();
    let text = format!(
        "INSERT INTO media (institution_id, hex, participant_id, kind, bytes, duration_ms, peaks, original, created_at, origin, \
         hidden) VALUES ({}, TRUE)",
        placeholders(1, INSERTED)
    );
    sql.execute(&text, &params).await?;
    Ok(old)
}

/// Takes out a removed recording.
pub async fn take_removed(
    sql: &mut Sql,
    institution: InstitutionId,
    participant: ParticipantId,
    hex: &str,
) -> Result<Option<Media>> {
    let stored = stored_kind(Kind::Removed, hex);
    let params = [institution.into(), participant.into(), stored.into()];
    removed(sql, REMOVE, &params).await.map(|mut removed| removed.pop())
}

/// The removed recording with this hex.
pub async fn find_removed(
    sql: &mut Sql,
    institution: InstitutionId,
    participant: ParticipantId,
    hex: &str,
) -> Result<Option<Media>> {
    let text = format!(
        "SELECT {COLUMNS} FROM media m WHERE m.institution_id = $1 AND m.participant_id = $2 AND m.kind = $3"
    );
    let stored = stored_kind(Kind::Removed, hex);
    sql.one(&text, &[institution.into(), participant.into(), stored.into()], from_row).await
}

/// Deletes the recordings of a participant that are held or removed.
pub async fn delete_aside(
    sql: &mut Sql,
    institution: InstitutionId,
    participant: ParticipantId,
) -> Result<Vec<Media>> {
    removed(sql, &delete_aside_text(), &[institution.into(), participant.into()]).await
}

pub(super) fn delete_aside_text() -> String {
    format!("DELETE FROM media WHERE institution_id = $1 AND participant_id = $2 AND kind NOT IN ({PUBLIC})")
}

/// Hands the recordings that are held or removed to another entry of the same person, when the two are merged. Of two that are held,
/// the newer one is kept; the other one is returned.
pub async fn hand_over_aside(
    sql: &mut Sql,
    institution: InstitutionId,
    (to, from): (ParticipantId, ParticipantId),
) -> Result<Option<Media>> {
    let own = of(sql, institution, to, Kind::Held).await?;
    let other = of(sql, institution, from, Kind::Held).await?;
    let older = match (&own, &other) {
        (Some(own), Some(other)) => Some(if own.created_at < other.created_at { to } else { from }),
        _ => None,
    };
    let gone = match older {
        Some(older) => remove(sql, institution, older, Kind::Held).await?,
        None => None,
    };
    let text = format!(
        "UPDATE media SET participant_id = $1 WHERE institution_id = $2 AND participant_id = $3 AND kind NOT IN ({PUBLIC})"
    );
    sql.execute(&text, &[to.into(), institution.into(), from.into()]).await?;
    kept_recordings::hand_over(sql, institution, (to, from)).await?;
    Ok(gone)
}
