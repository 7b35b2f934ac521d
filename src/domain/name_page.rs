//! A name page (the contract also says "event"): where people are registered.

use super::{
    moment::Moment,
    text::{self, Lines, longest},
};

#[derive(Debug, Clone)]
pub struct NamePage {
    pub id: i64,
    pub title: String,
    pub slug: String,
    pub event_code: String,
    pub access_code: String,
    /// Does the page answer version 2, which needs no token?
    pub allow_v2: bool,
    pub created_at: Moment,
}

/// What a participant's record says of its page.
#[derive(Debug, Clone, Default)]
pub struct PageLabel {
    pub title: String,
    pub slug: String,
    pub event_code: String,
    pub access_code: String,
    pub allow_v2: bool,
}

/// Anything that names a page: its id, slug, event code or access code, in the form in which it is looked up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamePageRef(String);

impl NamePageRef {
    /// `None` for a blank, which names nothing.
    pub fn parse(given: &str) -> Option<Self> {
        let key = code_key(given);
        (!key.is_empty() && key.len() <= 4 * longest::CODE).then_some(Self(key))
    }

    pub fn key(&self) -> &str {
        &self.0
    }
}

/// What a slug or code is matched by: no regard to case.
pub fn code_key(given: &str) -> String {
    text::folded(given.trim())
}

/// Says what is wrong with a slug, if anything.
pub fn slug_fault(slug: &str) -> Option<&'static str> {
    let hyphens_ok = !slug.starts_with('-') && !slug.ends_with('-');
    let letters_ok = slug.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-');
    if slug.is_empty() || slug.len() > longest::SLUG || !hyphens_ok || !letters_ok {
        return Some("must be lower-case letters, digits and hyphens, and at most 100 of them");
    }
    None
}

/// Says what is wrong with a code, if anything.
pub fn code_fault(code: &str) -> Option<&'static str> {
    let visible = !code.chars().any(char::is_whitespace);
    if code.is_empty() || !visible || text::fault(code, longest::CODE, Lines::One).is_some() {
        return Some("must be visible characters without blanks, and at most 100 of them");
    }
    None
}
