//! Exports, the parts of their reports, and the people who must be removed from existing reports.

use super::{
    Db, Error, Result, Row, RowStream, Sql, Value, own_list, padded, participants, placeholders, stored_json,
};
use crate::domain::{
    export::{Export, Filters, Page, State},
    ids::{ExportId, InstitutionId, NamePageId, ParticipantId},
    moment::Moment,
    paging::Window,
    participant::Participant,
    report::Checksum,
};

const COLUMNS: &str = "id, created_after, updated_after, name_page_given, name_page_id, created_at, expires_at, state, \
     custom_fields, pages_limited, people_total, include_held";

/// How many people are in the parts of a report. `$1` is the institution. NULL if a node of an earlier version has written a part: it
/// did not count them.
pub(super) const PEOPLE: &str = "(SELECT CASE WHEN COUNT(*) = COUNT(p.records) \
     THEN COALESCE(CAST(SUM(p.records) AS BIGINT), 0) END \
     FROM export_parts p WHERE p.institution_id = $1 AND p.export_id = exports.id)";

fn from_row(row: &Row<'_>) -> Result<Export> {
    let moment = |column: usize| Ok::<_, Error>(row.opt_int(column)?.map(Moment::from_micros));
    let page = match (row.opt_text(3)?, row.opt_id(4)?) {
        (Some(given), Some(id)) => Some(Page { given, id }),
        _ => None,
    };
    let word = row.text(7)?;
    let state = State::ALL.into_iter().find(|known| known.word() == word);
    let id = row.id(0)?;
    // Only the header row of a CSV report, rewritten as a whole when a report is built, so tolerate unreadable JSON.
    let custom_fields = row.opt_text(8)?.and_then(|json| {
        stored_json(("exports", "custom_fields", id), &json)
            .inspect_err(|error| tracing::error!(%error, "the custom fields of an export cannot be read"))
            .ok()
    });
    Ok(Export {
        id,
        filters: Filters { created_after: moment(1)?, updated_after: moment(2)?, page },
        created_at: Moment::from_micros(row.int(5)?),
        expires_at: Moment::from_micros(row.int(6)?),
        state: state
            .ok_or_else(|| Error::Broken("an export in a state that this binary does not know".to_owned()))?,
        custom_fields: custom_fields.unwrap_or_default(),
        pages_limited: row.bool(9)?,
        people_total: row.opt_int(10)?.map(i64::unsigned_abs),
        include_held: row.bool(11)?,
        people: row.opt_int(12)?.map(i64::unsigned_abs),
    })
}

/// If `pages` is not empty, the export may contain only people of these pages.
pub async fn insert(
    sql: &mut Sql,
    institution: InstitutionId,
    export: &Export,
    pages: &[NamePageId],
) -> Result<()> {
    let text = "INSERT INTO exports (institution_id, id, created_after, updated_after, name_page_given, name_page_id, \
         created_at, expires_at, state, pages_limited, include_held) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)";
    let filters = &export.filters;
    let params: [Value<'_>; 11] = [
        institution.into(),
        export.id.into(),
        filters.created_after.map(Moment::micros).into(),
        filters.updated_after.map(Moment::micros).into(),
        filters.page.as_ref().map(|page| &page.given).into(),
        filters.page.as_ref().map(|page| page.id).into(),
        export.created_at.micros().into(),
        export.expires_at.micros().into(),
        export.state.word().into(),
        export.pages_limited.into(),
        export.include_held.into(),
    ];
    sql.execute(text, &params).await?;
    for page in pages {
        let text = "INSERT INTO export_pages (institution_id, export_id, name_page_id) VALUES ($1, $2, $3)";
        sql.execute(text, &[institution.into(), export.id.into(), (*page).into()]).await?;
    }
    Ok(())
}

/// The pages that the export is limited to, if any.
pub async fn pages(sql: &mut Sql, institution: InstitutionId, id: ExportId) -> Result<Vec<NamePageId>> {
    let text = "SELECT name_page_id FROM export_pages WHERE institution_id = $1 AND export_id = $2 ORDER BY name_page_id";
    sql.rows(text, &[institution.into(), id.into()], |row| row.id(0)).await
}

pub async fn find(sql: &mut Sql, institution: InstitutionId, id: ExportId) -> Result<Option<Export>> {
    let text = format!("SELECT {COLUMNS}, {PEOPLE} FROM exports WHERE institution_id = $1 AND id = $2");
    sql.one(&text, &[institution.into(), id.into()], from_row).await
}

/// The pages that a caller is limited to.
#[derive(Debug, Clone, Copy)]
pub struct Limit<'a> {
    pub pages: &'a [NamePageId],
    /// Also exports whose pages are all gone. They have nobody.
    pub finds_orphans: bool,
}

/// Condition for exports that contain no people of other pages than these, and the parameters of it, which start at `first`. `$1` is the
/// institution.
fn of_pages(first: usize, limit: Limit<'_>) -> (String, impl Iterator<Item = Value<'static>>) {
    const ANY: &str = "SELECT 1 FROM export_pages o WHERE o.institution_id = $1 AND o.export_id = exports.id";
    // For a caller with no pages, an id that no page has.
    let own = own_list(limit.pages);
    let list = placeholders(first, own.len());
    let is_there = if limit.finds_orphans { String::new() } else { format!(" AND EXISTS ({ANY})") };
    let condition = format!(
        " AND (name_page_id IN ({list}) OR (name_page_id IS NULL AND pages_limited = TRUE{is_there} \
         AND NOT EXISTS ({ANY} AND o.name_page_id NOT IN ({list}))))"
    );
    (condition, own.into_iter().map(Value::from))
}

/// One page of exports, newest first, and their total number. With a limit, only exports without people of other pages.
pub async fn list(
    sql: &mut Sql,
    institution: InstitutionId,
    limit: Option<Limit<'_>>,
    window: Window,
) -> Result<(Vec<Export>, u64)> {
    let mut params: Vec<Value<'_>> = vec![institution.into()];
    let of_pages = match limit {
        Some(limit) => {
            let (condition, own) = of_pages(2, limit);
            params.extend(own);
            condition
        }
        None => String::new(),
    };
    let count = format!("SELECT COUNT(*) FROM exports WHERE institution_id = $1{of_pages}");
    let total = sql.one(&count, &params, |row| row.int(0)).await?.unwrap_or(0).unsigned_abs();
    let next = params.len() + 1;
    let text = format!(
        "SELECT {COLUMNS}, {PEOPLE} FROM exports WHERE institution_id = $1{of_pages} ORDER BY id DESC LIMIT ${next} OFFSET ${}",
        next + 1
    );
    let number = |number: u64| Value::from(i64::try_from(number).unwrap_or(i64::MAX));
    params.extend([number(window.per_page), number(window.offset())]);
    Ok((sql.rows(&text, &params, from_row).await?, total))
}

/// Does the export contain only people of these pages?
pub async fn is_of_pages(
    sql: &mut Sql,
    institution: InstitutionId,
    id: ExportId,
    limit: Limit<'_>,
) -> Result<bool> {
    let (of_pages, own) = of_pages(3, limit);
    let text = format!("SELECT 1 FROM exports WHERE institution_id = $1 AND id = $2{of_pages}");
    let params: Vec<Value<'_>> = [institution.into(), id.into()].into_iter().chain(own).collect();
    Ok(sql.one(&text, &params, |_| Ok(())).await?.is_some())
}

/// Does the institution have at least `count` exports in these states?
pub async fn at_least_in(
    sql: &mut Sql,
    institution: InstitutionId,
    states: &[State],
    count: u32,
) -> Result<bool> {
    let text = format!(
        "SELECT id FROM exports WHERE institution_id = $1 AND state IN ({}) LIMIT ${}",
        placeholders(2, states.len()),
        states.len() + 2
    );
    let mut params: Vec<Value<'_>> = vec![institution.into()];
    params.extend(states.iter().map(|state| Value::from(state.word())));
    params.push(i64::from(count).into());
    Ok(sql.rows(&text, &params, |row| row.int(0)).await?.len() as u64 >= u64::from(count))
}

/// The caller has checked the state in the same transaction.
pub async fn set_state(sql: &mut Sql, institution: InstitutionId, id: ExportId, state: State) -> Result<()> {
    let text = "UPDATE exports SET state = $1 WHERE institution_id = $2 AND id = $3";
    sql.execute(text, &[state.word().into(), institution.into(), id.into()]).await.map(|_| ())
}

/// How many people the report will have, if that is known.
pub async fn set_total(
    sql: &mut Sql,
    institution: InstitutionId,
    id: ExportId,
    total: Option<i64>,
) -> Result<()> {
    let text = "UPDATE exports SET people_total = $1 WHERE institution_id = $2 AND id = $3";
    sql.execute(text, &[total.into(), institution.into(), id.into()]).await.map(|_| ())
}

pub async fn set_custom_fields(
    sql: &mut Sql,
    institution: InstitutionId,
    id: ExportId,
    names: &[&str],
) -> Result<()> {
    let names = serde_json::to_string(names).map_err(|error| Error::Broken(error.to_string()))?;
    let text = "UPDATE exports SET custom_fields = $1 WHERE institution_id = $2 AND id = $3";
    sql.execute(text, &[names.into(), institution.into(), id.into()]).await.map(|_| ())
}

/// Expired exports in a state, across all institutions: housekeeping is global.
pub async fn over(
    sql: &mut Sql,
    state: State,
    now: Moment,
    count: i64,
) -> Result<Vec<(InstitutionId, ExportId)>> {
    let text = "SELECT institution_id, id FROM exports WHERE state = $1 AND expires_at <= $2 ORDER BY expires_at LIMIT $3";
    let params = [state.word().into(), now.micros().into(), count.into()];
    sql.rows(text, &params, |row| Ok((row.id(0)?, row.id(1)?))).await
}

/// Does the institution have an export in one of these states?
pub async fn any_in(sql: &mut Sql, institution: InstitutionId, states: &[State]) -> Result<bool> {
    let text = format!(
        "SELECT 1 FROM exports WHERE institution_id = $1 AND state IN ({}) LIMIT 1",
        placeholders(2, states.len())
    );
    let params: Vec<Value<'_>> =
        [institution.into()].into_iter().chain(states.iter().map(|state| state.word().into())).collect();
    Ok(sql.one(&text, &params, |_| Ok(())).await?.is_some())
}

/// Streams everybody who matches the filters, ordered by id, from one snapshot of the database. With `only`, limited to these
/// pages.
pub fn people(
    db: &Db,
    institution: InstitutionId,
    filters: &Filters,
    only: Option<&[NamePageId]>,
) -> RowStream<Participant> {
    let pages = match &filters.page {
        Some(page) => vec![page.id],
        None => only.map_or_else(Vec::new, own_list),
    };
    let bound = |after: Option<Moment>| after.map_or(i64::MIN, Moment::micros);
    let changed = [bound(filters.created_after), bound(filters.updated_after)];
    let params: Vec<Value<'_>> = std::iter::once(institution.into())
        .chain(changed.map(Value::from))
        .chain(pages.iter().map(|page| Value::from(*page)))
        .collect();
    db.stream_in_background(people_text(pages.len()), &params, participants::with_label)
}

fn people_text(pages: usize) -> String {
    // Places on a page grow with ids, so both orders agree. The unary plus prevents the use of the index on `updated_at`:
    // scanning everybody in order is cheaper than sorting a large result of that index.
    let (on_pages, order) = match pages {
        0 => (String::new(), "p.id"),
        1 => (" AND p.name_page_id = $4".to_owned(), "p.page_place"),
        // As above, for the index on pages.
        many => (format!(" AND +p.name_page_id IN ({})", placeholders(4, many)), "p.id"),
    };
    format!(
        "SELECT {} WHERE p.institution_id = $1 AND p.created_at > $2 AND +p.updated_at > $3{on_pages} ORDER BY {order}",
        participants::WITH_LABEL.as_str()
    )
}

/// One part of a report.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PartRow {
    pub number: i64,
    pub hex: String,
    pub first_id: ParticipantId,
    pub last_id: ParticipantId,
    pub sum: Checksum,
    /// How many people are in it. Earlier versions did not count them.
    pub records: Option<u64>,
}

const PART: &str = "number, hex, first_id, last_id, plain_bytes, crc, records";

impl PartRow {
    fn counted(&self) -> Option<i64> {
        self.records.map(|records| i64::try_from(records).unwrap_or(i64::MAX))
    }
}

fn part_from_row(row: &Row<'_>) -> Result<PartRow> {
    Ok(PartRow {
        number: row.int(0)?,
        hex: row.text(1)?,
        first_id: row.id(2)?,
        last_id: row.id(3)?,
        sum: Checksum {
            plain_bytes: row.int(4)?.unsigned_abs(),
            crc: u32::try_from(row.int(5)?).unwrap_or_default(),
        },
        records: row.opt_int(6)?.map(i64::unsigned_abs),
    })
}

pub async fn insert_part(
    sql: &mut Sql,
    institution: InstitutionId,
    export: ExportId,
    part: &PartRow,
) -> Result<()> {
    let text = "INSERT INTO export_parts (institution_id, export_id, number, hex, first_id, last_id, plain_bytes, crc, records) \
                VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)";
    let params: [Value<'_>; 9] = [
        institution.into(),
        export.into(),
        part.number.into(),
        (&part.hex).into(),
        part.first_id.into(),
        part.last_id.into(),
        i64::try_from(part.sum.plain_bytes).unwrap_or(i64::MAX).into(),
        i64::from(part.sum.crc).into(),
        part.counted().into(),
    ];
    sql.execute(text, &params).await.map(|_| ())
}

/// The first part with at least this number.
pub async fn part_from(
    sql: &mut Sql,
    institution: InstitutionId,
    export: ExportId,
    number: i64,
) -> Result<Option<PartRow>> {
    let text = format!(
        "SELECT {PART} FROM export_parts WHERE institution_id = $1 AND export_id = $2 AND number >= $3 \
         ORDER BY number LIMIT 1"
    );
    sql.one(&text, &[institution.into(), export.into(), number.into()], part_from_row).await
}

/// Replaces a part, if it still exists. A single statement, because a concurrent delete of all parts must see either the old
/// or the new one.
pub async fn replace_part(
    sql: &mut Sql,
    institution: InstitutionId,
    export: ExportId,
    old: &PartRow,
    new: &PartRow,
) -> Result<bool> {
    let text = "UPDATE export_parts SET hex = $1, plain_bytes = $2, crc = $3, records = $4 \
                WHERE institution_id = $5 AND export_id = $6 AND number = $7 AND hex = $8";
    let params: [Value<'_>; 8] = [
        (&new.hex).into(),
        i64::try_from(new.sum.plain_bytes).unwrap_or(i64::MAX).into(),
        i64::from(new.sum.crc).into(),
        new.counted().into(),
        institution.into(),
        export.into(),
        old.number.into(),
        (&old.hex).into(),
    ];
    Ok(sql.execute(text, &params).await? == 1)
}

/// Deletes a part, if it has not been replaced.
pub async fn delete_part(
    sql: &mut Sql,
    institution: InstitutionId,
    export: ExportId,
    part: &PartRow,
) -> Result<bool> {
    let text =
        "DELETE FROM export_parts WHERE institution_id = $1 AND export_id = $2 AND number = $3 AND hex = $4";
    let params = [institution.into(), export.into(), part.number.into(), (&part.hex).into()];
    Ok(sql.execute(text, &params).await? == 1)
}

/// Deletes all parts of a report and returns the names of their files.
pub async fn delete_parts(
    sql: &mut Sql,
    institution: InstitutionId,
    export: ExportId,
) -> Result<Vec<String>> {
    let text = "DELETE FROM export_parts WHERE institution_id = $1 AND export_id = $2 RETURNING hex";
    sql.rows(text, &[institution.into(), export.into()], |row| row.text(0)).await
}

/// Deletes all parts of all reports of an institution and returns the names of their files.
pub async fn delete_all_parts(sql: &mut Sql, institution: InstitutionId) -> Result<Vec<String>> {
    let text = "DELETE FROM export_parts WHERE institution_id = $1 RETURNING hex";
    sql.rows(text, &[institution.into()], |row| row.text(0)).await
}

/// File names of all parts of an institution, in order, after `behind`.
pub async fn all_parts(
    sql: &mut Sql,
    institution: InstitutionId,
    behind: &str,
    count: i64,
) -> Result<Vec<String>> {
    let text = "SELECT hex FROM export_parts WHERE institution_id = $1 AND hex > $2 ORDER BY hex LIMIT $3";
    sql.rows(text, &[institution.into(), behind.into(), count.into()], |row| row.text(0)).await
}

/// Returns those of these files that are still referenced.
pub async fn referenced(sql: &mut Sql, institution: InstitutionId, hexes: &[&str]) -> Result<Vec<String>> {
    let mut found = Vec::with_capacity(hexes.len());
    for group in padded(hexes) {
        let text = format!(
            "SELECT hex FROM export_parts WHERE institution_id = $1 AND hex IN ({})",
            placeholders(2, group.len())
        );
        let params: Vec<Value<'_>> =
            [institution.into()].into_iter().chain(group.into_iter().map(Value::from)).collect();
        found.extend(sql.rows(&text, &params, |row| row.text(0)).await?);
    }
    Ok(found)
}

/// The parts of existing reports that may contain a departed person.
pub async fn touched(sql: &mut Sql, institution: InstitutionId) -> Result<Vec<(ExportId, PartRow)>> {
    let text = format!(
        "SELECT {PART}, export_id FROM export_parts e WHERE institution_id = $1 AND EXISTS \
         (SELECT 1 FROM departures d WHERE d.institution_id = $1 AND d.participant_id >= e.first_id \
         AND d.participant_id <= e.last_id) ORDER BY export_id, number"
    );
    sql.rows(&text, &[institution.into()], |row| Ok((row.id(7)?, part_from_row(row)?))).await
}

/// Who is about to be deleted or hidden.
pub enum Departing {
    One(ParticipantId),
    OnPage(NamePageId),
    /// Soft-deleted (hidden): they may come back.
    These(Vec<ParticipantId>),
}

/// Records who leaves, while their rows still exist.
pub async fn depart(sql: &mut Sql, institution: InstitutionId, leaving: Departing) -> Result<()> {
    let (column, values) = match leaving {
        Departing::One(id) => ("id", vec![id.get()]),
        Departing::OnPage(page) => ("name_page_id", vec![page.get()]),
        Departing::These(ids) => ("id", ids.into_iter().map(ParticipantId::get).collect()),
    };
    for group in padded(&values) {
        let text = format!(
            "INSERT INTO departures (institution_id, participant_id, token) \
             SELECT institution_id, id, token FROM participants WHERE institution_id = $1 AND {column} IN ({})",
            placeholders(2, group.len())
        );
        let params: Vec<Value<'_>> =
            [institution.into()].into_iter().chain(group.into_iter().map(Value::from)).collect();
        sql.execute(&text, &params).await?;
    }
    Ok(())
}

/// The tokens of departed people who may be in a part.
pub async fn departed(sql: &mut Sql, institution: InstitutionId, part: &PartRow) -> Result<Vec<String>> {
    let text = "SELECT token FROM departures WHERE institution_id = $1 AND participant_id >= $2 AND participant_id <= $3";
    let params = [institution.into(), part.first_id.into(), part.last_id.into()];
    sql.rows(text, &params, |row| row.text(0)).await
}

/// The tokens of people with a directory hold who may be in a part.
pub async fn with_hold(sql: &mut Sql, institution: InstitutionId, part: &PartRow) -> Result<Vec<String>> {
    let text = "SELECT token FROM participants WHERE institution_id = $1 AND id >= $2 AND id <= $3 AND directory_hold = TRUE";
    let params = [institution.into(), part.first_id.into(), part.last_id.into()];
    sql.rows(text, &params, |row| row.text(0)).await
}

pub async fn departures(sql: &mut Sql, institution: InstitutionId) -> Result<Vec<ParticipantId>> {
    let text = "SELECT participant_id FROM departures WHERE institution_id = $1";
    sql.rows(text, &[institution.into()], |row| row.id(0)).await
}

pub async fn any_departed(sql: &mut Sql, institution: InstitutionId) -> Result<bool> {
    let text = "SELECT 1 FROM departures WHERE institution_id = $1 LIMIT 1";
    Ok(sql.one(text, &[institution.into()], |_| Ok(())).await?.is_some())
}

pub async fn delete_departed(sql: &mut Sql, institution: InstitutionId, ids: &[ParticipantId]) -> Result<()> {
    for group in padded(ids) {
        let text = format!(
            "DELETE FROM departures WHERE institution_id = $1 AND participant_id IN ({})",
            placeholders(2, group.len())
        );
        let params: Vec<Value<'_>> =
            [institution.into()].into_iter().chain(group.into_iter().map(Value::from)).collect();
        sql.execute(&text, &params).await?;
    }
    Ok(())
}
