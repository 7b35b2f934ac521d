//! Participants. Reads return whole records with their page's label. A `Key` has only what selecting and ordering need.

mod arrivals;
mod changes;
pub mod columns;
pub mod hidden;
pub mod known_names;
pub mod merge;
mod names;
mod statements;
mod writes;

use std::{
    collections::HashMap,
    sync::{Arc, LazyLock},
};

use super::{
    Result, Row, Sql, Value, id_values,
    lookup::{Lookup, Param},
    own_list, padded, placeholders,
    rolls::Start,
};
use crate::domain::{
    access::SearchScope,
    ids::{InstitutionId, NamePageId, ParticipantId},
    moment::Moment,
    name_page::{NamePage, PageLabel},
    newest::PersonKeys,
    participant::{Changed, Participant},
};

pub use arrivals::{ArrivalKeys, MOST_ARRIVALS, Vacancies, admit, vacancies};
pub use changes::{ChangePlace, changed, changed_ids};
use columns::{SELECTED_COUNT, SELECTION, from_row, id_of_page};
pub(super) use names::fill_name_keys;
pub use names::{NameMatch, Names, named};
pub use statements::{batches, statements};
pub use writes::{
    Record, clear_emails, delete, insert, insert_all, list_badge, list_badges, set_held, set_identity, update,
};

const LABEL: &str = "n.title, n.slug, n.event_code, n.access_code, n.allow_v2";
const WITH_PAGE: &str =
    "FROM participants p JOIN name_pages n ON n.institution_id = p.institution_id AND n.id = p.name_page_id";
/// SELECT list for whole records with their page's label, read by `with_label`.
pub(super) static WITH_LABEL: LazyLock<String> =
    LazyLock::new(|| format!("{}, {LABEL} {WITH_PAGE}", *SELECTION));
/// Recorded before unrecorded, newest first: clients use the first record of a response.
const BEST_FIRST: &str = "ORDER BY p.recorded_at DESC, p.id DESC";

/// Reads `LABEL`, starting at column `first`.
fn label(row: &Row<'_>, first: usize) -> Result<Arc<PageLabel>> {
    Ok(Arc::new(PageLabel {
        title: row.text(first)?,
        slug: row.text(first + 1)?,
        event_code: row.text(first + 2)?,
        access_code: row.text(first + 3)?,
        allow_v2: row.bool(first + 4)?,
    }))
}

/// Number of columns in `LABEL`.
const LABEL_COUNT: usize = 5;

/// Reads `SELECTION` followed by `LABEL`.
pub(super) fn with_label(row: &Row<'_>) -> Result<Participant> {
    from_row(row, label(row, SELECTED_COUNT)?)
}

/// Runs a query that selects `SELECTION`, and adds the labels.
async fn labeled(
    sql: &mut Sql,
    institution: InstitutionId,
    text: &str,
    params: &[Value<'_>],
) -> Result<Vec<Participant>> {
    let unknown = Arc::default();
    let found = sql.rows(text, params, |row| with_page_id(row, &unknown)).await?;
    add_labels(sql, institution, found).await
}

/// Reads `SELECTION` with the page id, for `add_labels`.
fn with_page_id(row: &Row<'_>, unknown: &Arc<PageLabel>) -> Result<(NamePageId, Participant)> {
    Ok((id_of_page(row)?, from_row(row, unknown.clone())?))
}

/// Fetches each page's label only once: the people in a list are often on the same page.
async fn add_labels(
    sql: &mut Sql,
    institution: InstitutionId,
    mut found: Vec<(NamePageId, Participant)>,
) -> Result<Vec<Participant>> {
    let mut pages: Vec<NamePageId> = found.iter().map(|(page, _)| *page).collect();
    pages.sort_unstable();
    pages.dedup();
    let mut labels = HashMap::with_capacity(pages.len());
    let read = |row: &Row<'_>| Ok((row.id::<NamePageId>(0)?, label(row, 1)?));
    for group in padded(&pages) {
        let count = group.len();
        let params: Vec<Value<'_>> =
            [institution.into()].into_iter().chain(group.into_iter().map(Value::from)).collect();
        labels.extend(match LABELS.get(count.ilog2() as usize) {
            Some(lookup) => sql.look_up(lookup, &params, read).await?,
            None => sql.rows(&labels_text(count), &params, read).await?,
        });
    }
    // Drop people whose page was deleted concurrently.
    found.retain_mut(|(page, person)| {
        labels.get(page).is_some_and(|label| {
            person.page = label.clone();
            true
        })
    });
    Ok(found.into_iter().map(|(_, person)| person).collect())
}

fn labels_text(count: usize) -> String {
    let ids = id_values(2, count);
    format!("SELECT n.id, {LABEL} FROM name_pages n WHERE n.institution_id = $1 AND n.id IN ({ids})")
}

/// The labels of few pages, by the power of two.
static LABELS: LazyLock<[Lookup; 5]> = LazyLock::new(|| {
    [1, 2, 4, 8, 16].map(|count| Lookup::new(labels_text(count), &vec![Param::Int; 1 + count]))
});

/// Lookup key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyKind {
    Email,
    Token,
    Identifier,
}

impl KeyKind {
    const fn column(self) -> &'static str {
        match self {
            Self::Email => "email_key",
            Self::Token => "token",
            Self::Identifier => "identifier_key",
        }
    }
}

/// The page ids of a condition: empty for the whole institution.
fn page_ids(within: SearchScope<'_>) -> Vec<NamePageId> {
    match within {
        SearchScope::Institution => Vec::new(),
        SearchScope::Page(page) => vec![page],
        SearchScope::Pages(pages) => own_list(pages),
    }
}

/// The condition for `count` pages. The parameters start at `first`.
fn on_pages(first: usize, count: usize) -> String {
    match count {
        0 => String::new(),
        1 => format!(" AND p.name_page_id = ${first}"),
        _ => format!(" AND p.name_page_id IN ({})", placeholders(first, count)),
    }
}

/// The best match for a key, by `BEST_FIRST`.
pub async fn best(
    sql: &mut Sql,
    institution: InstitutionId,
    within: SearchScope<'_>,
    by: KeyKind,
    key: &str,
) -> Result<Option<Participant>> {
    let pages = page_ids(within);
    let mut params: Vec<Value<'_>> = vec![institution.into(), key.into()];
    params.extend(pages.iter().map(|page| Value::from(*page)));
    if sql.is_citus() {
        // Citus plans a join each time. Of statements on one table it keeps the plans.
        return Ok(labeled(sql, institution, &unlabeled_text(by, pages.len()), &params).await?.pop());
    }
    match BEST[by as usize].get(pages.len()) {
        Some(lookup) => sql.look_up_one(lookup, &params, with_label).await,
        None => sql.one(&best_text(by, pages.len()), &params, with_label).await,
    }
}

/// Lookups by key, without and with a page.
type ByKey = [[Lookup; 2]; 3];
static BEST: LazyLock<ByKey> = LazyLock::new(|| lookups_by_key(best_text));

fn lookups_by_key(text: fn(KeyKind, usize) -> String) -> ByKey {
    [KeyKind::Email, KeyKind::Token, KeyKind::Identifier].map(|by| {
        [
            Lookup::new(text(by, 0), &[Param::Int, Param::Text]),
            Lookup::new(text(by, 1), &[Param::Int, Param::Text, Param::Int]),
        ]
    })
}

fn best_text(by: KeyKind, pages: usize) -> String {
    let (column, on_pages) = (by.column(), on_pages(3, pages));
    format!(
        "SELECT {} WHERE p.institution_id = $1 AND p.{column} = $2{on_pages} {BEST_FIRST} LIMIT 1",
        WITH_LABEL.as_str()
    )
}

/// The best match on a page that the caller has read, so that its label is known.
pub async fn best_on_page(
    sql: &mut Sql,
    institution: InstitutionId,
    page: &NamePage,
    by: KeyKind,
    key: &str,
) -> Result<Option<Participant>> {
    let label = Arc::new(PageLabel::from(page.clone()));
    let params: [Value<'_>; 3] = [institution.into(), key.into(), page.id.into()];
    let [_, on_page] = &UNLABELED[by as usize];
    sql.look_up_one(on_page, &params, |row| from_row(row, label.clone())).await
}

static UNLABELED: LazyLock<ByKey> = LazyLock::new(|| lookups_by_key(unlabeled_text));

/// The best match for a key, without its page's label.
fn unlabeled_text(by: KeyKind, pages: usize) -> String {
    let (column, on_pages) = (by.column(), on_pages(3, pages));
    format!(
        "SELECT {} FROM participants p WHERE p.institution_id = $1 AND p.{column} = $2{on_pages} {BEST_FIRST} LIMIT 1",
        *SELECTION
    )
}

/// May search engines index this person's badge?
pub async fn badge_listed(sql: &mut Sql, institution: InstitutionId, id: ParticipantId) -> Result<bool> {
    let text = "SELECT badge_listed FROM participants WHERE institution_id = $1 AND id = $2";
    Ok(sql.one(text, &[institution.into(), id.into()], |row| row.bool(0)).await?.unwrap_or(false))
}

/// May search engines index every badge of this person? False if there is none.
pub async fn all_listed(sql: &mut Sql, institution: InstitutionId, email_key: &str) -> Result<bool> {
    let least = sql.one(ALL_LISTED, &[institution.into(), email_key.into()], |row| row.bool(0)).await?;
    Ok(least.unwrap_or(false))
}

/// The badges that are not listed come first.
const ALL_LISTED: &str = "SELECT p.badge_listed FROM participants p WHERE p.institution_id = $1 AND p.email_key = $2 ORDER BY p.badge_listed LIMIT 1";

/// The columns needed to select and order people, without their whole records.
#[derive(Debug, Clone)]
pub struct Key {
    pub id: ParticipantId,
    pub recorded_at: i64,
    pub matched: String,
    pub email_key: Option<String>,
}

fn bounds(changed: Changed) -> [Value<'static>; 2] {
    let after = changed.after.map_or(i64::MIN, Moment::micros);
    let before = changed.before.map_or(i64::MAX, Moment::micros);
    [after.into(), before.into()]
}

/// Selects people by key, within these pages, and in this range of changes.
#[derive(Debug, Clone, Copy)]
pub struct KeyFilter<'a> {
    pub within: SearchScope<'a>,
    pub by: KeyKind,
    pub keys: &'a [&'a str],
    pub changed: Changed,
}

impl<'a> KeyFilter<'a> {
    /// Whenever they changed.
    pub fn new(within: SearchScope<'a>, by: KeyKind, keys: &'a [&'a str]) -> Self {
        Self { within, by, keys, changed: Changed::default() }
    }
}

/// Everybody who matches, with the columns of a `Key`. Parses nothing that may be unreadable.
pub async fn keys(sql: &mut Sql, institution: InstitutionId, filter: KeyFilter<'_>) -> Result<Vec<Key>> {
    let columns = format!("p.id, p.recorded_at, p.{}, p.email_key", filter.by.column());
    matching(sql, institution, filter, &columns, |row| {
        Ok(Key {
            id: row.id(0)?,
            recorded_at: row.int(1)?,
            matched: row.text(2)?,
            email_key: row.opt_text(3)?,
        })
    })
    .await
}

/// The columns needed to keep one registration per person.
#[derive(Debug, Clone)]
pub struct Registration {
    pub id: ParticipantId,
    pub recorded_at: i64,
    pub person: PersonKeys,
}

const REGISTRATION: &str = "p.id, p.recorded_at, p.email_key, p.identifier_key";

/// Everybody who matches, with the columns that tell which registrations belong to the same person.
pub async fn registrations(
    sql: &mut Sql,
    institution: InstitutionId,
    filter: KeyFilter<'_>,
) -> Result<Vec<Registration>> {
    matching(sql, institution, filter, REGISTRATION, |row| {
        let person = PersonKeys { email: row.opt_text(2)?, identifier: row.opt_text(3)? };
        Ok(Registration { id: row.id(0)?, recorded_at: row.int(1)?, person })
    })
    .await
}

/// Whole records of everybody who matches, unordered.
pub async fn by_keys(
    sql: &mut Sql,
    institution: InstitutionId,
    filter: KeyFilter<'_>,
) -> Result<Vec<Participant>> {
    if let KeyFilter { within, by, keys: [key], changed } = filter
        && !changed.is_set()
        // Without statistics, SQLite might look for the person on each page. Citus plans a join each time.
        && sql.is_postgres()
        && !sql.is_citus()
    {
        let pages = page_ids(within);
        if let Some(lookup) = WITH_KEY[by as usize].get(pages.len()) {
            let mut params: Vec<Value<'_>> = vec![institution.into(), (*key).into()];
            params.extend(pages.iter().map(|page| Value::from(*page)));
            return sql.look_up(lookup, &params, with_label).await;
        }
    }
    let unknown = Arc::default();
    let found = matching(sql, institution, filter, &SELECTION, |row| with_page_id(row, &unknown)).await?;
    add_labels(sql, institution, found).await
}

/// Everybody with a key, with labels.
static WITH_KEY: LazyLock<ByKey> = LazyLock::new(|| lookups_by_key(with_key_text));

fn with_key_text(by: KeyKind, pages: usize) -> String {
    let (column, on_pages) = (by.column(), on_pages(3, pages));
    format!("SELECT {} WHERE p.institution_id = $1 AND p.{column} = $2{on_pages}", WITH_LABEL.as_str())
}

/// Selects these columns of everybody who matches.
async fn matching<T: Send>(
    sql: &mut Sql,
    institution: InstitutionId,
    filter: KeyFilter<'_>,
    columns: &str,
    read: impl Fn(&Row<'_>) -> Result<T> + Send + Sync,
) -> Result<Vec<T>> {
    let KeyFilter { within, by, keys, changed } = filter;
    let (mut found, pages) = (Vec::with_capacity(keys.len()), page_ids(within));
    for group in padded(keys) {
        let text = by_keys_text(columns, by, group.len(), changed.is_set(), pages.len());
        let mut params: Vec<Value<'_>> = vec![institution.into()];
        params.extend(group.into_iter().map(Value::from));
        if changed.is_set() {
            params.extend(bounds(changed));
        }
        params.extend(pages.iter().map(|page| Value::from(*page)));
        found.append(&mut sql.rows(&text, &params, &read).await?);
    }
    Ok(found)
}

fn by_keys_text(what: &str, by: KeyKind, count: usize, changed: bool, pages: usize) -> String {
    let column = by.column();
    let next = count + 2;
    let on_pages = on_pages(if changed { next + 2 } else { next }, pages);
    let changed = if changed {
        format!(" AND p.updated_at > ${next} AND p.updated_at < ${}", next + 1)
    } else {
        String::new()
    };
    format!(
        "SELECT {what} FROM participants p WHERE p.institution_id = $1 AND p.{column} IN ({}){changed}{on_pages}",
        placeholders(2, count)
    )
}

/// Records by id, in the order of `ids`.
pub async fn by_ids(
    sql: &mut Sql,
    institution: InstitutionId,
    ids: &[ParticipantId],
) -> Result<Vec<Participant>> {
    let mut found = Vec::with_capacity(ids.len());
    for group in padded(ids) {
        let mut params: Vec<Value<'_>> = vec![institution.into()];
        params.extend(group.iter().map(|id| Value::from(*id)));
        found.extend(labeled(sql, institution, &by_ids_text(group.len()), &params).await?);
    }
    let place: HashMap<ParticipantId, usize> = ids.iter().enumerate().map(|(at, id)| (*id, at)).collect();
    found.sort_by_cached_key(|participant| place.get(&participant.id).copied());
    Ok(found)
}

fn by_ids_text(count: usize) -> String {
    format!(
        "SELECT {} FROM participants p WHERE p.institution_id = $1 AND p.id IN ({})",
        *SELECTION,
        placeholders(2, count)
    )
}

/// A slice of a roll, in the order in which people joined.
pub async fn in_roll(
    sql: &mut Sql,
    institution: InstitutionId,
    page: Option<NamePageId>,
    start: Start,
    count: u64,
) -> Result<Vec<Participant>> {
    let (params, unknown) = (roll_params(institution, page, start, count), Arc::default());
    let lookup = if page.is_some() { &*ON_PAGE } else { &*IN_INSTITUTION };
    let found = slice(sql, lookup, &params, count, |row| with_page_id(row, &unknown)).await?;
    add_labels(sql, institution, found).await
}

/// `in_roll` of a page that the caller has read, so that its label is known.
pub async fn on_known_page(
    sql: &mut Sql,
    institution: InstitutionId,
    (page, label): (NamePageId, &Arc<PageLabel>),
    start: Start,
    count: u64,
) -> Result<Vec<Participant>> {
    let params = roll_params(institution, Some(page), start, count);
    slice(sql, &ON_PAGE, &params, count, |row| from_row(row, label.clone())).await
}

/// A longer slice has a statement of its own: it costs as much as in a batch, where others would wait for it.
const LONGEST_IN_BATCH: u64 = 25;

async fn slice<T: Send>(
    sql: &mut Sql,
    lookup: &'static Lookup,
    params: &[Value<'_>],
    count: u64,
    read: impl Fn(&Row<'_>) -> Result<T> + Send + Sync,
) -> Result<Vec<T>> {
    if count > LONGEST_IN_BATCH {
        return sql.rows(lookup.one(), params, read).await;
    }
    sql.look_up(lookup, params, read).await
}

fn roll_params(
    institution: InstitutionId,
    page: Option<NamePageId>,
    start: Start,
    count: u64,
) -> Vec<Value<'static>> {
    let count = i64::try_from(count).unwrap_or(i64::MAX);
    let mut params = vec![institution.into()];
    params.extend(page.map(Value::from));
    params.extend([start.place.into(), count.into(), start.pass.into()]);
    params
}

static IN_INSTITUTION: LazyLock<Lookup> = LazyLock::new(|| {
    let text = format!(
        "SELECT {} FROM participants p WHERE p.institution_id = $1 AND p.id >= $2 ORDER BY p.id LIMIT $3 OFFSET $4",
        *SELECTION
    );
    Lookup::new(text, &[Param::Int; 4])
});
static ON_PAGE: LazyLock<Lookup> = LazyLock::new(|| {
    let text = format!(
        "SELECT {} FROM participants p WHERE p.institution_id = $1 AND p.name_page_id = $2 AND p.page_place >= $3 \
         ORDER BY p.page_place LIMIT $4 OFFSET $5",
        *SELECTION
    );
    Lookup::new(text, &[Param::Int; 5])
});

/// Does this identifier belong to somebody with a different email?
pub async fn identifier_taken(
    sql: &mut Sql,
    institution: InstitutionId,
    identifier_key: &str,
    email_key: &str,
) -> Result<bool> {
    let params = [institution.into(), identifier_key.into(), email_key.into()];
    Ok(sql.one(IDENTIFIER_TAKEN, &params, |_| Ok(())).await?.is_some())
}

const IDENTIFIER_TAKEN: &str = "SELECT 1 FROM participants WHERE institution_id = $1 AND identifier_key = $2 \
     AND (email_key IS NULL OR email_key <> $3) LIMIT 1";

/// Where an email is already registered.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Registered {
    /// On the given page.
    pub on_page: bool,
    /// Anywhere in the institution with a recording or a directory hold, including hidden people.
    pub recorded: bool,
}

pub async fn registered(
    sql: &mut Sql,
    institution: InstitutionId,
    page: NamePageId,
    email_key: &str,
) -> Result<Registered> {
    let rows = sql.rows(REGISTERED, &[institution.into(), email_key.into()], registration_row).await?;
    Ok(registered_in(rows.into_iter(), page))
}

/// Reads `REGISTERED`: the page, when it was recorded, and the id of a registration that is paused or has a directory hold.
fn registration_row(row: &Row<'_>) -> Result<(NamePageId, i64, Option<i64>)> {
    Ok((row.id(0)?, row.int(1)?, row.opt_int(2)?))
}

fn registered_in(rows: impl Iterator<Item = (NamePageId, i64, Option<i64>)>, page: NamePageId) -> Registered {
    rows.fold(Registered::default(), |all, (on, recorded_at, paused)| Registered {
        on_page: all.on_page || on == page,
        recorded: all.recorded || recorded_at > 0 || paused.is_some(),
    })
}

/// Page 0 marks hidden people, who are on no page.
const REGISTERED: &str = "SELECT p.name_page_id, p.recorded_at, COALESCE(q.participant_id, CASE WHEN p.directory_hold = TRUE THEN p.id END) FROM participants p \
     LEFT JOIN paused_participants q ON q.institution_id = p.institution_id AND q.participant_id = p.id \
     WHERE p.institution_id = $1 AND p.email_key = $2 \
     UNION ALL SELECT 0, h.recorded_at, COALESCE(q.participant_id, CASE WHEN h.directory_hold = TRUE THEN h.id END) FROM hidden_participants h \
     LEFT JOIN paused_participants q ON q.institution_id = h.institution_id AND q.participant_id = h.id \
     WHERE h.institution_id = $1 AND h.email_key = $2";

/// What an institution and a page have for a new participant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Vacancy {
    /// On the institution's roll.
    pub id: ParticipantId,
    /// On the page's roll.
    pub place: i64,
    pub registered: Registered,
}

/// All in one statement. `None` if there is no such page or institution. The caller holds the institution's lock, so the places stay free.
pub async fn vacancy(
    sql: &mut Sql,
    institution: InstitutionId,
    page: NamePageId,
    email_key: Option<&str>,
) -> Result<Option<Vacancy>> {
    // Nobody has an email that is NULL.
    let params: [Value<'_>; 3] = [institution.into(), email_key.into(), page.into()];
    let rows = sql.rows(&VACANCY, &params, registration_row).await?;
    let next =
        |roll: NamePageId| rows.iter().find(|(on, ..)| *on == roll).map(|(_, next_place, _)| *next_place);
    let (Some(id), Some(place)) = (next(WHOLE_ROLL), next(PAGE_ROLL)) else { return Ok(None) };
    let is_person = |(on, ..): &(NamePageId, i64, Option<i64>)| ![WHOLE_ROLL, PAGE_ROLL].contains(on);
    let registered = registered_in(rows.iter().copied().filter(is_person), page);
    Ok(Some(Vacancy { id: ParticipantId::new(id), place, registered }))
}

/// These mark the rows of the rolls, in place of a page id.
const PAGE_ROLL: NamePageId = NamePageId::new(-1);
const WHOLE_ROLL: NamePageId = NamePageId::new(-2);
static VACANCY: LazyLock<String> = LazyLock::new(|| {
    format!(
        "{REGISTERED} UNION ALL SELECT {PAGE_ROLL}, o.next_place, NULL FROM rolls o WHERE o.institution_id = $1 AND o.name_page_id = $3 \
         UNION ALL SELECT {WHOLE_ROLL}, w.next_place, NULL FROM rolls w WHERE w.institution_id = $1 AND w.name_page_id = 0"
    )
});

/// The number to call, if the person gave one.
pub async fn phone_number(
    sql: &mut Sql,
    institution: InstitutionId,
    id: ParticipantId,
) -> Result<Option<String>> {
    let text = "SELECT phone_number FROM participants WHERE institution_id = $1 AND id = $2";
    Ok(sql.one(text, &[institution.into(), id.into()], |row| row.opt_text(0)).await?.flatten())
}
