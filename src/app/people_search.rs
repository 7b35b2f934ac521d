//! People of an institution across its name pages, for the console: search, filters, sort and keyset pagination.
//!
//! If there are few people, all of them are read, and everything is exact. Otherwise a search is answered by the index
//! (`people_index.rs`), and a list is read in the order of an index, in windows. Both are bounded, however many people there are: `Cut`
//! says so.

mod matching;

use std::collections::{HashMap, HashSet};

use tokio::runtime::Handle;

use self::matching::{Limits, Matches, matching};
use super::{Actor, App, Error, Missing, Result};
use crate::{
    domain::{
        access::{Access, Action},
        custom_field::CustomField,
        ids::{InstitutionId, NamePageId, ParticipantId},
        moment::Moment,
        name_page::NamePageRef,
        people_query::{Cursor, PeopleQuery, Standing},
        text,
    },
    store::{
        Db, Sql, audiences, custom_fields, members, name_pages,
        page_lists::{self, PageName},
        people_list::{self, Extra, Slim},
    },
    tasks,
};

/// People on one part of the list.
pub const PER_PAGE: usize = 100;
const SHOWN: Limits = Limits { people: PER_PAGE, walked: 6_000 };
/// For something that is done with everybody who matches.
const COLLECTED: usize = 50_000;

/// Why some of those who match are not there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cut {
    /// So many people were looked at. The next part goes on.
    Walked(u64),
    /// A search has found more than so many people.
    Found(u64),
}

/// A part of the people who match.
#[derive(Debug, Default)]
pub struct Listing {
    pub people: Vec<Listed>,
    /// There may be more behind this one.
    pub next: Option<Cursor>,
    /// The number of all who match, if it is known.
    pub count: Option<u64>,
    pub cut: Option<Cut>,
    /// The index is being brought up to date, and some people are not in it yet.
    pub is_building: bool,
}

/// Somebody in the list.
#[derive(Debug, Clone)]
pub struct Listed {
    pub id: ParticipantId,
    pub name: String,
    pub email: Option<String>,
    pub identifier: Option<String>,
    /// The title of the name page.
    pub page: String,
    pub page_slug: String,
    pub standing: Standing,
    pub is_invited: bool,
    /// The institution tells the public nothing about them.
    pub has_hold: bool,
    pub has_phone: bool,
    pub updated_at: Moment,
}

/// Somebody whom a quick search has found.
#[derive(Debug, Clone)]
pub struct Found {
    pub id: ParticipantId,
    pub name: String,
    pub email: Option<String>,
    /// The title of the name page.
    pub page: String,
    pub page_slug: String,
}

/// Who matches. With SQLite, that reads thousands of people on the thread of the caller, which also serves connections: so it is done on another one.
async fn found(app: &App, access: &Access, query: &PeopleQuery, limits: Limits) -> Result<Matches> {
    if !matches!(app.db, Db::Sqlite(_)) {
        return matching(app, access, query, limits).await;
    }
    let (app, access, query) = (app.clone(), access.clone(), query.clone());
    let runtime = Handle::current();
    let reading = move || runtime.block_on(matching(&app, &access, &query, limits));
    let read = tasks::spawn_blocking(reading).await;
    read.map_err(|error| Error::Internal(error.to_string()))?
}

/// Lists people. Managers see those on their pages.
pub async fn list(
    app: &App,
    actor: &Actor,
    institution: InstitutionId,
    query: &PeopleQuery,
) -> Result<Listing> {
    let access = actor.permit(Action::Write, institution)?;
    let found = found(app, &access, query, SHOWN).await?;
    let people = shown(&mut app.db.read(), institution, found.people).await?;
    let Matches { next, count, cut, is_building, .. } = found;
    Ok(Listing { people, next, count, cut, is_building })
}

/// The first people whom a search finds, by name.
pub async fn quick(
    app: &App,
    actor: &Actor,
    institution: InstitutionId,
    text: &str,
    limit: usize,
) -> Result<Vec<Found>> {
    let access = actor.permit(Action::Write, institution)?;
    let query = PeopleQuery { search: text.to_owned(), ..PeopleQuery::default() };
    if query.words().is_empty() {
        return Ok(Vec::new());
    }
    let found = found(app, &access, &query, Limits { people: limit, ..SHOWN }).await?;
    let people = shown(&mut app.db.read(), institution, found.people).await?;
    let found = |one: Listed| Found {
        id: one.id,
        name: one.name,
        email: one.email,
        page: one.page,
        page_slug: one.page_slug,
    };
    Ok(people.into_iter().map(found).collect())
}

/// What can be chosen in a list of people.
#[derive(Debug, Default)]
pub struct Choices {
    /// Name pages that are not archived, by title. Not all of them, if there are many.
    pub pages: Vec<PageName>,
    pub fields: Vec<CustomField>,
    /// The page that is wanted.
    pub page: Option<NamePageId>,
}

/// Name pages that can be chosen.
const MOST_PAGES: i64 = 200;

/// The name pages and custom fields that can be chosen. The page that is wanted is among them.
pub async fn choices(
    app: &App,
    actor: &Actor,
    institution: InstitutionId,
    wanted: Option<&NamePageRef>,
) -> Result<Choices> {
    let access = actor.permit(Action::Write, institution)?;
    let sql = &mut app.db.read();
    let mut pages: Vec<PageName> = match access.pages() {
        None => {
            let newest = members::newest_pages(sql, institution, MOST_PAGES).await?;
            newest.into_iter().map(PageName::from).collect()
        }
        Some(_) => page_lists::names(sql, institution, access.pages()).await?,
    };
    let mut page = None;
    if let Some(wanted) = wanted {
        let found = name_pages::find(sql, institution, wanted).await?;
        let found =
            found.filter(|found| access.reaches(found.id)).ok_or(Error::Missing(Missing::NamePage))?;
        page = Some(found.id);
        if !pages.iter().any(|one| one.id == found.id) {
            pages.push(found.into());
        }
    }
    pages.sort_by_cached_key(|page| (text::searchable(&page.title), page.id));
    Ok(Choices { pages, fields: custom_fields::all(sql, institution).await?, page })
}

/// The ids of everybody who matches, at most so many, and whether there may be others.
pub(super) async fn collect(
    app: &App,
    access: &Access,
    query: &PeopleQuery,
    most: usize,
) -> Result<(Vec<ParticipantId>, bool)> {
    let query = PeopleQuery { after: None, ..query.clone() };
    let found = found(app, access, &query, Limits { people: most, walked: COLLECTED }).await?;
    let is_cut = found.next.is_some() || found.cut.is_some();
    Ok((found.people.iter().map(|person| person.id).collect(), is_cut))
}

/// What the list shows of these people, in this order.
async fn shown(sql: &mut Sql, institution: InstitutionId, people: Vec<Slim>) -> Result<Vec<Listed>> {
    let ids: Vec<ParticipantId> = people.iter().map(|person| person.id).collect();
    let extra = Extra { invited: true, sound: true, custom: false };
    let facts = people_list::by_ids(sql, institution, &ids, extra).await?;
    let facts: HashMap<ParticipantId, Slim> = facts.into_iter().map(|one| (one.id, one)).collect();
    let waiting = people_list::waiting_among(sql, institution, &ids).await?;
    let paused: HashSet<ParticipantId> =
        audiences::paused(sql, institution, &ids).await?.into_iter().collect();
    let mut pages: Vec<NamePageId> = people.iter().map(|person| person.page).collect();
    pages.sort_unstable();
    pages.dedup();
    let pages = page_lists::names_of(sql, institution, &pages).await?;
    let listed = |person: Slim| {
        // Somebody may have been deleted since, with the page or without it.
        let facts = facts.get(&person.id)?;
        let page = pages.get(&person.page)?;
        let names = [&person.first_name, &person.last_name];
        let standing = if waiting.contains(&person.id) {
            Standing::Waiting
        } else if person.recorded_at > 0 {
            Standing::Recorded
        } else if facts.has_sound && paused.contains(&person.id) {
            Standing::Paused
        } else {
            Standing::Unrecorded
        };
        Some(Listed {
            id: person.id,
            name: names.into_iter().flatten().map(String::as_str).collect::<Vec<_>>().join(" "),
            email: person.email,
            identifier: person.identifier,
            page: page.title.clone(),
            page_slug: page.slug.clone(),
            standing,
            is_invited: facts.is_invited,
            has_hold: facts.directory_hold,
            has_phone: person.has_phone,
            updated_at: Moment::from_micros(person.updated_at),
        })
    };
    Ok(people.into_iter().filter_map(listed).collect())
}
