//! Imports: their progress, what they changed, and files that wait to be imported.

use std::collections::{HashMap, HashSet};

use super::{Error, Result, Row, Sql, Value, in_power_of_two_chunks, padded, placeholders, value_rows};
use crate::domain::{
    ids::{ImportId, InstitutionId, NamePageId, ParticipantId},
    import::{BroughtRecording, Counts, Import, ImportState},
    moment::Moment,
};

const COLUMNS: &str = "id, name_page_id, state, file_name, mapping, rows_done, rows_total, created, updated, unchanged, refused, report, fault, created_at, \
                       starts_with_newest";

fn from_row(row: &Row<'_>) -> Result<Import> {
    let unknown = || Error::Broken("a state of an import that this binary does not know".to_owned());
    let number = |column| Ok::<_, Error>(row.int(column)?.unsigned_abs());
    Ok(Import {
        id: row.id(0)?,
        page: row.id(1)?,
        state: ImportState::parse(&row.text(2)?).ok_or_else(unknown)?,
        file_name: row.text(3)?,
        mapping: row.text(4)?,
        starts_with_newest: row.bool(14)?,
        counts: Counts {
            done: number(5)?,
            created: number(7)?,
            updated: number(8)?,
            unchanged: number(9)?,
            refused: number(10)?,
        },
        rows_total: row.opt_int(6)?.map(i64::unsigned_abs),
        report: row.opt_text(11)?,
        fault: row.opt_text(12)?,
        created_at: Moment::from_micros(row.int(13)?),
    })
}

fn stored(number: u64) -> Value<'static> {
    i64::try_from(number).unwrap_or(i64::MAX).into()
}

pub async fn insert(sql: &mut Sql, institution: InstitutionId, new: &Import) -> Result<()> {
    let text = "INSERT INTO imports (institution_id, id, name_page_id, state, file_name, mapping, rows_done, rows_total, created, \
         updated, unchanged, refused, report, fault, created_at, starts_with_newest) \
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)";
    let counts = new.counts;
    let params: [Value<'_>; 16] = [
        institution.into(),
        new.id.into(),
        new.page.into(),
        new.state.word().into(),
        (&new.file_name).into(),
        (&new.mapping).into(),
        stored(counts.done),
        new.rows_total.map(|total| i64::try_from(total).unwrap_or(i64::MAX)).into(),
        stored(counts.created),
        stored(counts.updated),
        stored(counts.unchanged),
        stored(counts.refused),
        new.report.as_ref().into(),
        new.fault.as_ref().into(),
        new.created_at.micros().into(),
        new.starts_with_newest.into(),
    ];
    sql.execute(text, &params).await.map(|_| ())
}

pub async fn find(sql: &mut Sql, institution: InstitutionId, id: ImportId) -> Result<Option<Import>> {
    let text = format!("SELECT {COLUMNS} FROM imports WHERE institution_id = $1 AND id = $2");
    sql.one(&text, &[institution.into(), id.into()], from_row).await
}

/// The newest import of a page.
pub async fn last(sql: &mut Sql, institution: InstitutionId, page: NamePageId) -> Result<Option<Import>> {
    let text = format!(
        "SELECT {COLUMNS} FROM imports WHERE institution_id = $1 AND name_page_id = $2 ORDER BY id DESC LIMIT 1"
    );
    sql.one(&text, &[institution.into(), page.into()], from_row).await
}

/// The newest import of a page that has changed people, undone or not.
pub async fn last_changing(
    sql: &mut Sql,
    institution: InstitutionId,
    page: NamePageId,
) -> Result<Option<Import>> {
    let text = format!(
        "SELECT {COLUMNS} FROM imports WHERE institution_id = $1 AND name_page_id = $2 \
         AND (state IN ('running', 'done', 'undoing', 'undone') OR (state = 'failed' AND rows_done > 0)) \
         ORDER BY id DESC LIMIT 1"
    );
    sql.one(&text, &[institution.into(), page.into()], from_row).await
}

/// Changes the state, if it is one of these. Returns whether it was.
pub async fn change_state(
    sql: &mut Sql,
    institution: InstitutionId,
    id: ImportId,
    from: &[ImportState],
    to: ImportState,
) -> Result<bool> {
    let text = format!(
        "UPDATE imports SET state = $1 WHERE institution_id = $2 AND id = $3 AND state IN ({})",
        placeholders(4, from.len())
    );
    let mut params: Vec<Value<'_>> = vec![to.word().into(), institution.into(), id.into()];
    params.extend(from.iter().map(|state| Value::from(state.word())));
    Ok(sql.execute(&text, &params).await? == 1)
}

/// The job begins to import a file that waited: the numbers of the dry run are forgotten, and the time in which it can be undone begins.
/// Returns whether it waited.
pub async fn start(sql: &mut Sql, institution: InstitutionId, id: ImportId, now: Moment) -> Result<bool> {
    let text = "UPDATE imports SET state = 'running', created_at = $1, rows_done = 0, created = 0, updated = 0, unchanged = 0, \
                refused = 0, fault = NULL WHERE institution_id = $2 AND id = $3 AND state = 'waiting'";
    Ok(sql.execute(text, &[now.micros().into(), institution.into(), id.into()]).await? == 1)
}

pub async fn set_mapping(
    sql: &mut Sql,
    institution: InstitutionId,
    id: ImportId,
    mapping: &str,
) -> Result<()> {
    let text = "UPDATE imports SET mapping = $1 WHERE institution_id = $2 AND id = $3";
    sql.execute(text, &[mapping.into(), institution.into(), id.into()]).await.map(|_| ())
}

pub async fn set_starts_with_newest(
    sql: &mut Sql,
    institution: InstitutionId,
    id: ImportId,
    wanted: bool,
) -> Result<()> {
    let text = "UPDATE imports SET starts_with_newest = $1 WHERE institution_id = $2 AND id = $3";
    sql.execute(text, &[wanted.into(), institution.into(), id.into()]).await.map(|_| ())
}

/// Sets the numbers to zero, before a dry run counts the rows.
pub async fn begin(sql: &mut Sql, institution: InstitutionId, id: ImportId, rows_total: u64) -> Result<()> {
    let text = "UPDATE imports SET rows_done = 0, created = 0, updated = 0, unchanged = 0, refused = 0, fault = NULL, \
                rows_total = $1 WHERE institution_id = $2 AND id = $3";
    sql.execute(text, &[stored(rows_total), institution.into(), id.into()]).await.map(|_| ())
}

/// Adds rows to the numbers of an import that is in this state. Returns false if it is not any more.
pub async fn advance(
    sql: &mut Sql,
    institution: InstitutionId,
    (id, state): (ImportId, ImportState),
    more: Counts,
) -> Result<bool> {
    let text = "UPDATE imports SET rows_done = rows_done + $1, created = created + $2, updated = updated + $3, \
                unchanged = unchanged + $4, refused = refused + $5 WHERE institution_id = $6 AND id = $7 AND state = $8";
    let params: [Value<'_>; 8] = [
        stored(more.done),
        stored(more.created),
        stored(more.updated),
        stored(more.unchanged),
        stored(more.refused),
        institution.into(),
        id.into(),
        state.word().into(),
    ];
    Ok(sql.execute(text, &params).await? == 1)
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

/// Sets the numbers of an import of recordings to what it has brought so far. All other files are read again.
pub async fn begin_recordings(sql: &mut Sql, institution: InstitutionId, id: ImportId) -> Result<()> {
    let brought = "(SELECT COUNT(*) FROM import_changes c WHERE c.institution_id = imports.institution_id \
                   AND c.import_id = imports.id AND c.recording IS NOT NULL)";
    let text = format!(
        "UPDATE imports SET rows_done = {brought}, updated = {brought}, created = 0, unchanged = 0, refused = 0 \
         WHERE institution_id = $1 AND id = $2 AND state = 'running'"
    );
    sql.execute(&text, &[institution.into(), id.into()]).await.map(|_| ())
}

/// Begins to undo an import. From then on, `rows_done` is the number of people whom it has changed and who are still as it left them.
/// Nothing happens if it is being undone already.
pub async fn begin_undo(sql: &mut Sql, institution: InstitutionId, id: ImportId) -> Result<()> {
    let changes = "(SELECT COUNT(*) FROM import_changes c WHERE c.institution_id = imports.institution_id \
                   AND c.import_id = imports.id)";
    let text = format!(
        "UPDATE imports SET state = 'undoing', fault = NULL, rows_done = {changes}, rows_total = {changes} \
         WHERE institution_id = $1 AND id = $2 AND state IN ('running', 'done', 'failed')"
    );
    sql.execute(&text, &[institution.into(), id.into()]).await.map(|_| ())
}

/// Counts people for whom the import has been undone.
pub async fn advance_undo(
    sql: &mut Sql,
    institution: InstitutionId,
    id: ImportId,
    people: u64,
) -> Result<()> {
    let text = "UPDATE imports SET rows_done = rows_done - $1 WHERE institution_id = $2 AND id = $3 \
                AND rows_done >= $1 AND state = 'undoing'";
    sql.execute(text, &[stored(people), institution.into(), id.into()]).await.map(|_| ())
}

/// Ends what an import was doing, unless somebody has begun something else with it. Returns whether it did. The whole report of what it
/// did before is deleted.
pub async fn finish(
    sql: &mut Sql,
    institution: InstitutionId,
    id: ImportId,
    (from, to): (ImportState, ImportState),
    (report, fault): (Option<&str>, Option<&str>),
) -> Result<bool> {
    let text = "UPDATE imports SET state = $1, report = $2, fault = $3 WHERE institution_id = $4 AND id = $5 AND state = $6";
    let params: [Value<'_>; 6] =
        [to.word().into(), report.into(), fault.into(), institution.into(), id.into(), from.word().into()];
    if sql.execute(text, &params).await? == 0 {
        return Ok(false);
    }
    let text = "DELETE FROM import_files WHERE institution_id = $1 AND import_id = $2 AND number < 0";
    sql.execute(text, &[institution.into(), id.into()]).await?;
    Ok(true)
}

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
const HELD_SINCE: &str = "EXISTS (SELECT 1 FROM media m WHERE m.institution_id = c.institution_id \
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

/// An import that is busy is not old: its job may have waited long. One that nobody has continued for a week was killed on the command
/// line, and what people were before it must not stay forever.
const OLD: &str =
    "created_at < $1 AND (state NOT IN ('checking', 'waiting', 'running', 'undoing') OR created_at < $2)";
const BUSY_DAYS: i64 = 6;

fn old_params(before: Moment) -> [Value<'static>; 2] {
    [before.micros().into(), before.plus_days(-BUSY_DAYS).micros().into()]
}

/// Is there anything for `delete_old` to delete?
pub async fn any_old(sql: &mut Sql, before: Moment) -> Result<bool> {
    let text = format!("SELECT 1 FROM imports WHERE {OLD} LIMIT 1");
    Ok(sql.one(&text, &old_params(before), |_| Ok(())).await?.is_some())
}

/// Deletes imports that began before then, with their files and what they changed.
pub async fn delete_old(sql: &mut Sql, before: Moment) -> Result<()> {
    let text = format!("SELECT institution_id, id FROM imports WHERE {OLD}");
    let read = |row: &Row<'_>| Ok((row.id::<InstitutionId>(0)?, row.id::<ImportId>(1)?));
    let old = sql.rows(&text, &old_params(before), read).await?;
    for (institution, import) in old {
        for text in [
            "DELETE FROM import_files WHERE institution_id = $1 AND import_id = $2",
            "DELETE FROM import_changes WHERE institution_id = $1 AND import_id = $2",
            "DELETE FROM imports WHERE institution_id = $1 AND id = $2",
        ] {
            sql.execute(text, &[institution.into(), import.into()]).await?;
        }
    }
    Ok(())
}

/// Deletes the files and reports of imports of a page, which may mention somebody who is erased. What an import changed is kept, so that
/// it can still be undone for others.
pub async fn delete_texts_on_page(sql: &mut Sql, institution: InstitutionId, page: NamePageId) -> Result<()> {
    for text in [
        "DELETE FROM import_files WHERE institution_id = $1 AND import_id IN \
         (SELECT id FROM imports WHERE institution_id = $1 AND name_page_id = $2)",
        "UPDATE imports SET report = NULL, beginning = NULL WHERE institution_id = $1 AND name_page_id = $2",
    ] {
        sql.execute(text, &[institution.into(), page.into()]).await?;
    }
    Ok(())
}

/// Deletes everything about imports of a page.
pub async fn delete_on_page(sql: &mut Sql, institution: InstitutionId, page: NamePageId) -> Result<()> {
    for table in ["import_files", "import_changes"] {
        let text = format!(
            "DELETE FROM {table} WHERE institution_id = $1 AND import_id IN \
             (SELECT id FROM imports WHERE institution_id = $1 AND name_page_id = $2)"
        );
        sql.execute(&text, &[institution.into(), page.into()]).await?;
    }
    let text = "DELETE FROM imports WHERE institution_id = $1 AND name_page_id = $2";
    sql.execute(text, &[institution.into(), page.into()]).await.map(|_| ())
}

pub async fn insert_file(
    sql: &mut Sql,
    institution: InstitutionId,
    import: ImportId,
    parts: &[String],
) -> Result<()> {
    let text = "INSERT INTO import_files (institution_id, import_id, number, bytes) VALUES ($1, $2, $3, $4)";
    for (number, part) in (0_i64..).zip(parts) {
        sql.execute(text, &[institution.into(), import.into(), number.into(), part.into()]).await?;
    }
    Ok(())
}

/// Stores the whole report. Its parts are beside those of the file, with negative numbers, so that they are deleted with them.
pub async fn insert_report(
    sql: &mut Sql,
    institution: InstitutionId,
    import: ImportId,
    parts: &[String],
) -> Result<()> {
    let text = "INSERT INTO import_files (institution_id, import_id, number, bytes) VALUES ($1, $2, $3, $4)";
    for (number, part) in (0_i64..).zip(parts) {
        sql.execute(text, &[institution.into(), import.into(), (-1 - number).into(), part.into()]).await?;
    }
    Ok(())
}

/// One part of the whole report, by its number from 0.
pub async fn report_part(
    sql: &mut Sql,
    institution: InstitutionId,
    import: ImportId,
    number: i64,
) -> Result<Option<String>> {
    file_part(sql, institution, import, -1 - number).await
}

/// One part of a file.
pub async fn file_part(
    sql: &mut Sql,
    institution: InstitutionId,
    import: ImportId,
    number: i64,
) -> Result<Option<String>> {
    let text = "SELECT bytes FROM import_files WHERE institution_id = $1 AND import_id = $2 AND number = $3";
    sql.one(text, &[institution.into(), import.into(), number.into()], |row| row.text(0)).await
}

pub async fn delete_file(sql: &mut Sql, institution: InstitutionId, import: ImportId) -> Result<()> {
    for text in [
        "DELETE FROM import_files WHERE institution_id = $1 AND import_id = $2",
        "UPDATE imports SET beginning = NULL WHERE institution_id = $1 AND id = $2",
    ] {
        sql.execute(text, &[institution.into(), import.into()]).await?;
    }
    Ok(())
}

/// How many files wait on a page to be imported.
pub async fn waiting_files(sql: &mut Sql, institution: InstitutionId, page: NamePageId) -> Result<i64> {
    let text = "SELECT COUNT(*) FROM imports i WHERE i.institution_id = $1 AND i.name_page_id = $2 AND EXISTS \
                (SELECT 1 FROM import_files f WHERE f.institution_id = i.institution_id AND f.import_id = i.id AND f.number = 0)";
    let count = sql.one(text, &[institution.into(), page.into()], |row| row.int(0)).await?;
    Ok(count.unwrap_or_default())
}

/// Stores what a file begins with, as JSON.
pub async fn set_beginning(
    sql: &mut Sql,
    institution: InstitutionId,
    import: ImportId,
    beginning: &str,
) -> Result<()> {
    let text = "UPDATE imports SET beginning = $1 WHERE institution_id = $2 AND id = $3";
    sql.execute(text, &[beginning.into(), institution.into(), import.into()]).await.map(|_| ())
}

/// What `set_beginning` has stored, as long as the file is there.
pub async fn beginning(
    sql: &mut Sql,
    institution: InstitutionId,
    import: ImportId,
) -> Result<Option<String>> {
    let text = "SELECT beginning FROM imports WHERE institution_id = $1 AND id = $2";
    let found = sql.one(text, &[institution.into(), import.into()], |row| row.opt_text(0)).await?;
    Ok(found.flatten())
}

/// Those of these emails that have a recording somewhere in the institution, audible, paused or hidden.
pub async fn recorded(sql: &mut Sql, institution: InstitutionId, keys: &[&str]) -> Result<HashSet<String>> {
    let mut found = HashSet::new();
    for group in padded(keys) {
        for table in ["participants", "hidden_participants"] {
            let params: Vec<Value<'_>> =
                [institution.into()].into_iter().chain(group.iter().map(|key| Value::from(*key))).collect();
            found.extend(sql.rows(&recorded_text(table, group.len()), &params, |row| row.text(0)).await?);
        }
    }
    Ok(found)
}

fn recorded_text(table: &str, count: usize) -> String {
    format!(
        "SELECT p.email_key FROM {table} p LEFT JOIN paused_participants q ON q.institution_id = p.institution_id \
         AND q.participant_id = p.id WHERE p.institution_id = $1 AND p.email_key IN ({}) \
         AND (p.recorded_at > 0 OR q.participant_id IS NOT NULL)",
        placeholders(2, count)
    )
}

/// The phone numbers of these participants; those without one are left out.
pub async fn phone_numbers(
    sql: &mut Sql,
    institution: InstitutionId,
    ids: &[ParticipantId],
) -> Result<HashMap<ParticipantId, String>> {
    let mut found = HashMap::new();
    for group in padded(ids) {
        let text = phone_numbers_text(group.len());
        let params: Vec<Value<'_>> =
            [institution.into()].into_iter().chain(group.into_iter().map(Value::from)).collect();
        found.extend(sql.rows(&text, &params, |row| Ok((row.id(0)?, row.text(1)?))).await?);
    }
    Ok(found)
}

fn phone_numbers_text(count: usize) -> String {
    format!(
        "SELECT p.id, p.phone_number FROM participants p WHERE p.institution_id = $1 AND p.id IN ({}) \
         AND p.phone_number IS NOT NULL",
        placeholders(2, count)
    )
}

/// Every query of people with sample parameters, for the test that checks query plans.
#[doc(hidden)]
pub fn statements() -> Vec<(&'static str, String, Vec<Value<'static>>)> {
    let emails = [vec![1_i64.into()], vec!["a@example.edu".into(); 64]].concat();
    let ids = [vec![1_i64.into()], vec![7_i64.into(); 64]].concat();
    vec![
        ("who of these has a recording", recorded_text("participants", 64), emails),
        ("phone numbers by id", phone_numbers_text(64), ids),
    ]
}
