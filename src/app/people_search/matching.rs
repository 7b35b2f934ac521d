//! Who matches a query: everybody is read, or the index, or a window of the list.

use std::{
    cmp::Reverse,
    collections::{HashMap, HashSet},
};

use super::{
    super::{App, Error, Missing, Result, people_index},
    Cut,
};
use crate::{
    domain::{
        access::{Access, SearchScope},
        email::email_key,
        ids::{InstitutionId, NamePageId, ParticipantId},
        people_query::{Cursor, PeopleQuery, Sort, Standing, matches},
        text,
    },
    store::{
        Sql,
        participants::{self, KeyFilter, KeyKind},
        people_index::{self as index, NamePlace},
        people_list::{self, Extra, Newest, Slim},
        rolls,
    },
};

/// Up to so many people are read and sorted for each request.
const FEW: u64 = 5_000;
/// People who are read at a time, in the order of an index.
const WINDOW: i64 = 2_000;
/// People with a word who are found, before those with another one are looked for among them.
const PER_WORD: i64 = 20_000;
/// People found by a search who are read.
const MOST_FOUND: usize = 2_000;

/// How far a list is read.
#[derive(Debug, Clone, Copy)]
pub(super) struct Limits {
    pub people: usize,
    /// People who are looked at, whether they match or not.
    pub walked: usize,
}

/// People who match, in order.
#[derive(Default)]
pub(super) struct Matches {
    pub people: Vec<Slim>,
    pub next: Option<Cursor>,
    pub count: Option<u64>,
    pub cut: Option<Cut>,
    pub is_building: bool,
}

/// The name pages that a list is about; `None` for all.
type Pages = Option<Vec<NamePageId>>;

fn pages(access: &Access, query: &PeopleQuery) -> Result<Pages> {
    match query.page {
        Some(page) if access.reaches(page) => Ok(Some(vec![page])),
        Some(_) => Err(Error::Missing(Missing::NamePage)),
        None => Ok(access.pages().map(<[NamePageId]>::to_vec)),
    }
}

/// What must be read to decide who matches.
fn extra(query: &PeopleQuery) -> Extra {
    Extra {
        custom: query.field.is_some(),
        invited: query.invited.is_some(),
        sound: query.standing == Some(Standing::Unrecorded),
    }
}

/// Finds people on the pages that the caller reaches.
pub(super) async fn matching(
    app: &App,
    access: &Access,
    query: &PeopleQuery,
    limits: Limits,
) -> Result<Matches> {
    let (institution, pages, words) = (access.institution, pages(access, query)?, query.words());
    let (sql, extra) = (&mut app.db.read(), extra(query));
    // Few people wait or have paused, wherever they are.
    let ids = match query.standing {
        Some(Standing::Waiting) => Some(people_list::waiting(sql, institution, most_found()).await?),
        Some(Standing::Paused) => Some(people_list::paused(sql, institution, most_found()).await?),
        Some(Standing::Recorded | Standing::Unrecorded) | None => None,
    };
    if let Some(ids) = ids {
        let (people, cut) = read(sql, institution, ids, extra).await?;
        return in_memory(sql, institution, (&pages, query, words.as_slice()), people, (limits, cut)).await;
    }
    if count_people(sql, institution, pages.as_deref()).await? <= FEW {
        let people = everybody(sql, institution, pages.as_deref(), extra).await?;
        return in_memory(sql, institution, (&pages, query, words.as_slice()), people, (limits, None)).await;
    }
    let is_index_used = !words.is_empty() || query.sort == Sort::Name;
    let is_building = is_index_used && !people_index::catch_up(app, institution).await?;
    let found = if words.is_empty() {
        walk(sql, institution, (&pages, query, words.as_slice()), limits).await?
    } else {
        let ids = search(sql, institution, query, &words).await?;
        let (people, cut) = read(sql, institution, ids.0, extra).await?;
        let cut = ids.1.or(cut);
        in_memory(sql, institution, (&pages, query, words.as_slice()), people, (limits, cut)).await?
    };
    Ok(Matches { is_building, ..found })
}

/// One more than are read, to tell whether there are more.
fn most_found() -> i64 {
    MOST_FOUND as i64 + 1
}

async fn read(
    sql: &mut Sql,
    institution: InstitutionId,
    mut ids: Vec<ParticipantId>,
    extra: Extra,
) -> Result<(Vec<Slim>, Option<Cut>)> {
    ids.sort_unstable();
    ids.dedup();
    let cut = (ids.len() > MOST_FOUND).then_some(Cut::Found(MOST_FOUND as u64));
    ids.truncate(MOST_FOUND);
    Ok((people_list::by_ids(sql, institution, &ids, extra).await?, cut))
}

async fn count_people(
    sql: &mut Sql,
    institution: InstitutionId,
    pages: Option<&[NamePageId]>,
) -> Result<u64> {
    Ok(match pages {
        None => rolls::members(sql, institution, rolls::INSTITUTION).await?.unsigned_abs(),
        Some(pages) => {
            let counted = rolls::members_of(sql, institution, pages).await?;
            counted.into_iter().map(|(_, members)| members.unsigned_abs()).sum()
        }
    })
}

async fn everybody(
    sql: &mut Sql,
    institution: InstitutionId,
    pages: Option<&[NamePageId]>,
    extra: Extra,
) -> Result<Vec<Slim>> {
    // People may join while they are read.
    let most = 2 * FEW as i64;
    let Some(pages) = pages else {
        return Ok(people_list::everybody(sql, institution, None, extra, most).await?);
    };
    let mut all = Vec::new();
    for page in pages {
        all.append(&mut people_list::everybody(sql, institution, Some(*page), extra, most).await?);
    }
    Ok(all)
}

/// Those with all of these words, as the index knows it. A word that too many people have does not narrow the search if another one does.
async fn search(
    sql: &mut Sql,
    institution: InstitutionId,
    query: &PeopleQuery,
    words: &[String],
) -> Result<(Vec<ParticipantId>, Option<Cut>)> {
    let (mut narrow, mut wide): (Option<HashSet<ParticipantId>>, Option<HashSet<ParticipantId>>) =
        (None, None);
    for word in words {
        let ids = index::found(sql, institution, word, PER_WORD).await?;
        let set = if (ids.len() as i64) < PER_WORD { &mut narrow } else { &mut wide };
        let ids: HashSet<ParticipantId> = ids.into_iter().collect();
        *set = Some(match set.take() {
            Some(before) => before.intersection(&ids).copied().collect(),
            None => ids,
        });
    }
    let is_wide = narrow.is_none() && wide.is_some();
    let mut ids: Vec<ParticipantId> = narrow.or(wide).into_iter().flatten().collect();
    // Whole addresses and identifiers are found, however old the index is.
    let (email, identifier) = (email_key(query.search.trim()), text::nfc(query.search.trim()));
    for (by, key) in [(KeyKind::Email, email.as_str()), (KeyKind::Identifier, identifier.as_str())] {
        let keys = [key];
        let filter = KeyFilter::new(SearchScope::Institution, by, &keys);
        ids.extend(participants::keys(sql, institution, filter).await?.into_iter().map(|found| found.id));
    }
    Ok((ids, is_wide.then_some(Cut::Found(MOST_FOUND as u64))))
}

/// Where a part of the list begins.
enum Behind {
    Start,
    Name(NamePlace),
    Time(Cursor),
}

async fn behind(sql: &mut Sql, institution: InstitutionId, query: &PeopleQuery) -> Result<Behind> {
    Ok(match (query.sort, query.after) {
        (_, None) => Behind::Start,
        (Sort::Changed | Sort::Recorded, Some(cursor)) => Behind::Time(cursor),
        // If they are gone, the list begins again.
        (Sort::Name, Some(cursor)) => {
            index::place_of(sql, institution, cursor.id).await?.map_or(Behind::Start, Behind::Name)
        }
    })
}

fn cursor_of(sort: Sort, person: &Slim) -> Cursor {
    let at = match sort {
        Sort::Name => 0,
        Sort::Changed => person.updated_at,
        Sort::Recorded => person.recorded_at,
    };
    Cursor { at, id: person.id }
}

/// The pages, the query, and its words.
type Wanted<'a> = (&'a Pages, &'a PeopleQuery, &'a [String]);

fn is_wanted((pages, query, words): Wanted<'_>, person: &Slim) -> Result<bool> {
    if pages.as_ref().is_some_and(|pages| !pages.contains(&person.page)) {
        return Ok(false);
    }
    let has_standing = match query.standing {
        Some(Standing::Recorded) => person.recorded_at > 0,
        Some(Standing::Unrecorded) => !person.has_sound,
        // They were read by it.
        Some(Standing::Waiting | Standing::Paused) | None => true,
    };
    let is_plain = has_standing
        && query.invited.is_none_or(|invited| invited == person.is_invited)
        && query.has_phone.is_none_or(|has_phone| has_phone == person.has_phone)
        && (query.sort != Sort::Recorded || person.recorded_at > 0);
    if !is_plain || !(words.is_empty() || matches(&person.findable().words(), words)) {
        return Ok(false);
    }
    let Some((field, wanted)) = &query.field else { return Ok(true) };
    let value = person.custom(*field)?.unwrap_or_default();
    Ok(text::folded(value.trim()) == text::folded(wanted.trim()))
}

/// Filters and sorts people who have been read.
async fn in_memory(
    sql: &mut Sql,
    institution: InstitutionId,
    wanted: Wanted<'_>,
    people: Vec<Slim>,
    (limits, cut): (Limits, Option<Cut>),
) -> Result<Matches> {
    let (_, query, _) = wanted;
    let mut all = Vec::new();
    for person in people {
        if is_wanted(wanted, &person)? {
            all.push(person);
        }
    }
    match query.sort {
        Sort::Name => all.sort_by_cached_key(|person| (person.name_key(), person.id)),
        Sort::Changed => all.sort_by_key(|person| Reverse((person.updated_at, person.id))),
        Sort::Recorded => all.sort_by_key(|person| Reverse((person.recorded_at, person.id))),
    }
    let count = cut.is_none().then_some(all.len() as u64);
    let behind = behind(sql, institution, query).await?;
    let is_behind = |person: &Slim| match &behind {
        Behind::Start => true,
        Behind::Name(place) => (person.name_key(), person.id) > (place.key.clone(), place.id),
        Behind::Time(cursor) => {
            let own = cursor_of(query.sort, person);
            (own.at, own.id) < (cursor.at, cursor.id)
        }
    };
    let mut people: Vec<Slim> = all.into_iter().filter(is_behind).take(limits.people + 1).collect();
    let next = end(&mut people, limits.people, query.sort);
    Ok(Matches { people, next, count, cut, is_building: false })
}

/// Drops those beyond the limit. Returns where the next part begins.
fn end(people: &mut Vec<Slim>, most: usize, sort: Sort) -> Option<Cursor> {
    let is_more = people.len() > most;
    people.truncate(most);
    people.last().filter(|_| is_more).map(|last| cursor_of(sort, last))
}

/// People in the order of an index.
struct Window {
    people: Vec<Slim>,
    /// How many entries of the index were read.
    walked: usize,
    /// Where it ends, if that is not the end of the list.
    next: Option<(Behind, Cursor)>,
}

/// Reads the list in windows, until there are enough people who match, or until enough were looked at.
async fn walk(
    sql: &mut Sql,
    institution: InstitutionId,
    wanted: Wanted<'_>,
    limits: Limits,
) -> Result<Matches> {
    let (pages, query, _) = wanted;
    let mut at = behind(sql, institution, query).await?;
    let (mut found, mut walked) = (Matches::default(), 0);
    loop {
        let window = match query.sort {
            Sort::Name => by_name(sql, institution, pages.as_deref(), &at, extra(query)).await?,
            Sort::Changed => by_time(sql, institution, Newest::Change, &at, query).await?,
            Sort::Recorded => by_time(sql, institution, Newest::Recording, &at, query).await?,
        };
        for person in window.people {
            if is_wanted(wanted, &person)? {
                found.people.push(person);
            }
        }
        if found.people.len() > limits.people {
            found.next = end(&mut found.people, limits.people, query.sort);
            return Ok(found);
        }
        walked += window.walked;
        let Some((next, cursor)) = window.next else { return Ok(found) };
        if walked >= limits.walked {
            found.next = Some(cursor);
            found.cut = Some(Cut::Walked(walked as u64));
            return Ok(found);
        }
        at = next;
    }
}

async fn by_time(
    sql: &mut Sql,
    institution: InstitutionId,
    by: Newest,
    at: &Behind,
    query: &PeopleQuery,
) -> Result<Window> {
    let behind = match at {
        Behind::Time(cursor) => Some(*cursor),
        Behind::Start | Behind::Name(_) => None,
    };
    let people = people_list::newest(sql, institution, by, extra(query), behind, WINDOW).await?;
    let last = people.last().filter(|_| people.len() as i64 == WINDOW);
    let next = last.map(|last| cursor_of(query.sort, last)).map(|cursor| (Behind::Time(cursor), cursor));
    Ok(Window { walked: people.len(), next, people })
}

async fn by_name(
    sql: &mut Sql,
    institution: InstitutionId,
    pages: Option<&[NamePageId]>,
    at: &Behind,
    extra: Extra,
) -> Result<Window> {
    let first = NamePlace { key: String::new(), id: ParticipantId::new(i64::MIN) };
    let behind = match at {
        Behind::Name(place) => place,
        Behind::Start | Behind::Time(_) => &first,
    };
    let (places, is_end) = match pages {
        None => {
            let places = index::by_name(sql, institution, None, behind, WINDOW).await?;
            let is_end = (places.len() as i64) < WINDOW;
            (places, is_end)
        }
        Some(pages) => {
            let share = (2 * WINDOW / (pages.len() as i64).max(1)).max(50);
            let mut parts = Vec::with_capacity(pages.len());
            for page in pages {
                parts.push(index::by_name(sql, institution, Some(*page), behind, share).await?);
            }
            merged(parts, share as usize)
        }
    };
    let ids: Vec<ParticipantId> = places.iter().map(|place| place.id).collect();
    let order: HashMap<ParticipantId, usize> = (0..).zip(&ids).map(|(at, id)| (*id, at)).collect();
    let mut people = people_list::by_ids(sql, institution, &ids, extra).await?;
    people.sort_by_key(|person| order.get(&person.id).copied());
    let next = places.last().filter(|_| !is_end).cloned();
    let next = next.map(|place| {
        let cursor = Cursor { at: 0, id: place.id };
        (Behind::Name(place), cursor)
    });
    Ok(Window { walked: places.len(), next, people })
}

/// Merges the sorted beginnings of several lists, each of at most `share`. What is behind the end of a list that goes on is left out.
/// Returns whether all lists have ended.
fn merged(parts: Vec<Vec<NamePlace>>, share: usize) -> (Vec<NamePlace>, bool) {
    let ends = parts.iter().filter(|part| part.len() >= share).filter_map(|part| part.last());
    let horizon = ends.min().cloned();
    let mut all: Vec<NamePlace> = parts.into_iter().flatten().collect();
    all.sort_unstable();
    if let Some(horizon) = &horizon {
        all.retain(|place| place <= horizon);
    }
    (all, horizon.is_none())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn places(keys: &[(&str, i64)]) -> Vec<NamePlace> {
        let place =
            |(key, id): &(&str, i64)| NamePlace { key: (*key).to_owned(), id: ParticipantId::new(*id) };
        keys.iter().map(place).collect()
    }

    #[test]
    fn several_pages_are_merged_up_to_the_first_end_of_one_that_goes_on() {
        let (one, two) = (places(&[("a", 1), ("c", 3)]), places(&[("b", 2), ("d", 4), ("e", 5)]));
        let (all, is_end) = merged(vec![one.clone(), two.clone()], 10);
        assert_eq!((all.len(), is_end), (5, true));
        let (some, is_end) = merged(vec![one, two], 2);
        assert_eq!((some, is_end), (places(&[("a", 1), ("b", 2), ("c", 3)]), false));
        assert_eq!(merged(Vec::new(), 2), (Vec::new(), true));
    }
}
