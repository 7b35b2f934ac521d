//! Tables in files: CSV, XLSX, ODS and OneRoster bundles. They are read row by row and within limits, so that no file needs more
//! memory than one row of it, besides the shared strings of an XLSX file. Macros and external links are never read, and formulas
//! give the value that is stored with them.

mod csv;
mod ods;
mod oneroster;
pub(super) mod rows;
mod xlsx;
mod xml;
pub(super) mod zipped;

use std::{
    fs::File,
    io::{self, Cursor, Read, Seek},
    path::PathBuf,
    sync::Arc,
};

use bytes::Bytes;
use serde::{Deserialize, Serialize};

pub use oneroster::classes;
use zipped::Zipped;

/// What is read of a file at most.
pub mod limits {
    /// Not of a CSV file on the operator's disk, which is read row by row.
    pub const ROWS: u64 = 200_000;
    pub const COLUMNS: usize = 200;
    /// Like `ROWS`.
    pub const CELLS: u64 = 4_000_000;
    /// The rows of a ZIP file, with empty ones: a little more than a sheet of Excel has. All limits of ZIP files together bound the time that reading
    /// one takes to less than two seconds of a processor.
    pub const PACKED_ROWS: u64 = 1_100_000;
    pub const PACKED_CELLS: u64 = 1_000_000;
    /// The texts of its cells: a few bytes can repeat or name a text of `CELL`.
    pub const PACKED_TEXT: u64 = 64 << 20;
    /// The elements and texts in the XML of a spreadsheet file, or the records of a OneRoster bundle.
    pub const STEPS: u64 = 10_000_000;
    /// The tables of a ZIP file together, unpacked.
    pub const UNPACKED_BYTES: u64 = 200 << 20;
    /// The bytes of a cell; a row with a longer one is rejected.
    pub const CELL: usize = 40_000;
    pub const SHEETS: usize = 200;
    /// The files in a ZIP file.
    pub const FILES: usize = 20_000;
    /// The shared strings of an XLSX file, which are kept in memory, unpacked.
    pub const STRINGS_BYTES: u64 = 32 << 20;
    pub const STRINGS: usize = 1_000_000;
    /// The styles of cells, and the formats of numbers, in an XLSX file. Excel permits a few less.
    pub const STYLES: usize = 65_536;
    /// Any other part of a spreadsheet file, unpacked.
    pub const PART_BYTES: u64 = 8 << 20;
    /// All that a ZIP file says it contains.
    pub const DECLARED_BYTES: u64 = 1 << 30;
    /// Text or a tag in XML, without anything inside.
    pub const XML_RUN: usize = 256 << 10;
}

/// Why a file cannot be read. Invalid rows are reported separately.
#[derive(Debug, thiserror::Error)]
pub enum SheetFault {
    #[error(transparent)]
    Io(io::Error),
    /// Not what its beginning promises, or damaged.
    #[error("{0}")]
    Damaged(String),
    /// A format that is not read, by its name.
    #[error("{0} files are not supported")]
    Unsupported(&'static str),
    #[error("the file is protected by a password")]
    Encrypted,
    #[error("{0}")]
    TooLarge(String),
    #[error("the file has more than {} rows", limits::ROWS)]
    TooManyRows,
    #[error("row {line} has more than {} columns", limits::COLUMNS)]
    TooManyColumns { line: u64 },
    #[error("the file has too many rows: more than {} with those that are empty", limits::PACKED_ROWS)]
    TooManyEmptyRows,
    #[error("the file has more than {0} cells")]
    TooManyCells(u64),
    #[error("the class `{0}` is not in the file")]
    NoClass(String),
    #[error("the file has no classes")]
    NotOneRoster,
    /// A ZIP file with recordings instead of people.
    #[error("the file contains no list of people")]
    NoTable,
    #[error("the column `{heading}` is no custom field")]
    UnknownCustomField { heading: String, name: String },
    #[error("the column `{0}` is there twice")]
    Duplicate(String),
    /// An email column and a first or last name column are required.
    #[error("necessary columns are missing")]
    MissingColumns { headings: Vec<String> },
    /// A correction of the mapping that makes no sense.
    #[error("{0}")]
    Mapping(String),
    #[error("too many files wait to be imported")]
    TooManyUploads,
    /// Not an error: the caller has read enough.
    #[error("stopped")]
    Stopped,
}

impl SheetFault {
    pub(super) fn zip(error: zip::result::ZipError) -> Self {
        match error {
            zip::result::ZipError::Io(error) => Self::of_reading(error),
            other => Self::Damaged(format!("the file is damaged: {other}")),
        }
    }

    /// Faults that our own readers pass through the libraries above them.
    fn of_reading(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::FileTooLarge => Self::TooLarge(error.to_string()),
            io::ErrorKind::InvalidData | io::ErrorKind::InvalidInput | io::ErrorKind::UnexpectedEof => {
                Self::Damaged(format!("the file is damaged: {error}"))
            }
            _ => Self::Io(error),
        }
    }

    /// A word for it, which pages have a sentence for.
    pub fn word(&self) -> &'static str {
        match self {
            Self::Io(_) | Self::Damaged(_) | Self::Stopped => "damaged",
            Self::Unsupported(_) => "unsupported",
            Self::Encrypted => "encrypted",
            Self::TooLarge(_) => "large",
            Self::TooManyRows
            | Self::TooManyEmptyRows
            | Self::TooManyColumns { .. }
            | Self::TooManyCells(_) => "many",
            Self::NoTable | Self::NoClass(_) | Self::NotOneRoster => "no-table",
            Self::UnknownCustomField { .. } | Self::Mapping(_) => "custom",
            Self::Duplicate(_) => "twice",
            Self::MissingColumns { .. } => "columns",
            Self::TooManyUploads => "waiting",
        }
    }
}

/// Where the bytes are.
#[derive(Debug, Clone)]
pub enum Input {
    File(PathBuf),
    Bytes(Bytes),
    /// A parsed copy: to read a ZIP file costs much more than to read this.
    Rows(Arc<Vec<RawRow>>),
}

pub trait ReadSeek: Read + Seek + Send {}

impl<T: Read + Seek + Send> ReadSeek for T {}

impl Input {
    pub fn open(&self) -> Result<Box<dyn ReadSeek>, SheetFault> {
        Ok(match self {
            Self::File(path) => Box::new(File::open(path).map_err(SheetFault::Io)?),
            Self::Bytes(bytes) => Box::new(Cursor::new(bytes.clone())),
            // It has no bytes.
            Self::Rows(_) => return Err(SheetFault::Io(io::ErrorKind::Unsupported.into())),
        })
    }

    fn start(&self) -> Result<Vec<u8>, SheetFault> {
        let mut start = Vec::new();
        self.open()?.take(8).read_to_end(&mut start).map_err(SheetFault::Io)?;
        Ok(start)
    }
}

/// The format of a file, by its content.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    Csv,
    Xlsx,
    Ods,
    OneRoster,
    /// A ZIP file that is none of these.
    Recordings,
    /// Rows that were read before.
    Rows,
}

impl Format {
    pub fn of(input: &Input) -> Result<Self, SheetFault> {
        let start = input.start()?;
        if start.starts_with(rows::MAGIC) {
            return Ok(Self::Rows);
        }
        if start.starts_with(&[0xd0, 0xcf, 0x11, 0xe0]) {
            // Old Excel files, and new ones with a password, are in Microsoft's compound format.
            return Err(SheetFault::Unsupported("XLS and password-protected"));
        }
        if start.starts_with(b"%PDF") {
            return Err(SheetFault::Unsupported("PDF"));
        }
        if !start.starts_with(b"PK\x03\x04") && !start.starts_with(b"PK\x05\x06") {
            return Ok(Self::Csv);
        }
        let zip = Zipped::open(input)?;
        Ok(if zip.has("xl/workbook.xml") {
            Self::Xlsx
        } else if zip.has("xl/workbook.bin") {
            return Err(SheetFault::Unsupported("XLSB"));
        } else if zip.has("content.xml") {
            Self::Ods
        } else if zip.has_named("manifest.csv") {
            Self::OneRoster
        } else {
            Self::Recordings
        })
    }
}

/// Does the file contain text? A file that is none of the other formats would be read as a table.
pub fn is_text(input: &Input) -> Result<bool, SheetFault> {
    let mut start = Vec::new();
    input.open()?.take(64 << 10).read_to_end(&mut start).map_err(SheetFault::Io)?;
    let is_utf_16 = start.starts_with(b"\xff\xfe") || start.starts_with(b"\xfe\xff");
    let is_control = |byte: &u8| *byte < b' ' && !matches!(*byte, b'\t' | b'\n' | b'\r' | 0x0b | 0x0c);
    Ok(is_utf_16 || !start.iter().any(is_control))
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Cell {
    Empty,
    Text(String),
    /// As people would type it: without `.0`, dates as in ISO 8601.
    Number(String),
    /// A formula without a result, such as `#N/A`.
    Error(String),
    TooLong,
}

impl Cell {
    fn text(text: String) -> Self {
        if text.len() > limits::CELL {
            Self::TooLong
        } else if text.trim().is_empty() {
            Self::Empty
        } else {
            Self::Text(text)
        }
    }

    /// The bytes of its text.
    fn size(&self) -> u64 {
        match self {
            Self::Text(text) | Self::Number(text) | Self::Error(text) => text.len() as u64,
            Self::Empty | Self::TooLong => 0,
        }
    }

    pub fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text(text) | Self::Number(text) => Some(text.trim()).filter(|text| !text.is_empty()),
            Self::Empty | Self::Error(_) | Self::TooLong => None,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RowState {
    Readable,
    /// Not UTF-8.
    Unreadable,
    /// The source system has marked the person as deleted, or they were erased since the file was uploaded.
    Deleted,
}

/// A nonempty row.
#[derive(Debug, Clone)]
pub struct RawRow {
    /// As editors and spreadsheet programs count.
    pub line: u64,
    pub cells: Vec<Cell>,
    pub state: RowState,
}

pub type Visit<'a> = dyn FnMut(RawRow) -> Result<(), SheetFault> + 'a;

/// Calls `visit` with each nonempty row. `class` selects the people of one class of a OneRoster bundle.
pub fn each_row(input: &Input, class: Option<&str>, visit: &mut Visit<'_>) -> Result<(), SheetFault> {
    if let Input::Rows(rows) = input {
        return unless_stopped(rows.iter().try_for_each(|row| visit(row.clone())));
    }
    let format = Format::of(input)?;
    if class.is_some() && format != Format::OneRoster {
        return Err(SheetFault::NotOneRoster);
    }
    // One more for the headings.
    let (rows_left, most_cells) = match (input, format) {
        // On the operator's disk, and read row by row.
        (Input::File(_), Format::Csv) => (u64::MAX, u64::MAX),
        (_, Format::Csv | Format::Rows) => (limits::ROWS + 1, limits::CELLS),
        _ => (limits::ROWS + 1, limits::PACKED_CELLS),
    };
    let (cells_left, seen_left, text_left) = (most_cells, limits::PACKED_ROWS, limits::PACKED_TEXT);
    let rows = &mut Rows { visit, is_empty: true, rows_left, seen_left, most_cells, cells_left, text_left };
    let read = match format {
        Format::Csv => csv::read(input, rows),
        Format::Xlsx => xlsx::read(input, rows),
        Format::Ods => ods::read(input, rows),
        Format::OneRoster => oneroster::read(input, class, rows),
        Format::Rows => rows::read(input, rows),
        Format::Recordings => Err(SheetFault::NoTable),
    };
    unless_stopped(read)
}

fn unless_stopped(read: Result<(), SheetFault>) -> Result<(), SheetFault> {
    match read {
        Err(SheetFault::Stopped) => Ok(()),
        other => other,
    }
}

/// What is read twice: a ZIP file is parsed for it once. A CSV file is read again as quickly as a copy.
pub fn parsed(input: &Input, class: Option<&str>) -> Result<Input, SheetFault> {
    if matches!(Format::of(input)?, Format::Csv | Format::Rows) {
        return Ok(input.clone());
    }
    let mut rows = Vec::new();
    each_row(input, class, &mut |row| {
        rows.push(row);
        Ok(())
    })?;
    Ok(Input::Rows(Arc::new(rows)))
}

/// Counts what is read, and passes it on.
pub(super) struct Rows<'a, 'b> {
    visit: &'a mut Visit<'b>,
    is_empty: bool,
    rows_left: u64,
    /// The same with empty ones, in a ZIP file.
    seen_left: u64,
    most_cells: u64,
    cells_left: u64,
    text_left: u64,
}

impl Rows<'_, '_> {
    fn push(&mut self, line: u64, mut cells: Vec<Cell>, state: RowState) -> Result<(), SheetFault> {
        while cells.last() == Some(&Cell::Empty) {
            cells.pop();
        }
        if cells.is_empty() && state == RowState::Readable {
            return Ok(());
        }
        if cells.len() > limits::COLUMNS {
            return Err(SheetFault::TooManyColumns { line });
        }
        self.is_empty = false;
        self.rows_left = self.rows_left.checked_sub(1).ok_or(SheetFault::TooManyRows)?;
        (self.visit)(RawRow { line, cells, state })
    }

    /// ZIP files count the bytes of texts for each cell that has them.
    fn count_text(&mut self, more: u64) -> Result<(), SheetFault> {
        let too_large = || {
            SheetFault::TooLarge(format!("the file has more than {} MB of text", limits::PACKED_TEXT >> 20))
        };
        self.text_left = self.text_left.checked_sub(more).ok_or_else(too_large)?;
        Ok(())
    }

    /// ZIP files count rows when they are read, because they may be empty.
    fn count_row(&mut self) -> Result<(), SheetFault> {
        self.seen_left = self.seen_left.checked_sub(1).ok_or(SheetFault::TooManyEmptyRows)?;
        Ok(())
    }

    /// Formats count cells when they read them, because a row may have many that are empty.
    fn count_cells(&mut self, more: u64) -> Result<(), SheetFault> {
        self.cells_left =
            self.cells_left.checked_sub(more).ok_or(SheetFault::TooManyCells(self.most_cells))?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    #[test]
    fn only_a_csv_file_on_disk_may_have_any_number_of_rows() {
        let rows = limits::ROWS as usize + 2;
        let text = "a,b\n".repeat(rows);
        let mut file = tempfile::NamedTempFile::new().unwrap();
        file.write_all(text.as_bytes()).unwrap();
        let count = |input: &Input| {
            let mut count = 0;
            let read = each_row(input, None, &mut |_| {
                count += 1;
                Ok(())
            });
            (count, read)
        };
        let (read, outcome) = count(&Input::File(file.path().to_owned()));
        assert!(outcome.is_ok() && read == rows, "{read}: {outcome:?}");
        let (read, outcome) = count(&Input::Bytes(text.into()));
        assert!(matches!(outcome, Err(SheetFault::TooManyRows)) && read == rows - 1, "{read}: {outcome:?}");
    }
}
