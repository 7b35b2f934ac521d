//! The audit log. There is no statement that changes an entry, except the one that forgets a person.

use std::sync::OnceLock;

use super::{
    Result, Row, Sql, Value, in_power_of_two_chunks, padded, placeholders, stored_json, value_rows,
    values::json_objects,
};
use crate::domain::{
    audit::{Cursor, Entry, Subject, SubjectKind, Values, Who, WhoKind},
    ids::{InstitutionId, ParticipantId},
    moment::Moment,
};

pub(super) const COLUMNS: &str = "institution_id, created_at, id, act, who_kind, who_name, who_id, origin, subject_kind, subject_id, \
                       subject_label, email_key, old_values, new_values";
const COLUMN_COUNT: usize = 14;

/// Adds entries. PostgreSQL gets them together with the next statement, so they must be the last writes of a frequent transaction.
pub async fn insert(sql: &mut Sql, entries: &[&Entry]) -> Result<()> {
    for group in in_power_of_two_chunks(entries) {
        // Most often it is one, and building the text would take as long as inserting it.
        let several;
        let text = if group.len() == 1 {
            INSERT_ONE.get_or_init(|| insert_text(1))
        } else {
            several = insert_text(group.len());
            &several
        };
        let params: Vec<Value<'_>> = group.iter().flat_map(|entry| params_of(entry)).collect();
        sql.defer(text, &params).await?;
    }
    Ok(())
}

static INSERT_ONE: OnceLock<String> = OnceLock::new();

fn insert_text(rows: usize) -> String {
    format!("INSERT INTO audit ({COLUMNS}) VALUES {}", value_rows(1, rows, COLUMN_COUNT))
}

/// The entries as a JSON list of rows.
pub(super) fn as_json(entries: &[Entry]) -> String {
    let row = |entry| COLUMNS.split(", ").zip(params_of(entry)).collect::<Vec<_>>();
    json_objects(&entries.iter().map(row).collect::<Vec<_>>())
}

fn params_of(entry: &Entry) -> [Value<'_>; COLUMN_COUNT] {
    [
        entry.institution.into(),
        entry.at.micros().into(),
        entry.id.into(),
        (&*entry.act).into(),
        entry.who.kind.word().into(),
        entry.who.name.as_deref().into(),
        entry.who.id.into(),
        entry.origin.as_deref().into(),
        (&*entry.subject.kind).into(),
        (&entry.subject.id).into(),
        (&entry.subject.label).into(),
        entry.person.as_deref().into(),
        json(&entry.before).into(),
        json(&entry.after).into(),
    ]
}

fn json(values: &Values) -> Option<String> {
    (!values.is_empty()).then(|| serde_json::to_string(values).unwrap_or_default())
}

/// Which entries are read, by an index.
#[derive(Debug, Clone, Copy)]
pub enum Range<'a> {
    All,
    /// About the data of the person with this key.
    Person(&'a str),
    /// The word of the kind, and the id.
    Subject(&'a str, &'a str),
}

/// The newest entries behind the cursor that are not older than `from`.
pub async fn before(
    sql: &mut Sql,
    institution: InstitutionId,
    range: Range<'_>,
    cursor: Cursor,
    from: Moment,
    most: i64,
) -> Result<Vec<Entry>> {
    let mut params: Vec<Value<'_>> = vec![institution.into()];
    match range {
        Range::All => {}
        Range::Person(email_key) => params.push(email_key.into()),
        Range::Subject(kind, id) => params.extend([Value::from(kind), Value::from(id)]),
    }
    let rest: [Value<'_>; 4] =
        [cursor.at.micros().into(), cursor.id.into(), from.micros().into(), most.into()];
    params.extend(rest);
    sql.rows(&before_text(range), &params, from_row).await
}

/// One entry.
pub async fn find(sql: &mut Sql, institution: InstitutionId, at: Cursor) -> Result<Option<Entry>> {
    let text =
        format!("SELECT {COLUMNS} FROM audit WHERE institution_id = $1 AND created_at = $2 AND id = $3");
    let params: [Value<'_>; 3] = [institution.into(), at.at.micros().into(), at.id.into()];
    sql.one(&text, &params, from_row).await
}

/// With a plus, the oldest moment does not lead SQLite to the primary key, where it would read the entries about everybody.
fn before_text(range: Range<'_>) -> String {
    let (condition, next, from) = match range {
        Range::All => ("", 2, "created_at"),
        Range::Person(_) => (" AND email_key = $2", 3, "+created_at"),
        Range::Subject(..) => (" AND subject_kind = $2 AND subject_id = $3", 4, "+created_at"),
    };
    format!(
        "SELECT {COLUMNS} FROM audit WHERE institution_id = $1{condition} AND (created_at, id) < (${next}, ${}) \
         AND {from} >= ${} ORDER BY created_at DESC, id DESC LIMIT ${}",
        next + 1,
        next + 2,
        next + 3
    )
}

fn from_row(row: &Row<'_>) -> Result<Entry> {
    let id = row.int(2)?;
    let values = |column: usize, name: &str| -> Result<Values> {
        match row.opt_text(column)? {
            Some(json) => stored_json(("audit", name, id), &json),
            None => Ok(Values::new()),
        }
    };
    Ok(Entry {
        institution: row.id(0)?,
        at: Moment::from_micros(row.int(1)?),
        id: id.into(),
        act: row.text(3)?.into(),
        who: Who {
            // One that this version does not know is shown without its kind.
            kind: WhoKind::parse(&row.text(4)?).unwrap_or(WhoKind::System),
            name: row.opt_text(5)?.map(Into::into),
            id: row.opt_int(6)?,
        },
        origin: row.opt_text(7)?,
        subject: Subject { kind: row.text(8)?.into(), id: row.text(9)?, label: row.text(10)? },
        person: row.opt_text(11)?,
        before: values(12, "old_values")?,
        after: values(13, "new_values")?,
    })
}

/// Removes a person's data from all entries: what they did is kept without their name, and what was done to them without the values.
pub async fn forget_person(
    sql: &mut Sql,
    institution: InstitutionId,
    (email_key, signature): (&str, Option<&str>),
    registrations: &[ParticipantId],
) -> Result<()> {
    forget_registrations(sql, institution, email_key, registrations).await?;
    for name in [Some(email_key), signature].into_iter().flatten() {
        let by_them = "UPDATE audit SET who_name = NULL WHERE institution_id = $1 AND who_name = $2 \
                       AND who_kind IN ('member', 'person')";
        sql.execute(by_them, &[institution.into(), name.into()]).await?;
    }
    Ok(())
}

/// Removes the data of a person from all entries about them, when their last registrations are deleted.
pub async fn forget_registrations(
    sql: &mut Sql,
    institution: InstitutionId,
    email_key: &str,
    registrations: &[ParticipantId],
) -> Result<()> {
    sql.scrub_wal();
    let own = "UPDATE audit SET who_name = CASE WHEN who_name = $1 THEN NULL ELSE who_name END, email_key = NULL, \
               subject_id = CASE WHEN subject_kind = 'person' THEN '' ELSE subject_id END, \
               subject_label = '', old_values = NULL, new_values = NULL WHERE institution_id = $2 AND email_key = $1";
    sql.execute(own, &[email_key.into(), institution.into()]).await?;
    forget_entries(sql, institution, registrations).await
}

/// Removes the data of a person from the entries about these registrations.
pub async fn forget_entries(
    sql: &mut Sql,
    institution: InstitutionId,
    registrations: &[ParticipantId],
) -> Result<()> {
    let ids: Vec<String> = registrations.iter().map(ToString::to_string).collect();
    let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
    for group in padded(&ids) {
        sql.scrub_wal();
        let text = format!(
            "UPDATE audit SET email_key = NULL, subject_label = '', old_values = NULL, new_values = NULL \
             WHERE institution_id = $1 AND subject_kind = $2 AND subject_id IN ({})",
            placeholders(3, group.len())
        );
        let mut params: Vec<Value<'_>> = vec![institution.into(), SubjectKind::Participant.word().into()];
        params.extend(group.into_iter().map(Value::from));
        sql.execute(&text, &params).await?;
    }
    Ok(())
}

/// Removes the data of a person from all entries about their users in directories, which may have had another email then. Before the
/// users are deleted.
pub async fn forget_scim_users(sql: &mut Sql, institution: InstitutionId, email_key: &str) -> Result<()> {
    let text = "UPDATE audit SET email_key = NULL, subject_label = '', old_values = NULL, new_values = NULL \
                WHERE institution_id = $1 AND subject_kind = 'scim_user' AND subject_id IN \
                (SELECT CAST(u.id AS TEXT) FROM scim_users u WHERE u.institution_id = $1 AND u.email_key = $2)";
    sql.execute(text, &[institution.into(), email_key.into()]).await.map(|_| ())
}

/// For how many days each institution keeps its entries. Those that keep them forever are left out.
pub async fn retentions(sql: &mut Sql) -> Result<Vec<(InstitutionId, i64)>> {
    let text = "SELECT id, audit_days FROM institutions WHERE audit_days IS NOT NULL ORDER BY id";
    sql.rows(text, &[], |row| Ok((row.id(0)?, row.int(1)?))).await
}

/// For how many days an institution keeps its entries; `Some(None)` for ever, `None` if there is no such institution.
pub async fn retention(sql: &mut Sql, institution: InstitutionId) -> Result<Option<Option<i64>>> {
    let text = "SELECT audit_days FROM institutions WHERE id = $1";
    sql.one(text, &[institution.into()], |row| row.opt_int(0)).await
}

/// Is there an entry from before this moment?
pub async fn has_older(sql: &mut Sql, institution: InstitutionId, than: Moment) -> Result<bool> {
    let text = "SELECT 1 FROM audit WHERE institution_id = $1 AND created_at < $2 LIMIT 1";
    Ok(sql.one(text, &[institution.into(), than.micros().into()], |_| Ok(())).await?.is_some())
}

/// Deletes the oldest entries from before this moment, at most about as many as given. Returns how many they were.
pub async fn delete_older(sql: &mut Sql, institution: InstitutionId, than: Moment, most: i64) -> Result<u64> {
    let oldest = "SELECT created_at FROM audit WHERE institution_id = $1 AND created_at < $2 \
                  ORDER BY created_at, id LIMIT $3";
    let params = [institution.into(), than.micros().into(), most.into()];
    let oldest = sql.rows(oldest, &params, |row| row.int(0)).await?;
    let Some(last) = oldest.last() else { return Ok(0) };
    let text = "DELETE FROM audit WHERE institution_id = $1 AND created_at <= $2";
    sql.execute(text, &[institution.into(), (*last).into()]).await
}

/// For the test that checks query plans.
#[doc(hidden)]
pub fn statements() -> Vec<(&'static str, Option<&'static str>, String, Vec<Value<'static>>)> {
    let rest = [Value::Int(2), Value::Int(2), Value::Int(0), Value::Int(50)];
    let with = |these: &[Value<'static>]| [&[Value::Int(1)][..], these, &rest[..]].concat();
    vec![
        ("the newest entries", None, before_text(Range::All), with(&[])),
        (
            "the newest entries about a person",
            Some("audit_by_person"),
            before_text(Range::Person("")),
            with(&["a@x.org".into()]),
        ),
        (
            "the newest entries about a thing",
            Some("audit_by_subject"),
            before_text(Range::Subject("", "")),
            with(&["participant".into(), "1".into()]),
        ),
    ]
}
