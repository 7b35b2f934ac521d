//! People in a table: which column is which field, and the rows as drafts.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use super::{
    formats::{self, Cell, Input, RawRow, RowState, SheetFault},
    headings,
};
use crate::domain::{
    custom_field::CustomField,
    email::Email,
    fault::{Fault, Field},
    participant::{Draft, LegalNames, Raw, Source},
};

/// The headings are among the first rows that are not empty.
const HEADING_ROWS: usize = 10;
/// Rows that are shown to whoever corrects the mapping.
const SAMPLES: usize = 5;

/// What to read, and what the user has said about it.
#[derive(Debug, Clone)]
pub struct Options {
    pub custom: Vec<CustomField>,
    pub legal: LegalNames,
    pub mapping: Mapping,
    /// The class of a OneRoster bundle.
    pub class: Option<String>,
}

/// Corrections of what the headings seem to mean.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mapping {
    /// The field of the column with this heading; `None` to ignore it.
    #[serde(default)]
    pub by_heading: Vec<(String, Option<String>)>,
    /// The line of the headings and the field of each column, as chosen on the page.
    #[serde(default)]
    pub by_column: Option<(u64, Vec<Option<String>>)>,
    /// The class of a OneRoster bundle, as chosen on the page.
    #[serde(default)]
    pub class: Option<String>,
}

impl Mapping {
    /// From `Heading=field` of the command line.
    pub fn parse(given: &[String]) -> Result<Self, String> {
        let mut by_heading = Vec::new();
        for one in given {
            let (heading, field) =
                one.rsplit_once('=').ok_or_else(|| format!("`{one}` is not like Heading=field"))?;
            by_heading
                .push((heading.to_owned(), Some(field.trim().to_owned()).filter(|field| !field.is_empty())));
        }
        Ok(Self { by_heading, ..Self::default() })
    }

    fn of(&self, heading: &str) -> Option<&Option<String>> {
        let key = headings::key(heading);
        self.by_heading.iter().find(|(one, _)| headings::key(one) == key).map(|(_, field)| field)
    }
}

/// A row of the table, or why there is nothing to import in it.
pub struct Row {
    pub line: u64,
    pub email: String,
    /// The bytes of its cells.
    pub size: usize,
    pub content: RowContent,
}

pub enum RowContent {
    Draft(Box<Draft>),
    /// Not UTF-8.
    Unreadable,
    /// Marked as deleted in the source system.
    Deleted,
}

/// Which column is which field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Columns {
    /// The line of the headings.
    pub line: u64,
    pub headings: Vec<String>,
    /// `None` for columns that are ignored.
    pub fields: Vec<Option<String>>,
    /// Headings that nobody knows. Columns that the user ignores are not among them.
    pub unknown: Vec<String>,
}

/// What the first pass over a file has found.
#[derive(Debug, Clone)]
pub struct Overview {
    pub columns: Columns,
    pub rows: u64,
    /// Ids that are stored as numbers: they may have lost leading zeros.
    pub numeric_ids: u64,
}

/// The beginning of a table, for whoever corrects the mapping.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Beginning {
    pub line: u64,
    pub headings: Vec<String>,
    pub fields: Vec<Option<String>>,
    pub samples: Vec<Vec<String>>,
}

/// Reads the whole file, so that a fault at its end is found before anything is imported.
pub fn check(input: &Input, options: &Options) -> Result<Overview, SheetFault> {
    let (mut rows, mut numeric_ids) = (0, 0);
    let columns = each(input, options, &mut |columns, row| {
        rows += 1;
        let id = columns.fields.iter().position(|field| field.as_deref() == Some("institution_id"));
        if let Some(Cell::Number(_)) = id.and_then(|at| row.cells.get(at)) {
            numeric_ids += 1;
        }
        Ok(())
    })?;
    Ok(Overview { columns, rows, numeric_ids })
}

/// Calls `visit` with each row of people.
pub fn each_person(
    input: &Input,
    options: &Options,
    visit: &mut dyn FnMut(Row) -> Result<(), SheetFault>,
) -> Result<(), SheetFault> {
    each(input, options, &mut |columns, row| visit(person(columns, row, options.legal))).map(|_| ())
}

/// The first rows, with the best guess which of them has the headings.
pub fn beginning(input: &Input, options: &Options) -> Result<Beginning, SheetFault> {
    let mut first = Vec::new();
    formats::each_row(input, options.class.as_deref(), &mut |row| {
        first.push(row);
        if first.len() >= HEADING_ROWS + SAMPLES { Err(SheetFault::Stopped) } else { Ok(()) }
    })?;
    let candidates = first.iter().take(HEADING_ROWS);
    let guesses = candidates.enumerate().map(|(at, row)| {
        let guessed = guess(&texts(row), options);
        (guessed.iter().flatten().count(), usize::MAX - at, at, guessed)
    });
    let Some((.., at, mut fields)) = guesses.max_by_key(|(known, early, ..)| (*known, *early)) else {
        return Err(SheetFault::MissingColumns { headings: Vec::new() });
    };
    let headings = texts(&first[at]);
    let width = first[at..].iter().map(|row| row.cells.len()).max().unwrap_or_default();
    fields.resize(width, None);
    let sample = |row: &RawRow| {
        (0..width)
            .map(|at| row.cells.get(at).and_then(Cell::as_text).unwrap_or_default().to_owned())
            .collect()
    };
    let samples = first[at + 1..].iter().take(SAMPLES).map(sample).collect();
    let headings = (0..width).map(|at| headings.get(at).cloned().unwrap_or_default()).collect();
    Ok(Beginning { line: first[at].line, headings, fields, samples })
}

/// Is it a table? The first rows of one have several columns, and a heading that is known or an address.
pub fn is_table(input: &Input, options: &Options) -> bool {
    if !matches!(formats::is_text(input), Ok(true)) {
        return false;
    }
    // What is wrong inside of a table is said where its columns are chosen.
    let beginning = match beginning(input, options) {
        Ok(beginning) => beginning,
        Err(SheetFault::MissingColumns { .. }) => return false,
        Err(_) => return true,
    };
    let rows = || [&beginning.headings].into_iter().chain(&beginning.samples);
    let is_wide = rows().any(|row| row.iter().filter(|cell| !cell.is_empty()).count() > 1);
    let has_address = rows().flatten().any(|cell| Email::parse(cell).is_some());
    is_wide && (has_address || beginning.fields.iter().any(Option::is_some))
}

type EachRow<'a> = dyn FnMut(&Columns, RawRow) -> Result<(), SheetFault> + 'a;

/// Finds the headings, and calls `visit` with each row after them.
fn each(input: &Input, options: &Options, visit: &mut EachRow<'_>) -> Result<Columns, SheetFault> {
    let mut first: Vec<RawRow> = Vec::new();
    let mut found: Option<Columns> = None;
    formats::each_row(input, options.class.as_deref(), &mut |row| {
        if let Some(columns) = &found {
            return visit(columns, row);
        }
        match columns(&row, options) {
            Ok(columns) => found = Some(columns),
            Err(SheetFault::MissingColumns { .. }) => first.push(row),
            Err(other) => return Err(other),
        }
        if first.len() >= HEADING_ROWS { Err(SheetFault::Stopped) } else { Ok(()) }
    })?;
    found.ok_or_else(|| SheetFault::MissingColumns { headings: first.first().map(texts).unwrap_or_default() })
}

fn texts(row: &RawRow) -> Vec<String> {
    row.cells.iter().map(|cell| cell.as_text().unwrap_or_default().to_owned()).collect()
}

/// The fields that headings seem to mean. An exact name comes before its synonyms, and the first synonym before the others.
fn guess(headings: &[String], options: &Options) -> Vec<Option<String>> {
    let has_legal_names = options.legal == LegalNames::Permitted;
    let usable = |field: &String| has_legal_names || !field.starts_with("legal_");
    let mut fields: Vec<Option<String>> = headings.iter().map(|heading| headings::exact(heading)).collect();
    for (at, heading) in headings.iter().enumerate() {
        if fields[at].is_none() {
            let meant = headings::meant(heading, &options.custom).filter(usable);
            fields[at] = meant.filter(|field| !fields.iter().flatten().any(|other| other == field));
        }
    }
    let has = |fields: &[Option<String>], name: &str| fields.iter().flatten().any(|field| field == name);
    let name = headings.iter().position(|heading| headings::is_name(heading));
    if let Some(at) = name
        && fields[at].is_none()
        && has(&fields, "first_name")
        && !has(&fields, "last_name")
    {
        fields[at] = Some("last_name".to_owned());
    }
    fields
}

/// The columns, if this row has the headings.
fn columns(row: &RawRow, options: &Options) -> Result<Columns, SheetFault> {
    let headings = texts(row);
    let missing = || SheetFault::MissingColumns { headings: headings.clone() };
    let is_custom = |name: &str| options.custom.iter().any(|field| field.has_import_key(name));
    let (mut fields, mut unknown) = (Vec::new(), Vec::new());
    if let Some((line, chosen)) = &options.mapping.by_column {
        if row.line != *line {
            return Err(missing());
        }
        fields.clone_from(chosen);
    } else {
        fields = guess(&headings, options);
        for (at, heading) in headings.iter().enumerate() {
            if let Some(corrected) = options.mapping.of(heading) {
                // A correction takes the field from the column that seemed to have it.
                if let Some(field) = corrected {
                    fields
                        .iter_mut()
                        .filter(|one| one.as_deref() == Some(field.as_str()))
                        .for_each(|one| *one = None);
                }
                fields[at].clone_from(corrected);
            } else if fields[at].is_none() && !heading.is_empty() {
                unknown.push(heading.clone());
            }
        }
    }
    let has = |name: &str| fields.iter().flatten().any(|field| field == name);
    let is_complete = has("email") && (has("first_name") || has("last_name"));
    for (at, field) in fields.iter().enumerate() {
        let Some(field) = field else { continue };
        let heading = || headings.get(at).cloned().unwrap_or_default();
        if field.starts_with("custom_") && !is_custom(field) {
            let name = field.trim_start_matches("custom_").to_owned();
            return Err(SheetFault::UnknownCustomField { heading: heading(), name });
        }
        if !is_custom(field) && !headings::is_standard(field) {
            return Err(SheetFault::Mapping(format!("there is no field `{field}`")));
        }
        if is_complete && fields[..at].iter().flatten().any(|other| other == field) {
            return Err(SheetFault::Duplicate(heading()));
        }
    }
    if is_complete { Ok(Columns { line: row.line, headings, fields, unknown }) } else { Err(missing()) }
}

fn person(columns: &Columns, row: RawRow, legal: LegalNames) -> Row {
    let source = Cells { columns: &columns.fields, cells: &row.cells };
    let email = source.text("email").unwrap_or_default().to_owned();
    let content = match row.state {
        RowState::Unreadable => RowContent::Unreadable,
        RowState::Deleted => RowContent::Deleted,
        RowState::Readable => {
            let mut draft = Draft::read(&source, legal).with_directory_hold(&source);
            for (field, cell) in columns.fields.iter().zip(&row.cells) {
                let fault = match (field, cell) {
                    (Some(_), Cell::Error(_)) => Fault::Invalid,
                    (Some(_), Cell::TooLong) => Fault::TooLong { most: formats::limits::CELL },
                    _ => continue,
                };
                draft.errors.add(Field::Custom(field.clone().unwrap_or_default()), fault);
            }
            RowContent::Draft(Box::new(draft))
        }
    };
    let size = row.cells.iter().filter_map(Cell::as_text).map(str::len).sum();
    Row { line: row.line, email, size, content }
}

struct Cells<'a> {
    columns: &'a [Option<String>],
    cells: &'a [Cell],
}

impl Cells<'_> {
    fn text(&self, name: &str) -> Option<&str> {
        let at = self.columns.iter().position(|column| column.as_deref() == Some(name))?;
        self.cells.get(at)?.as_text()
    }
}

impl Source for Cells<'_> {
    fn get(&self, key: &str) -> Raw<'_> {
        self.text(key).map_or(Raw::Absent, |cell| Raw::Text(Cow::Borrowed(cell)))
    }

    fn custom(&self) -> Vec<(String, Raw<'_>)> {
        let custom = self.columns.iter().flatten().filter(|name| name.starts_with("custom_"));
        custom.filter_map(|name| Some((name.clone(), Raw::Text(Cow::Borrowed(self.text(name)?))))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn options() -> Options {
        let mapping = Mapping::default();
        Options { custom: Vec::new(), legal: LegalNames::Ignored, mapping, class: None }
    }

    fn open(text: &[u8]) -> Result<Overview, SheetFault> {
        check(&Input::Bytes(text.to_vec().into()), &options())
    }

    fn fields(text: &str) -> Vec<Option<String>> {
        open(text.as_bytes()).unwrap().columns.fields
    }

    fn names(names: &[&str]) -> Vec<Option<String>> {
        names.iter().map(|name| Some((*name).to_owned()).filter(|name| !name.is_empty())).collect()
    }

    #[test]
    fn unknown_columns_are_listed() {
        let overview = open(b"\xef\xbb\xbfEmail\tLast name\tShoe size\na@x.org\tA\t38\n").unwrap();
        assert_eq!(overview.columns.unknown, ["Shoe size"]);
        assert_eq!(overview.columns.fields, names(&["email", "last_name", ""]));
        assert_eq!(overview.rows, 1);
    }

    #[test]
    fn what_is_no_list_of_people_is_a_fault() {
        assert!(matches!(open(b""), Err(SheetFault::MissingColumns { .. })));
        assert!(matches!(open(b"email,name\n"), Err(SheetFault::MissingColumns { .. })));
        assert!(matches!(open(b"email,first_name,Email\n"), Err(SheetFault::Duplicate(_))));
        let unknown = open(b"email,first_name,custom_degree\n");
        assert!(matches!(unknown, Err(SheetFault::UnknownCustomField { name, .. }) if name == "degree"));
    }

    #[test]
    fn exact_names_come_before_synonyms_and_name_is_the_last_name_beside_a_first_name() {
        assert_eq!(fields("E-mail,email,first-name\n"), names(&["", "email", "first_name"]));
        assert_eq!(fields("Name;Vorname;E-Mail\n"), names(&["last_name", "first_name", "email"]));
        assert_eq!(fields("Mail,E-Mail,Vorname\n"), names(&["email", "", "first_name"]));
    }

    #[test]
    fn the_headings_may_follow_a_title() {
        let overview =
            open("Class of 2027\n\nprinted in May\nVorname,E-Mail\nAna,a@x.org\n".as_bytes()).unwrap();
        assert_eq!((overview.columns.line, overview.rows), (4, 1));
        let late = format!("{}Vorname,E-Mail\nAna,a@x.org\n", "title\n".repeat(HEADING_ROWS));
        assert!(matches!(open(late.as_bytes()), Err(SheetFault::MissingColumns { .. })));
    }

    #[test]
    fn a_mapping_corrects_what_headings_seem_to_mean() {
        let text = "Mail,Private mail,Called\na@x.org,b@x.org,Ana\n";
        let input = Input::Bytes(text.as_bytes().to_vec().into());
        let mapped = |given: &[&str]| {
            let given: Vec<String> = given.iter().map(|one| (*one).to_owned()).collect();
            check(&input, &Options { mapping: Mapping::parse(&given).unwrap(), ..options() })
        };
        assert!(matches!(mapped(&[]), Err(SheetFault::MissingColumns { .. })));
        let columns = mapped(&["called=first_name"]).unwrap().columns;
        assert_eq!(columns.fields, names(&["email", "", "first_name"]));
        assert_eq!(columns.unknown, ["Private mail"]);
        let columns = mapped(&["Called=first_name", "Private mail=email"]).unwrap().columns;
        assert_eq!(columns.fields, names(&["", "email", "first_name"]));
        assert!(matches!(mapped(&["Called=shoe_size"]), Err(SheetFault::Mapping(_))));
        assert!(Mapping::parse(&["Called".to_owned()]).is_err());
        let chosen = (1, names(&["email", "", "last_name"]));
        let mapping = Mapping { by_column: Some(chosen), ..Mapping::default() };
        let columns = check(&input, &Options { mapping, ..options() }).unwrap().columns;
        assert_eq!(columns.fields, names(&["email", "", "last_name"]));
    }

    #[test]
    fn the_beginning_shows_headings_and_samples_even_where_nothing_is_known() {
        let text = "A,B\n1,2\n3,4\n";
        let beginning = beginning(&Input::Bytes(text.as_bytes().to_vec().into()), &options()).unwrap();
        assert_eq!(beginning.headings, ["A", "B"]);
        assert_eq!(beginning.samples, [["1", "2"], ["3", "4"]]);
    }
}
