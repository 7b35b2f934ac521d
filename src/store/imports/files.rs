//! Files that wait to be imported, what they begin with, and whole reports.

use super::super::{Result, Sql};
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

/// Is the file there? It is deleted with all reports when somebody on the page is erased.
pub async fn has_file(sql: &mut Sql, institution: InstitutionId, import: ImportId) -> Result<bool> {
    let text = "SELECT 1 FROM import_files WHERE institution_id = $1 AND import_id = $2 AND number = 0";
    Ok(sql.one(text, &[institution.into(), import.into()], |_| Ok(())).await?.is_some())
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
