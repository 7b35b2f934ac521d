//! Lists of participants, read lazily in batches.

use std::{collections::VecDeque, sync::Arc};

use crate::{
    app::{App, Error, Result, name_pages as app_pages, public_view, streams::Slot},
    domain::{
        access::{Access, Action, SearchScope},
        ids::{InstitutionId, NamePageId, ParticipantId},
        moment::Moment,
        name_page::{NamePage, NamePageRef, PageLabel},
        newest::one_per_person,
        paging::Window,
        participant::{Changed, Participant},
    },
    store::{
        name_pages,
        participants::{self, ChangePlace, KeyFilter, KeyKind},
        rolls,
    },
};

pub(in crate::app) fn best_first(mut found: Vec<(ParticipantId, i64)>) -> Vec<ParticipantId> {
    found.sort_unstable_by_key(|(id, recorded_at)| std::cmp::Reverse((*recorded_at, *id)));
    found.into_iter().map(|(id, _)| id).collect()
}

/// Selects participants. An empty filter selects everybody.
#[derive(Debug, Clone, Default)]
pub struct Filter {
    pub page: Option<NamePageRef>,
    /// Keys of emails; an empty list does not filter.
    pub emails: Vec<String>,
    pub identifiers: Vec<String>,
    pub changed: Changed,
}

impl Filter {
    /// Returns whether anything besides the page is filtered.
    pub fn is_set(&self) -> bool {
        self.names_people() || self.changed.is_set()
    }

    fn lists(&self) -> [(KeyKind, Vec<&str>); 2] {
        fn words(list: &[String]) -> Vec<&str> {
            list.iter().map(String::as_str).collect()
        }
        [(KeyKind::Email, words(&self.emails)), (KeyKind::Identifier, words(&self.identifiers))]
    }

    pub fn names_people(&self) -> bool {
        !self.emails.is_empty() || !self.identifiers.is_empty()
    }
}

/// A list of people. Batches are read on demand, so that a long list needs little memory.
pub struct Listing {
    institution: InstitutionId,
    /// `None` while changed people are streamed; the number of records is known only at the end.
    pub total: Option<u64>,
    people: People,
    /// Whoever reads it has no credential.
    is_public: bool,
    /// Whoever reads it gets the recordings of people with a directory hold.
    includes_held: bool,
}

enum People {
    Roll {
        /// `None` for the institution's.
        page: Option<(NamePageId, Arc<PageLabel>)>,
        start: rolls::Start,
        left: u64,
    },
    Ids {
        ids: Vec<ParticipantId>,
        next: usize,
    },
    /// The rolls of several pages, concatenated. `start` applies to the first page.
    Pages {
        pages: VecDeque<NamePageId>,
        start: rolls::Start,
        left: u64,
    },
    Whole(Option<Vec<Participant>>),
    /// People who changed, in order of change.
    Changed {
        changed: Changed,
        /// The first batch, already read.
        first: Vec<Participant>,
        next: Option<ChangePlace>,
        shown: SeenIds,
    },
}

/// Deduplicates people across batches. Batches do not share a snapshot: a person who changes in between moves towards the
/// end, and must not be listed twice. Ids are places in the institution's roll, so a bitmap is small.
#[derive(Default)]
struct SeenIds(Vec<u64>);

impl SeenIds {
    /// Returns true if the id is new.
    fn add(&mut self, id: ParticipantId) -> bool {
        let id = id.get();
        let (word, bit) = (usize::try_from(id / 64).unwrap_or(0), 1 << (id % 64));
        if word >= self.0.len() {
            self.0.resize(word + 1, 0);
        }
        let first = self.0[word] & bit == 0;
        self.0[word] |= bit;
        first
    }
}

/// The maximum number of people that one request can select by key and read into memory at once.
const MAX_SELECTED: u64 = 1_000;
/// Small enough to be read on a request thread without delaying other requests.
const GROUP: usize = 500;

impl Listing {
    const fn new(institution: InstitutionId, total: Option<u64>, people: People) -> Self {
        Self { institution, total, people, is_public: false, includes_held: false }
    }

    /// Without a credential, the people are shown as the public sees them; with that right, also what a directory hold hides.
    pub(in crate::app) fn seen_by(self, access: &Access) -> Self {
        Self { is_public: access.is_public(), includes_held: access.includes_held(), ..self }
    }

    /// Returns whether there may be more than one batch.
    pub fn is_long(&self) -> bool {
        match &self.people {
            People::Roll { left, .. } => *left > GROUP as u64,
            People::Ids { ids, .. } => ids.len() > GROUP,
            People::Pages { left, .. } => self.total.is_none_or(|total| total.min(*left) > GROUP as u64),
            People::Changed { .. } => true,
            People::Whole(_) => false,
        }
    }

    /// Lists everybody on these pages, given with their numbers of members, page by page. Without a window, lists all of
    /// them.
    pub(in crate::app) async fn of_pages(
        app: &App,
        institution: InstitutionId,
        pages: Vec<(NamePageId, i64)>,
        window: Option<Window>,
    ) -> Result<Self> {
        let total = pages.iter().map(|(_, members)| members.unsigned_abs()).sum();
        let mut offset = window.map_or(0, Window::offset);
        let mut pages: VecDeque<(NamePageId, u64)> =
            pages.into_iter().map(|(page, members)| (page, members.unsigned_abs())).collect();
        while let Some((_, members)) = pages.front()
            && *members <= offset
        {
            offset -= members;
            pages.pop_front();
        }
        let mut start = rolls::Start { place: 0, pass: 0 };
        if let Some((page, _)) = pages.front()
            && offset > 0
        {
            let sql = &mut app.db.read();
            let extent = rolls::extent(sql, institution, *page).await?;
            match rolls::seek(sql, institution, *page, extent, offset).await? {
                Some(found) => start = found,
                // The remaining members were deleted concurrently.
                None => drop(pages.pop_front()),
            }
        }
        let pages = pages.into_iter().map(|(page, _)| page).collect();
        let left = window.map_or(u64::MAX, |window| window.per_page);
        Ok(Self::new(institution, Some(total), People::Pages { pages, start, left }))
    }

    /// Lists everybody on the roll of a page, or of the institution.
    async fn of_roll(
        app: &App,
        institution: InstitutionId,
        page: Option<NamePage>,
        extent: rolls::Extent,
        window: Option<Window>,
    ) -> Result<Self> {
        let window = window.unwrap_or(Window { page: 1, per_page: u64::MAX });
        let page = page.map(|page| (page.id, Arc::new(PageLabel::from(page))));
        let roll = page.as_ref().map_or(rolls::INSTITUTION, |(page, _)| *page);
        let members = extent.members.unsigned_abs();
        let start = rolls::seek(&mut app.db.read(), institution, roll, extent, window.offset()).await?;
        let left = if start.is_some() { window.per_page.min(members - window.offset()) } else { 0 };
        let start = start.unwrap_or(rolls::Start { place: 0, pass: 0 });
        let people = People::Roll { page, start, left };
        Ok(Self::new(institution, Some(members), people))
    }

    /// Lists these participants, in this order.
    pub(in crate::app) fn of_ids(institution: InstitutionId, ids: Vec<ParticipantId>) -> Self {
        Self::new(institution, Some(ids.len() as u64), People::Ids { ids, next: 0 })
    }

    pub(in crate::app) fn whole(
        institution: InstitutionId,
        mut people: Vec<Participant>,
        window: Option<Window>,
    ) -> Self {
        let total = Some(people.len() as u64);
        if let Some(window) = window {
            people.truncate(usize::try_from(window.per_page).unwrap_or(usize::MAX));
        }
        Self::new(institution, total, People::Whole(Some(people)))
    }

    /// Acquires a slot for streaming a long list, because the client may read it slowly.
    pub async fn slot(&self, app: &App) -> Result<Option<Slot>> {
        if self.is_long() { app.streams.slot(self.institution).await.map(Some) } else { Ok(None) }
    }

    /// The next batch.
    pub async fn next(&mut self, app: &App) -> Option<Result<Vec<Participant>>> {
        match self.read(app).await? {
            Ok(people) if self.is_public => {
                Some(public_view::reduced(&mut app.db.read(), self.institution, people).await)
            }
            Ok(people) if self.includes_held => {
                Some(Ok(people.into_iter().map(Participant::unveiled).collect()))
            }
            batch => Some(batch),
        }
    }

    async fn read(&mut self, app: &App) -> Option<Result<Vec<Participant>>> {
        let institution = self.institution;
        match &mut self.people {
            People::Whole(people) => people.take().map(Ok),
            People::Changed { changed, first, next, shown } => {
                let mut people = std::mem::take(first);
                while people.is_empty() {
                    let sql = &mut app.db.read();
                    let read = participants::changed(sql, institution, *changed, (*next)?, GROUP).await;
                    match read {
                        Ok(read) => (people, *next) = read,
                        Err(error) => return Some(Err(error.into())),
                    }
                    people.retain(|person| shown.add(person.id));
                }
                Some(Ok(people))
            }
            People::Ids { ids, next } => {
                let group = &ids[*next..ids.len().min(*next + GROUP)];
                *next += group.len();
                if group.is_empty() {
                    return None;
                }
                Some(participants::by_ids(&mut app.db.read(), institution, group).await.map_err(Error::from))
            }
            People::Pages { pages, start, left } => {
                let mut people = Vec::new();
                while let Some(page) = pages.front().copied()
                    && people.len() < GROUP
                    && *left > 0
                {
                    let room = ((GROUP - people.len()) as u64).min(*left);
                    let sql = &mut app.db.read();
                    let some = match participants::in_roll(sql, institution, Some(page), *start, room).await {
                        Ok(some) => some,
                        Err(error) => return Some(Err(error.into())),
                    };
                    let place = match some.last() {
                        Some(last) if some.len() as u64 == room => last.page_place + 1,
                        _ => {
                            pages.pop_front();
                            0
                        }
                    };
                    *start = rolls::Start { place, pass: 0 };
                    *left -= some.len() as u64;
                    people.extend(some);
                }
                (!people.is_empty()).then_some(Ok(people))
            }
            People::Roll { page, start, left } => {
                let wanted = (*left).min(GROUP as u64);
                if wanted == 0 {
                    return None;
                }
                let sql = &mut app.db.read();
                let group = match &*page {
                    Some((page, label)) => {
                        participants::on_known_page(sql, institution, (*page, label), *start, wanted).await
                    }
                    None => participants::in_roll(sql, institution, None, *start, wanted).await,
                };
                if let Ok(people) = &group {
                    let place =
                        |last: &Participant| if page.is_some() { last.page_place } else { last.id.get() };
                    let last = people.last().map(place);
                    *left = if last.is_some() { *left - wanted } else { 0 };
                    *start = rolls::Start { place: last.map_or(start.place, |last| last + 1), pass: 0 };
                }
                Some(group.map_err(Error::from))
            }
        }
    }
}

/// Lists participants. Without a window, returns every match.
pub async fn list(app: &App, access: &Access, filter: &Filter, window: Option<Window>) -> Result<Listing> {
    access.check(Action::Read)?;
    let Some(page) = &filter.page else {
        return Ok(list_in(app, access, access.within(), filter, window).await?.seen_by(access));
    };
    if filter.is_set() {
        let page = app_pages::permitted(app, access, page).await?.id;
        let listing = list_in(app, access, SearchScope::Page(page), filter, window).await?;
        return Ok(listing.seen_by(access));
    }
    let (page, extent) = app_pages::permitted_with_roll(app, access, page).await?;
    Ok(Listing::of_roll(app, access.institution, Some(page), extent, window).await?.seen_by(access))
}

/// Like `list`, with the pages already resolved.
pub(in crate::app) async fn list_in(
    app: &App,
    access: &Access,
    within: SearchScope<'_>,
    filter: &Filter,
    window: Option<Window>,
) -> Result<Listing> {
    let institution = access.institution;
    if filter.names_people() {
        if access.newest_only {
            let ids = newest_ids(app, institution, within, filter).await?;
            return Ok(cut(institution, ids, window));
        }
        // If the window holds all requested people, most of the matches will be shown, so read them in one query.
        let selected = (filter.emails.len() + filter.identifiers.len()) as u64;
        if selected <= MAX_SELECTED
            && window.is_none_or(|window| window.page == 1 && selected <= window.per_page)
        {
            let people = matching(app, institution, within, filter).await?;
            return Ok(Listing::whole(institution, people, window));
        }
        let ids = matching_ids(app, institution, within, filter).await?;
        return Ok(cut(institution, ids, window));
    }
    match (filter.changed.is_set(), window) {
        (true, None) => {
            if within != SearchScope::Institution {
                // Few of the changed people may be on these pages, so the scan does not run on a request thread.
                let ids = changed_ids(app, institution, within, filter.changed).await?;
                return Ok(Listing::of_ids(institution, ids));
            }
            let (changed, start) = (filter.changed, ChangePlace::before(filter.changed));
            let (first, next) =
                participants::changed(&mut app.db.read(), institution, changed, start, GROUP).await?;
            if next.is_none() {
                return Ok(Listing::whole(institution, first, None));
            }
            let mut shown = SeenIds::default();
            for person in &first {
                shown.add(person.id);
            }
            let people = People::Changed { changed, first, next, shown };
            Ok(Listing::new(institution, None, people))
        }
        (true, window) => {
            // Order by id, not by time of change: a change between two requests must not push anybody out of the later
            // pages.
            let mut ids = changed_ids(app, institution, within, filter.changed).await?;
            ids.sort_unstable();
            Ok(cut(institution, ids, window))
        }
        (false, window) => {
            let sql = &mut app.db.read();
            match within {
                SearchScope::Institution => {
                    let extent = rolls::extent(sql, institution, rolls::INSTITUTION).await?;
                    Listing::of_roll(app, institution, None, extent, window).await
                }
                SearchScope::Page(page) => {
                    match name_pages::by_id_with_roll(sql, institution, page).await? {
                        Some((page, extent)) => {
                            Listing::of_roll(app, institution, Some(page), extent, window).await
                        }
                        // Deleted since the caller has found it.
                        None => Ok(Listing::of_ids(institution, Vec::new())),
                    }
                }
                SearchScope::Pages(pages) => {
                    let pages = rolls::members_of(sql, institution, pages).await?;
                    Listing::of_pages(app, institution, pages, window).await
                }
            }
        }
    }
}

/// Returns the ids of changed people, in order of change.
async fn changed_ids(
    app: &App,
    institution: InstitutionId,
    within: SearchScope<'_>,
    changed: Changed,
) -> Result<Vec<ParticipantId>> {
    let mut rows = participants::changed_ids(&app.db, institution, within, changed);
    let mut ids = Vec::new();
    while let Some(group) = rows.next().await {
        ids.extend(group?);
    }
    Ok(ids)
}

fn cut(institution: InstitutionId, ids: Vec<ParticipantId>, window: Option<Window>) -> Listing {
    let total = Some(ids.len() as u64);
    let ids = match window {
        Some(window) => window.slice(&ids).to_vec(),
        None => ids,
    };
    Listing { total, ..Listing::of_ids(institution, ids) }
}

/// Returns the people in either list, best first.
pub(in crate::app) async fn matching(
    app: &App,
    institution: InstitutionId,
    within: SearchScope<'_>,
    filter: &Filter,
) -> Result<Vec<Participant>> {
    let sql = &mut app.db.read();
    let mut found: Vec<Participant> = Vec::new();
    for (by, wanted) in filter.lists() {
        let by_key = KeyFilter { within, by, keys: &wanted, changed: filter.changed };
        found.extend(participants::by_keys(sql, institution, by_key).await?);
    }
    sort_best_first(&mut found);
    found.dedup_by_key(|person| person.id);
    Ok(found)
}

/// Newest recording first, and those without one last.
pub(in crate::app) fn sort_best_first(people: &mut [Participant]) {
    let rank =
        |person: &Participant| std::cmp::Reverse((person.recorded_at().map_or(0, Moment::micros), person.id));
    // Sorts the keys and then moves each record once: records are large, and a merge sort would move each of them ten times.
    people.sort_by_cached_key(rank);
}

/// Like `matching`, but reads only ids, because most of the people would not be shown.
async fn matching_ids(
    app: &App,
    institution: InstitutionId,
    within: SearchScope<'_>,
    filter: &Filter,
) -> Result<Vec<ParticipantId>> {
    let sql = &mut app.db.read();
    let mut found: Vec<(ParticipantId, i64)> = Vec::new();
    for (by, wanted) in filter.lists() {
        let by_key = KeyFilter { within, by, keys: &wanted, changed: filter.changed };
        let keys = participants::keys(sql, institution, by_key).await?;
        found.extend(keys.into_iter().map(|key| (key.id, key.recorded_at)));
    }
    let mut ids = best_first(found);
    ids.dedup();
    Ok(ids)
}

/// Like `matching_ids`, deduplicated to the best matching registration of each person.
async fn newest_ids(
    app: &App,
    institution: InstitutionId,
    within: SearchScope<'_>,
    filter: &Filter,
) -> Result<Vec<ParticipantId>> {
    let sql = &mut app.db.read();
    let mut found = Vec::new();
    for (by, wanted) in filter.lists() {
        let by_key = KeyFilter { within, by, keys: &wanted, changed: filter.changed };
        found.extend(participants::registrations(sql, institution, by_key).await?);
    }
    found.sort_unstable_by_key(|one| std::cmp::Reverse((one.recorded_at, one.id)));
    found.dedup_by_key(|one| one.id);
    let newest = one_per_person(found, |one| one.person.clone());
    Ok(newest.into_iter().map(|one| one.id).collect())
}
