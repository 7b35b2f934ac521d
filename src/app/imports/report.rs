//! The report of an import: what has become of each row.

use serde::{Deserialize, Serialize};

use super::{FileFault, FileOutcome, Outcome, RowReport, uploads::PART};
use crate::domain::fault::Fault;

/// Rows of each kind that a report keeps.
const MOST_REFUSED: usize = 200;
const MOST_OTHERS: usize = 200;
/// The whole report, which people download, as JSON. Rows beyond are left out.
const REPORT_BYTES: usize = 32 << 20;
/// The characters of a text from a file that are shown.
const SHOWN: usize = 200;

pub(super) fn shorten(text: &mut String) {
    if let Some((end, _)) = text.char_indices().nth(SHOWN) {
        text.truncate(end);
    }
}

/// The results of single rows: all that were refused or would change something, within limits.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Report {
    pub rows: Vec<ReportRow>,
    /// Rows that are not among them.
    pub others: u64,
    /// Headings of columns that are ignored.
    #[serde(default)]
    pub unknown: Vec<String>,
    #[serde(default)]
    pub numeric_ids: u64,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReportRow {
    pub line: u64,
    /// The email, or the name of a file.
    pub who: String,
    pub outcome: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fields: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reasons: Vec<Reason>,
}

/// What is wrong with a field, by a word for its kind.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reason {
    pub field: String,
    pub kind: String,
}

impl ReportRow {
    pub(super) fn of(row: &RowReport) -> Self {
        let (outcome, fields, reasons) = match &row.outcome {
            Outcome::Created => ("created", Vec::new(), Vec::new()),
            Outcome::Updated(fields) => ("updated", fields.clone(), Vec::new()),
            Outcome::Unchanged => ("unchanged", Vec::new(), Vec::new()),
            Outcome::Skipped => ("skipped", Vec::new(), Vec::new()),
            Outcome::Refused(errors) => {
                let reasons = errors.iter().flat_map(|(field, faults)| {
                    faults
                        .iter()
                        .map(|fault| Reason { field: field.name().to_owned(), kind: kind(fault).to_owned() })
                });
                ("refused", Vec::new(), reasons.collect())
            }
        };
        let mut who = row.email.clone();
        shorten(&mut who);
        Self { line: row.line, who, outcome: outcome.to_owned(), fields, reasons }
    }

    pub(super) fn of_file(name: &str, outcome: &FileOutcome) -> Self {
        let (outcome, kind) = match outcome {
            FileOutcome::Stored { .. } => ("updated", None),
            FileOutcome::Nobody => ("refused", Some("nobody")),
            FileOutcome::Refused { why, .. } => match why {
                FileFault::SamePerson(_) => ("refused", Some("twice")),
                FileFault::Unreadable(_) | FileFault::Media(_) => ("refused", Some("sound")),
            },
        };
        let reason = |kind: &str| Reason { field: String::new(), kind: kind.to_owned() };
        let fields = if outcome == "updated" { vec!["recording".to_owned()] } else { Vec::new() };
        let reasons = kind.map(reason).into_iter().collect();
        let mut who = name.to_owned();
        shorten(&mut who);
        Self { line: 0, who, outcome: outcome.to_owned(), fields, reasons }
    }
}

/// Those that rows of a file can have; all others are `invalid`.
fn kind(fault: &Fault) -> &'static str {
    match fault {
        Fault::Blank => "blank",
        Fault::Taken => "taken",
        Fault::TooLong { .. } => "long",
        Fault::ControlCharacter => "control",
        Fault::NotAPhoneNumber => "phone",
        Fault::NotText => "text",
        _ => "invalid",
    }
}

/// Collects the report of an import.
#[derive(Default)]
pub(super) struct Collector {
    pub report: Report,
    refused: usize,
    pub whole: WholeReport,
}

/// All rows as JSON, one per line, in parts. They are stored apart from the report, which every view of the page reads.
#[derive(Default)]
pub(super) struct WholeReport {
    pub parts: Vec<String>,
    bytes: usize,
}

impl WholeReport {
    fn add(&mut self, row: &ReportRow) {
        // It has only texts and numbers, so this never fails.
        let Ok(mut line) = serde_json::to_string(row) else { return };
        line.push('\n');
        if self.bytes + line.len() > REPORT_BYTES {
            return;
        }
        self.bytes += line.len();
        match self.parts.last_mut() {
            Some(part) if part.len() < PART => part.push_str(&line),
            _ => self.parts.push(line),
        }
    }
}

impl Collector {
    pub fn add(&mut self, row: ReportRow) {
        self.whole.add(&row);
        let is_refused = row.outcome == "refused";
        let others = self.report.rows.len() - self.refused;
        let has_room = if is_refused { self.refused < MOST_REFUSED } else { others < MOST_OTHERS };
        if has_room {
            self.refused += usize::from(is_refused);
            self.report.rows.push(row);
        } else {
            self.report.others += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_keeps_what_was_refused_even_at_the_end_of_a_long_file() {
        let row = |outcome: &str| ReportRow { outcome: outcome.to_owned(), ..ReportRow::default() };
        let mut collector = Collector::default();
        (0..10_000).for_each(|_| collector.add(row("created")));
        (0..3).for_each(|_| collector.add(row("refused")));
        assert_eq!(collector.report.rows.len(), MOST_OTHERS + 3);
        assert_eq!(collector.report.others, 10_000 - MOST_OTHERS as u64);
    }
}
