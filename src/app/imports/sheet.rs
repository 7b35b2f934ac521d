//! Reads people from a CSV file, as written by spreadsheet programs, row by row.

use std::{
    borrow::Cow,
    io::{self, BufReader, Chain, Cursor, Read},
};

use crate::domain::{
    custom_field::CustomField,
    participant::{Draft, LegalNames, Raw, Source, TEXT_FIELDS},
};

/// Returns whether this is the heading of a standard column, which every participant has.
fn is_known(heading: &str) -> bool {
    matches!(heading, "email" | "phone_number") || TEXT_FIELDS.iter().any(|field| field.key == heading)
}

/// Why a file cannot be read. Invalid rows are reported separately.
#[derive(Debug, thiserror::Error)]
pub enum SheetFault {
    #[error(transparent)]
    Io(io::Error),
    #[error(transparent)]
    Csv(#[from] csv::Error),
    #[error("is UTF-16")]
    Utf16,
    #[error("the first line is not UTF-8")]
    Headings,
    #[error("the column `{heading}` is no custom field")]
    UnknownCustomField { heading: String, name: String },
    #[error("the column `{0}` is there twice")]
    Duplicate(String),
    /// An email column and a first or last name column are required.
    #[error("necessary columns are missing")]
    MissingColumns { headings: Vec<String> },
}

/// A nonempty row.
pub struct Row {
    pub line: u64,
    pub email: String,
    /// `None` when the row is not UTF-8.
    pub draft: Option<Draft>,
}

/// The start of the file, buffered to detect the format, followed by the rest.
type Rewound<R> = Chain<Cursor<Vec<u8>>, BufReader<R>>;

pub struct Sheet<R> {
    reader: csv::Reader<PlainLines<Rewound<R>>>,
    columns: Vec<Option<String>>,
    legal: LegalNames,
    record: csv::ByteRecord,
    /// Headings of unknown columns, which are ignored.
    pub ignored: Vec<String>,
}

impl<R: Read> Sheet<R> {
    /// Detects the delimiter, maps the columns, and skips a byte-order mark.
    pub fn open(mut file: R, fields: &[CustomField], legal: LegalNames) -> Result<Self, SheetFault> {
        let mut start = Vec::new();
        file.by_ref().take(64 * 1024).read_to_end(&mut start).map_err(SheetFault::Io)?;
        if start.starts_with(&[0xff, 0xfe]) || start.starts_with(&[0xfe, 0xff]) {
            return Err(SheetFault::Utf16);
        }
        let start = start.strip_prefix(b"\xef\xbb\xbf").map(<[u8]>::to_vec).unwrap_or(start);
        let separator = separator(&start);
        let whole = PlainLines { inner: Cursor::new(start).chain(BufReader::new(file)), last: b'\n' };
        let mut reader = csv::ReaderBuilder::new().delimiter(separator).flexible(true).from_reader(whole);
        let (columns, ignored) = columns(&mut reader, fields)?;
        Ok(Self { reader, columns, legal, record: csv::ByteRecord::new(), ignored })
    }

    /// Returns the next nonempty row.
    pub fn next_row(&mut self) -> Result<Option<Row>, SheetFault> {
        while self.reader.read_byte_record(&mut self.record)? {
            let line = first_line(&self.record, self.reader.position().line());
            if let Some(row) = read(line, &self.record, &self.columns, self.legal) {
                return Ok(Some(row));
            }
        }
        Ok(None)
    }

    /// Returns the byte offset of the last row.
    pub fn position(&self) -> u64 {
        self.record.position().map_or(0, csv::Position::byte)
    }
}

fn separator(start: &[u8]) -> u8 {
    let first_line = start.split(|byte| *byte == b'\n').next().unwrap_or_default();
    let count = |separator: u8| first_line.iter().filter(|byte| **byte == separator).count();
    [b',', b';', b'\t']
        .into_iter()
        .max_by_key(|separator| (count(*separator), *separator == b','))
        .unwrap_or(b',')
}

/// Maps the columns, with `None` for ignored ones. Also returns the headings of ignored columns.
fn columns(
    reader: &mut csv::Reader<impl Read>,
    fields: &[CustomField],
) -> Result<(Vec<Option<String>>, Vec<String>), SheetFault> {
    let headings = reader.headers().map_err(|_| SheetFault::Headings)?;
    let (mut columns, mut ignored) = (Vec::new(), Vec::new());
    for heading in headings {
        let name = heading.trim().trim_matches('"').to_lowercase().replace([' ', '-'], "_");
        let name = if name == "phonetic_spelling" { "phonetic".to_owned() } else { name };
        let known = is_known(&name);
        let custom = fields.iter().any(|field| field.has_import_key(&name));
        if name.starts_with("custom_") && !custom {
            let name = name.trim_start_matches("custom_").to_owned();
            return Err(SheetFault::UnknownCustomField { heading: heading.to_owned(), name });
        }
        if !known && !custom {
            ignored.push(heading.to_owned());
        }
        if columns.contains(&Some(name.clone())) {
            return Err(SheetFault::Duplicate(heading.to_owned()));
        }
        columns.push((known || custom).then_some(name));
    }
    let has = |name: &str| columns.iter().flatten().any(|column| column == name);
    if !has("email") || !(has("first_name") || has("last_name")) {
        return Err(SheetFault::MissingColumns { headings: headings.iter().map(str::to_owned).collect() });
    }
    Ok((columns, ignored))
}

fn read(line: u64, record: &csv::ByteRecord, columns: &[Option<String>], legal: LegalNames) -> Option<Row> {
    let Ok(cells) = csv::StringRecord::from_byte_record(record.clone()) else {
        return Some(Row { line, email: String::new(), draft: None });
    };
    let row = Cells { columns, cells: &cells };
    let email = row.cell("email").unwrap_or_default().to_owned();
    let empty = cells.iter().all(|cell| cell.trim().is_empty());
    (!empty).then(|| Row { line, email, draft: Some(Draft::read(&row, legal)) })
}

/// Computes the first line of a record from the line after it, because the reader includes preceding empty lines in the
/// record's own position.
fn first_line(record: &csv::ByteRecord, next: u64) -> u64 {
    let inside = record.as_slice().iter().filter(|byte| **byte == b'\n').count() as u64;
    next.saturating_sub(1 + inside)
}

/// Normalizes line endings to LF and terminates the last line, so that lines are counted as in text editors.
struct PlainLines<R> {
    inner: R,
    last: u8,
}

impl<R: Read> Read for PlainLines<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            let read = self.inner.read(buffer)?;
            if read == 0 && !matches!(self.last, b'\n' | b'\r') && !buffer.is_empty() {
                (buffer[0], self.last) = (b'\n', b'\n');
                return Ok(1);
            }
            let mut kept = 0;
            for at in 0..read {
                let byte = buffer[at];
                if byte != b'\n' || self.last != b'\r' {
                    buffer[kept] = if byte == b'\r' { b'\n' } else { byte };
                    kept += 1;
                }
                self.last = byte;
            }
            // Returning 0 would signal the end of the file.
            if kept > 0 || read == 0 {
                return Ok(kept);
            }
        }
    }
}

struct Cells<'a> {
    columns: &'a [Option<String>],
    cells: &'a csv::StringRecord,
}

impl Cells<'_> {
    fn cell(&self, name: &str) -> Option<&str> {
        let at = self.columns.iter().position(|column| column.as_deref() == Some(name))?;
        self.cells.get(at).map(str::trim).filter(|cell| !cell.is_empty())
    }
}

impl Source for Cells<'_> {
    fn get(&self, key: &str) -> Raw<'_> {
        self.cell(key).map_or(Raw::Absent, |cell| Raw::Text(Cow::Borrowed(cell)))
    }

    fn custom(&self) -> Vec<(String, Raw<'_>)> {
        let custom = self.columns.iter().flatten().filter(|name| name.starts_with("custom_"));
        custom.filter_map(|name| Some((name.clone(), Raw::Text(Cow::Borrowed(self.cell(name)?))))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn open(text: &[u8]) -> Result<Sheet<&[u8]>, SheetFault> {
        Sheet::open(text, &[], LegalNames::Ignored)
    }

    fn rows(text: &[u8]) -> Vec<(u64, String)> {
        let mut sheet = open(text).unwrap();
        std::iter::from_fn(|| sheet.next_row().unwrap()).map(|row| (row.line, row.email)).collect()
    }

    #[test]
    fn rows_are_counted_as_editors_count_lines_however_they_end() {
        for end in ["\n", "\r\n", "\r"] {
            let text =
                ["email;first_name", "a@x.org;Ana", "", "b@x.org;\"Ben", "Jr\"", "c@x.org;Cy"].join(end);
            let found = rows(text.as_bytes());
            let wanted = [(2, "a@x.org"), (4, "b@x.org"), (6, "c@x.org")];
            assert_eq!(found, wanted.map(|(line, email)| (line, email.to_owned())), "{end:?}");
        }
    }

    #[test]
    fn a_byte_order_mark_is_skipped_and_unknown_columns_are_ignored() {
        let sheet = open(b"\xef\xbb\xbfEmail\tLast name\tShoe size\n").unwrap();
        assert_eq!(sheet.ignored, ["Shoe size"]);
        assert_eq!(sheet.columns, [Some("email".to_owned()), Some("last_name".to_owned()), None]);
    }

    #[test]
    fn what_is_no_list_of_people_is_a_fault() {
        assert!(matches!(open(b"\xff\xfee\0m\0"), Err(SheetFault::Utf16)));
        assert!(matches!(open(b"email,\xff\n"), Err(SheetFault::Headings)));
        assert!(matches!(open(b"email,name\n"), Err(SheetFault::MissingColumns { .. })));
        assert!(matches!(open(b"email,first_name,Email\n"), Err(SheetFault::Duplicate(_))));
        let unknown = open(b"email,first_name,custom_degree\n");
        assert!(matches!(unknown, Err(SheetFault::UnknownCustomField { name, .. }) if name == "degree"));
    }
}
