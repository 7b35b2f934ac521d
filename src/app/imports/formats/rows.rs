//! Rows as they were read from another format, as JSON, one per line: of tables from which rows were taken out.

use serde::{Deserialize, Serialize};

use super::{Cell, Input, RawRow, RowState, Rows, SheetFault};

/// What such a file begins with. No table that somebody uploads does.
pub const MAGIC: &[u8] = b"\0rows 1\n";

#[derive(Serialize, Deserialize)]
struct Line {
    line: u64,
    cells: Vec<Cell>,
    state: RowState,
}

pub struct Writer(Vec<u8>);

impl Default for Writer {
    fn default() -> Self {
        Self(MAGIC.to_vec())
    }
}

impl Writer {
    pub fn push(&mut self, row: &RawRow) -> Result<(), SheetFault> {
        let RawRow { line, cells, state } = row.clone();
        serde_json::to_writer(&mut self.0, &Line { line, cells, state })
            .map_err(|error| SheetFault::Io(error.into()))?;
        self.0.push(b'\n');
        Ok(())
    }

    pub fn into_bytes(self) -> Vec<u8> {
        self.0
    }
}

pub fn read(input: &Input, rows: &mut Rows<'_, '_>) -> Result<(), SheetFault> {
    use std::io::{BufRead, BufReader};
    let damaged = |error: serde_json::Error| SheetFault::Damaged(format!("the file is damaged: {error}"));
    for line in BufReader::new(input.open()?).split(b'\n').skip(1) {
        let Line { line, cells, state } =
            serde_json::from_slice(&line.map_err(SheetFault::of_reading)?).map_err(damaged)?;
        rows.count_cells(cells.len() as u64)?;
        rows.push(line, cells, state)?;
    }
    Ok(())
}
