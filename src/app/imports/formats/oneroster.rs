//! OneRoster bundles, versions 1.1 and 1.2: a ZIP file with `manifest.csv`, `users.csv` and, to select a class, `enrollments.csv`. The
//! column `password` is never looked at.

use std::collections::HashSet;

use super::{
    Cell, Input, RowState, Rows, SheetFault,
    csv::Records,
    limits,
    zipped::{Budget, Zipped},
};

/// The first row that is passed on. `pronouns` is the institution's custom field of that kind, if there is one.
const HEADINGS: [&str; 6] = ["email", "first_name", "last_name", "institution_id", "phonetic", "pronouns"];

const CLASSES: usize = 1_000;
const CLASS_ID_BYTES: usize = 200;

pub fn read(input: &Input, class: Option<&str>, rows: &mut Rows<'_, '_>) -> Result<(), SheetFault> {
    let zip = &mut Zipped::open(input)?;
    let enrolled = class.map(|class| enrolled(zip, class)).transpose()?;
    let mut table = Table::open(zip, "users.csv")?;
    let columns = Columns::of(&table);
    let headings = HEADINGS.map(|heading| Cell::Text(heading.to_owned()));
    rows.push(1, headings.to_vec(), RowState::Readable)?;
    while let Some((line, record)) = table.next_record()? {
        rows.count_row()?;
        rows.count_text(record.as_slice().len() as u64)?;
        rows.count_cells(record.len() as u64)?;
        let Ok(record) = ::csv::StringRecord::from_byte_record(record.clone()) else {
            rows.push(line, Vec::new(), RowState::Unreadable)?;
            continue;
        };
        let cell = |at: Option<usize>| {
            at.and_then(|at| record.get(at)).map(str::trim).filter(|text| !text.is_empty())
        };
        if let Some(enrolled) = &enrolled
            && !cell(columns.id).is_some_and(|id| enrolled.contains(id))
        {
            continue;
        }
        let either = |one, other| cell(one).or_else(|| cell(other));
        let phonetic: Vec<&str> =
            [columns.kana_family, columns.kana_given].into_iter().filter_map(&cell).collect();
        let cells = [
            cell(columns.email),
            either(columns.preferred_given, columns.given),
            either(columns.preferred_family, columns.family),
            either(columns.identifier, columns.id),
            Some(phonetic.join(" ").as_str()).filter(|text| !text.is_empty()),
            cell(columns.pronouns),
        ]
        .map(|text| text.map_or(Cell::Empty, |text| Cell::text(text.to_owned())));
        let is_deleted =
            cell(columns.status).is_some_and(|status| status.eq_ignore_ascii_case("tobedeleted"));
        let state = if is_deleted { RowState::Deleted } else { RowState::Readable };
        rows.push(line, cells.to_vec(), state)?;
    }
    Ok(())
}

/// The classes of a bundle, by id and title, in the order of their titles. No more than somebody can choose from, and none with an id of
/// unreasonable length.
pub fn classes(input: &Input) -> Result<Vec<(String, String)>, SheetFault> {
    let zip = &mut Zipped::open(input)?;
    if !zip.has_named("classes.csv") {
        return Ok(Vec::new());
    }
    let mut table = Table::open(zip, "classes.csv")?;
    let [id_at, title_at, status_at] = ["sourcedId", "title", "status"].map(|name| table.column(name));
    let mut found = Vec::new();
    while let Some((_, record)) = table.records.next_record()? {
        let text =
            |at: Option<usize>| at.and_then(|at| record.get(at)).map(<[u8]>::trim_ascii).unwrap_or_default();
        let (id, title) = (text(id_at), text(title_at));
        let is_deleted = text(status_at).eq_ignore_ascii_case(b"tobedeleted");
        if id.is_empty() || id.len() > CLASS_ID_BYTES || is_deleted {
            continue;
        }
        found.push((String::from_utf8_lossy(id).into_owned(), String::from_utf8_lossy(title).into_owned()));
        if found.len() >= CLASSES {
            break;
        }
    }
    found.sort_unstable_by(|(_, one), (_, other)| one.cmp(other));
    Ok(found)
}

/// The students of a class. As in learning systems, teachers are not on the page.
fn enrolled(zip: &mut Zipped, class: &str) -> Result<HashSet<String>, SheetFault> {
    let mut table = Table::open(zip, "enrollments.csv")?;
    let [class_id, user, role, status] =
        ["classSourcedId", "userSourcedId", "role", "status"].map(|name| table.column(name));
    let mut found = HashSet::new();
    let mut is_known = false;
    while let Some((_, record)) = table.records.next_record()? {
        let text =
            |at: Option<usize>| at.and_then(|at| record.get(at)).map(<[u8]>::trim_ascii).unwrap_or_default();
        if text(class_id) != class.as_bytes() || text(status).eq_ignore_ascii_case(b"tobedeleted") {
            continue;
        }
        is_known = true;
        if !matches!(text(role), b"" | b"student") {
            continue;
        }
        if found.len() as u64 >= limits::ROWS {
            return Err(SheetFault::TooManyRows);
        }
        found.insert(String::from_utf8_lossy(text(user)).into_owned());
    }
    // It borrows the ZIP file until it is dropped.
    drop(table);
    if is_known || is_class(zip, class)? { Ok(found) } else { Err(SheetFault::NoClass(class.to_owned())) }
}

/// A class in which nobody is enrolled.
fn is_class(zip: &mut Zipped, class: &str) -> Result<bool, SheetFault> {
    if !zip.has_named("classes.csv") {
        return Ok(false);
    }
    let mut table = Table::open(zip, "classes.csv")?;
    let id = table.column("sourcedId");
    while let Some((_, record)) = table.records.next_record()? {
        if id.and_then(|at| record.get(at)).map(<[u8]>::trim_ascii) == Some(class.as_bytes()) {
            return Ok(true);
        }
    }
    Ok(false)
}

struct Table<'a> {
    records: Records<Box<dyn std::io::Read + 'a>>,
    headings: Vec<String>,
    budget: Budget,
}

impl<'a> Table<'a> {
    fn open(zip: &'a mut Zipped, name: &str) -> Result<Self, SheetFault> {
        let missing = || SheetFault::Damaged(format!("the file is damaged: `{name}` is missing"));
        let at = zip.position_of(name).ok_or_else(missing)?;
        let part = zip.part_at(at, limits::UNPACKED_BYTES)?;
        let budget = part.budget.clone();
        let file: Box<dyn std::io::Read + 'a> = Box::new(part);
        let mut records = Records::new(file)?;
        let headings = match records.next_record()? {
            Some((_, record)) => record.iter().map(heading).collect(),
            None => Vec::new(),
        };
        Ok(Self { records, headings, budget })
    }

    fn next_record(&mut self) -> Result<Option<(u64, &::csv::ByteRecord)>, SheetFault> {
        self.budget.step()?;
        self.records.next_record()
    }

    fn column(&self, name: &str) -> Option<usize> {
        self.headings.iter().position(|heading| heading.eq_ignore_ascii_case(name))
    }
}

fn heading(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes))
        .trim()
        .trim_matches('"')
        .to_owned()
}

struct Columns {
    id: Option<usize>,
    status: Option<usize>,
    email: Option<usize>,
    given: Option<usize>,
    family: Option<usize>,
    preferred_given: Option<usize>,
    preferred_family: Option<usize>,
    identifier: Option<usize>,
    pronouns: Option<usize>,
    kana_given: Option<usize>,
    kana_family: Option<usize>,
}

impl Columns {
    fn of(table: &Table<'_>) -> Self {
        Self {
            id: table.column("sourcedId"),
            status: table.column("status"),
            email: table.column("email"),
            given: table.column("givenName"),
            family: table.column("familyName"),
            preferred_given: table.column("preferredGivenName"),
            preferred_family: table.column("preferredFamilyName"),
            identifier: table.column("identifier"),
            pronouns: table.column("pronouns"),
            kana_given: table.column("metadata.jp.kanaGivenName"),
            kana_family: table.column("metadata.jp.kanaFamilyName"),
        }
    }
}
