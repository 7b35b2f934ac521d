//! Recordings at the cloud provider, tracked until they are deleted there.

use super::{Result, Sql, Value};
use crate::domain::ids::{AttemptId, InstitutionId, ParticipantId};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Take {
    /// The provider's recording id.
    pub recording: String,
    /// Number of the take in the conversation; 0 if unknown.
    pub take: i64,
    pub url: String,
}

/// Upsert. A known take number replaces an unknown or lower one.
pub async fn note(sql: &mut Sql, institution: InstitutionId, attempt: AttemptId, take: &Take) -> Result<()> {
    let text = "INSERT INTO call_takes (institution_id, attempt_id, recording, take, url) VALUES ($1, $2, $3, $4, $5) \
                ON CONFLICT (institution_id, attempt_id, recording) DO UPDATE SET take = excluded.take \
                WHERE excluded.take > call_takes.take";
    let params: [Value<'_>; 5] =
        [institution.into(), attempt.into(), (&take.recording).into(), take.take.into(), (&take.url).into()];
    sql.execute(text, &params).await.map(|_| ())
}

/// Last take first.
pub async fn of_attempt(sql: &mut Sql, institution: InstitutionId, attempt: AttemptId) -> Result<Vec<Take>> {
    let text = "SELECT recording, take, url FROM call_takes WHERE institution_id = $1 AND attempt_id = $2 \
                ORDER BY take DESC, recording";
    sql.rows(text, &[institution.into(), attempt.into()], |row| {
        Ok(Take { recording: row.text(0)?, take: row.int(1)?, url: row.text(2)? })
    })
    .await
}

/// Attempts to call a participant whose recordings are still stored at the provider.
pub async fn attempts_of(
    sql: &mut Sql,
    institution: InstitutionId,
    participant: ParticipantId,
) -> Result<Vec<AttemptId>> {
    let text = "SELECT DISTINCT t.attempt_id FROM calls c \
         JOIN call_attempts a ON a.institution_id = c.institution_id AND a.call_id = c.id \
         JOIN call_takes t ON t.institution_id = a.institution_id AND t.attempt_id = a.id \
         WHERE c.institution_id = $1 AND c.participant_id = $2";
    sql.rows(text, &[institution.into(), participant.into()], |row| row.id(0)).await
}

/// Forgets a recording that was deleted at the provider.
pub async fn delete(
    sql: &mut Sql,
    institution: InstitutionId,
    attempt: AttemptId,
    recording: &str,
) -> Result<()> {
    let text = "DELETE FROM call_takes WHERE institution_id = $1 AND attempt_id = $2 AND recording = $3";
    sql.execute(text, &[institution.into(), attempt.into(), recording.into()]).await.map(|_| ())
}
