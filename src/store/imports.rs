//! Imports: their progress, what they changed, and files that wait to be imported.

mod changes;
mod files;

use std::collections::{HashMap, HashSet};

pub use changes::{
    Change, forget_changes, has_brought, has_replaced, remember, remember_recording, touched, untouched,
};
pub use files::{
    FileVersion, Whole, beginning, delete_file, delete_reports_on_page, file_version, insert_parts, part,
    replace_file, set_beginning, waiting_files, with_files,
};

use super::{Error, Result, Row, Sql, Value, padded, placeholders, within};
use crate::domain::{
    ids::{ImportId, InstitutionId, NamePageId, ParticipantId},
    import::{Counts, Import, ImportOnPage, ImportState},
    moment::Moment,
    scope::Scope,
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

/// The newest imports of an institution, or only of these pages.
pub async fn newest(
    sql: &mut Sql,
    institution: InstitutionId,
    pages: Option<&[NamePageId]>,
    most: i64,
) -> Result<Vec<ImportOnPage>> {
    let read = |row: &Row<'_>| {
        let text = |column| Ok::<_, Error>(row.opt_text(column)?.unwrap_or_default());
        Ok(ImportOnPage { import: from_row(row)?, slug: text(15)?, title: text(16)? })
    };
    let of_page = |column: &str| {
        format!(
            "(SELECT n.{column} FROM name_pages n WHERE n.institution_id = $1 AND n.id = imports.name_page_id)"
        )
    };
    let start = format!(
        "SELECT {COLUMNS}, {}, {} FROM imports WHERE institution_id = $1",
        of_page("slug"),
        of_page("title")
    );
    let Some(pages) = pages else {
        let text = format!("{start} ORDER BY id DESC LIMIT $2");
        return sql.rows(&text, &[institution.into(), most.into()], read).await;
    };
    let mut found = Vec::new();
    for group in padded(pages) {
        // Numbered in the order of their first use.
        let text = format!(
            "{start} AND name_page_id IN ({}) ORDER BY id DESC LIMIT ${}",
            placeholders(2, group.len()),
            group.len() + 2
        );
        let mut params: Vec<Value<'_>> = vec![institution.into()];
        params.extend(group.into_iter().map(Value::from));
        params.push(most.into());
        found.extend(sql.rows(&text, &params, read).await?);
    }
    found.sort_by_key(|one| std::cmp::Reverse(one.import.id));
    found.truncate(usize::try_from(most).unwrap_or_default());
    Ok(found)
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

/// Notes who has started or undone an import, as JSON. Who has uploaded it is not stored.
pub async fn set_author(sql: &mut Sql, institution: InstitutionId, id: ImportId, author: &str) -> Result<()> {
    let text = "UPDATE imports SET author = $1 WHERE institution_id = $2 AND id = $3";
    sql.execute(text, &[author.into(), institution.into(), id.into()]).await.map(|_| ())
}

/// Whoever it was has been erased.
pub async fn forget_author(sql: &mut Sql, institution: InstitutionId, author: &str) -> Result<()> {
    let text = "UPDATE imports SET author = NULL WHERE institution_id = $1 AND author = $2";
    sql.execute(text, &[institution.into(), author.into()]).await.map(|_| ())
}

pub async fn author(sql: &mut Sql, institution: InstitutionId, id: ImportId) -> Result<Option<String>> {
    let text = "SELECT author FROM imports WHERE institution_id = $1 AND id = $2";
    Ok(sql.one(text, &[institution.into(), id.into()], |row| row.opt_text(0)).await?.flatten())
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

/// Adds rows to the numbers of an import that is in this state, and of which this many rows are done if that matters. Returns false if it
/// is not any more.
pub async fn advance(
    sql: &mut Sql,
    institution: InstitutionId,
    (id, state): (ImportId, ImportState),
    done: Option<u64>,
    more: Counts,
) -> Result<bool> {
    let text = "UPDATE imports SET rows_done = rows_done + $1, created = created + $2, updated = updated + $3, \
                unchanged = unchanged + $4, refused = refused + $5 WHERE institution_id = $6 AND id = $7 AND state = $8 \
                AND rows_done = COALESCE($9, rows_done)";
    let params: [Value<'_>; 9] = [
        stored(more.done),
        stored(more.created),
        stored(more.updated),
        stored(more.unchanged),
        stored(more.refused),
        institution.into(),
        id.into(),
        state.word().into(),
        done.map_or(Value::Null, stored),
    ];
    Ok(sql.execute(text, &params).await? == 1)
}

/// Sets the numbers of an import of recordings to what it has brought so far. All other files are read again.
pub async fn begin_recordings(sql: &mut Sql, institution: InstitutionId, id: ImportId) -> Result<()> {
    let brought = "(SELECT COUNT(*) FROM import_changes c WHERE c.institution_id = $1 AND c.import_id = $2 \
                   AND c.recording IS NOT NULL)";
    let text = format!(
        "UPDATE imports SET rows_done = {brought}, updated = {brought}, created = 0, unchanged = 0, refused = 0 \
         WHERE institution_id = $1 AND id = $2 AND state = 'running'"
    );
    sql.execute(&text, &[institution.into(), id.into()]).await.map(|_| ())
}

/// Begins to undo an import. From then on, `rows_done` is the number of people whom it has changed and who are still as it left them.
/// Nothing happens if it is being undone already.
pub async fn begin_undo(sql: &mut Sql, institution: InstitutionId, id: ImportId) -> Result<()> {
    let changes = "(SELECT COUNT(*) FROM import_changes c WHERE c.institution_id = $1 AND c.import_id = $2)";
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

/// An import that is busy is not old: its job may have waited long. One that nobody has continued for a week was killed on the command
/// line, and what people were before it must not stay forever.
const OLD: &str =
    "created_at < $1 AND (state NOT IN ('checking', 'waiting', 'running', 'undoing') OR created_at < $2)";
const BUSY_DAYS: i64 = 6;

fn old_params(before: Moment) -> [Value<'static>; 2] {
    [before.micros().into(), before.plus_days(-BUSY_DAYS).micros().into()]
}

/// Imports that began before then and that nobody is busy with.
pub async fn old(sql: &mut Sql, scope: Scope, before: Moment) -> Result<Vec<(InstitutionId, ImportId)>> {
    let mut params: Vec<Value<'_>> = old_params(before).into();
    let within = within(scope, "institution_id", &mut params);
    let text = format!("SELECT institution_id, id FROM imports WHERE {OLD} AND {within}");
    sql.rows(&text, &params, |row| Ok((row.id(0)?, row.id(1)?))).await
}

/// Deletes such an import with its files and what it changed, unless somebody has continued it. The caller holds the institution's lock.
pub async fn delete_old(
    sql: &mut Sql,
    institution: InstitutionId,
    id: ImportId,
    before: Moment,
) -> Result<()> {
    let text = format!("DELETE FROM imports WHERE {OLD} AND institution_id = $3 AND id = $4");
    let [began, abandoned] = old_params(before);
    if sql.execute(&text, &[began, abandoned, institution.into(), id.into()]).await? == 0 {
        return Ok(());
    }
    for table in ["import_files", "import_changes"] {
        let text = format!("DELETE FROM {table} WHERE institution_id = $1 AND import_id = $2");
        sql.execute(&text, &[institution.into(), id.into()]).await?;
    }
    Ok(())
}

/// Deletes everything about imports of a page.
pub async fn delete_on_page(sql: &mut Sql, institution: InstitutionId, page: NamePageId) -> Result<()> {
    for text in [
        "DELETE FROM import_files WHERE institution_id = $1 AND import_id IN \
         (SELECT id FROM imports WHERE institution_id = $1 AND name_page_id = $2)",
        "DELETE FROM import_changes WHERE institution_id = $1 AND import_id IN \
         (SELECT id FROM imports WHERE institution_id = $1 AND name_page_id = $2)",
        "DELETE FROM imports WHERE institution_id = $1 AND name_page_id = $2",
    ] {
        sql.execute(text, &[institution.into(), page.into()]).await?;
    }
    Ok(())
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
