//! The search index of people: their words, and their order by name. It follows the people, see `app/people_index.rs`: a row may be of
//! somebody who has changed or left since, so whoever reads it reads the people, too.

use super::{Result, Row, Sql, Value, in_power_of_two_chunks, padded, placeholders, value_rows};
use crate::domain::{
    ids::{InstitutionId, NamePageId, ParticipantId},
    people_query::{Findable, end_of, name_key},
};

/// A place in the order of changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Position {
    pub changed_at: i64,
    pub id: ParticipantId,
}

impl Position {
    /// Before all changes.
    pub const START: Self = Self { changed_at: i64::MIN, id: ParticipantId::new(i64::MIN) };
}

/// Everybody up to there is in the index.
pub async fn position(sql: &mut Sql, institution: InstitutionId) -> Result<Position> {
    let text = "SELECT changed_at, last_id FROM people_indexed WHERE institution_id = $1";
    let read = |row: &Row<'_>| Ok(Position { changed_at: row.int(0)?, id: row.id(1)? });
    Ok(sql.one(text, &[institution.into()], read).await?.unwrap_or(Position::START))
}

pub async fn set_position(sql: &mut Sql, institution: InstitutionId, position: Position) -> Result<()> {
    let text = "INSERT INTO people_indexed (institution_id, changed_at, last_id) VALUES ($1, $2, $3) \
                ON CONFLICT (institution_id) DO UPDATE SET changed_at = excluded.changed_at, \
                last_id = excluded.last_id";
    let params = [institution.into(), position.changed_at.into(), position.id.into()];
    sql.execute(text, &params).await.map(|_| ())
}

/// Somebody as they are, and what the index knows.
#[derive(Debug, Clone)]
pub struct Changed {
    pub position: Position,
    page: NamePageId,
    first_name: Option<String>,
    last_name: Option<String>,
    email: Option<String>,
    identifier: Option<String>,
    /// Their position when they were put into the index.
    indexed_at: Option<i64>,
}

impl Changed {
    /// Is the index as old as this?
    pub fn is_stale(&self) -> bool {
        self.indexed_at != Some(self.position.changed_at)
    }
}

/// People in the order of their changes, behind a position.
pub async fn changed(
    sql: &mut Sql,
    institution: InstitutionId,
    behind: Position,
    count: i64,
) -> Result<Vec<Changed>> {
    let params: [Value<'_>; 4] =
        [institution.into(), behind.changed_at.into(), behind.id.into(), count.into()];
    let read = |row: &Row<'_>| {
        Ok(Changed {
            position: Position { changed_at: row.int(6)?, id: row.id(0)? },
            page: row.id(1)?,
            first_name: row.opt_text(2)?,
            last_name: row.opt_text(3)?,
            email: row.opt_text(4)?,
            identifier: row.opt_text(5)?,
            indexed_at: row.opt_int(7)?,
        })
    };
    sql.rows(CHANGED, &params, read).await
}

const CHANGED: &str = "SELECT p.id, p.name_page_id, p.first_name, p.last_name, p.email, p.identifier, p.updated_at, \
     (SELECT n.changed_at FROM people_names n WHERE n.institution_id = $1 AND n.participant_id = p.id) \
     FROM participants p WHERE p.institution_id = $1 AND (p.updated_at, p.id) > ($2, $3) \
     ORDER BY p.updated_at, p.id LIMIT $4";

/// Puts people into the index, in place of what it knew of them. The caller holds the institution's lock, so that nobody is erased
/// meanwhile.
pub async fn put(sql: &mut Sql, institution: InstitutionId, people: &[&Changed]) -> Result<()> {
    let ids: Vec<ParticipantId> = people.iter().map(|person| person.position.id).collect();
    for group in padded(&ids) {
        let text = format!(
            "DELETE FROM people_words WHERE institution_id = $1 AND participant_id IN ({})",
            placeholders(2, group.len())
        );
        let params: Vec<Value<'_>> =
            [institution.into()].into_iter().chain(group.into_iter().map(Value::from)).collect();
        sql.execute(&text, &params).await?;
    }
    let mut words: Vec<(String, ParticipantId)> = Vec::new();
    for person in people {
        let findable = Findable {
            first_name: person.first_name.as_deref(),
            last_name: person.last_name.as_deref(),
            email: person.email.as_deref(),
            identifier: person.identifier.as_deref(),
        };
        words.extend(findable.words().into_iter().map(|word| (word, person.position.id)));
    }
    for group in in_power_of_two_chunks(&words) {
        let text = format!(
            "INSERT INTO people_words (institution_id, word, participant_id) VALUES {} \
             ON CONFLICT (institution_id, word, participant_id) DO NOTHING",
            value_rows(1, group.len(), 3)
        );
        let row = |(word, id): &(String, ParticipantId)| {
            [Value::from(institution), Value::from(word.clone()), Value::from(*id)]
        };
        let params: Vec<Value<'_>> = group.iter().flat_map(row).collect();
        sql.execute(&text, &params).await?;
    }
    for group in in_power_of_two_chunks(people) {
        let text = format!(
            "INSERT INTO people_names (institution_id, participant_id, name_page_id, name_key, changed_at) VALUES {} \
             ON CONFLICT (institution_id, participant_id) DO UPDATE SET name_page_id = excluded.name_page_id, \
             name_key = excluded.name_key, changed_at = excluded.changed_at",
            value_rows(1, group.len(), 5)
        );
        let mut params: Vec<Value<'_>> = Vec::with_capacity(group.len() * 5);
        for person in group {
            let key = name_key(person.first_name.as_deref(), person.last_name.as_deref());
            let Position { changed_at, id } = person.position;
            params.extend([institution.into(), id.into(), person.page.into(), key.into(), changed_at.into()]);
        }
        sql.execute(&text, &params).await?;
    }
    Ok(())
}

/// Those with a word that begins so, in the order of these words. Somebody may be among them twice.
pub async fn found(
    sql: &mut Sql,
    institution: InstitutionId,
    beginning: &str,
    count: i64,
) -> Result<Vec<ParticipantId>> {
    let params: [Value<'_>; 4] =
        [institution.into(), beginning.into(), end_of(beginning).into(), count.into()];
    sql.rows(FOUND, &params, |row| row.id(0)).await
}

const FOUND: &str = "SELECT w.participant_id FROM people_words w WHERE w.institution_id = $1 \
     AND w.word >= $2 AND w.word < $3 ORDER BY w.word, w.participant_id LIMIT $4";

/// A place in the order of names.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct NamePlace {
    pub key: String,
    pub id: ParticipantId,
}

/// People of the institution or of a page by name, behind a place.
pub async fn by_name(
    sql: &mut Sql,
    institution: InstitutionId,
    page: Option<NamePageId>,
    behind: &NamePlace,
    count: i64,
) -> Result<Vec<NamePlace>> {
    let mut params: Vec<Value<'_>> = vec![institution.into()];
    params.extend(page.map(Value::from));
    params.extend([(&behind.key).into(), behind.id.into(), count.into()]);
    let text = if page.is_some() { BY_NAME_ON_PAGE } else { BY_NAME };
    sql.rows(text, &params, |row| Ok(NamePlace { key: row.text(0)?, id: row.id(1)? })).await
}

const BY_NAME: &str = "SELECT n.name_key, n.participant_id FROM people_names n WHERE n.institution_id = $1 \
     AND (n.name_key, n.participant_id) > ($2, $3) ORDER BY n.name_key, n.participant_id LIMIT $4";
const BY_NAME_ON_PAGE: &str = "SELECT n.name_key, n.participant_id FROM people_names n WHERE n.institution_id = $1 \
     AND n.name_page_id = $2 AND (n.name_key, n.participant_id) > ($3, $4) \
     ORDER BY n.name_key, n.participant_id LIMIT $5";

/// Where somebody is in the order of names: as the index knows it, or else as they are.
pub async fn place_of(
    sql: &mut Sql,
    institution: InstitutionId,
    id: ParticipantId,
) -> Result<Option<NamePlace>> {
    let params = [institution.into(), id.into()];
    let text = "SELECT name_key FROM people_names WHERE institution_id = $1 AND participant_id = $2";
    if let Some(key) = sql.one(text, &params, |row| row.text(0)).await? {
        return Ok(Some(NamePlace { key, id }));
    }
    let text = "SELECT first_name, last_name FROM participants WHERE institution_id = $1 AND id = $2";
    let names = sql.one(text, &params, |row| Ok((row.opt_text(0)?, row.opt_text(1)?))).await?;
    Ok(names.map(|(first, last)| NamePlace { key: name_key(first.as_deref(), last.as_deref()), id }))
}

/// For the test that checks query plans: reads of people.
#[doc(hidden)]
pub fn statements() -> Vec<(&'static str, String, Vec<Value<'static>>)> {
    let numbers = |all: &[i64]| -> Vec<Value<'static>> { all.iter().copied().map(Value::Int).collect() };
    vec![("people to be put into the index", CHANGED.to_owned(), numbers(&[1, 5, 5, 500]))]
}

/// For the test that checks query plans: reads of the index.
#[doc(hidden)]
pub fn index_statements() -> Vec<(&'static str, String, Vec<Value<'static>>)> {
    let text = |text: &'static str| Value::from(text);
    vec![
        ("a word", FOUND.to_owned(), vec![1_i64.into(), text("word1"), text("word1z"), 100_i64.into()]),
        ("by name", BY_NAME.to_owned(), vec![1_i64.into(), text("key"), 5_i64.into(), 100_i64.into()]),
        (
            "by name on a page",
            BY_NAME_ON_PAGE.to_owned(),
            vec![1_i64.into(), 1_i64.into(), text("key"), 5_i64.into(), 100_i64.into()],
        ),
    ]
}
