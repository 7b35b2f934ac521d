//! What a cloud has recorded: where it is there, until it is removed.

use super::{Result, Sql, Value};
use crate::domain::ids::{AttemptId, InstitutionId, ParticipantId};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Take {
    /// The cloud's name for it.
    pub recording: String,
    /// Which of the tries it is; 0 where that is not known.
    pub take: i64,
    pub url: String,
}

/// Writes down what was heard of, once. What is known better later on is kept.
pub async fn note(sql: &mut Sql, institution: InstitutionId, attempt: AttemptId, take: &Take) -> Result<()> {
    let text = "INSERT INTO call_takes (institution_id, attempt_id, recording, take, url) VALUES ($1, $2, $3, $4, $5) \
                ON CONFLICT (institution_id, attempt_id, recording) DO UPDATE SET take = excluded.take \
                WHERE excluded.take > call_takes.take";
    let params: [Value<'_>; 5] =
        [institution.into(), attempt.into(), (&take.recording).into(), take.take.into(), (&take.url).into()];
    sql.execute(text, &params).await.map(|_| ())
}

/// The last one first.
pub async fn of_attempt(sql: &mut Sql, institution: InstitutionId, attempt: AttemptId) -> Result<Vec<Take>> {
    let text = "SELECT recording, take, url FROM call_takes WHERE institution_id = $1 AND attempt_id = $2 \
                ORDER BY take DESC, recording";
    sql.rows(text, &[institution.into(), attempt.into()], |row| {
        Ok(Take { recording: row.text(0)?, take: row.int(1)?, url: row.text(2)? })
    })
    .await
}

/// The attempts to call somebody of which a cloud still has recordings.
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

/// It is gone there.
pub async fn forget(
    sql: &mut Sql,
    institution: InstitutionId,
    attempt: AttemptId,
    recording: &str,
) -> Result<()> {
    let text = "DELETE FROM call_takes WHERE institution_id = $1 AND attempt_id = $2 AND recording = $3";
    sql.execute(text, &[institution.into(), attempt.into(), recording.into()]).await.map(|_| ())
}
