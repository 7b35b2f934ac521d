//! XLSX files: the first visible sheet with anything in it.
//!
//! `calamine` is not used: it reserves memory for as many strings as the file claims to have, which ends the process, joins the pieces of
//! a cell without a limit, and keeps everything that an ODS file repeats in memory: a file of a kilobyte can need gigabytes.

use std::{collections::HashSet, io::Read};

use jiff::{ToSpan, civil::Date};
use quick_xml::events::{BytesStart, Event};

use super::{
    Cell, Input, RowState, Rows, SheetFault, limits,
    xml::{self, Xml},
    zipped::{Part, Zipped},
};

pub fn read(input: &Input, rows: &mut Rows<'_, '_>) -> Result<(), SheetFault> {
    let zip = &mut Zipped::open(input)?;
    let workbook = workbook(zip)?;
    let targets = targets(zip)?;
    let context = Context { strings: strings(zip)?, dates: date_styles(zip)?, is_1904: workbook.is_1904 };
    for id in workbook.visible_sheets {
        let Some((_, target)) = targets.iter().find(|(one, _)| *one == id) else { continue };
        let Some(part) = zip.part(target, limits::UNPACKED_BYTES)? else { continue };
        sheet(part, &context, rows)?;
        if !rows.is_empty {
            return Ok(());
        }
    }
    Ok(())
}

struct Workbook {
    /// The ids of their relationships.
    visible_sheets: Vec<String>,
    is_1904: bool,
}

fn workbook(zip: &mut Zipped) -> Result<Workbook, SheetFault> {
    let damaged = || SheetFault::Damaged("the file is damaged: it has no workbook".to_owned());
    let part = zip.part("xl/workbook.xml", limits::PART_BYTES)?.ok_or_else(damaged)?;
    let mut xml = Xml::new(part);
    let mut found = Workbook { visible_sheets: Vec::new(), is_1904: false };
    let mut count = 0;
    loop {
        match xml.next_event()? {
            Event::Start(tag) if tag.local_name().as_ref() == b"workbookPr" => {
                let is_1904 = xml::attribute(&tag, "date1904")?;
                found.is_1904 = is_1904.is_some_and(|value| value == "1" || value == "true");
            }
            Event::Start(tag) if tag.local_name().as_ref() == b"sheet" => {
                count += 1;
                if count > limits::SHEETS {
                    let text = format!("the file has more than {} sheets", limits::SHEETS);
                    return Err(SheetFault::TooLarge(text));
                }
                let is_hidden = xml::attribute(&tag, "state")?.is_some_and(|state| state != "visible");
                // `id` with the prefix of the relationships' namespace; `sheetId` is another attribute.
                if let Some(id) = xml::local_attribute(&tag, "id")?.filter(|_| !is_hidden) {
                    found.visible_sheets.push(id);
                }
            }
            Event::Eof => return Ok(found),
            _ => {}
        }
    }
}

/// The paths of the workbook's parts, by the id of their relationship. External ones are left out.
fn targets(zip: &mut Zipped) -> Result<Vec<(String, String)>, SheetFault> {
    let Some(part) = zip.part("xl/_rels/workbook.xml.rels", limits::PART_BYTES)? else {
        return Ok(Vec::new());
    };
    let mut xml = Xml::new(part);
    let mut found = Vec::new();
    loop {
        match xml.next_event()? {
            Event::Start(tag) if tag.local_name().as_ref() == b"Relationship" => {
                let is_external = xml::attribute(&tag, "TargetMode")?.is_some_and(|mode| mode == "External");
                let (id, target) = (xml::attribute(&tag, "Id")?, xml::attribute(&tag, "Target")?);
                if let (Some(id), Some(target), false) = (id, target, is_external)
                    && found.len() < limits::FILES
                {
                    let path = match target.strip_prefix('/') {
                        Some(absolute) => absolute.to_owned(),
                        None => format!("xl/{}", target.trim_start_matches("./")),
                    };
                    found.push((id, path));
                }
            }
            Event::Eof => return Ok(found),
            _ => {}
        }
    }
}

/// All shared strings, one after the other. A vector of strings would need several times the memory.
#[derive(Default)]
struct Strings {
    text: String,
    ends: Vec<u32>,
}

impl Strings {
    fn get(&self, at: usize) -> Option<&str> {
        let end = *self.ends.get(at)? as usize;
        let start = at.checked_sub(1).map_or(0, |before| self.ends[before] as usize);
        self.text.get(start..end)
    }
}

fn strings(zip: &mut Zipped) -> Result<Strings, SheetFault> {
    let mut strings = Strings::default();
    let Some(part) = zip.part("xl/sharedStrings.xml", limits::STRINGS_BYTES)? else { return Ok(strings) };
    let mut xml = Xml::new(part);
    let mut value = String::new();
    let mut inside = Inside::default();
    loop {
        match xml.next_event()? {
            Event::Start(tag) => {
                if tag.local_name().as_ref() == b"si" {
                    value.clear();
                }
                inside.start(&tag);
            }
            Event::End(tag) => {
                inside.end(tag.local_name().as_ref());
                if tag.local_name().as_ref() == b"si" {
                    if strings.ends.len() >= limits::STRINGS {
                        let text = format!("the file has more than {} different texts", limits::STRINGS);
                        return Err(SheetFault::TooLarge(text));
                    }
                    strings.text.push_str(&value);
                    let end = u32::try_from(strings.text.len())
                        .map_err(|_| SheetFault::TooManyCells(limits::PACKED_CELLS))?;
                    strings.ends.push(end);
                }
            }
            Event::Text(text) if inside.is_text() => xml::append(&mut value, &xml::text(&text)?),
            Event::GeneralRef(reference) if inside.is_text() => {
                xml::append_reference(&mut value, &reference)?
            }
            Event::Eof => return Ok(strings),
            _ => {}
        }
    }
}

/// Whether text belongs to the value: inside `t`, and not inside `rPh`, which is a reading aid.
#[derive(Default)]
struct Inside {
    text: bool,
    phonetic: bool,
}

impl Inside {
    fn start(&mut self, tag: &BytesStart<'_>) {
        match tag.local_name().as_ref() {
            b"t" => self.text = true,
            b"rPh" => self.phonetic = true,
            _ => {}
        }
    }

    fn end(&mut self, name: &[u8]) {
        match name {
            b"t" => self.text = false,
            b"rPh" => self.phonetic = false,
            _ => {}
        }
    }

    fn is_text(&self) -> bool {
        self.text && !self.phonetic
    }
}

/// For each style of a cell: does it show a date?
fn date_styles(zip: &mut Zipped) -> Result<Vec<bool>, SheetFault> {
    let Some(part) = zip.part("xl/styles.xml", limits::PART_BYTES)? else { return Ok(Vec::new()) };
    let mut xml = Xml::new(part);
    let (mut formats, mut styles, mut is_cells) = (HashSet::<String>::new(), Vec::new(), false);
    loop {
        if formats.len().max(styles.len()) > limits::STYLES {
            let text = format!("the file has more than {} styles", limits::STYLES);
            return Err(SheetFault::TooLarge(text));
        }
        match xml.next_event()? {
            Event::Start(tag) => match tag.local_name().as_ref() {
                b"numFmt" => {
                    let code = xml::attribute(&tag, "formatCode")?.unwrap_or_default();
                    if is_date_format(&code) {
                        formats.extend(xml::attribute(&tag, "numFmtId")?);
                    }
                }
                b"cellXfs" => is_cells = true,
                b"xf" if is_cells => {
                    let id = xml::attribute(&tag, "numFmtId")?.unwrap_or_default();
                    styles.push(is_built_in_date(&id) || formats.contains(&id));
                }
                _ => {}
            },
            Event::End(tag) if tag.local_name().as_ref() == b"cellXfs" => is_cells = false,
            Event::Eof => return Ok(styles),
            _ => {}
        }
    }
}

fn is_built_in_date(id: &str) -> bool {
    id.parse::<u32>().is_ok_and(|id| matches!(id, 14..=22 | 27..=36 | 45..=47 | 50..=58))
}

/// A format with day, month, year, hour, minute or second outside of quotes and brackets.
fn is_date_format(code: &str) -> bool {
    let (mut is_quoted, mut is_bracketed, mut is_escaped) = (false, false, false);
    for character in code.chars() {
        if std::mem::take(&mut is_escaped) {
            continue;
        }
        match character {
            '\\' | '_' => is_escaped = true,
            '"' => is_quoted = !is_quoted,
            '[' if !is_quoted => is_bracketed = true,
            ']' if !is_quoted => is_bracketed = false,
            'd' | 'D' | 'm' | 'M' | 'y' | 'Y' | 'h' | 'H' | 's' | 'S' if !is_quoted && !is_bracketed => {
                return true;
            }
            _ => {}
        }
    }
    false
}

struct Context {
    strings: Strings,
    dates: Vec<bool>,
    is_1904: bool,
}

/// The cell that is being read.
#[derive(Default)]
struct Open {
    kind: String,
    style: Option<usize>,
    value: String,
    is_value: bool,
    inside: Inside,
}

fn sheet(part: Part<impl Read>, context: &Context, rows: &mut Rows<'_, '_>) -> Result<(), SheetFault> {
    let mut xml = Xml::new(part);
    let (mut line, mut column) = (0_u64, 0_usize);
    let mut cells: Vec<Cell> = Vec::new();
    let mut open: Option<Open> = None;
    loop {
        match xml.next_event()? {
            Event::Start(tag) => match tag.local_name().as_ref() {
                b"row" => {
                    rows.count_row()?;
                    let given = xml::attribute(&tag, "r")?.and_then(|row| row.parse().ok());
                    let next: u64 = given.unwrap_or(line.saturating_add(1));
                    if next <= line {
                        return Err(SheetFault::Damaged(
                            "the file is damaged: its rows have no order".to_owned(),
                        ));
                    }
                    (line, column) = (next, 0);
                    cells.clear();
                }
                b"c" => {
                    if let Some(at) = xml::attribute(&tag, "r")?.and_then(|name| column_of(&name)) {
                        column = at;
                    }
                    rows.count_cells(1)?;
                    let style = xml::attribute(&tag, "s")?.and_then(|style| style.parse().ok());
                    let kind = xml::attribute(&tag, "t")?.unwrap_or_default();
                    open = Some(Open { kind, style, ..Open::default() });
                }
                b"v" => open.iter_mut().for_each(|open| open.is_value = true),
                _ => open.iter_mut().for_each(|open| open.inside.start(&tag)),
            },
            Event::Text(text) => {
                if let Some(open) = open.as_mut().filter(|open| open.is_value || open.inside.is_text()) {
                    xml::append(&mut open.value, &xml::text(&text)?);
                }
            }
            Event::GeneralRef(reference) => {
                if let Some(open) = open.as_mut().filter(|open| open.is_value || open.inside.is_text()) {
                    xml::append_reference(&mut open.value, &reference)?;
                }
            }
            Event::End(tag) => match tag.local_name().as_ref() {
                b"v" => open.iter_mut().for_each(|open| open.is_value = false),
                b"c" => {
                    if let Some(done) = open.take() {
                        let cell = cell(done, context);
                        rows.count_text(cell.size())?;
                        place(&mut cells, column, cell, line)?;
                    }
                    column += 1;
                }
                b"row" => rows.push(line, std::mem::take(&mut cells), RowState::Readable)?,
                b"sheetData" => return Ok(()),
                name => open.iter_mut().for_each(|open| open.inside.end(name)),
            },
            Event::Eof => {
                return Err(SheetFault::Damaged("the file is damaged: a sheet ends early".to_owned()));
            }
            _ => {}
        }
    }
}

/// Empty cells far to the right, which are often only colored, are not counted as columns.
fn place(cells: &mut Vec<Cell>, column: usize, cell: Cell, line: u64) -> Result<(), SheetFault> {
    if cell == Cell::Empty {
        return Ok(());
    }
    if column >= limits::COLUMNS {
        return Err(SheetFault::TooManyColumns { line });
    }
    if cells.len() <= column {
        cells.resize(column + 1, Cell::Empty);
    }
    cells[column] = cell;
    Ok(())
}

/// The column of a name such as `AB12`.
fn column_of(name: &str) -> Option<usize> {
    let letters = name.bytes().take_while(u8::is_ascii_alphabetic);
    let column =
        letters.take(4).fold(0, |sum, letter| sum * 26 + usize::from(letter.to_ascii_uppercase() - b'A') + 1);
    column.checked_sub(1)
}

fn cell(open: Open, context: &Context) -> Cell {
    let Open { kind, style, value, .. } = open;
    match kind.as_str() {
        "s" => {
            let text = value.trim().parse().ok().and_then(|at| context.strings.get(at));
            Cell::text(text.unwrap_or_default().to_owned())
        }
        "inlineStr" | "str" => Cell::text(value),
        "b" => Cell::text(if value.trim() == "1" { "TRUE" } else { "FALSE" }.to_owned()),
        "e" => Cell::Error(value),
        "d" => Cell::text(value),
        _ if value.trim().is_empty() => Cell::Empty,
        _ => match value.trim().parse::<f64>() {
            Ok(number) => {
                let is_date = style.is_some_and(|style| context.dates.get(style) == Some(&true));
                let date = is_date.then(|| date(number, context.is_1904)).flatten();
                date.map_or_else(|| Cell::Number(number_text(number)), Cell::Text)
            }
            Err(_) => Cell::text(value),
        },
    }
}

/// Without `.0`, and without an exponent where people would not write one.
pub fn number_text(number: f64) -> String {
    if number.fract() == 0.0 && number.abs() < 1e15 { format!("{number:.0}") } else { number.to_string() }
}

/// A serial number as in ISO 8601. Days are counted from the end of 1899, where February 1900 has 29 days, or from 1904.
fn date(serial: f64, is_1904: bool) -> Option<String> {
    const SECONDS: f64 = 86_400.0;
    if !(0.0..2_958_466.0).contains(&serial) {
        return None;
    }
    let seconds = (serial * SECONDS).round();
    let (days, seconds) = ((seconds / SECONDS).floor(), seconds % SECONDS);
    let epoch = match (is_1904, days < 60.0) {
        (true, _) => Date::constant(1904, 1, 1),
        (false, true) => Date::constant(1899, 12, 31),
        (false, false) => Date::constant(1899, 12, 30),
    };
    let [days, seconds] = [days, seconds].map(|number| number as i64);
    let time = format!("{:02}:{:02}:{:02}", seconds / 3_600, seconds / 60 % 60, seconds % 60);
    if days == 0 && !is_1904 {
        return Some(time);
    }
    let day = epoch.checked_add(days.days()).ok()?;
    Some(if seconds == 0 { day.to_string() } else { format!("{day}T{time}") })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_have_letters() {
        assert_eq!(
            ["A1", "Z9", "AA1", "XFD1048576", "12"].map(column_of),
            [Some(0), Some(25), Some(26), Some(16_383), None]
        );
    }

    #[test]
    fn dates_are_iso_dates_and_ids_have_no_fraction() {
        assert_eq!(date(45_943.0, false).as_deref(), Some("2025-10-13"));
        assert_eq!(date(45_943.5, false).as_deref(), Some("2025-10-13T12:00:00"));
        assert_eq!(date(1.0, false).as_deref(), Some("1900-01-01"));
        assert_eq!(date(61.0, false).as_deref(), Some("1900-03-01"));
        assert_eq!(date(0.25, false).as_deref(), Some("06:00:00"));
        assert_eq!(date(0.0, true).as_deref(), Some("1904-01-01"));
        assert_eq!(date(-1.0, false), None);
        assert_eq!(date(f64::NAN, false), None);
        assert_eq!(date(1e300, false), None);
        assert_eq!([1001.0, 1e14, 0.5, -3.0].map(number_text), ["1001", "100000000000000", "0.5", "-3"]);
    }

    #[test]
    fn date_formats_are_recognized_by_their_letters() {
        for code in ["yyyy\\-mm\\-dd", "d/m/yy", "[$-409]h:mm AM/PM", "dd.mm.yyyy;@"] {
            assert!(is_date_format(code), "{code}");
        }
        for code in ["General", "0.00", "#,##0", "[Red]0", "\"days\" 0", "0_d"] {
            assert!(!is_date_format(code), "{code}");
        }
        assert!(is_built_in_date("14") && !is_built_in_date("1") && !is_built_in_date("x"));
    }

    #[test]
    fn strings_are_found_by_their_number() {
        let strings = Strings { text: "abcde".to_owned(), ends: vec![2, 2, 5] };
        assert_eq!([0, 1, 2, 3].map(|at| strings.get(at)), [Some("ab"), Some(""), Some("cde"), None]);
    }
}
