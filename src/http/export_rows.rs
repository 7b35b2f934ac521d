//! The rows of an export in CSV, for the API and for the console.

use serde_json::Value;

use crate::domain::{custom_field::import_key, formula, report};

const COLUMNS: [&str; 12] = [
    "first_name",
    "last_name",
    "email",
    "recording_link",
    "event_title",
    "event_slug",
    "event_access_code",
    "institution_id",
    "photo",
    "name_badge_link",
    "phonetic_spelling",
    "notes",
];

/// Columns are named like fields; custom ones by their import keys.
pub fn heading(custom_fields: &[String]) -> Vec<u8> {
    let custom = custom_fields.iter().map(|name| import_key(name));
    row(COLUMNS.into_iter().map(str::to_owned).chain(custom))
}

/// Who reads the file.
#[derive(Debug, Clone, Copy)]
pub enum Reader {
    /// A client of the API: the bytes are contract.
    Client,
    /// A person, in a spreadsheet program.
    Person,
}

/// A record of the stored report.
pub fn line(record: &[u8], custom_fields: &[String], reader: Reader) -> serde_json::Result<Vec<u8>> {
    let record: Value = serde_json::from_slice(record)?;
    let text = |value: &Value| {
        let text = value.as_str().unwrap_or_default();
        match reader {
            Reader::Client => report::cell(text),
            Reader::Person => formula::neutralized(text).into_owned(),
        }
    };
    let own = COLUMNS.into_iter().map(|column| text(&record[column]));
    let custom = custom_fields.iter().map(|name| text(&record["custom_objects"][name]));
    Ok(row(own.chain(custom)))
}

fn row(cells: impl Iterator<Item = String>) -> Vec<u8> {
    let mut writer = csv::WriterBuilder::new()
        .terminator(csv::Terminator::CRLF)
        // CSV readers differ in which separators and quotes they expect.
        .quote_style(csv::QuoteStyle::Always)
        .buffer_capacity(1_024)
        .from_writer(Vec::new());
    // Writing to memory cannot fail.
    let _ = writer.write_record(cells);
    writer.into_inner().unwrap_or_default()
}
