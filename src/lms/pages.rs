//! Rosters that come in pages: followed to their end, and only where they may lead.

use std::collections::HashSet;

use reqwest::Url;
use serde_json::Value;

use super::{Error, Result, link};
use crate::{
    domain::roster::Member,
    outbound::{Answer, place},
};

/// Whoever has more has told us nonsense: that many people at a hundred a page are a quarter of the pages.
pub(super) const MOST_PEOPLE: usize = 50_000;
const MOST_PAGES: usize = 2_000;

/// The way from page to page: within one origin, and never back.
pub(super) struct Trail {
    seen: HashSet<String>,
}

impl Trail {
    pub(super) fn from(first: &Url) -> Self {
        Self { seen: HashSet::from([first.to_string()]) }
    }

    /// Have we gone on from where we began?
    pub(super) fn is_under_way(&self) -> bool {
        self.seen.len() > 1
    }

    /// Where the page after this one is. Its address is the system's affair, its origin is ours.
    pub(super) fn next(&mut self, answer: &Answer) -> Result<Option<Url>> {
        let here = &answer.url;
        let told = link::related(&answer.headers, "next").map_err(|_| {
            Error::Unavailable(format!(
                "{} says where its next page is in a way that cannot be read",
                place(here)
            ))
        })?;
        let Some(told) = told else { return Ok(None) };
        let next = here.join(&told).ok().filter(|next| next.origin() == here.origin());
        let Some(next) = next else {
            return Err(Error::Unavailable(format!(
                "{} says that its next page is elsewhere, where we do not follow",
                place(here)
            )));
        };
        if self.seen.len() >= MOST_PAGES || !self.seen.insert(next.to_string()) {
            return Err(Error::Unavailable(format!("{} has pages without end", place(here))));
        }
        Ok(Some(next))
    }
}

/// Everybody once, in the order in which they came.
#[derive(Default)]
pub(super) struct People {
    members: Vec<Member>,
    known: HashSet<String>,
}

impl People {
    /// `false` when they are here already.
    pub(super) fn add(&mut self, member: Member) -> Result<bool> {
        if !self.known.insert(member.user_id.clone()) {
            return Ok(false);
        }
        if self.members.len() == MOST_PEOPLE {
            return Err(too_many());
        }
        self.members.push(member);
        Ok(true)
    }

    pub(super) fn all(self) -> Vec<Member> {
        self.members
    }
}

pub(super) fn too_many() -> Error {
    Error::Unavailable(format!("the course has more than {MOST_PEOPLE} people, which is more than we take"))
}

/// An id may be a number or a text.
pub(super) fn id(value: &Value) -> Option<String> {
    match value {
        Value::Number(number) if !number.is_f64() => Some(number.to_string()),
        Value::String(text) => said(Some(text)),
        _ => None,
    }
}

/// A text that says something.
pub(super) fn said(text: Option<&str>) -> Option<String> {
    text.map(str::trim).filter(|text| !text.is_empty()).map(str::to_owned)
}

/// A part of a name that is told to be empty.
#[expect(clippy::unnecessary_wraps, reason = "it stands for a part that is told")]
pub(super) fn empty() -> Option<String> {
    Some(String::new())
}

/// Both parts of a name, each as it is told; the whole name where neither is.
pub(super) fn names(
    first: Option<&str>,
    last: Option<&str>,
    whole: Option<String>,
) -> (Option<String>, Option<String>) {
    let part = |text: Option<&str>| text.map(|text| text.trim().to_owned());
    if said(first).is_some() || said(last).is_some() {
        return (part(first), part(last));
    }
    match whole {
        Some(whole) => (Some(whole), empty()),
        None => (None, None),
    }
}

/// What Moodle has written as it stands in a page.
pub(super) fn plain(text: &str) -> String {
    let signs =
        [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#039;", "'"), ("&#39;", "'"), ("&nbsp;", " ")];
    let text = signs.iter().fold(text.to_owned(), |text, (sign, letter)| text.replace(sign, letter));
    text.replace("&amp;", "&")
}

/// For a terminal, which takes some letters for orders.
pub(super) fn shown(text: &str) -> String {
    text.chars().filter(|letter| !letter.is_control()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_lose_what_pages_need_and_what_terminals_obey() {
        assert_eq!(plain("Q&amp;A &quot;R&amp;D&quot; &lt;3&#039;s &amp;lt;"), "Q&A \"R&D\" <3's &lt;");
        assert_eq!(shown("Rhe\u{1b}[31mtoric\n\u{9b}"), "Rhe[31mtoric");
    }
}
