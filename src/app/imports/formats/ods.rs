//! ODS files: the first table with anything in it. Repeated rows and cells are attributes in this format, so a small file can mean
//! billions of cells; only what is not empty is repeated here, within the limits.

use quick_xml::events::{BytesStart, Event};

use super::{
    Cell, Input, RowState, Rows, SheetFault, limits,
    xlsx::number_text,
    xml::{self, Xml},
    zipped::Zipped,
};

/// The cell that is being read.
#[derive(Default)]
struct Open {
    /// The result of a formula, a number or a date.
    value: Option<Cell>,
    text: String,
    paragraphs: u32,
    repeated: u64,
}

pub fn read(input: &Input, rows: &mut Rows<'_, '_>) -> Result<(), SheetFault> {
    let zip = &mut Zipped::open(input)?;
    let damaged = || SheetFault::Damaged("the file is damaged: it has no content".to_owned());
    let part = zip.part("content.xml", limits::UNPACKED_BYTES)?.ok_or_else(damaged)?;
    let mut xml = Xml::new(part);
    let mut is_spreadsheet = false;
    // Paragraphs of comments do not belong to the cell.
    let (mut paragraphs, mut notes, mut tables) = (0_u32, 0_u32, 0_usize);
    let (mut line, mut row_repeated) = (0_u64, 1_u64);
    let mut cells: Vec<Cell> = Vec::new();
    let mut column = 0_u64;
    let mut open: Option<Open> = None;
    loop {
        match xml.next_event()? {
            Event::Start(tag) => match tag.local_name().as_ref() {
                b"spreadsheet" => is_spreadsheet = true,
                b"table" if open.is_none() => {
                    tables += 1;
                    if tables > limits::SHEETS {
                        let text = format!("the file has more than {} sheets", limits::SHEETS);
                        return Err(SheetFault::TooLarge(text));
                    }
                    line = 0;
                }
                b"table-row" => {
                    rows.count_row()?;
                    row_repeated = repeated(&tag, "table:number-rows-repeated")?;
                    cells.clear();
                    column = 0;
                }
                b"table-cell" | b"covered-table-cell" => {
                    rows.count_cells(1)?;
                    let repeated = repeated(&tag, "table:number-columns-repeated")?;
                    open = Some(Open { value: value(&tag)?, repeated, ..Open::default() });
                }
                b"annotation" => notes += 1,
                b"p" if notes == 0 => {
                    paragraphs += 1;
                    if let Some(open) = &mut open {
                        if open.paragraphs > 0 {
                            xml::append(&mut open.text, "\n");
                        }
                        open.paragraphs += 1;
                    }
                }
                b"s" | b"tab" | b"line-break" if notes == 0 => {
                    if let Some(open) = &mut open {
                        let count = match tag.local_name().as_ref() {
                            b"s" => xml::attribute(&tag, "text:c")?
                                .and_then(|count| count.parse().ok())
                                .unwrap_or(1),
                            _ => 1,
                        };
                        let blank = if tag.local_name().as_ref() == b"line-break" { "\n" } else { " " };
                        let room = (limits::CELL + 1).saturating_sub(open.text.len());
                        xml::append(&mut open.text, &blank.repeat(usize::min(count, room)));
                    }
                }
                _ => {}
            },
            Event::Text(text) if paragraphs > 0 && notes == 0 => {
                if let Some(open) = &mut open {
                    xml::append(&mut open.text, &xml::text(&text)?);
                }
            }
            Event::GeneralRef(reference) if paragraphs > 0 && notes == 0 => {
                if let Some(open) = &mut open {
                    xml::append_reference(&mut open.text, &reference)?;
                }
            }
            Event::End(tag) => match tag.local_name().as_ref() {
                b"annotation" => notes = notes.saturating_sub(1),
                b"p" if notes == 0 => paragraphs = paragraphs.saturating_sub(1),
                b"table-cell" | b"covered-table-cell" => {
                    if let Some(done) = open.take() {
                        column = place(&mut cells, column, done, line + 1, rows)?;
                    }
                }
                b"table-row" => {
                    let row = std::mem::take(&mut cells);
                    if !row.is_empty() {
                        let text: u64 = row.iter().map(Cell::size).sum();
                        for at in 1..=row_repeated {
                            rows.count_cells(row.len() as u64)?;
                            rows.count_text(text)?;
                            rows.push(line.saturating_add(at), row.clone(), RowState::Readable)?;
                        }
                    }
                    line = line.saturating_add(row_repeated);
                }
                b"table" if open.is_none() && !rows.is_empty => return Ok(()),
                _ => {}
            },
            Event::Eof if is_spreadsheet => return Ok(()),
            Event::Eof => return Err(SheetFault::Unsupported("Other OpenDocument")),
            _ => {}
        }
    }
}

fn repeated(tag: &BytesStart<'_>, name: &str) -> Result<u64, SheetFault> {
    Ok(xml::attribute(tag, name)?.and_then(|count| count.parse().ok()).unwrap_or(1))
}

/// What the attributes of a cell say. Text is inside of it.
fn value(tag: &BytesStart<'_>) -> Result<Option<Cell>, SheetFault> {
    if xml::attribute(tag, "calcext:value-type")?.is_some_and(|kind| kind == "error") {
        return Ok(Some(Cell::Error(String::new())));
    }
    let kind = xml::attribute(tag, "office:value-type")?.unwrap_or_default();
    Ok(match kind.as_str() {
        "float" | "currency" | "percentage" => {
            let number = xml::attribute(tag, "office:value")?.and_then(|value| value.parse().ok());
            number.map(|number| Cell::Number(number_text(number)))
        }
        "date" => xml::attribute(tag, "office:date-value")?.map(Cell::text),
        _ => None,
    })
}

/// Returns the column after the cell.
fn place(
    cells: &mut Vec<Cell>,
    column: u64,
    open: Open,
    line: u64,
    rows: &mut Rows<'_, '_>,
) -> Result<u64, SheetFault> {
    let Open { value, text, repeated, .. } = open;
    rows.count_text(text.len() as u64)?;
    let cell = match value {
        // What is shown says which error it is.
        Some(Cell::Error(_)) => Cell::Error(text.chars().take(20).collect()),
        Some(value) => value,
        None => Cell::text(text),
    };
    let next = column.saturating_add(repeated);
    if cell != Cell::Empty {
        if next > limits::COLUMNS as u64 {
            return Err(SheetFault::TooManyColumns { line });
        }
        rows.count_cells(repeated)?;
        rows.count_text(cell.size() * repeated)?;
        cells.resize(column as usize, Cell::Empty);
        cells.resize(next as usize, cell);
    }
    Ok(next)
}
