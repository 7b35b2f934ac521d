//! A spreadsheet as XLSX. The library is not asynchronous, and a sheet may be large, so it is written on a thread of its own: rows
//! go there through one channel, and the file comes back through another.

use std::{
    io::{self, Write},
    mem,
    thread::Builder,
};

use bytes::Bytes;
use rust_xlsxwriter::{Workbook, Worksheet, XlsxError};
use tokio::sync::mpsc;

use crate::app::{Error, Result};

type Rows = Vec<Vec<String>>;

/// The longest text of a cell, in characters.
const LONGEST: usize = 32_767;
const CHUNK: usize = 64 << 10;
/// Lookups have priority, as in exports for the API.
const PRIORITY: i32 = 10;

pub struct Xlsx {
    /// `None` after the last row.
    rows: Option<mpsc::Sender<Rows>>,
    /// `None` in it marks the end: without it, the thread has panicked.
    chunks: mpsc::Receiver<Result<Option<Bytes>>>,
    is_over: bool,
}

impl Xlsx {
    pub fn begin(headings: Vec<String>) -> Result<Self> {
        let (rows, taken) = mpsc::channel(2);
        let (sent, chunks) = mpsc::channel(2);
        let work = move || {
            let _ = rustix::process::nice(PRIORITY);
            let mut out = Chunks { sent, gathered: Vec::new() };
            match write(headings, taken, &mut out) {
                Ok(()) => out.finish(),
                Err(error) => out.fail(&error),
            }
        };
        let started = Builder::new().name("xlsx".to_owned()).spawn(work);
        started.map_err(|error| Error::Unavailable(error.to_string()))?;
        Ok(Self { rows: Some(rows), chunks, is_over: false })
    }

    pub fn takes_rows(&self) -> bool {
        self.rows.is_some()
    }

    /// No rows: there are no more.
    pub async fn add(&mut self, rows: Rows) {
        let Some(sender) = &self.rows else { return };
        // If the thread has ended early, `next` says why.
        if rows.is_empty() || sender.send(rows).await.is_err() {
            self.rows = None;
        }
    }

    /// The next chunk of the file; `None` at the end.
    pub async fn next(&mut self) -> Result<Option<Bytes>> {
        if self.is_over {
            return Ok(None);
        }
        let panicked = || Error::Internal("the thread that writes a spreadsheet panicked".to_owned());
        let chunk = self.chunks.recv().await.ok_or_else(panicked)??;
        self.is_over = chunk.is_none();
        Ok(chunk)
    }
}

fn write(
    headings: Vec<String>,
    mut rows: mpsc::Receiver<Rows>,
    out: &mut Chunks,
) -> std::result::Result<(), XlsxError> {
    let mut workbook = Workbook::new();
    // Rows go to a temporary file; otherwise all of them would be in memory.
    let sheet = workbook.add_worksheet_with_constant_memory()?;
    sheet.set_freeze_panes(1, 0)?;
    write_row(sheet, 0, headings)?;
    let mut next = 1;
    while let Some(batch) = rows.blocking_recv() {
        for row in batch {
            write_row(sheet, next, row)?;
            next += 1;
        }
    }
    workbook.save_to_writer(out)
}

/// All cells are text: never a formula, a number or a link, whatever somebody is called.
fn write_row(sheet: &mut Worksheet, at: u32, cells: Vec<String>) -> std::result::Result<(), XlsxError> {
    for (column, cell) in (0..).zip(cells) {
        sheet.write_string(at, column, fitting(cell))?;
    }
    Ok(())
}

/// Cuts what does not fit into a cell, and replaces what XML cannot contain.
fn fitting(cell: String) -> String {
    let is_unwritable = |c: char| matches!(c, '\u{fffe}' | '\u{ffff}');
    if cell.len() <= LONGEST && !cell.contains(is_unwritable) {
        return cell;
    }
    let replaced = cell.chars().map(|c| if is_unwritable(c) { char::REPLACEMENT_CHARACTER } else { c });
    replaced.take(LONGEST).collect()
}

/// Sends what is written, in chunks. Fails if nobody wants the file any more.
struct Chunks {
    sent: mpsc::Sender<Result<Option<Bytes>>>,
    gathered: Vec<u8>,
}

impl Chunks {
    fn send(&mut self) -> io::Result<()> {
        let chunk = Bytes::from(mem::take(&mut self.gathered));
        self.sent.blocking_send(Ok(Some(chunk))).map_err(|_| io::ErrorKind::BrokenPipe.into())
    }

    fn finish(mut self) {
        if self.gathered.is_empty() || self.send().is_ok() {
            let _ = self.sent.blocking_send(Ok(None));
        }
    }

    fn fail(self, error: &XlsxError) {
        let error = Error::Unavailable(format!("writing a spreadsheet failed: {error}"));
        let _ = self.sent.blocking_send(Err(error));
    }
}

impl Write for Chunks {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.gathered.extend_from_slice(bytes);
        if self.gathered.len() >= CHUNK {
            self.send()?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cell_is_cut_and_has_only_characters_of_xml() {
        assert_eq!(fitting("=1+1\u{ffff}".to_owned()), "=1+1\u{fffd}");
        assert_eq!(fitting("漢".repeat(40_000)).chars().count(), LONGEST);
        assert_eq!(fitting("漢".repeat(20_000)).chars().count(), 20_000);
    }
}
