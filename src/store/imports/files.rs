//! Files that wait to be imported, what they begin with, and whole reports.

use super::super::{Result, Row, Sql};
use crate::domain::ids::{ImportId, InstitutionId, NamePageId};

/// What a row of `import_files` is a part of. The parts of the report are beside those of the file, with negative numbers, so that
/// they are deleted with them.
#[derive(Debug, Clone, Copy)]
pub enum Whole {
    File,
    Report,
}

impl Whole {
    const fn number(self, part: i64) -> i64 {
        match self {
            Self::File => part,
            Self::Report => -1 - part,
        }
    }
}

/// Stores a whole file, or the whole report.
pub async fn insert_parts(
    sql: &mut Sql,
    institution: InstitutionId,
    import: ImportId,
    whole: Whole,
    parts: &[String],
) -> Result<()> {
    let text = "INSERT INTO import_files (institution_id, import_id, number, bytes) VALUES ($1, $2, $3, $4)";
    for (part, bytes) in (0_i64..).zip(parts) {
        let number = whole.number(part);
        // Together, because the end of an import holds the institution's lock.
        sql.defer(text, &[institution.into(), import.into(), number.into(), bytes.into()]).await?;
    }
    Ok(())
}

/// One part, by its number from 0.
pub async fn part(
    sql: &mut Sql,
    institution: InstitutionId,
    import: ImportId,
    whole: Whole,
    part: i64,
) -> Result<Option<String>> {
    let text = "SELECT bytes FROM import_files WHERE institution_id = $1 AND import_id = $2 AND number = $3";
    let number = whole.number(part);
    sql.one(text, &[institution.into(), import.into(), number.into()], |row| row.text(0)).await
}

/// What a file that waits to be imported is, besides its bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FileVersion {
    /// How often it was changed because somebody was erased.
    pub number: i64,
    /// How many rows have left it with them.
    pub rows_removed: u64,
}

/// The version of a file. `None` if there is no file any more.
pub async fn file_version(
    sql: &mut Sql,
    institution: InstitutionId,
    import: ImportId,
) -> Result<Option<FileVersion>> {
    let text = "SELECT i.file_version, i.rows_removed FROM imports i JOIN import_files f \
                ON f.institution_id = i.institution_id AND f.import_id = i.id AND f.number = 0 \
                WHERE i.institution_id = $1 AND i.id = $2";
    let read =
        |row: &Row<'_>| Ok(FileVersion { number: row.int(0)?, rows_removed: row.int(1)?.unsigned_abs() });
    sql.one(text, &[institution.into(), import.into()], read).await
}

/// The files that wait on a page, with their versions.
pub async fn with_files(
    sql: &mut Sql,
    institution: InstitutionId,
    page: NamePageId,
) -> Result<Vec<(ImportId, i64)>> {
    let text = "SELECT i.id, i.file_version FROM imports i JOIN import_files f \
                ON f.institution_id = i.institution_id AND f.import_id = i.id AND f.number = 0 \
                WHERE i.institution_id = $1 AND i.name_page_id = $2 ORDER BY i.id";
    sql.rows(text, &[institution.into(), page.into()], |row| Ok((row.id(0)?, row.int(1)?))).await
}

/// Deletes the reports of imports of a page, which may mention somebody who is erased.
pub async fn delete_reports_on_page(
    sql: &mut Sql,
    institution: InstitutionId,
    page: NamePageId,
) -> Result<()> {
    // In this order, as an import that ends: its row, and then its files.
    for text in [
        "UPDATE imports SET report = NULL, file_version = file_version + 1 WHERE institution_id = $1 \
         AND name_page_id = $2",
        "DELETE FROM import_files WHERE institution_id = $1 AND number < 0 AND import_id IN \
         (SELECT id FROM imports WHERE institution_id = $1 AND name_page_id = $2)",
    ] {
        sql.execute(text, &[institution.into(), page.into()]).await?;
    }
    Ok(())
}

/// Replaces a file by one without some rows, and what it begins with.
pub async fn replace_file(
    sql: &mut Sql,
    institution: InstitutionId,
    import: ImportId,
    (parts, beginning): (&[String], &str),
    rows_removed: u64,
) -> Result<()> {
    let text = "UPDATE imports SET beginning = $1, rows_removed = rows_removed + $2 WHERE institution_id = $3 AND id = $4";
    let removed = i64::try_from(rows_removed).unwrap_or(i64::MAX);
    sql.execute(text, &[beginning.into(), removed.into(), institution.into(), import.into()]).await?;
    let text = "DELETE FROM import_files WHERE institution_id = $1 AND import_id = $2 AND number >= 0";
    sql.execute(text, &[institution.into(), import.into()]).await?;
    insert_parts(sql, institution, import, Whole::File, parts).await
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
