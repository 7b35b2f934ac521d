//! People as lists of the console show them: just the columns that searching, filtering and sorting need.

use std::collections::{BTreeMap, HashSet};

use super::{Result, Row, Sql, Value, padded, placeholders, stored_json};
use crate::domain::{
    ids::{CustomFieldId, InstitutionId, NamePageId, ParticipantId},
    people_query::{Cursor, Findable, name_key},
};

#[derive(Debug, Clone)]
pub struct Slim {
    pub id: ParticipantId,
    pub page: NamePageId,
    pub first_name: Option<String>,
    pub last_name: Option<String>,
    pub email: Option<String>,
    pub identifier: Option<String>,
    /// 0 without a recording that others can hear.
    pub recorded_at: i64,
    pub updated_at: i64,
    pub has_phone: bool,
    custom: Option<String>,
    pub is_invited: bool,
    /// There is a recording, audible or not, or one that waits for approval.
    pub has_sound: bool,
    pub directory_hold: bool,
}

impl Slim {
    pub fn name_key(&self) -> String {
        name_key(self.first_name.as_deref(), self.last_name.as_deref())
    }

    pub fn findable(&self) -> Findable<'_> {
        Findable {
            first_name: self.first_name.as_deref(),
            last_name: self.last_name.as_deref(),
            email: self.email.as_deref(),
            identifier: self.identifier.as_deref(),
        }
    }

    /// The value of a custom field, if it was read (`Extra::custom`).
    pub fn custom(&self, field: CustomFieldId) -> Result<Option<String>> {
        let Some(json) = self.custom.as_deref() else { return Ok(None) };
        let mut values: BTreeMap<CustomFieldId, String> =
            stored_json(("participants", "custom", self.id), json)?;
        Ok(values.remove(&field))
    }
}

/// What is read only if it is needed: it costs a lookup for each person.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Extra {
    pub custom: bool,
    pub invited: bool,
    pub sound: bool,
}

fn from_row(row: &Row<'_>) -> Result<Slim> {
    Ok(Slim {
        id: row.id(0)?,
        page: row.id(1)?,
        first_name: row.opt_text(2)?,
        last_name: row.opt_text(3)?,
        email: row.opt_text(4)?,
        identifier: row.opt_text(5)?,
        recorded_at: row.int(6)?,
        updated_at: row.int(7)?,
        has_phone: row.bool(8)?,
        custom: row.opt_text(9)?,
        is_invited: row.bool(10)?,
        has_sound: row.bool(11)?,
        directory_hold: row.bool(12)?,
    })
}

/// What `from_row` reads. The institution is the first parameter.
fn columns(extra: Extra) -> String {
    const INVITED: &str = "COALESCE((SELECT 1 FROM invitations i WHERE i.institution_id = $1 \
         AND i.name_page_id = p.name_page_id AND i.email_key = p.email_key AND i.withdrawn_at IS NULL LIMIT 1), 0) = 1";
    const SOUND: &str = "COALESCE((SELECT 1 FROM media m WHERE m.institution_id = $1 AND m.participant_id = p.id \
         AND m.kind IN ('recording', 'held') LIMIT 1), 0) = 1";
    format!(
        "p.id, p.name_page_id, p.first_name, p.last_name, p.email, p.identifier, p.recorded_at, p.updated_at, \
         p.phone_number IS NOT NULL, {}, {}, {}, p.directory_hold",
        if extra.custom { "p.custom" } else { "CAST(NULL AS TEXT)" },
        if extra.invited { INVITED } else { "FALSE" },
        if extra.sound { SOUND } else { "FALSE" },
    )
}

/// Those of these people who are there, unordered.
pub async fn by_ids(
    sql: &mut Sql,
    institution: InstitutionId,
    ids: &[ParticipantId],
    extra: Extra,
) -> Result<Vec<Slim>> {
    let mut found = Vec::with_capacity(ids.len());
    for group in padded(ids) {
        let text = by_ids_text(extra, group.len());
        found.append(&mut sql.rows(&text, &keyed(institution, group), from_row).await?);
    }
    Ok(found)
}

fn by_ids_text(extra: Extra, count: usize) -> String {
    format!(
        "SELECT {} FROM participants p WHERE p.institution_id = $1 AND p.id IN ({})",
        columns(extra),
        placeholders(2, count)
    )
}

fn keyed(institution: InstitutionId, ids: Vec<ParticipantId>) -> Vec<Value<'static>> {
    [institution.into()].into_iter().chain(ids.into_iter().map(Value::from)).collect()
}

/// Everybody of the institution or of a page, at most so many, in the order of the roll.
pub async fn everybody(
    sql: &mut Sql,
    institution: InstitutionId,
    page: Option<NamePageId>,
    extra: Extra,
    count: i64,
) -> Result<Vec<Slim>> {
    let mut params: Vec<Value<'_>> = vec![institution.into()];
    params.extend(page.map(Value::from));
    params.push(count.into());
    sql.rows(&everybody_text(extra, page.is_some()), &params, from_row).await
}

fn everybody_text(extra: Extra, on_page: bool) -> String {
    let which = match on_page {
        true => "AND p.name_page_id = $2 ORDER BY p.page_place LIMIT $3",
        false => "ORDER BY p.id LIMIT $2",
    };
    format!("SELECT {} FROM participants p WHERE p.institution_id = $1 {which}", columns(extra))
}

/// What a list of the whole institution is sorted by, the newest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Newest {
    Change,
    Recording,
}

pub async fn newest(
    sql: &mut Sql,
    institution: InstitutionId,
    by: Newest,
    extra: Extra,
    behind: Option<Cursor>,
    count: i64,
) -> Result<Vec<Slim>> {
    let behind = behind.unwrap_or(Cursor { at: i64::MAX, id: ParticipantId::new(i64::MAX) });
    let params: [Value<'_>; 4] = [institution.into(), behind.at.into(), behind.id.into(), count.into()];
    sql.rows(&newest_text(by, extra), &params, from_row).await
}

fn newest_text(by: Newest, extra: Extra) -> String {
    let (column, only) = match by {
        Newest::Change => ("p.updated_at", ""),
        Newest::Recording => ("p.recorded_at", " AND p.recorded_at > 0"),
    };
    format!(
        "SELECT {} FROM participants p WHERE p.institution_id = $1{only} AND ({column}, p.id) < ($2, $3) \
         ORDER BY {column} DESC, p.id DESC LIMIT $4",
        columns(extra)
    )
}

/// Those with a recording or an entry that waits for approval, at most so many.
pub async fn waiting(sql: &mut Sql, institution: InstitutionId, count: i64) -> Result<Vec<ParticipantId>> {
    let mut found = Vec::new();
    for table in ["moderation", "entry_cases"] {
        let text = format!(
            "SELECT c.participant_id FROM {table} c WHERE c.institution_id = $1 AND c.state = 'open' \
             AND c.kind = 'held' ORDER BY c.id LIMIT $2"
        );
        found.extend(
            sql.rows(&text, &[institution.into(), count.into()], |row| row.id::<ParticipantId>(0)).await?,
        );
    }
    found.sort_unstable();
    found.dedup();
    found.truncate(usize::try_from(count).unwrap_or(usize::MAX));
    Ok(found)
}

/// Those whose recordings are paused, at most so many.
pub async fn paused(sql: &mut Sql, institution: InstitutionId, count: i64) -> Result<Vec<ParticipantId>> {
    let text = "SELECT q.participant_id FROM paused_participants q WHERE q.institution_id = $1 \
                ORDER BY q.participant_id LIMIT $2";
    sql.rows(text, &[institution.into(), count.into()], |row| row.id(0)).await
}

/// Those of these people with a recording or an entry that waits for approval.
pub async fn waiting_among(
    sql: &mut Sql,
    institution: InstitutionId,
    ids: &[ParticipantId],
) -> Result<HashSet<ParticipantId>> {
    let mut found = HashSet::new();
    for group in padded(ids) {
        let params = keyed(institution, group.clone());
        for text in [waiting_among_text(group.len()), held_among_text(group.len())] {
            found.extend(sql.rows(&text, &params, |row| row.id::<ParticipantId>(0)).await?);
        }
    }
    Ok(found)
}

fn held_among_text(count: usize) -> String {
    format!(
        "SELECT p.id FROM participants p WHERE p.institution_id = $1 AND p.id IN ({}) AND p.held",
        placeholders(2, count)
    )
}

fn waiting_among_text(count: usize) -> String {
    format!(
        "SELECT m.participant_id FROM media m WHERE m.institution_id = $1 AND m.participant_id IN ({}) AND m.kind = 'held'",
        placeholders(2, count)
    )
}

/// Where somebody is registered, and the keys that must be unique.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    pub id: ParticipantId,
    pub page: NamePageId,
    pub page_place: i64,
    pub email_key: Option<String>,
    pub identifier_key: Option<String>,
    pub updated_at: i64,
}

/// Those of these people who are there; `hidden` are those who have left or were deleted.
pub async fn places(
    sql: &mut Sql,
    institution: InstitutionId,
    ids: &[ParticipantId],
    hidden: bool,
) -> Result<Vec<Place>> {
    let mut found = Vec::with_capacity(ids.len());
    for group in padded(ids) {
        let text = places_text(hidden, group.len());
        let read = |row: &Row<'_>| {
            Ok(Place {
                id: row.id(0)?,
                page: row.id(1)?,
                page_place: row.int(2)?,
                email_key: row.opt_text(3)?,
                identifier_key: row.opt_text(4)?,
                updated_at: row.int(5)?,
            })
        };
        found.append(&mut sql.rows(&text, &keyed(institution, group), read).await?);
    }
    Ok(found)
}

fn places_text(hidden: bool, count: usize) -> String {
    format!(
        "SELECT p.id, p.name_page_id, p.page_place, p.email_key, p.identifier_key, p.updated_at FROM {} p \
         WHERE p.institution_id = $1 AND p.id IN ({})",
        if hidden { "hidden_participants" } else { "participants" },
        placeholders(2, count)
    )
}

/// For the test that checks query plans.
#[doc(hidden)]
pub fn statements() -> Vec<(&'static str, String, Vec<Value<'static>>)> {
    let (none, all) = (Extra::default(), Extra { custom: true, invited: true, sound: true });
    let numbers = |all: &[i64]| -> Vec<Value<'static>> { all.iter().copied().map(Value::Int).collect() };
    let ids = || numbers(&[vec![1], vec![7; 64]].concat());
    let mut statements = Vec::new();
    for extra in [none, all] {
        statements.extend([
            ("slim people by id", by_ids_text(extra, 64), ids()),
            ("slim people of an institution", everybody_text(extra, false), numbers(&[1, 100])),
            ("slim people of a page", everybody_text(extra, true), numbers(&[1, 1, 100])),
            ("the newest changes", newest_text(Newest::Change, extra), numbers(&[1, 900_000, 5, 100])),
            ("the newest recordings", newest_text(Newest::Recording, extra), numbers(&[1, 15_000, 5, 100])),
        ]);
    }
    statements.push(("whose recordings wait", waiting_among_text(64), ids()));
    statements.push(("where people are", places_text(false, 64), ids()));
    statements
}
