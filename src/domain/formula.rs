//! Cells that spreadsheet programs would take for formulas (CSV injection), and the rows of CSV files for people.

use std::borrow::Cow;

/// Spreadsheet programs read a CSV file as UTF-8 if it begins with this.
pub const BYTE_ORDER_MARK: &str = "\u{feff}";

/// A row of a CSV file that people open in a spreadsheet program, with its line break. Every cell is quoted, because programs differ in which
/// separator they expect, and none is a formula.
pub fn csv_row<T: AsRef<str>>(cells: impl IntoIterator<Item = T>) -> String {
    let quoted = |cell: T| format!("\"{}\"", neutralized(cell.as_ref()).replace('"', "\"\""));
    let mut row = cells.into_iter().map(quoted).collect::<Vec<_>>().join(",");
    row.push_str("\r\n");
    row
}

/// A cell of a CSV file for people: one that would be a formula gets a leading apostrophe, as OWASP recommends. Phone numbers and negative
/// numbers get one, too. API exports are not changed: their bytes are contract.
///
/// Where `;` or a tab separates, quotes do not keep a cell together: in `"Lima","Ana;=1+1"`, the second cell begins in the middle. So what
/// begins a cell or a line there is treated like the beginning of the text.
pub fn neutralized(cell: &str) -> Cow<'_, str> {
    let is_risky = |c: char| is_sign(c) || is_break(c);
    if !cell.contains(is_risky) {
        return Cow::Borrowed(cell);
    }
    let mut safe = String::with_capacity(cell.len() + 2);
    if cell.starts_with(|c| is_sign(c) || (is_break(c) && c != ';')) {
        safe.push('\'');
    }
    for (at, c) in cell.char_indices() {
        safe.push(c);
        // A quote there is doubled in the file, and an empty quoted text is no text.
        let mut rest = cell[at..].chars().skip(1);
        if is_break(c) && rest.find(|next| *next != '"').is_some_and(is_sign) {
            safe.push('\'');
        }
    }
    Cow::Owned(safe)
}

/// Some programs read full-width signs as their ASCII forms.
const fn is_sign(c: char) -> bool {
    matches!(c, '=' | '+' | '-' | '@' | '＝' | '＋' | '－' | '＠')
}

/// Begins a cell or a line, depending on the program.
const fn is_break(c: char) -> bool {
    matches!(c, ';' | '\t' | '\r' | '\n')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_would_be_a_formula_is_text() {
        for formula in ["=1+1", "+1", "-1", "@SUM(A1)", "＝1+1", "\tx", "\rx", "\nx"] {
            assert_eq!(neutralized(formula), format!("'{formula}"));
        }
        for text in
            ["", "Ana", "1-2", "a=b", "'=1", "O’Neil", "李", "a;b", ";", "a; =1", "a;'=1", "a\tb-c", "\"=1"]
        {
            assert_eq!(neutralized(text), text);
        }
    }

    #[test]
    fn it_is_text_also_where_another_character_separates() {
        for sign in ['=', '+', '-', '@', '＝', '＋', '－', '＠'] {
            for between in [";", "\t", "\r", "\n", "\r\n", ";;", "\n;"] {
                let cell = format!("Ana{between}{sign}1+1;b");
                assert_eq!(neutralized(&cell), format!("Ana{between}'{sign}1+1;b"));
            }
        }
        assert_eq!(neutralized("\t=1"), "'\t'=1");
        assert_eq!(neutralized("=1;=2;x"), "'=1;'=2;x");
        assert_eq!(neutralized("Ana;\"=1\""), "Ana;'\"=1\"");
        assert_eq!(neutralized(";=1"), ";'=1");
    }

    #[test]
    fn every_cell_is_quoted_and_reads_as_it_was() {
        let row = csv_row(["Ana;=1+1", "say \"hi\", Bea", "", "two\r\nlines"]);
        assert_eq!(row, "\"Ana;'=1+1\",\"say \"\"hi\"\", Bea\",\"\",\"two\r\nlines\"\r\n");
        let mut reader = csv::ReaderBuilder::new().has_headers(false).from_reader(row.as_bytes());
        let read = reader.records().next().unwrap().unwrap();
        assert_eq!(read, vec!["Ana;'=1+1", "say \"hi\", Bea", "", "two\r\nlines"]);
    }
}
