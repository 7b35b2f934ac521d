//! Cells that spreadsheet programs would take for formulas (CSV injection).

use std::borrow::Cow;

/// A cell of a CSV file that people open in a spreadsheet program: one that would be a formula there gets a leading apostrophe, as OWASP
/// recommends. Phone numbers and negative numbers get one, too. API exports are not changed: their bytes are contract.
pub fn neutralized(cell: &str) -> Cow<'_, str> {
    // Some programs read full-width signs as their ASCII forms.
    let is_formula = cell.starts_with(['=', '+', '-', '@', '\t', '\r', '\n', '＝', '＋', '－', '＠']);
    if is_formula { Cow::Owned(format!("'{cell}")) } else { Cow::Borrowed(cell) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_would_be_a_formula_is_text() {
        for formula in ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "\n=1", "＝1+1"] {
            assert_eq!(neutralized(formula), format!("'{formula}"));
        }
        for text in ["", "Ana", "1-2", "a=b", "'=1", "O’Neil", "李"] {
            assert_eq!(neutralized(text), text);
        }
    }
}
