//! Participants: found, listed, created, changed and deleted.

use std::collections::{HashMap, VecDeque};

use super::{
    App, Error, Missing, Result, exports,
    media::{self, Written},
    name_pages,
};
use crate::{
    domain::{
        custom_field::CustomField,
        field_errors::FieldErrors,
        institution::Institution,
        media::Media,
        moment::Moment,
        name_page::NamePageRef,
        paging::Window,
        participant::{Changed, CustomValues, Draft, Given, Legal, LegalDraft, Participant},
        text::{self, BLANK, INVALID, TAKEN},
    },
    store::{
        self, RowStream, Sql, custom_fields,
        exports::Leaving,
        participants::{self, By, Key, Record},
        rolls,
    },
};

/// A word that may be an email, a registration's token or an institution's identifier, tried in that order.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Mark {
    pub as_email: String,
    pub as_given: String,
}

impl Mark {
    fn by(&self) -> impl Iterator<Item = (By, &str)> {
        let email = self.as_email.contains('@').then_some((By::Email, self.as_email.as_str()));
        // Tokens have a shape of their own; nothing else needs the look-up.
        let token_like = self.as_given.len() == 32 && self.as_given.bytes().all(|b| b.is_ascii_hexdigit());
        let token = token_like.then_some((By::Token, self.as_given.as_str()));
        [email, token, Some((By::Identifier, self.as_given.as_str()))].into_iter().flatten()
    }
}

/// One participant, in the institution or on one of its pages.
pub async fn find(
    app: &App,
    institution: i64,
    page: Option<&NamePageRef>,
    mark: &Mark,
) -> Result<Participant> {
    let page = match page {
        Some(page) => Some(name_pages::find(app, institution, page).await?.id),
        None => None,
    };
    let sql = &mut app.db.read();
    for (by, key) in mark.by() {
        if let Some(found) = participants::best(sql, institution, page, by, key).await? {
            return Ok(found);
        }
    }
    Err(Error::Missing(Missing::Participant))
}

/// The registration with this token.
pub async fn by_token(app: &App, institution: i64, token: &str) -> Result<Participant> {
    let found = participants::best(&mut app.db.read(), institution, None, By::Token, token).await?;
    found.ok_or(Error::Missing(Missing::Participant))
}

/// For each mark the person's registration with the newest recording, else the newest registration.
pub async fn latest(app: &App, institution: i64, marks: &[Mark]) -> Result<Vec<Participant>> {
    let sql = &mut app.db.read();
    if let [mark] = marks
        && let Some((By::Email, key)) = mark.by().next()
        && let Some(found) = participants::best(sql, institution, None, By::Email, key).await?
    {
        return Ok(vec![found]);
    }
    let mut open: Vec<&Mark> = marks.iter().collect();
    let mut best: HashMap<i64, i64> = HashMap::new();
    for by in [By::Email, By::Token, By::Identifier] {
        let wanted = |mark: &&Mark| mark.by().find(|(its, _)| *its == by).map(|(_, key)| key.to_owned());
        let asked: Vec<String> = open.iter().filter_map(wanted).collect();
        let mut found = newest_of_each(sql, institution, by, &asked).await?;
        open.retain(|mark| wanted(mark).is_none_or(|key| !found.contains_key(&key)));
        if by != By::Email {
            // It stands for the person, who may have a newer registration under the same email.
            let emails: Vec<String> = found.values().filter_map(|key| key.email_key.clone()).collect();
            found.retain(|_, key| key.email_key.is_none());
            found.extend(newest_of_each(sql, institution, By::Email, &emails).await?);
        }
        best.extend(found.into_values().map(|key| (key.id, key.recorded_at)));
    }
    let ids = best_first(best.into_iter().collect());
    Ok(participants::by_ids(sql, institution, &ids).await?)
}

async fn newest_of_each(
    sql: &mut Sql,
    institution: i64,
    by: By,
    asked: &[String],
) -> Result<HashMap<String, Key>> {
    let asked: Vec<&str> = asked.iter().map(String::as_str).collect();
    let mut newest: HashMap<String, Key> = HashMap::new();
    for key in participants::keys(sql, institution, None, by, &asked, Changed::default()).await? {
        let better =
            newest.get(&key.matched).is_none_or(|old| (old.recorded_at, old.id) < (key.recorded_at, key.id));
        if better {
            newest.insert(key.matched.clone(), key);
        }
    }
    Ok(newest)
}

pub(super) fn best_first(mut found: Vec<(i64, i64)>) -> Vec<i64> {
    found.sort_unstable_by_key(|(id, recorded_at)| std::cmp::Reverse((*recorded_at, *id)));
    found.into_iter().map(|(id, _)| id).collect()
}

/// Who is asked for. Nothing set means everybody.
#[derive(Debug, Clone, Default)]
pub struct Filter {
    pub page: Option<NamePageRef>,
    /// Keys of emails; an empty list is no list.
    pub emails: Vec<String>,
    pub identifiers: Vec<String>,
    pub changed: Changed,
}

impl Filter {
    /// Is there any filter besides the page?
    pub fn is_set(&self) -> bool {
        self.names_people() || self.changed.is_set()
    }

    fn lists(&self) -> [(By, Vec<&str>); 2] {
        fn words(list: &[String]) -> Vec<&str> {
            list.iter().map(String::as_str).collect()
        }
        [(By::Email, words(&self.emails)), (By::Identifier, words(&self.identifiers))]
    }

    pub fn names_people(&self) -> bool {
        !self.emails.is_empty() || !self.identifiers.is_empty()
    }
}

/// The people of a list. Groups are read as they are taken, so that a long list needs little memory.
pub struct Listing {
    /// Unknown while everybody who changed is being streamed; the number of records tells it then.
    pub total: Option<u64>,
    people: People,
}

enum People {
    Roll {
        institution: i64,
        page: Option<i64>,
        start: rolls::Start,
        left: u64,
    },
    Ids {
        institution: i64,
        ids: Vec<i64>,
        next: usize,
    },
    /// The rolls of several pages, one behind the other; of the first, those from a place on.
    Pages {
        institution: i64,
        pages: VecDeque<i64>,
        place: i64,
    },
    Whole(Option<Vec<Participant>>),
    Stream(RowStream<Participant>),
}

/// So many people may be asked for by name and read into memory at once.
const MOST_AT_ONCE: u64 = 1_000;
/// Small enough to be read on a request thread without others noticing.
const GROUP: usize = 500;

impl Listing {
    /// May there be more than one group?
    pub fn is_long(&self) -> bool {
        match &self.people {
            People::Roll { left, .. } => *left > GROUP as u64,
            People::Ids { ids, .. } => ids.len() > GROUP,
            People::Pages { .. } => self.total.is_none_or(|total| total > GROUP as u64),
            People::Stream(_) => true,
            People::Whole(_) => false,
        }
    }

    /// Everybody on these pages, who are so many.
    pub(super) fn of_pages(institution: i64, pages: VecDeque<i64>, total: u64) -> Self {
        Self { total: Some(total), people: People::Pages { institution, pages, place: 0 } }
    }

    /// These, in this order.
    pub(super) fn of_ids(institution: i64, ids: Vec<i64>) -> Self {
        Self { total: Some(ids.len() as u64), people: People::Ids { institution, ids, next: 0 } }
    }

    pub(super) fn whole(mut people: Vec<Participant>, window: Option<Window>) -> Self {
        let total = Some(people.len() as u64);
        if let Some(window) = window {
            people.truncate(usize::try_from(window.per_page).unwrap_or(usize::MAX));
        }
        Self { total, people: People::Whole(Some(people)) }
    }

    pub async fn next(&mut self, app: &App) -> Option<Result<Vec<Participant>>> {
        match &mut self.people {
            People::Whole(people) => people.take().map(Ok),
            People::Stream(rows) => rows.next().await.map(|group| group.map_err(Error::from)),
            People::Ids { institution, ids, next } => {
                let group = &ids[*next..ids.len().min(*next + GROUP)];
                *next += group.len();
                if group.is_empty() {
                    return None;
                }
                Some(participants::by_ids(&mut app.db.read(), *institution, group).await.map_err(Error::from))
            }
            People::Pages { institution, pages, place } => {
                let mut people = Vec::new();
                while let Some(page) = pages.front().copied()
                    && people.len() < GROUP
                {
                    let (start, room) = (rolls::Start { place: *place, pass: 0 }, GROUP - people.len());
                    let sql = &mut app.db.read();
                    let some = match participants::in_roll(sql, *institution, Some(page), start, room as u64)
                        .await
                    {
                        Ok(some) => some,
                        Err(error) => return Some(Err(error.into())),
                    };
                    match some.last() {
                        Some(last) if some.len() == room => *place = last.page_place + 1,
                        _ => {
                            pages.pop_front();
                            *place = 0;
                        }
                    }
                    people.extend(some);
                }
                (!people.is_empty()).then_some(Ok(people))
            }
            People::Roll { institution, page, start, left } => {
                let wanted = (*left).min(GROUP as u64);
                if wanted == 0 {
                    return None;
                }
                let group =
                    participants::in_roll(&mut app.db.read(), *institution, *page, *start, wanted).await;
                if let Ok(people) = &group {
                    let last =
                        people.last().map(|last| if page.is_some() { last.page_place } else { last.id });
                    *left = if last.is_some() { *left - wanted } else { 0 };
                    *start = rolls::Start { place: last.map_or(start.place, |last| last + 1), pass: 0 };
                }
                Some(group.map_err(Error::from))
            }
        }
    }
}

/// Without a window, every match.
pub async fn list(app: &App, institution: i64, filter: &Filter, window: Option<Window>) -> Result<Listing> {
    let page = match &filter.page {
        Some(page) => Some(name_pages::find(app, institution, page).await?.id),
        None => None,
    };
    list_in(app, institution, page, filter, window).await
}

/// The same, of a page that has been found already.
pub(super) async fn list_in(
    app: &App,
    institution: i64,
    page: Option<i64>,
    filter: &Filter,
    window: Option<Window>,
) -> Result<Listing> {
    if filter.names_people() {
        // Whoever asks for no more people than fit the window gets most of them, so they are read at once.
        let asked = (filter.emails.len() + filter.identifiers.len()) as u64;
        if asked <= MOST_AT_ONCE && window.is_none_or(|window| window.page == 1 && asked <= window.per_page) {
            let people = matching(app, institution, page, filter).await?;
            return Ok(Listing::whole(people, window));
        }
        let ids = matching_ids(app, institution, page, filter).await?;
        return Ok(cut(institution, ids, window));
    }
    match (filter.changed.is_set(), window) {
        (true, None) => {
            let rows = participants::changed(&app.db, institution, page, filter.changed);
            Ok(Listing { total: None, people: People::Stream(rows) })
        }
        (true, window) => {
            // In order of arrival and not of change: somebody who changes between two pages must push nobody out.
            let mut rows = participants::changed_ids(&app.db, institution, page, filter.changed);
            let mut ids = Vec::new();
            while let Some(group) = rows.next().await {
                ids.extend(group?);
            }
            ids.sort_unstable();
            Ok(cut(institution, ids, window))
        }
        (false, window) => {
            let window = window.unwrap_or(Window { page: 1, per_page: u64::MAX });
            let roll = page.unwrap_or(rolls::INSTITUTION);
            let (members, start) =
                rolls::seek(&mut app.db.read(), institution, roll, window.offset()).await?;
            let left = if start.is_some() {
                window.per_page.min(members.unsigned_abs() - window.offset())
            } else {
                0
            };
            let start = start.unwrap_or(rolls::Start { place: 0, pass: 0 });
            let people = People::Roll { institution, page, start, left };
            Ok(Listing { total: Some(members.unsigned_abs()), people })
        }
    }
}

fn cut(institution: i64, ids: Vec<i64>, window: Option<Window>) -> Listing {
    let total = Some(ids.len() as u64);
    let ids = match window {
        Some(window) => window.slice(&ids).to_vec(),
        None => ids,
    };
    Listing { total, ..Listing::of_ids(institution, ids) }
}

/// Whoever is in either list, best first.
pub(super) async fn matching(
    app: &App,
    institution: i64,
    page: Option<i64>,
    filter: &Filter,
) -> Result<Vec<Participant>> {
    let sql = &mut app.db.read();
    let mut found: Vec<Participant> = Vec::new();
    for (by, wanted) in filter.lists() {
        found.extend(participants::by_keys(sql, institution, page, by, &wanted, filter.changed).await?);
    }
    let rank = |person: &Participant| {
        let recorded_at = person.recording.as_ref().map_or(0, |recording| recording.recorded_at.micros());
        std::cmp::Reverse((recorded_at, person.id))
    };
    found.sort_by_key(rank);
    found.dedup_by_key(|person| person.id);
    Ok(found)
}

/// The same, when most of them would not be shown.
async fn matching_ids(app: &App, institution: i64, page: Option<i64>, filter: &Filter) -> Result<Vec<i64>> {
    let sql = &mut app.db.read();
    let mut found: Vec<(i64, i64)> = Vec::new();
    for (by, wanted) in filter.lists() {
        let keys = participants::keys(sql, institution, page, by, &wanted, filter.changed).await?;
        found.extend(keys.into_iter().map(|key| (key.id, key.recorded_at)));
    }
    let mut ids = best_first(found);
    ids.dedup();
    Ok(ids)
}

/// Registers somebody on a page. All that is wrong is told together.
pub async fn create(
    app: &App,
    institution: &Institution,
    page: NamePageRef,
    mut draft: Draft,
) -> Result<Participant> {
    let (institution, now, token) = (institution.id, app.clock.now(), app.ids.hex());
    draft.require_for_create();
    if !draft.media.is_empty() {
        // Nobody's sound is processed for a page that is not there.
        name_pages::find(app, institution, &page).await?;
    }
    let brought = media::process(app, &mut draft, now).await?;
    let db = app.db.clone();
    let write = move |new: Vec<Media>| async move {
        db.write(move |sql| {
            Box::pin(async move {
                rolls::lock(sql, institution).await?;
                let page = page_of(sql, institution, &page).await?;
                let made = create_in(sql, institution, page, draft, now, token).await?;
                with_media(sql, institution, made, &new, now).await
            })
        })
        .await
    };
    media::store_and(app, institution, brought, write).await
}

/// Somebody who was just written, with what they brought.
async fn with_media(
    sql: &mut Sql,
    institution: i64,
    person: Participant,
    new: &[Media],
    now: Moment,
) -> Result<Written> {
    if new.is_empty() {
        return Ok((person, Vec::new()));
    }
    let replaced = media::attach(sql, institution, person.id, new, now).await?;
    Ok((written(sql, institution, person.id).await?, replaced))
}

/// The same inside a transaction that does more than this and holds the institution's lock. Nothing is written before
/// everything has been checked, so that an invalid draft leaves the transaction as it was.
pub(super) async fn create_in(
    sql: &mut Sql,
    institution: i64,
    page: i64,
    mut draft: Draft,
    now: Moment,
    token: String,
) -> Result<Participant> {
    draft.require_for_create();
    let mut errors = std::mem::take(&mut draft.errors);
    let email_key = draft.email.set().map(|email| email.key().to_owned());
    if let Some(key) = &email_key
        && participants::email_taken(sql, institution, page, key).await?
    {
        errors.add("email", TAKEN);
    }
    if let Some(identifier) = draft.identifier.set() {
        // Without a usable email it is nobody's own yet.
        let whose = email_key.as_deref().unwrap_or_default();
        if participants::identifier_taken(sql, institution, &text::nfc(identifier), whose).await? {
            errors.add("institution_id", TAKEN);
        }
    }
    let mut custom = CustomValues::default();
    let custom_changed = change_custom(sql, institution, &mut custom, draft.custom, &mut errors).await?;
    errors.into_result()?;
    let email = draft.email.over(None);
    let identifier = draft.identifier.over(None);
    let record = Record {
        id: rolls::join(sql, institution, rolls::INSTITUTION).await?,
        name_page_id: page,
        page_place: rolls::join(sql, institution, page).await?,
        token,
        first_name: draft.first_name.over(None),
        last_name: draft.last_name.over(None),
        email: email.as_ref().map(|email| email.as_given().to_owned()),
        email_key: email.as_ref().map(|email| email.key().to_owned()),
        identifier_key: identifier.as_deref().map(text::nfc),
        identifier,
        phonetic: draft.phonetic.over(None),
        notes: draft.notes.over(None),
        phone_number: draft.phone_number.over(None).map(|number| number.e164().to_owned()),
        legal: change_legal(Legal::default(), draft.legal),
        custom,
        custom_changed_at: custom_changed.then_some(now),
        now,
    };
    participants::insert(sql, institution, &record).await?;
    written(sql, institution, record.id).await
}

/// Changes the fields given and leaves the others.
pub async fn update(
    app: &App,
    institution: &Institution,
    page: NamePageRef,
    email_key: String,
    draft: Draft,
) -> Result<Participant> {
    let (institution, now) = (institution.id, app.clock.now());
    let mut draft = draft.ignore_identity();
    if !draft.media.is_empty() {
        let page = name_pages::find(app, institution, &page).await?.id;
        registered(&mut app.db.read(), institution, page, &email_key).await?;
    }
    let brought = media::process(app, &mut draft, now).await?;
    let db = app.db.clone();
    let write = move |new: Vec<Media>| async move {
        db.write(move |sql| {
            Box::pin(async move {
                rolls::lock(sql, institution).await?;
                let page = page_of(sql, institution, &page).await?;
                let old = registered(sql, institution, page, &email_key).await?;
                let changed = update_in(sql, institution, old, draft, now).await?;
                with_media(sql, institution, changed, &new, now).await
            })
        })
        .await
    };
    media::store_and(app, institution, brought, write).await
}

/// The same inside a transaction, as with `create_in`.
pub(super) async fn update_in(
    sql: &mut Sql,
    institution: i64,
    old: Participant,
    draft: Draft,
    now: Moment,
) -> Result<Participant> {
    let draft = draft.ignore_identity();
    let mut errors = draft.errors;
    let mut custom = old.custom;
    let custom_changed = change_custom(sql, institution, &mut custom, draft.custom, &mut errors).await?;
    let first_name = draft.first_name.over(old.first_name);
    let last_name = draft.last_name.over(old.last_name);
    if first_name.is_none() && last_name.is_none() && !errors.has("first_name") {
        errors.add("first_name", BLANK);
    }
    errors.into_result()?;
    let phonetic = draft.phonetic.over(old.phonetic);
    let notes = draft.notes.over(old.notes);
    let change = participants::Change {
        first_name: first_name.as_deref(),
        last_name: last_name.as_deref(),
        phonetic: phonetic.as_deref(),
        notes: notes.as_deref(),
        phone_number: match &draft.phone_number {
            Given::Absent => None,
            Given::Clear => Some(None),
            Given::Set(number) => Some(Some(number.e164())),
        },
        legal: &change_legal(old.legal, draft.legal),
        custom: &custom,
        custom_changed_at: if custom_changed { Some(now) } else { old.custom_changed_at },
        now,
    };
    participants::update(sql, institution, old.id, &change).await?;
    written(sql, institution, old.id).await
}

/// May search engines list somebody's badge? Their own affair; at first nobody's is.
pub async fn list_badge(
    app: &App,
    institution: &Institution,
    page: NamePageRef,
    email_key: String,
    listed: bool,
) -> Result<()> {
    let institution = institution.id;
    app.db
        .write(move |sql| {
            Box::pin(async move {
                rolls::lock(sql, institution).await?;
                let page = page_of(sql, institution, &page).await?;
                let person = registered(sql, institution, page, &email_key).await?;
                Ok(participants::list_badge(sql, institution, person.id, listed).await?)
            })
        })
        .await
}

pub async fn delete(
    app: &App,
    institution: &Institution,
    page: NamePageRef,
    email_key: String,
) -> Result<()> {
    let (institution, now) = (institution.id, app.clock.now());
    let job = app.ids.id(now);
    let gone = app
        .db
        .write::<_, Error>(move |sql| {
            Box::pin(async move {
                rolls::lock(sql, institution).await?;
                let page = page_of(sql, institution, &page).await?;
                let old = registered(sql, institution, page, &email_key).await?;
                exports::leave(sql, job, institution, Leaving::One(old.id), now).await?;
                participants::delete(sql, institution, page, old.id).await?;
                Ok(store::media::delete_of(sql, institution, old.id).await?)
            })
        })
        .await?;
    media::discard(app, institution, &gone).await;
    Ok(())
}

pub(super) async fn page_of(sql: &mut Sql, institution: i64, page: &NamePageRef) -> Result<i64> {
    let page = store::name_pages::find(sql, institution, page).await?;
    Ok(page.ok_or(Error::Missing(Missing::NamePage))?.id)
}

pub(super) async fn registered(
    sql: &mut Sql,
    institution: i64,
    page: i64,
    email_key: &str,
) -> Result<Participant> {
    let found = participants::best(sql, institution, Some(page), By::Email, email_key).await?;
    found.ok_or(Error::Missing(Missing::Participant))
}

async fn written(sql: &mut Sql, institution: i64, id: i64) -> Result<Participant> {
    let written = participants::by_ids(sql, institution, &[id]).await?.pop();
    written.ok_or_else(|| Error::Internal("a participant is gone after being written".to_owned()))
}

fn change_legal(old: Legal, draft: LegalDraft) -> Legal {
    Legal {
        first_name: draft.first_name.over(old.first_name),
        last_name: draft.last_name.over(old.last_name),
        middle_name: draft.middle_name.over(old.middle_name),
        phonetic: draft.phonetic.over(old.phonetic),
        notes: draft.notes.over(old.notes),
        recording: old.recording,
    }
}

/// Key by key; says whether anything is different afterwards. An unknown key is an error under that key.
async fn change_custom(
    sql: &mut Sql,
    institution: i64,
    values: &mut CustomValues,
    given: Vec<(String, Given<String>)>,
    errors: &mut FieldErrors,
) -> Result<bool> {
    if given.is_empty() {
        return Ok(false);
    }
    let fields: Vec<CustomField> = custom_fields::all(sql, institution).await?;
    let before = values.clone();
    for (key, value) in given {
        let Some(field) = fields.iter().find(|field| field.has_import_key(&key)) else {
            if !errors.has(&key) {
                errors.add(key, INVALID);
            }
            continue;
        };
        match value {
            Given::Absent => {}
            Given::Clear => {
                values.0.remove(&field.id);
            }
            Given::Set(value) => {
                values.0.insert(field.id, value);
            }
        }
    }
    Ok(*values != before)
}
