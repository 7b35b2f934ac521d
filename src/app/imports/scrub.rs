//! Takes the rows of a person who is erased out of files that wait to be imported. Only their rows leave: whoever deletes themselves must
//! not destroy the work of a manager.

use std::{
    collections::HashMap,
    io::{Cursor, Read, Write},
};

use base64::{Engine, engine::general_purpose::STANDARD};
use zip::{ZipArchive, ZipWriter, write::SimpleFileOptions};

use super::{
    super::{App, Result},
    Format, Input, SheetFault,
    formats::{self, Cell, RowState, limits, rows::Writer, zipped::base_name},
    recordings::names,
    uploads::{PART, blocking, file, look},
};
use crate::{
    domain::{
        email::email_key,
        ids::{ImportId, InstitutionId, NamePageId},
        text,
    },
    store::{self, Sql, imports},
};

/// Whose rows they are.
#[derive(Debug, Clone, Default)]
pub(in crate::app) struct Leaver {
    pub email_key: String,
    /// Their ids in the institution.
    pub identifiers: Vec<String>,
}

impl Leaver {
    /// Is a row with these cells theirs? It has their address, or their id and nobody else's address.
    fn owns<'a>(&self, cells: impl Iterator<Item = &'a str> + Clone) -> bool {
        let has_address = |cell: &str| text::folded(cell).contains(&text::folded(&self.email_key));
        if cells.clone().any(has_address) {
            return true;
        }
        let is_id = |cell: &str| self.identifiers.iter().any(|id| *id == text::nfc(cell.trim()));
        cells.clone().any(is_id) && !cells.clone().any(|cell| cell.contains('@'))
    }

    /// Is a recording with this file name theirs?
    fn owns_file(&self, name: &str) -> bool {
        names(name).any(|(email, id)| email == email_key(&self.email_key) || self.identifiers.contains(&id))
    }
}

/// Files without the rows of somebody, with the version that was read. Nothing leaves a file that does not mention them.
pub(in crate::app) struct Scrubbed(HashMap<ImportId, (i64, Option<Replacement>)>);

struct Replacement {
    parts: Vec<String>,
    /// What the file begins with, as JSON.
    beginning: String,
    rows_removed: u64,
}

/// Reads the files that wait on these pages. It takes seconds, so it is done before the transaction of the erasure.
pub(in crate::app) async fn prepare(
    app: &App,
    institution: InstitutionId,
    pages: &[NamePageId],
    leaver: &Leaver,
) -> Result<Scrubbed> {
    let mut all = HashMap::new();
    for page in pages {
        for (id, version) in imports::with_files(&mut app.db.read(), institution, *page).await? {
            let Some((input, _)) = file(app, institution, id).await? else { continue };
            let leaver = leaver.clone();
            match blocking(move || without(&input, &leaver)).await? {
                Ok(Some((bytes, rows_removed))) => {
                    let replacement = replacement(app, institution, *page, id, (bytes, rows_removed)).await?;
                    all.insert(id, (version, Some(replacement)));
                }
                Ok(None) => {
                    all.insert(id, (version, None));
                }
                // It is deleted as a whole.
                Err(error) => {
                    tracing::warn!(%error, import = id.get(), "a file that waits to be imported cannot be read");
                }
            }
        }
    }
    Ok(Scrubbed(all))
}

async fn replacement(
    app: &App,
    institution: InstitutionId,
    page: NamePageId,
    id: ImportId,
    (bytes, rows_removed): (Vec<u8>, u64),
) -> Result<Replacement> {
    let parts = bytes.chunks(PART).map(|part| STANDARD.encode(part)).collect();
    let beginning = look(app, institution, page, id, Input::Bytes(bytes.into())).await?;
    Ok(Replacement { parts, beginning, rows_removed })
}

/// Replaces the files of a page, and deletes its reports, which may mention the person. A file that has come or changed since it was read
/// is deleted. What an import changed is kept, so that it can still be undone for others.
pub(in crate::app) async fn apply(
    sql: &mut Sql,
    institution: InstitutionId,
    page: NamePageId,
    scrubbed: &Scrubbed,
) -> Result<()> {
    let waiting = imports::with_files(sql, institution, page).await?;
    imports::delete_reports_on_page(sql, institution, page).await?;
    for (id, version) in waiting {
        match scrubbed.0.get(&id) {
            Some((read, replaced)) if *read == version => {
                if let Some(Replacement { parts, beginning, rows_removed }) = replaced {
                    let file = (parts.as_slice(), beginning.as_str());
                    imports::replace_file(sql, institution, id, file, *rows_removed).await?;
                }
            }
            Some(_) | None => imports::delete_file(sql, institution, id).await?,
        }
    }
    Ok(())
}

/// The file without the rows of somebody, and how many there were. `None` if there are none.
fn without(input: &Input, leaver: &Leaver) -> std::result::Result<Option<(Vec<u8>, u64)>, SheetFault> {
    match Format::of(input)? {
        Format::Recordings | Format::OneRoster => zip_without(input, leaver),
        Format::Csv | Format::Xlsx | Format::Ods | Format::Rows => table_without(input, leaver),
    }
}

/// What is left has the form that Endonym reads fastest. Each row keeps its line, and its place among the others: an import that was
/// interrupted counts them.
fn table_without(input: &Input, leaver: &Leaver) -> std::result::Result<Option<(Vec<u8>, u64)>, SheetFault> {
    let (mut writer, mut removed) = (Writer::default(), 0);
    formats::each_row(input, None, &mut |mut row| {
        if leaver.owns(row.cells.iter().filter_map(Cell::as_text)) {
            removed += 1;
            (row.cells, row.state) = (Vec::new(), RowState::Deleted);
        }
        writer.push(&row)
    })?;
    Ok((removed > 0).then(|| (writer.into_bytes(), removed)))
}

/// A ZIP file without the recordings of somebody, or without their rows in its tables.
fn zip_without(input: &Input, leaver: &Leaver) -> std::result::Result<Option<(Vec<u8>, u64)>, SheetFault> {
    // Its limits are checked when it is opened.
    drop(formats::zipped::Zipped::open(input)?);
    let mut from = ZipArchive::new(input.open()?).map_err(SheetFault::zip)?;
    let (mut to, mut removed) = (ZipWriter::new(Cursor::new(Vec::new())), 0);
    let mut left = limits::UNPACKED_BYTES;
    for at in 0..from.len() {
        let entry = from.by_index(at).map_err(SheetFault::zip)?;
        let name = entry.name().map_err(SheetFault::zip)?.into_owned();
        if name.to_lowercase().ends_with(".csv") {
            let mut text = Vec::new();
            entry.take(left + 1).read_to_end(&mut text).map_err(SheetFault::Io)?;
            let too_large = || SheetFault::TooLarge("the tables in the file are too large".to_owned());
            left = left.checked_sub(text.len() as u64).ok_or_else(too_large)?;
            let (text, count) = csv_without(&text, leaver)?;
            removed += count;
            to.start_file(name, SimpleFileOptions::default()).map_err(SheetFault::zip)?;
            to.write_all(&text).map_err(SheetFault::Io)?;
        } else if leaver.owns_file(base_name(&name)) {
            removed += 1;
        } else {
            to.raw_copy_file(entry).map_err(SheetFault::zip)?;
        }
    }
    let bytes = to.finish().map_err(SheetFault::zip)?.into_inner();
    Ok((removed > 0).then_some((bytes, removed)))
}

/// A table of a OneRoster bundle. A row that leaves is marked as deleted by the source system, so that the others keep their places.
fn csv_without(table: &[u8], leaver: &Leaver) -> std::result::Result<(Vec<u8>, u64), SheetFault> {
    let damaged =
        |error: &dyn std::fmt::Display| SheetFault::Damaged(format!("the file is damaged: {error}"));
    let mut from = ::csv::ReaderBuilder::new().flexible(true).has_headers(false).from_reader(table);
    let mut to = ::csv::WriterBuilder::new().flexible(true).from_writer(Vec::new());
    let (mut removed, mut status) = (0, None);
    for record in from.byte_records() {
        let record = record.map_err(|error| damaged(&error))?;
        let cells: Vec<String> =
            record.iter().map(|cell| String::from_utf8_lossy(cell).into_owned()).collect();
        if status.is_none() {
            status = Some(cells.iter().position(|cell| cell.trim().eq_ignore_ascii_case("status")));
        }
        let written = if leaver.owns(cells.iter().map(String::as_str)) {
            removed += 1;
            let mark = |at: usize| if status.flatten() == Some(at) { "tobedeleted" } else { "" };
            to.write_record((0..cells.len()).map(mark))
        } else {
            to.write_byte_record(&record)
        };
        written.map_err(|error| damaged(&error))?;
    }
    Ok((to.into_inner().map_err(|error| damaged(&error))?, removed))
}

/// Who leaves, by the registrations that they have.
pub(in crate::app) async fn leaver(
    sql: &mut Sql,
    institution: InstitutionId,
    email_key: &str,
) -> Result<(Leaver, Vec<NamePageId>)> {
    let all = store::persons::registrations(sql, institution, email_key).await?;
    let mut pages: Vec<NamePageId> = all.iter().map(|one| one.page).collect();
    pages.sort_unstable();
    pages.dedup();
    let identifiers = store::persons::identifiers(sql, institution, &all).await?;
    Ok((Leaver { email_key: email_key.to_owned(), identifiers }, pages))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ana() -> Leaver {
        Leaver { email_key: "ana@example.edu".into(), identifiers: vec!["12".into()] }
    }

    fn rows(bytes: Vec<u8>) -> Vec<(u64, Vec<String>)> {
        let mut all = Vec::new();
        formats::each_row(&Input::Bytes(bytes.into()), None, &mut |row| {
            let cells = row.cells.iter().filter_map(Cell::as_text).map(str::to_owned).collect();
            all.push((row.line, cells));
            Ok(())
        })
        .unwrap();
        all
    }

    #[test]
    fn only_the_rows_of_one_person_leave_a_table_and_the_others_keep_their_lines() {
        let table = "email,first_name,seat\nbo@example.edu,Bo,12\n\"Ana <ANA@Example.edu>\",Ana,3\n,Ana,12\ncy@example.edu,Cy,\n";
        let input = Input::Bytes(table.as_bytes().to_vec().into());
        let (bytes, removed) = without(&input, &ana()).unwrap().unwrap();
        assert_eq!(removed, 2);
        assert!(!String::from_utf8_lossy(&bytes).to_lowercase().contains("ana"), "nothing is left of her");
        let left = rows(bytes.clone());
        let lines: Vec<u64> = left.iter().map(|(line, _)| *line).collect();
        assert_eq!(lines, [1, 2, 3, 4, 5]);
        assert_eq!(left[1].1, ["bo@example.edu", "Bo", "12"], "the seat 12 is not her id");
        assert!(left[2].1.is_empty() && left[3].1.is_empty());
        // What was written is read again, and somebody else leaves it.
        let bo = Leaver { email_key: "bo@example.edu".into(), identifiers: Vec::new() };
        let (again, removed) = without(&Input::Bytes(bytes.into()), &bo).unwrap().unwrap();
        assert_eq!((removed, rows(again).len()), (1, 5));
        assert!(without(&input, &Leaver { email_key: "x@example.edu".into(), ..bo }).unwrap().is_none());
    }

    #[test]
    fn recordings_and_rows_of_a_bundle_leave_a_zip_file() {
        let zip = |files: &[(&str, &str)]| {
            let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
            for (name, text) in files {
                zip.start_file(*name, SimpleFileOptions::default()).unwrap();
                zip.write_all(text.as_bytes()).unwrap();
            }
            Input::Bytes(zip.finish().unwrap().into_inner().into())
        };
        let names = |bytes: Vec<u8>| {
            let zip = formats::zipped::Zipped::open(&Input::Bytes(bytes.into())).unwrap();
            zip.files().map(|(_, name)| name.to_owned()).collect::<Vec<_>>()
        };
        let sounds = zip(&[("a/ana@example.edu.mp3", "x"), ("a/bo@example.edu.mp3", "y"), ("a/12.wav", "z")]);
        let (bytes, removed) = without(&sounds, &ana()).unwrap().unwrap();
        assert_eq!((removed, names(bytes)), (2, vec!["a/bo@example.edu.mp3".to_owned()]));
        let users = "sourcedId,status,email,givenName,familyName\n1,active,ana@example.edu,Ana,A\n2,active,bo@example.edu,Bo,B\n";
        let bundle = zip(&[("manifest.csv", "propertyName,value\n"), ("users.csv", users)]);
        let (bytes, removed) = without(&bundle, &ana()).unwrap().unwrap();
        let left = rows(bytes);
        assert_eq!((removed, left.len()), (1, 3));
        assert!(left[1].1.is_empty() && left[2].1.contains(&"bo@example.edu".to_owned()));
    }
}
