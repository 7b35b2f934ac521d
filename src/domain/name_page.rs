//! A name page ("event" in parts of the API contract), on which people are registered.

use crate::domain::ids::NamePageId;
use std::borrow::Cow;

use super::{
    fault::SetupFault,
    moment::Moment,
    text::{self, Lines, longest},
};

#[derive(Debug, Clone)]
pub struct NamePage {
    pub id: NamePageId,
    pub title: String,
    pub slug: String,
    pub event_code: String,
    pub access_code: String,
    /// Whether version 2, which needs no token, serves this page.
    pub allow_v2: bool,
    pub created_at: Moment,
}

/// The page's attributes in a participant's record.
#[derive(Debug, Clone, Default)]
pub struct PageLabel {
    pub title: String,
    pub slug: String,
    pub event_code: String,
    pub access_code: String,
    pub allow_v2: bool,
}

impl From<NamePage> for PageLabel {
    fn from(page: NamePage) -> Self {
        let NamePage { id: _, title, slug, event_code, access_code, allow_v2, created_at: _ } = page;
        Self { title, slug, event_code, access_code, allow_v2 }
    }
}

/// A reference to a page by id, slug, event code or access code, as a normalized lookup key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamePageRef(String);

impl NamePageRef {
    /// `None` if it is blank or too long.
    pub fn parse(given: &str) -> Option<Self> {
        let key = code_key(given);
        (!key.is_empty() && key.len() <= 4 * longest::CODE).then_some(Self(key))
    }

    /// The references of a list (`text::entries`). `None` if one is too long: no page has that code.
    pub fn parse_list(given: &str) -> Option<Vec<Self>> {
        text::entries(given).map(Self::parse).collect()
    }

    pub fn key(&self) -> &str {
        &self.0
    }
}

/// The lookup key of a slug or code. Case and whitespace are ignored: people type `r99e jjfy` for `R99EJJFY`.
pub fn code_key(given: &str) -> String {
    text::folded(&without_blanks(given))
}

/// The stored form of a code.
pub fn without_blanks(code: &str) -> Cow<'_, str> {
    if code.contains(char::is_whitespace) {
        Cow::Owned(code.split_whitespace().collect())
    } else {
        Cow::Borrowed(code)
    }
}

/// Validates a slug.
pub fn slug_fault(slug: &str) -> Option<SetupFault> {
    let hyphens_ok = !slug.starts_with('-') && !slug.ends_with('-');
    let letters_ok = slug.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-');
    if slug.is_empty() || slug.len() > longest::SLUG || !hyphens_ok || !letters_ok {
        return Some(SetupFault::NotASlug);
    }
    None
}

/// The shortest access code that a new page may have, in characters. Where version 2 is on, the code is all that it takes to read everybody. Those of
/// before may be shorter; `doctor` names them.
pub const SHORTEST_ACCESS_CODE: usize = 8;

/// Validates the access code of a new page.
pub fn access_code_fault(code: &str) -> Option<SetupFault> {
    let is_short = code.chars().count() < SHORTEST_ACCESS_CODE;
    code_fault(code).or_else(|| is_short.then_some(SetupFault::ShortCode))
}

/// Validates a code.
pub fn code_fault(code: &str) -> Option<SetupFault> {
    let visible = !code.chars().any(char::is_whitespace);
    if code.is_empty() || !visible || text::fault(code, longest::CODE, Lines::One).is_some() {
        return Some(SetupFault::NotACode);
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blanks_and_case_do_not_matter_in_a_code() {
        for given in ["R99EJJFY", "r99e jjfy", " R99E\u{a0}JJFY\t", "r 9 9 e\u{3000}j j f y"] {
            assert_eq!(code_key(given), "r99ejjfy", "{given:?}");
            assert_eq!(without_blanks(given).to_lowercase(), "r99ejjfy", "{given:?}");
        }
        for nothing in ["", " ", "\u{a0}\n"] {
            assert_eq!(NamePageRef::parse(nothing), None, "{nothing:?}");
        }
    }

    #[test]
    fn a_new_access_code_has_eight_characters_besides_blanks() {
        let fault = |given: &str| access_code_fault(&without_blanks(given));
        for short in ["a", "1234567", "r99e jjf", "1 2 3 4 5 6 7", "äöüäöüß"] {
            assert_eq!(fault(short), Some(SetupFault::ShortCode), "{short}");
        }
        for long in ["12345678", "r99e jjfy", "äöüäöüßä"] {
            assert_eq!(fault(long), None, "{long}");
        }
        assert_eq!(fault(" "), Some(SetupFault::NotACode));
    }

    #[test]
    fn codes_are_listed_with_the_commas_of_any_keyboard() {
        let listed = |given: &str| {
            let all = NamePageRef::parse_list(given)?;
            Some(all.iter().map(|page| page.key().to_owned()).collect::<Vec<_>>())
        };
        for comma in [",", ";", "\n", "\r\n", "،", "؛", "，", "、", "；", " , ", ",,"] {
            let given = format!("choir{comma}R99E JJFY{comma}");
            assert_eq!(listed(&given).unwrap(), ["choir", "r99ejjfy"], "{comma:?}");
        }
        assert_eq!(listed(" ,\n"), Some(Vec::new()));
        let long = "x".repeat(4 * longest::CODE + 1);
        assert_eq!(listed(&format!("choir, {long}")), None, "it is not left out");
    }
}
