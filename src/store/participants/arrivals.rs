//! People who join an institution at the same time, on PostgreSQL (ADR 25). One statement reads what they depend on, and one adds
//! all of them. Nothing is locked in between: the second one adds nobody if the institution's people were written to meanwhile.

use std::collections::{HashMap, HashSet};

use super::{writes::inserted, *};
use crate::{
    domain::audit::NewEntry,
    store::{
        Db, audit,
        audit_seals::{self, Seal},
        rolls::INSTITUTION,
        values::json_objects,
    },
};

/// How many join together. With more, PostgreSQL reads all name pages of the institution instead of searching for each.
pub const MOST_ARRIVALS: usize = 16;

/// What must be known of somebody who wants to join.
#[derive(Debug, Clone, Copy)]
pub struct ArrivalKeys<'a> {
    pub page: NamePageId,
    pub email_key: Option<&'a str>,
    pub identifier_key: Option<&'a str>,
}

/// The free places of an institution, and where the emails and identifiers of those who want to join are registered.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Vacancies {
    /// The institution's writes (`rolls::Revision`) when this was read.
    writes: i64,
    next_id: i64,
    next_places: HashMap<NamePageId, i64>,
    /// By email: the page, when it was recorded, and the id of a paused registration.
    registrations: HashMap<String, Vec<(NamePageId, i64, Option<i64>)>>,
    /// The emails of those who have an identifier.
    owners: HashMap<String, HashSet<Option<String>>>,
}

impl Vacancies {
    /// What is free for somebody. `None` if their page is gone.
    pub fn vacancy(&self, keys: ArrivalKeys<'_>) -> Option<Vacancy> {
        let place = *self.next_places.get(&keys.page)?;
        let registrations = keys.email_key.and_then(|key| self.registrations.get(key));
        let registered = registered_in(registrations.into_iter().flatten().copied(), keys.page);
        Some(Vacancy { id: ParticipantId::new(self.next_id), place, registered })
    }

    /// `identifier_taken`
    pub fn is_identifier_taken(&self, keys: ArrivalKeys<'_>) -> bool {
        let owners = keys.identifier_key.and_then(|key| self.owners.get(key));
        owners.is_some_and(|owners| {
            owners.iter().any(|owner| owner.is_none() || owner.as_deref() != keys.email_key)
        })
    }

    /// Somebody takes their vacancy, before the next one asks for theirs.
    pub fn take(&mut self, keys: ArrivalKeys<'_>) {
        self.next_id += 1;
        if let Some(place) = self.next_places.get_mut(&keys.page) {
            *place += 1;
        }
        if let Some(key) = keys.email_key {
            self.registrations.entry(key.to_owned()).or_default().push((keys.page, 0, None));
        }
        if let Some(key) = keys.identifier_key {
            self.owners.entry(key.to_owned()).or_default().insert(keys.email_key.map(str::to_owned));
        }
    }
}

/// Reads what is free for at most `MOST_ARRIVALS` people. In an institution that does not exist, nothing is.
pub async fn vacancies(
    sql: &mut Sql,
    institution: InstitutionId,
    arrivals: &[ArrivalKeys<'_>],
) -> Result<Vacancies> {
    // All lists have the same length, so that there are few distinct statements. NULL is nobody's.
    let count = arrivals.len().next_power_of_two();
    let column = |value: fn(&ArrivalKeys<'_>) -> Value<'static>| {
        let rest = arrivals.len()..count;
        arrivals.iter().map(value).chain(rest.map(|_| Value::Null)).collect::<Vec<_>>()
    };
    let emails = column(|one| Value::from(one.email_key).into_owned());
    let identifiers = column(|one| Value::from(one.identifier_key).into_owned());
    let pages = column(|one| one.page.into());
    let text = vacancies_text(count);
    let params: Vec<Value<'_>> =
        [institution.into()].into_iter().chain(emails).chain(identifiers).chain(pages).collect();
    let rows = sql.rows(&text, &params, found_row).await?;
    let mut all = Vacancies::default();
    for found in rows {
        match found {
            Found::Registration(email_key, registration) => {
                all.registrations.entry(email_key).or_default().push(registration);
            }
            Found::Owner(identifier_key, email_key) => {
                all.owners.entry(identifier_key).or_default().insert(email_key);
            }
            Found::Roll(INSTITUTION, next_place, writes) => {
                (all.writes, all.next_id) = (writes, next_place);
            }
            Found::Roll(page, next_place, _) => {
                all.next_places.insert(page, next_place);
            }
        }
    }
    Ok(all)
}

/// A row of `vacancies_text`.
enum Found {
    Registration(String, (NamePageId, i64, Option<i64>)),
    Owner(String, Option<String>),
    Roll(NamePageId, i64, i64),
}

fn found_row(row: &Row<'_>) -> Result<Found> {
    let (page, number) = (row.id(1)?, row.int(2)?);
    Ok(match row.int(0)? {
        1 => Found::Registration(row.text(4)?, (page, number, row.opt_int(3)?)),
        2 => Found::Owner(row.text(4)?, row.opt_text(5)?),
        _ => Found::Roll(page, number, row.int(3)?),
    })
}

/// For so many people. The first column is the kind of the row.
pub(super) fn vacancies_text(count: usize) -> String {
    let emails = placeholders(2, count);
    let identifiers = placeholders(2 + count, count);
    let pages = placeholders(2 + 2 * count, count);
    format!(
        "SELECT CAST(1 AS BIGINT), p.name_page_id, p.recorded_at, COALESCE(q.participant_id, CASE WHEN p.directory_hold = TRUE THEN p.id END), p.email_key, CAST(NULL AS TEXT) FROM participants p \
         LEFT JOIN paused_participants q ON q.institution_id = p.institution_id AND q.participant_id = p.id \
         WHERE p.institution_id = $1 AND p.email_key IN ({emails}) \
         UNION ALL SELECT 1, 0, h.recorded_at, COALESCE(q.participant_id, CASE WHEN h.directory_hold = TRUE THEN h.id END), h.email_key, NULL FROM hidden_participants h \
         LEFT JOIN paused_participants q ON q.institution_id = h.institution_id AND q.participant_id = h.id \
         WHERE h.institution_id = $1 AND h.email_key IN ({emails}) \
         UNION ALL SELECT 2, 0, 0, NULL, i.identifier_key, i.email_key FROM participants i \
         WHERE i.institution_id = $1 AND i.identifier_key IN ({identifiers}) \
         UNION ALL SELECT 3, r.name_page_id, r.next_place, r.writes, NULL, NULL FROM rolls r \
         WHERE r.institution_id = $1 AND r.name_page_id IN (0, {pages})"
    )
}

/// Adds people who have taken these vacancies, with an entry of the audit log for each. False if the institution's people were
/// written to since the vacancies were read. Then nothing was done.
pub async fn admit(
    db: &Db,
    institution: InstitutionId,
    vacancies: &Vacancies,
    people: &[Record],
    entries: &[NewEntry],
) -> Result<bool> {
    let mut on_pages: Vec<(NamePageId, i64)> = Vec::new();
    for person in people {
        match on_pages.iter_mut().find(|(page, _)| *page == person.name_page_id) {
            Some((_, count)) => *count += 1,
            None => on_pages.push((person.name_page_id, 1)),
        }
    }
    let rows = people.iter().map(|one| inserted(institution, one)).collect::<Result<Vec<_>>>()?;
    let Some(columns) = rows.first().map(|row| row.iter().map(|(column, _)| *column).collect::<Vec<_>>())
    else {
        return Ok(true);
    };
    let text = admit_text(&columns.join(", "), on_pages.len());
    let (entries, sealed) = audit::as_json(entries);
    let seal = Seal::of(&sealed);
    let mut params: Vec<Value<'_>> = vec![
        json_objects(&rows).into(),
        entries.into(),
        (people.len() as i64).into(),
        institution.into(),
        vacancies.writes.into(),
        (&seal.digest).into(),
        (&seal.lines).into(),
        seal.newest.micros().into(),
    ];
    params.extend(on_pages.into_iter().flat_map(|(page, count)| [Value::from(page), count.into()]));
    let added = db.execute_alone(&text, &params, people.len()).await?;
    Ok(added > 0)
}

/// In JSON, the statement does not depend on the number of people. Each page has a part of its own: joined with the people, PostgreSQL would
/// read all name pages of the institution.
fn admit_text(columns: &str, pages: usize) -> String {
    let entry_columns = audit::COLUMNS;
    let mut text = format!(
        "WITH whole AS (UPDATE rolls SET writes = writes + 1, next_place = next_place + $3, members = members + $3 \
         WHERE institution_id = $4 AND name_page_id = 0 AND writes = $5 RETURNING 1), \
         entries AS (INSERT INTO audit ({entry_columns}) SELECT {entry_columns} \
         FROM json_populate_recordset(NULL::audit, CAST(CAST($2 AS TEXT) AS JSON)) WHERE EXISTS (SELECT 1 FROM whole))"
    );
    for number in 0..pages {
        let (page, count) = (9 + 2 * number, 10 + 2 * number);
        text.push_str(&format!(
            ", page_{number} AS (UPDATE rolls SET writes = writes + 1, next_place = next_place + ${count}, members = members + ${count} \
             WHERE institution_id = $4 AND name_page_id = ${page} AND EXISTS (SELECT 1 FROM whole))"
        ));
    }
    text.push_str(&sealed_text());
    text.push_str(&format!(
        " INSERT INTO participants ({columns}) SELECT {columns} \
         FROM json_populate_recordset(NULL::participants, CAST(CAST($1 AS TEXT) AS JSON)) WHERE EXISTS (SELECT 1 FROM whole)"
    ));
    text
}

/// Seals the entries. Behind the rolls, because whoever locks a chain waits for nothing but COMMIT.
fn sealed_text() -> String {
    let digest = "CAST($6 AS TEXT)";
    let newest = "CAST($8 AS BIGINT)";
    format!(
        ", chain AS (INSERT INTO audit_chains (institution_id, number, days, hash) SELECT f.institution_id, 1, f.days, {first} \
         FROM (SELECT CAST($4 AS BIGINT) AS institution_id, {days} AS days FROM whole) f \
         ON CONFLICT (institution_id) DO UPDATE SET number = audit_chains.number + 1, days = EXCLUDED.days, hash = {next} \
         RETURNING number, days, hash), \
         seal AS (INSERT INTO audit_seals ({columns}) SELECT CAST($4 AS BIGINT), number, days, {newest}, {ends}, {digest}, \
         CAST($7 AS TEXT), hash FROM chain)",
        first = audit_seals::hash_text("''", digest, "f.days", newest),
        days = audit_seals::days_text("$4"),
        next = audit_seals::hash_text("audit_chains.hash", digest, "EXCLUDED.days", newest),
        columns = audit_seals::SEAL_COLUMNS,
        ends = audit_seals::ends_text(newest),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: NamePageId = NamePageId::new(3);

    fn keys<'a>(email_key: &'a str, identifier_key: &'a str) -> ArrivalKeys<'a> {
        ArrivalKeys { page: PAGE, email_key: Some(email_key), identifier_key: Some(identifier_key) }
    }

    #[test]
    fn who_joins_together_gets_places_in_a_row_and_no_email_twice() {
        let mut all = Vacancies { next_id: 70, next_places: [(PAGE, 7)].into(), ..Vacancies::default() };
        let first = all.vacancy(keys("a@x.edu", "A")).unwrap();
        assert_eq!((first.id.get(), first.place, first.registered), (70, 7, Registered::default()));
        all.take(keys("a@x.edu", "A"));
        let second = all.vacancy(keys("b@x.edu", "B")).unwrap();
        assert_eq!((second.id.get(), second.place, second.registered.on_page), (71, 8, false));
        assert!(all.vacancy(keys("a@x.edu", "C")).unwrap().registered.on_page);
        let elsewhere = ArrivalKeys { page: NamePageId::new(4), ..keys("a@x.edu", "A") };
        assert_eq!(all.vacancy(elsewhere), None);
        all.next_places.insert(elsewhere.page, 0);
        assert!(!all.vacancy(elsewhere).unwrap().registered.on_page);
    }

    #[test]
    fn an_identifier_belongs_to_one_email() {
        let mut all = Vacancies { next_places: [(PAGE, 0)].into(), ..Vacancies::default() };
        assert!(!all.is_identifier_taken(keys("a@x.edu", "A")));
        all.take(keys("a@x.edu", "A"));
        assert!(!all.is_identifier_taken(keys("a@x.edu", "A")));
        assert!(all.is_identifier_taken(keys("b@x.edu", "A")));
        assert!(all.is_identifier_taken(ArrivalKeys { email_key: None, ..keys("", "A") }));
        all.take(ArrivalKeys { email_key: None, ..keys("", "B") });
        assert!(all.is_identifier_taken(ArrivalKeys { email_key: None, ..keys("", "B") }));
    }
}
