//! Pagination of rosters: follows the pages to the end, within one origin.

use std::collections::HashSet;

use reqwest::Url;
use serde_json::Value;

use super::{Error, Result, link};
use crate::{
    domain::roster::Member,
    outbound::{Answer, place},
};

/// Sanity limits. `MAX_PEOPLE` at a hundred per page needs only a quarter of `MAX_PAGES`.
pub(super) const MAX_PEOPLE: usize = 50_000;
const MAX_PAGES: usize = 2_000;

/// The pages visited so far. Stays within one origin and never visits a page twice.
pub(super) struct Trail {
    seen: HashSet<String>,
}

impl Trail {
    pub(super) fn from(first: &Url) -> Self {
        Self { seen: HashSet::from([first.to_string()]) }
    }

    /// Have we followed at least one link?
    pub(super) fn is_under_way(&self) -> bool {
        self.seen.len() > 1
    }

    /// URL of the next page. The system chooses the URL, but it must stay within the origin.
    pub(super) fn next(&mut self, answer: &Answer) -> Result<Option<Url>> {
        let here = &answer.url;
        let next_link = link::related(&answer.headers, "next").map_err(|_| {
            Error::Unavailable(format!(
                "{} says where its next page is in a way that cannot be read",
                place(here)
            ))
        })?;
        let Some(next_link) = next_link else { return Ok(None) };
        let next = here.join(&next_link).ok().filter(|next| next.origin() == here.origin());
        let Some(next) = next else {
            return Err(Error::Unavailable(format!(
                "{} says that its next page is elsewhere, where we do not follow",
                place(here)
            )));
        };
        if self.seen.len() >= MAX_PAGES || !self.seen.insert(next.to_string()) {
            return Err(Error::Unavailable(format!("{} has pages without end", place(here))));
        }
        Ok(Some(next))
    }
}

/// Members, deduplicated by id, in the order received.
#[derive(Default)]
pub(super) struct People {
    members: Vec<Member>,
    known: HashSet<String>,
}

impl People {
    /// Returns `false` for a duplicate.
    pub(super) fn add(&mut self, member: Member) -> Result<bool> {
        if !self.known.insert(member.user_id.clone()) {
            return Ok(false);
        }
        if self.members.len() == MAX_PEOPLE {
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
    Error::Unavailable(format!("the course has more than {MAX_PEOPLE} people, which is more than we take"))
}

/// Ids may be numbers or strings.
pub(super) fn id(value: &Value) -> Option<String> {
    match value {
        Value::Number(number) if !number.is_f64() => Some(number.to_string()),
        Value::String(text) => non_empty(Some(text)),
        _ => None,
    }
}

/// The trimmed text, or `None` if it is empty.
pub(super) fn non_empty(text: Option<&str>) -> Option<String> {
    text.map(str::trim).filter(|text| !text.is_empty()).map(str::to_owned)
}

/// A part of a name that is known to be empty, as opposed to unknown.
#[expect(clippy::unnecessary_wraps, reason = "it stands for a part that is present")]
pub(super) fn empty() -> Option<String> {
    Some(String::new())
}

/// Both parts of a name as sent, or the full name if both are missing.
pub(super) fn names(
    first: Option<&str>,
    last: Option<&str>,
    whole: Option<String>,
) -> (Option<String>, Option<String>) {
    let part = |text: Option<&str>| text.map(|text| text.trim().to_owned());
    if non_empty(first).is_some() || non_empty(last).is_some() {
        return (part(first), part(last));
    }
    match whole {
        Some(whole) => (Some(whole), empty()),
        None => (None, None),
    }
}

/// Decodes the HTML entities in Moodle's texts.
pub(super) fn plain(text: &str) -> String {
    let signs =
        [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#039;", "'"), ("&#39;", "'"), ("&nbsp;", " ")];
    let text = signs.iter().fold(text.to_owned(), |text, (sign, letter)| text.replace(sign, letter));
    text.replace("&amp;", "&")
}

/// Strips control characters, which a terminal would interpret.
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
