//! A directory hold (FERPA): somebody of whom the institution tells the public nothing. Only those hear them who teach them or listen for
//! a page that they are on, and have signed in. See [ADR 30](../../docs/adr/0030-directory-holds.md).

/// The key in requests and the column of import files.
pub const KEY: &str = "directory_hold";

/// Words of API requests, and of spreadsheets in the languages of our pages.
const YES: [&str; 13] = ["true", "t", "1", "yes", "y", "on", "x", "ja", "sí", "si", "oui", "sim", "是"];
const NO: [&str; 13] = ["false", "f", "0", "no", "n", "off", "nein", "non", "não", "nao", "否", "لا", "0.0"];

/// `None` if it is neither yes nor no.
pub fn parse(word: &str) -> Option<bool> {
    let word = word.trim().to_lowercase();
    match word.as_str() {
        "نعم" | "1.0" => Some(true),
        word if YES.contains(&word) => Some(true),
        word if NO.contains(&word) => Some(false),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn yes_and_no_are_read_in_any_case_and_nothing_else() {
        for yes in ["true", " TRUE ", "1", "Yes", "Sí", "是", "نعم", "x"] {
            assert_eq!(parse(yes), Some(true), "{yes}");
        }
        for no in ["false", "0", "No", "NEIN", "não", "否", "لا"] {
            assert_eq!(parse(no), Some(false), "{no}");
        }
        for neither in ["", " ", "2", "maybe", "yes no", "null", "-"] {
            assert_eq!(parse(neither), None, "{neither}");
        }
    }
}
