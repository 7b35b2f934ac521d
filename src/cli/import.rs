//! `endonym import`

mod recordings;
mod report;

use std::{
    borrow::Cow,
    fs::File,
    io::{self, BufReader, IsTerminal, Read as _},
    path::{Path, PathBuf},
};

use indicatif::{ProgressBar, ProgressStyle};
use report::Report;

use super::{Failure, Outcome, institution, page_ref};
use crate::{
    app::{
        App, Error, custom_fields,
        imports::{self, Calling, Line, Outcome as RowOutcome},
        name_pages,
    },
    config::{self, Storage},
    domain::{
        custom_field::CustomField,
        field_errors::FieldErrors,
        institution::Institution,
        name_page::NamePageRef,
        participant::{Draft, LegalNames, Raw, Source, TEXT_FIELDS},
    },
};

/// Bring in people from a CSV file, and their recordings from a folder
///
/// The first line names the columns, in any order: first_name, last_name, email, institution_id, phonetic, notes,
/// phone_number, legal_first_name and so on for legal names, and custom_… for custom fields. Commas, semicolons or tabs
/// between them. Whoever is on the page already is updated; empty cells change nothing. Every row is reported; a row that is
/// wrong does not stop the others.
///
/// Recordings are files of any usual format, named by somebody's email or institution_id: ana@example.edu.wav, S-1001.m4a.
///
/// For example: endonym import --institution example-university --name-page class-of-2027 people.csv --dry-run
#[derive(Debug, clap::Args)]
#[command(mut_args(without_what_others_do))]
pub struct Import {
    #[arg(long, value_name = "SLUG")]
    institution: String,
    /// The page's id, slug, event code or access code
    #[arg(long, value_name = "REF")]
    name_page: String,
    #[arg(value_name = "FILE.csv", required_unless_present = "recordings")]
    file: Option<PathBuf>,
    /// Folder of recordings
    #[arg(long, value_name = "DIR")]
    recordings: Option<PathBuf>,
    /// Call those whose row has a phone number, and record their names
    #[arg(long)]
    call: bool,
    /// Say what would happen, and change nothing
    #[arg(long)]
    dry_run: bool,
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    media: config::Media,
    #[command(flatten)]
    phone: config::Phone,
}

/// An import schedules calls and makes none: settings of those who make them are understood, and not told of.
fn without_what_others_do(arg: clap::Arg) -> clap::Arg {
    let ours = ["phone_url", "phone_quiet_hours", "phone_countries"];
    let id = arg.get_id().as_str();
    let is_others = id.starts_with("phone_") && !ours.contains(&id);
    if is_others { arg.hide(true) } else { arg }
}

/// Rows that share a transaction.
const GROUP: usize = 500;

/// Is it the heading of a column that every participant has?
fn is_known(heading: &str) -> bool {
    matches!(heading, "email" | "phone_number") || TEXT_FIELDS.iter().any(|field| field.key == heading)
}

impl Import {
    pub async fn run(&self, storage: &Storage) -> Outcome {
        let rules = self.phone.rules().map_err(Failure)?;
        if self.call && !rules.enabled {
            return Err(Failure(
                "nobody can be called: no telephony is configured; set --phone-url (ENDONYM_PHONE_URL)"
                    .to_owned(),
            ));
        }
        let phone = self.phone.phone("").map_err(Failure)?;
        let app = &super::open_with(storage, self.media.settings(), rules, phone).await?;
        let owner = institution(app, &self.institution).await?;
        let page = page_ref(&self.name_page)?;
        let page_id =
            name_pages::find(app, owner.id, &page).await.map(|page| page.id).map_err(
                |error| match error {
                    Error::Missing(_) => Failure(format!(
                        "`{0}` has no name page `{1}`: `endonym name-page list --institution {0}` shows them",
                        self.institution, self.name_page
                    )),
                    other => other.into(),
                },
            )?;
        let recordings = self.recordings.as_deref().map(recordings::Folder::read).transpose()?;
        let mut report = Report::new(self.json, self.dry_run);
        if let Some(file) = &self.file {
            self.rows(app, &owner, &page, file, &mut report).await?;
        }
        report.end_of_rows();
        if let Some(folder) = recordings {
            folder.bring_in(app, owner.id, page_id, &mut report).await?;
        }
        Ok(report.end())
    }

    async fn rows(
        &self,
        app: &App,
        owner: &Institution,
        page: &NamePageRef,
        file: &Path,
        report: &mut Report,
    ) -> Result<(), Failure> {
        let fields = custom_fields::all(app, owner.id).await?;
        let mut reader = open(file)?;
        let columns = self.columns(&mut reader, &fields)?;
        let progress = progress(file);
        report.begin();
        let legal = if owner.multiple_recordings { LegalNames::Permitted } else { LegalNames::Ignored };
        let mut group = Vec::with_capacity(GROUP);
        let mut record = csv::ByteRecord::new();
        loop {
            let more = reader.read_byte_record(&mut record)?;
            if more {
                progress.set_position(record.position().map_or(0, csv::Position::byte));
                let line = first_line(&record, reader.position().line());
                group.extend(Read::from(line, &record, &columns, legal));
            }
            if group.len() == GROUP || !more {
                let rows = self.bring_in(app, owner.id, page, std::mem::take(&mut group)).await?;
                progress.suspend(|| rows.iter().for_each(|row| report.row(row)));
            }
            if !more {
                break;
            }
        }
        progress.finish_and_clear();
        Ok(())
    }

    /// Writes a group, and says what became of each row, in the order of the file.
    async fn bring_in(
        &self,
        app: &App,
        institution: i64,
        page: &NamePageRef,
        group: Vec<Read>,
    ) -> Result<Vec<Told>, Failure> {
        let mut told = Vec::with_capacity(group.len());
        let mut lines = Vec::with_capacity(group.len());
        for Read { line, email, draft } in group {
            let identifier = draft.as_ref().and_then(|draft| draft.identifier.set().cloned());
            told.push(Told { line, email, identifier, outcome: RowOutcome::Refused(unreadable()) });
            lines.extend(draft.map(|draft| Line { number: line, draft }));
        }
        let calling = if self.call { Calling::Those } else { Calling::Nobody };
        let outcomes = imports::group(app, institution, page.clone(), lines, calling, self.dry_run).await?;
        for (line, outcome) in outcomes {
            if let Some(row) = told.iter_mut().find(|row| row.line == line) {
                row.outcome = outcome;
            }
        }
        Ok(told)
    }

    /// What each column is; a heading that we do not know is said and passed over.
    fn columns(
        &self,
        reader: &mut csv::Reader<impl io::Read>,
        fields: &[CustomField],
    ) -> Result<Vec<Option<String>>, Failure> {
        let headings = reader.headers().map_err(|_| {
            Failure("the first line is not readable text: save the file as “CSV UTF-8”".to_owned())
        })?;
        let mut columns = Vec::new();
        let mut unknown = Vec::new();
        for heading in headings {
            let name = heading.trim().trim_matches('"').to_lowercase().replace([' ', '-'], "_");
            let name = if name == "phonetic_spelling" { "phonetic".to_owned() } else { name };
            let known = is_known(&name);
            let custom = fields.iter().any(|field| field.has_import_key(&name));
            if name.starts_with("custom_") && !custom {
                return Err(Failure(format!(
                    "the column `{heading}` is no custom field of `{0}`: define it first with `endonym custom-field create --institution {0} --name {1}`",
                    self.institution,
                    name.trim_start_matches("custom_")
                )));
            }
            if !known && !custom {
                unknown.push(format!("`{heading}`"));
            }
            if columns.contains(&Some(name.clone())) {
                return Err(Failure(format!("the column `{heading}` is there twice")));
            }
            columns.push((known || custom).then_some(name));
        }
        let has = |name: &str| columns.iter().flatten().any(|column| column == name);
        if !has("email") || !(has("first_name") || has("last_name")) {
            return Err(Failure(format!(
                "the first line must name the columns, `email` and `first_name` or `last_name` among them; it says: {}",
                headings.iter().collect::<Vec<_>>().join(" | ")
            )));
        }
        if !unknown.is_empty() {
            eprintln!("note: these columns are passed over: {}", unknown.join(", "));
        }
        Ok(columns)
    }
}

/// Finds out what separates the columns, and passes over a byte-order mark.
fn open(path: &Path) -> Result<csv::Reader<impl io::Read>, Failure> {
    let cannot = |e: io::Error| Failure(format!("cannot read {}: {e}", path.display()));
    let mut file = File::open(path).map_err(cannot)?;
    let mut start = Vec::new();
    file.by_ref().take(64 * 1024).read_to_end(&mut start).map_err(cannot)?;
    if start.starts_with(&[0xff, 0xfe]) || start.starts_with(&[0xfe, 0xff]) {
        return Err(Failure(format!("{} is UTF-16: save it as “CSV UTF-8”", path.display())));
    }
    let start = start.strip_prefix(b"\xef\xbb\xbf").map(<[u8]>::to_vec).unwrap_or(start);
    let first_line = start.split(|byte| *byte == b'\n').next().unwrap_or_default();
    let count = |separator: u8| first_line.iter().filter(|byte| **byte == separator).count();
    let separator = [b',', b';', b'\t']
        .into_iter()
        .max_by_key(|separator| (count(*separator), *separator == b','))
        .unwrap_or(b',');
    let whole = PlainLines { inner: io::Cursor::new(start).chain(BufReader::new(file)), last: b'\n' };
    Ok(csv::ReaderBuilder::new().delimiter(separator).flexible(true).from_reader(whole))
}

/// Every line ends in one line feed, the last one too, however the file has it, so that lines are counted as editors
/// count them.
struct PlainLines<R> {
    inner: R,
    last: u8,
}

impl<R: io::Read> io::Read for PlainLines<R> {
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
            // Nothing kept is not the end of the file.
            if kept > 0 || read == 0 {
                return Ok(kept);
            }
        }
    }
}

fn progress(path: &Path) -> ProgressBar {
    if !io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::new(path.metadata().map_or(0, |metadata| metadata.len()));
    let style = ProgressStyle::with_template("{bar:40} {percent}% {bytes} of {total_bytes}, {eta} left");
    style.map(|style| bar.clone().with_style(style)).unwrap_or(bar)
}

/// A row of the file that is not empty; without a draft when it is not readable text.
struct Read {
    line: u64,
    email: String,
    draft: Option<Draft>,
}

impl Read {
    fn from(
        line: u64,
        record: &csv::ByteRecord,
        columns: &[Option<String>],
        legal: LegalNames,
    ) -> Option<Self> {
        let Ok(cells) = csv::StringRecord::from_byte_record(record.clone()) else {
            return Some(Self { line, email: String::new(), draft: None });
        };
        let row = Row { columns, cells: &cells };
        let email = row.cell("email").unwrap_or_default().to_owned();
        let empty = cells.iter().all(|cell| cell.trim().is_empty());
        (!empty).then(|| Self { line, email, draft: Some(Draft::read(&row, legal)) })
    }
}

/// Where a record begins, from where the next one does: the reader counts empty lines before a record to it.
fn first_line(record: &csv::ByteRecord, next: u64) -> u64 {
    let inside = record.as_slice().iter().filter(|byte| **byte == b'\n').count() as u64;
    next.saturating_sub(1 + inside)
}

fn unreadable() -> FieldErrors {
    FieldErrors::one("row", "is not readable text: save the file as “CSV UTF-8”")
}

/// What became of a row.
struct Told {
    line: u64,
    email: String,
    identifier: Option<String>,
    outcome: RowOutcome,
}

struct Row<'a> {
    columns: &'a [Option<String>],
    cells: &'a csv::StringRecord,
}

impl Row<'_> {
    fn cell(&self, name: &str) -> Option<&str> {
        let at = self.columns.iter().position(|column| column.as_deref() == Some(name))?;
        self.cells.get(at).map(str::trim).filter(|cell| !cell.is_empty())
    }
}

impl Source for Row<'_> {
    fn get(&self, key: &str) -> Raw<'_> {
        self.cell(key).map_or(Raw::Absent, |cell| Raw::Text(Cow::Borrowed(cell)))
    }

    fn custom(&self) -> Vec<(String, Raw<'_>)> {
        let custom = self.columns.iter().flatten().filter(|name| name.starts_with("custom_"));
        custom.filter_map(|name| Some((name.clone(), Raw::Text(Cow::Borrowed(self.cell(name)?))))).collect()
    }
}
