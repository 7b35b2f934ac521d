//! The people on a name page, for web pages that list them: search, filter, sort and pagination.

use std::collections::{HashMap, HashSet};

use super::{App, Result, badges};
use crate::{
    domain::{
        email::email_key,
        ids::{InstitutionId, NamePageId, ParticipantId},
        paging::Window,
        participant::Participant,
        text::searchable,
    },
    store::{
        self,
        people::{self, Person},
    },
};

#[derive(Debug, Clone, Default)]
pub struct Query {
    /// Parts of names; blank selects everybody.
    pub search: String,
    /// Only people without a recording.
    pub unrecorded: bool,
    /// Starts at 1.
    pub page: u64,
}

pub const PER_PAGE: u64 = 100;

/// One page of the people who match a query.
pub struct PeoplePage {
    pub people: Vec<Participant>,
    /// All people who are listed separately.
    pub apart: Vec<Participant>,
    /// The number of people on the whole name page, without those listed separately.
    pub all: usize,
    pub unrecorded: usize,
    /// The number of people who match the query.
    pub matching: u64,
    pub page: u64,
    pub pages: u64,
}

/// Lists people by last name, then first name. `apart` has the ids of people to list separately: the teachers of a course.
pub async fn list(
    app: &App,
    institution: InstitutionId,
    name_page: NamePageId,
    apart: &HashSet<ParticipantId>,
    query: &Query,
) -> Result<PeoplePage> {
    let sql = &mut app.db.read();
    let everybody = people::on_page(sql, institution, name_page).await?;
    let (apart, everybody): (Vec<Person>, Vec<Person>) =
        everybody.into_iter().partition(|one| apart.contains(&one.id));
    let (all, unrecorded) = (everybody.len(), everybody.iter().filter(|one| !one.is_recorded).count());
    let chosen = matching(&everybody, query);
    let pages = Window::new(1, PER_PAGE).pages(chosen.len() as u64).max(1);
    let window = Window::new(query.page.clamp(1, pages), PER_PAGE);
    let people = store::participants::by_ids(sql, institution, window.slice(&chosen)).await?;
    let apart: Vec<ParticipantId> = apart.iter().map(|one| one.id).collect();
    let apart = store::participants::by_ids(sql, institution, &apart).await?;
    Ok(PeoplePage { people, apart, all, unrecorded, matching: chosen.len() as u64, page: window.page, pages })
}

/// Returns the ids of the people who match, in order.
fn matching(everybody: &[Person], query: &Query) -> Vec<ParticipantId> {
    let words: Vec<String> = searchable(&query.search).split_whitespace().map(str::to_owned).collect();
    let key = |one: &Person| {
        let name = |name: &Option<String>| searchable(name.as_deref().unwrap_or_default());
        let (first, last) = (name(&one.first_name), name(&one.last_name));
        // Many people type a whole name without a space, with the last name first or last.
        let together = [format!("{last}{first}"), format!("{first}{last}")];
        let has = |word: &String| {
            first.contains(word)
                || last.contains(word)
                || together.iter().any(|name| name.starts_with(word.as_str()))
        };
        let matches = words.iter().all(has) && !(query.unrecorded && one.is_recorded);
        // A single name counts as the last name.
        let key = if last.is_empty() { (first, String::new(), one.id) } else { (last, first, one.id) };
        matches.then_some(key)
    };
    let mut keys: Vec<(String, String, ParticipantId)> = everybody.iter().filter_map(key).collect();
    keys.sort_unstable();
    keys.into_iter().map(|(_, _, id)| id).collect()
}

/// Returns pictures by email, for people who have none here: those that a learning system provided for the same person
/// elsewhere in the institution.
pub async fn photos(
    app: &App,
    institution: InstitutionId,
    people: &[&Participant],
) -> Result<HashMap<String, String>> {
    let without = people.iter().filter(|person| person.photo.is_none());
    let keys: Vec<String> = without.filter_map(|person| person.email.as_deref().map(email_key)).collect();
    let keys: Vec<&str> = keys.iter().map(String::as_str).collect();
    Ok(people::photos(&mut app.db.read(), institution, &keys).await?)
}

/// Returns a media URL if browsers load recordings and pictures directly from the blob store. The page's content security
/// policy must allow it.
pub async fn media_address(
    app: &App,
    institution: InstitutionId,
    people: &[&Participant],
    photos: &HashMap<String, String>,
) -> Result<Option<String>> {
    for person in people {
        if let Some(address) = badges::external_url(app, institution, person).await? {
            return Ok(Some(address));
        }
    }
    match photos.values().next() {
        Some(hex) => badges::external_url_of(app, institution, hex).await,
        None => Ok(None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn person(id: i64, first: &str, last: &str, is_recorded: bool) -> Person {
        let some = |name: &str| (!name.is_empty()).then(|| name.to_owned());
        Person { id: ParticipantId::new(id), first_name: some(first), last_name: some(last), is_recorded }
    }

    fn found(search: &str, unrecorded: bool) -> Vec<i64> {
        let everybody = [
            person(1, "Siobhán", "Ní Bhriain", true),
            person(2, "小龍", "李", false),
            person(3, "Nguyễn", "", false),
            person(4, "Ana", "Lima", true),
            person(5, "Ana", "Abel", false),
        ];
        let found = matching(&everybody, &Query { search: search.to_owned(), unrecorded, page: 1 });
        found.into_iter().map(ParticipantId::get).collect()
    }

    #[test]
    fn people_are_ordered_by_last_name_and_a_single_name_counts_as_one() {
        assert_eq!(found("", false), [5, 4, 3, 1, 2]);
        assert_eq!(found("ana", false), [5, 4]);
    }

    #[test]
    fn every_word_of_a_search_must_be_part_of_a_name() {
        assert_eq!(found("lima ana", false), [4]);
        assert_eq!(found("NI siobhan", false), [1]);
        assert_eq!(found("analima", false), [4], "a whole name without a blank");
        assert_eq!(found("李小龍", false), [2]);
        assert_eq!(found("ana x", false), [0; 0]);
    }

    #[test]
    fn those_without_a_recording_can_be_chosen() {
        assert_eq!(found("", true), [5, 3, 2]);
    }
}
