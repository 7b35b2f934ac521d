//! The people on a name page, for web pages that list them: search, filter, sort and pagination.

use std::{
    collections::{HashMap, HashSet},
    hash::{BuildHasher, RandomState},
    sync::Arc,
    time::Duration,
};

use moka::sync::Cache;
use tokio::sync::Mutex;

use super::{App, Error, Result, badges};
use crate::{
    domain::{
        directory::{Directory, Filter},
        email::email_key,
        ids::{InstitutionId, NamePageId, ParticipantId},
        moment::Moment,
        paging::Window,
        participant::Participant,
    },
    store::{
        self, people,
        rolls::{self, Revision},
    },
    tasks,
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
    let everybody = directory(app, institution, name_page).await?;
    let (all, unrecorded) = everybody.count_without(apart);
    let filter = Filter { search: query.search.clone(), unrecorded: query.unrecorded, letter: None };
    let chosen = everybody.matching(&filter, apart);
    let pages = Window::new(1, PER_PAGE).pages(chosen.len() as u64).max(1);
    let window = Window::new(query.page.clamp(1, pages), PER_PAGE);
    let sql = &mut app.db.read();
    let people = store::participants::by_ids(sql, institution, window.slice(&chosen)).await?;
    let apart = store::participants::by_ids(sql, institution, &everybody.of(apart)).await?;
    Ok(PeoplePage { people, apart, all, unrecorded, matching: chosen.len() as u64, page: window.page, pages })
}

/// The sorted names of large pages. Reading and sorting 100,000 names takes longer than a listener should wait.
///
/// What it holds decides only who is found and in which order: names, pictures and recordings are read when they are shown, so
/// somebody who has been deleted, has paused or has another name is never shown as they were.
pub struct Directories {
    known: Cache<Key, Arc<Known>>,
    /// Held while a directory is read: of the requests that need it, one reads it.
    turns: [Mutex<()>; TURNS],
    hasher: RandomState,
}

type Key = (InstitutionId, NamePageId);

#[derive(Clone)]
struct Known {
    /// Read before the people were.
    revision: Revision,
    read_at: Moment,
    /// When everybody was read.
    complete_at: Moment,
    directory: Arc<Directory>,
}

const TURNS: usize = 16;
const MAX_BYTES: u64 = 64 << 20;
/// Pages with at most so many people are read and sorted for each request, which takes a millisecond or two.
const SMALL: i64 = 500;
/// After this time everybody is read again, whatever the revision says.
const LIFE: Duration = Duration::from_secs(600);
/// Transactions commit in another order than they read the time, and clocks of nodes differ.
const OVERLAP: Duration = Duration::from_secs(30);
/// If more people of the institution have changed, such as during an import, everybody on the page is read again.
const MAX_CHANGES: usize = 10_000;
/// How often everybody is read again, at most. Meanwhile, people who have left are still counted, because who they were is known
/// only then; after too many changes, what was read last is used.
const PATIENCE: Duration = Duration::from_secs(5);

impl Default for Directories {
    fn default() -> Self {
        let bytes = |_: &Key, known: &Arc<Known>| u32::try_from(known.directory.bytes()).unwrap_or(u32::MAX);
        let known = Cache::builder().weigher(bytes).max_capacity(MAX_BYTES).time_to_idle(LIFE).build();
        Self { known, turns: Default::default(), hasher: RandomState::new() }
    }
}

impl Directories {
    fn current(&self, key: Key, revision: Revision) -> Option<Arc<Directory>> {
        let known = self.known.get(&key)?;
        (known.revision == revision).then(|| known.directory.clone())
    }

    fn turn(&self, key: Key) -> &Mutex<()> {
        &self.turns[self.hasher.hash_one(key) as usize % TURNS]
    }
}

/// The names of everybody on a page.
pub(super) async fn directory(
    app: &App,
    institution: InstitutionId,
    page: NamePageId,
) -> Result<Arc<Directory>> {
    let (key, sql) = ((institution, page), &mut app.db.read());
    let revision = rolls::revision(sql, institution, page).await?;
    if revision.members <= SMALL {
        return Ok(Arc::new(Directory::new(&people::on_page(sql, institution, page).await?)));
    }
    if let Some(directory) = app.directories.current(key, revision) {
        return Ok(directory);
    }
    let _turn = app.directories.turn(key).lock().await;
    let revision = rolls::revision(sql, institution, page).await?;
    if let Some(directory) = app.directories.current(key, revision) {
        return Ok(directory);
    }
    let read_at = app.clock.now();
    let updated = match app.directories.known.get(&key) {
        Some(known) => updated(app, key, &known, revision, read_at).await?,
        None => None,
    };
    let known = match updated {
        Some(known) => known,
        None => {
            let everybody = people::on_page(sql, institution, page).await?;
            let sorted = tasks::spawn_blocking(move || Directory::new(&everybody)).await;
            let sorted = sorted.map_err(|error| Error::Internal(error.to_string()))?;
            Known { revision, read_at, complete_at: read_at, directory: Arc::new(sorted) }
        }
    };
    let directory = known.directory.clone();
    app.directories.known.insert(key, Arc::new(known));
    Ok(directory)
}

/// What is known, with the people who have changed since. `None` if everybody must be read again.
async fn updated(
    app: &App,
    (institution, page): Key,
    known: &Known,
    revision: Revision,
    read_at: Moment,
) -> Result<Option<Known>> {
    let age = read_at.since(known.complete_at);
    if age > LIFE {
        return Ok(None);
    }
    let (since, sql) = (known.read_at.minus(OVERLAP), &mut app.db.read());
    let changed = people::changed_on_page(sql, institution, page, since, MAX_CHANGES).await?;
    let Some(changed) = changed else {
        // Its revision stays the old one, so the next request tries again.
        return Ok((age < PATIENCE).then(|| known.clone()));
    };
    let directory = if changed.is_empty() {
        known.directory.clone()
    } else {
        let before = known.directory.clone();
        let merged = tasks::spawn_blocking(move || before.with(&changed)).await;
        Arc::new(merged.map_err(|error| Error::Internal(error.to_string()))?)
    };
    let members = directory.members() as i64;
    let has_leavers = members > revision.members;
    if members != revision.members && !(has_leavers && age < PATIENCE) {
        return Ok(None);
    }
    // If somebody who has left is among them, this is no revision of the page, and the next request tries again.
    let revision = Revision { members, ..revision };
    Ok(Some(Known { revision, read_at, complete_at: known.complete_at, directory }))
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
