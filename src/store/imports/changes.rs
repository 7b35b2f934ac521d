//! What an import changed, so that it can be undone.

use super::super::{Result, Row, Sql, Value, in_power_of_two_chunks, padded, placeholders, value_rows};
use crate::domain::{
    ids::{ImportId, InstitutionId, ParticipantId},
    import::BroughtRecording,
    moment::Moment,
};

/// A person whom an import created or changed.
#[derive(Debug, Clone)]
pub struct Change {
    pub participant: ParticipantId,
    /// JSON; `None` for somebody who was created.
    pub before: Option<String>,
    pub recording: Option<BroughtRecording>,
}

/// Remembers what people were before. For somebody whom the same import has changed already, what they were then stays.
pub async fn remember(
    sql: &mut Sql,
    institution: InstitutionId,
    import: ImportId,
    changes: &[(ParticipantId, Option<String>)],
    now: Moment,
) -> Result<()> {
    for group in in_power_of_two_chunks(changes) {
        let text = format!(
            "INSERT INTO import_changes (institution_id, import_id, participant_id, before, changed_at) VALUES {} \
             ON CONFLICT (institution_id, import_id, participant_id) DO UPDATE SET changed_at = excluded.changed_at",
            value_rows(1, group.len(), 5)
        );
        let params: Vec<Value<'_>> = group
            .iter()
            .flat_map(|(participant, before)| {
                let row: [Value<'_>; 5] = [
                    institution.into(),
                    import.into(),
                    (*participant).into(),
                    before.as_ref().into(),
                    now.micros().into(),
                ];
                row
            })
            .collect();
        sql.execute(&text, &params).await?;
    }
    Ok(())
}

/// Remembers that an import brought a recording. The participant was changed by it last.
pub async fn remember_recording(
    sql: &mut Sql,
    institution: InstitutionId,
    import: ImportId,
    participant: ParticipantId,
    (before, recording): (&str, BroughtRecording),
) -> Result<()> {
    let text = "INSERT INTO import_changes (institution_id, import_id, participant_id, before, recording, changed_at) \
         SELECT p.institution_id, CAST($1 AS BIGINT), p.id, CAST($2 AS TEXT), CAST($3 AS TEXT), p.updated_at \
         FROM participants p WHERE p.institution_id = $4 AND p.id = $5 \
         ON CONFLICT (institution_id, import_id, participant_id) DO UPDATE SET changed_at = excluded.changed_at, \
         recording = COALESCE(import_changes.recording, excluded.recording)";
    let params: [Value<'_>; 5] =
        [import.into(), before.into(), recording.word().into(), institution.into(), participant.into()];
    sql.execute(text, &params).await.map(|_| ())
}

/// Whether an import has brought this person's recording.
pub async fn has_brought(
    sql: &mut Sql,
    institution: InstitutionId,
    import: ImportId,
    participant: ParticipantId,
) -> Result<bool> {
    let text = "SELECT 1 FROM import_changes WHERE institution_id = $1 AND import_id = $2 AND participant_id = $3 \
                AND recording IS NOT NULL";
    let params = [institution.into(), import.into(), participant.into()];
    Ok(sql.one(text, &params, |_| Ok(())).await?.is_some())
}

/// Changes in the order of the participants' ids, after `behind`. Only those of people whom nobody has changed since.
pub async fn untouched(
    sql: &mut Sql,
    institution: InstitutionId,
    import: ImportId,
    behind: ParticipantId,
    count: i64,
) -> Result<Vec<Change>> {
    let read = |row: &Row<'_>| {
        let recording = row.opt_text(2)?.as_deref().and_then(BroughtRecording::parse);
        Ok(Change { participant: row.id(0)?, before: row.opt_text(1)?, recording })
    };
    let params = [institution.into(), import.into(), behind.into(), count.into()];
    sql.rows(&untouched_text(), &params, read).await
}

fn untouched_text() -> String {
    format!(
        "SELECT c.participant_id, c.before, c.recording FROM import_changes c \
         JOIN participants p ON p.institution_id = c.institution_id AND p.id = c.participant_id \
         WHERE c.institution_id = $1 AND c.import_id = $2 AND c.participant_id > $3 AND p.updated_at = c.changed_at \
         AND NOT {HELD_SINCE} ORDER BY c.participant_id LIMIT $4"
    )
}

/// A recording that waits for approval does not change `updated_at`. One that came with the import is older.
const HELD_SINCE: &str = "EXISTS (SELECT 1 FROM media m WHERE m.institution_id = $1 \
     AND m.participant_id = c.participant_id AND m.kind = 'held' AND m.created_at > c.changed_at)";

/// The names and emails of people whom somebody has changed since the import, `most` at most.
pub async fn touched(
    sql: &mut Sql,
    institution: InstitutionId,
    import: ImportId,
    most: i64,
) -> Result<Vec<String>> {
    let read = |row: &Row<'_>| {
        let parts = [row.opt_text(0)?, row.opt_text(1)?, row.opt_text(2)?];
        Ok(parts.into_iter().flatten().collect::<Vec<_>>().join(" "))
    };
    sql.rows(&touched_text(), &[institution.into(), import.into(), most.into()], read).await
}

fn touched_text() -> String {
    format!(
        "SELECT p.first_name, p.last_name, p.email FROM import_changes c \
         JOIN participants p ON p.institution_id = c.institution_id AND p.id = c.participant_id \
         WHERE c.institution_id = $1 AND c.import_id = $2 AND (p.updated_at <> c.changed_at OR {HELD_SINCE}) \
         ORDER BY c.participant_id LIMIT $3"
    )
}

/// Whether an import replaced recordings of people who were on the page before.
pub async fn has_replaced(sql: &mut Sql, institution: InstitutionId, import: ImportId) -> Result<bool> {
    let text = "SELECT 1 FROM import_changes WHERE institution_id = $1 AND import_id = $2 AND recording = 'replaced' \
                AND before IS NOT NULL LIMIT 1";
    Ok(sql.one(text, &[institution.into(), import.into()], |_| Ok(())).await?.is_some())
}

/// Forgets changes that have been undone.
pub async fn forget_changes(
    sql: &mut Sql,
    institution: InstitutionId,
    import: ImportId,
    people: &[ParticipantId],
) -> Result<()> {
    for group in padded(people) {
        let text = format!(
            "DELETE FROM import_changes WHERE institution_id = $1 AND import_id = $2 AND participant_id IN ({})",
            placeholders(3, group.len())
        );
        let mut params: Vec<Value<'_>> = vec![institution.into(), import.into()];
        params.extend(group.into_iter().map(Value::from));
        sql.execute(&text, &params).await?;
    }
    Ok(())
}
