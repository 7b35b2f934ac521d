//! Output of commands: one JSON object, or a table; and the confirmation prompt before data is deleted.

use std::io::{BufRead, IsTerminal, Write};

use jiff::tz::TimeZone;
use serde_json::Value;

use super::Failure;
use crate::domain::moment::Moment;

pub fn print_json(value: &Value) {
    print_line(&value.to_string());
}

pub fn print_line(line: &str) {
    print_text(&format!("{line}\n"));
}

/// A closed pipe (`| head`) is not an error.
pub fn print_text(text: &str) {
    let _ = std::io::stdout().write_all(text.as_bytes());
}

pub fn print_table(headings: &[&str], rows: &[Vec<String>]) {
    let width = |column: usize| {
        let cells = rows.iter().map(|row| row[column].chars().count());
        cells.chain([headings[column].len()]).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..headings.len()).map(width).collect();
    let line = |cells: Vec<&str>| {
        let padded = cells.iter().zip(&widths).map(|(cell, width)| format!("{cell:<width$}"));
        padded.collect::<Vec<_>>().join("  ").trim_end().to_owned()
    };
    print_line(&line(headings.to_vec()));
    for row in rows {
        print_line(&line(row.iter().map(String::as_str).collect()));
    }
}

pub fn time(moment: Moment) -> String {
    moment.shown_in(&TimeZone::UTC)
}

/// Prompts on a terminal; fails elsewhere.
pub fn confirm(yes: bool, what: &str) -> Result<(), Failure> {
    if yes {
        return Ok(());
    }
    if !std::io::stdin().is_terminal() {
        return Err(Failure(format!("{what} Pass --yes to confirm.")));
    }
    eprint!("{what} Type `yes` to continue: ");
    let mut answer = String::new();
    let _ = std::io::stdin().lock().read_line(&mut answer);
    if answer.trim() == "yes" { Ok(()) } else { Err(Failure("canceled; nothing was deleted".to_owned())) }
}
