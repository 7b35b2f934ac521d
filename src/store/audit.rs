//! The audit log. There is no statement that changes an entry, except the one that forgets a person.

use std::sync::OnceLock;

use super::{
    Result, Row, Sql, Value, audit_seals, in_power_of_two_chunks, padded, placeholders, stored_json,
    value_rows, values::json_objects,
};
use crate::domain::{
    audit::{
        Cursor, Entry, NewEntry, Subject, SubjectKind, Values, Who, WhoKind,
        chain::{SALT_LENGTH, Sealed, Written},
    },
    ids::{AuditId, InstitutionId, ParticipantId},
    moment::Moment,
};

/// Those of an entry as it is shown.
const SHOWN: &str = "institution_id, created_at, id, act, who_kind, who_name, who_id, origin, subject_kind, subject_id, subject_label, \
                     email_key, old_values, new_values";
/// Those of an entry as it is written.
pub(super) const COLUMNS: &str = "institution_id, created_at, id, act, who_kind, who_name, who_id, origin, subject_kind, subject_id, \
                       subject_label, email_key, old_values, new_values, who_proof, person_proof, sealed";
const COLUMN_COUNT: usize = 17;

/// Adds entries, which are sealed when the transaction ends. PostgreSQL gets them together with the next statement, so they must be the
/// last writes of a frequent transaction.
pub async fn insert(sql: &mut Sql, entries: &[&NewEntry]) -> Result<()> {
    for group in in_power_of_two_chunks(entries) {
        // Most often it is one, and building the text would take as long as inserting it.
        let several;
        let text = if group.len() == 1 {
            INSERT_ONE.get_or_init(|| insert_text(1))
        } else {
            several = insert_text(group.len());
            &several
        };
        let rows: Vec<NewRow<'_>> = group.iter().map(|entry| NewRow::of(entry)).collect();
        let params: Vec<Value<'_>> = rows.iter().flat_map(NewRow::params).collect();
        sql.defer(text, &params).await?;
        for (entry, row) in group.iter().zip(&rows) {
            audit_seals::note(sql, entry, row.digest.clone());
        }
    }
    Ok(())
}

static INSERT_ONE: OnceLock<String> = OnceLock::new();

fn insert_text(rows: usize) -> String {
    format!("INSERT INTO audit ({COLUMNS}) VALUES {}", value_rows(1, rows, COLUMN_COUNT))
}

/// The entries as a JSON list of rows, and what their seal says.
pub(super) fn as_json(entries: &[NewEntry]) -> (String, Vec<Sealed>) {
    let rows: Vec<NewRow<'_>> = entries.iter().map(NewRow::of).collect();
    let columns: Vec<Vec<_>> =
        rows.iter().map(|row| COLUMNS.split(", ").zip(row.params()).collect()).collect();
    let json = json_objects(&columns);
    let sealed = entries.iter().zip(&rows).map(|(new, row)| Sealed {
        at: new.entry.at,
        id: new.entry.id,
        digest: row.digest.clone(),
    });
    (json, sealed.collect())
}

/// The row of an entry.
struct NewRow<'a> {
    entry: &'a Entry,
    before: Option<String>,
    after: Option<String>,
    who_proof: Option<String>,
    person_proof: Option<String>,
    digest: String,
}

impl<'a> NewRow<'a> {
    fn of(new: &'a NewEntry) -> Self {
        let entry = &new.entry;
        let (before, after) = (json(&entry.before), json(&entry.after));
        let written = Written {
            institution: entry.institution,
            at: entry.at,
            id: entry.id,
            act: &entry.act,
            who_kind: entry.who.kind.word(),
            who_name: entry.who.name.as_deref(),
            who_id: entry.who.id,
            origin: entry.origin.as_deref(),
            subject_kind: &entry.subject.kind,
            subject_id: &entry.subject.id,
            subject_label: &entry.subject.label,
            person: entry.person.as_deref(),
            before: before.as_deref(),
            after: after.as_deref(),
        };
        let proofs = written.proofs(new.salts);
        let digest = written.digest(&proofs);
        let [who_proof, person_proof] =
            [proofs.who, proofs.person].map(|proof| proof.map(|proof| proof.to_string()));
        Self { entry, before, after, who_proof, person_proof, digest }
    }

    fn params(&self) -> [Value<'_>; COLUMN_COUNT] {
        let entry = self.entry;
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
            self.before.as_deref().into(),
            self.after.as_deref().into(),
            self.who_proof.as_deref().into(),
            self.person_proof.as_deref().into(),
            true.into(),
        ]
    }
}

/// An entry as it is stored, with its proofs.
pub struct StoredRow {
    institution: InstitutionId,
    pub at: Moment,
    pub id: AuditId,
    /// In the order of `SHOWN`, from `act` on.
    act: String,
    who_kind: String,
    who_name: Option<String>,
    who_id: Option<i64>,
    origin: Option<String>,
    subject_kind: String,
    subject_id: String,
    subject_label: String,
    person: Option<String>,
    before: Option<String>,
    after: Option<String>,
    pub who_proof: Option<String>,
    pub person_proof: Option<String>,
}

impl StoredRow {
    pub fn written(&self) -> Written<'_> {
        Written {
            institution: self.institution,
            at: self.at,
            id: self.id,
            act: &self.act,
            who_kind: &self.who_kind,
            who_name: self.who_name.as_deref(),
            who_id: self.who_id,
            origin: self.origin.as_deref(),
            subject_kind: &self.subject_kind,
            subject_id: &self.subject_id,
            subject_label: &self.subject_label,
            person: self.person.as_deref(),
            before: self.before.as_deref(),
            after: self.after.as_deref(),
        }
    }
}

fn stored_row(row: &Row<'_>) -> Result<StoredRow> {
    Ok(StoredRow {
        institution: row.id(0)?,
        at: Moment::from_micros(row.int(1)?),
        id: row.id(2)?,
        act: row.text(3)?,
        who_kind: row.text(4)?,
        who_name: row.opt_text(5)?,
        who_id: row.opt_int(6)?,
        origin: row.opt_text(7)?,
        subject_kind: row.text(8)?,
        subject_id: row.text(9)?,
        subject_label: row.text(10)?,
        person: row.opt_text(11)?,
        before: row.opt_text(12)?,
        after: row.opt_text(13)?,
        who_proof: row.opt_text(14)?,
        person_proof: row.opt_text(15)?,
    })
}

/// The oldest entries that are in no seal.
pub(super) async fn unsealed(sql: &mut Sql, institution: InstitutionId, most: i64) -> Result<Vec<StoredRow>> {
    let text = format!(
        "SELECT {COLUMNS} FROM audit WHERE institution_id = $1 AND NOT sealed ORDER BY created_at, id LIMIT $2"
    );
    sql.rows(&text, &[institution.into(), most.into()], stored_row).await
}

/// How many entries are in no seal.
pub async fn count_unsealed(sql: &mut Sql, institution: InstitutionId) -> Result<i64> {
    let text = "SELECT COUNT(*) FROM audit WHERE institution_id = $1 AND NOT sealed";
    Ok(sql.one(text, &[institution.into()], |row| row.int(0)).await?.unwrap_or(0))
}

/// These entries, as far as there are such, in any order.
pub async fn stored(sql: &mut Sql, institution: InstitutionId, keys: &[Sealed]) -> Result<Vec<StoredRow>> {
    let mut found = Vec::new();
    for (text, params) in audit_seals::keyed(&format!("SELECT {COLUMNS} FROM audit"), institution, keys) {
        found.extend(sql.rows(&text, &params, stored_row).await?);
    }
    Ok(found)
}

/// The next entries after a position that are said to be sealed.
pub async fn sealed_after(
    sql: &mut Sql,
    institution: InstitutionId,
    after: Cursor,
    most: i64,
) -> Result<Vec<Cursor>> {
    let text = "SELECT created_at, id FROM audit WHERE institution_id = $1 AND (created_at, id) > ($2, $3) AND sealed \
                ORDER BY created_at, id LIMIT $4";
    let params: [Value<'_>; 4] = [institution.into(), after.at.micros().into(), after.id.into(), most.into()];
    sql.rows(text, &params, |row| Ok(Cursor { at: Moment::from_micros(row.int(0)?), id: row.id(1)? })).await
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
    let text = format!("SELECT {SHOWN} FROM audit WHERE institution_id = $1 AND created_at = $2 AND id = $3");
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
        "SELECT {SHOWN} FROM audit WHERE institution_id = $1{condition} AND (created_at, id) < (${next}, ${}) \
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
        let by_them = format!(
            "UPDATE audit SET who_name = NULL, who_proof = {} WHERE institution_id = $1 AND who_name = $2 \
             AND who_kind IN ('member', 'person')",
            without_salt("who_proof")
        );
        sql.execute(&by_them, &[institution.into(), name.into()]).await?;
    }
    Ok(())
}

/// What is removed from an entry about somebody who is forgotten. The digest stays in its proof, and the salt goes.
fn forgotten() -> String {
    format!(
        "email_key = NULL, subject_label = '', old_values = NULL, new_values = NULL, person_proof = {}",
        without_salt("person_proof")
    )
}

/// A proof may have lost its salt before.
fn without_salt(proof: &str) -> String {
    format!("CASE WHEN {proof} LIKE '.%' THEN {proof} ELSE SUBSTR({proof}, {}) END", SALT_LENGTH + 1)
}

/// Removes the data of a person from all entries about them, when their last registrations are deleted.
pub async fn forget_registrations(
    sql: &mut Sql,
    institution: InstitutionId,
    email_key: &str,
    registrations: &[ParticipantId],
) -> Result<()> {
    sql.scrub_wal();
    let own = format!(
        "UPDATE audit SET who_name = CASE WHEN {is_theirs} THEN NULL ELSE who_name END, \
         who_proof = CASE WHEN {is_theirs} THEN {who} ELSE who_proof END, \
         subject_id = CASE WHEN subject_kind = 'person' THEN '' ELSE subject_id END, {forgotten} \
         WHERE institution_id = $2 AND email_key = $1",
        // An access token may be called like somebody. Its name is nobody's, and part of the chain.
        is_theirs = "who_name = $1 AND who_kind <> 'token'",
        who = without_salt("who_proof"),
        forgotten = forgotten(),
    );
    sql.execute(&own, &[email_key.into(), institution.into()]).await?;
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
            "UPDATE audit SET {} WHERE institution_id = $1 AND subject_kind = $2 AND subject_id IN ({})",
            forgotten(),
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
    let text = format!(
        "UPDATE audit SET {} WHERE institution_id = $1 AND subject_kind = 'scim_user' AND subject_id IN \
         (SELECT CAST(u.id AS TEXT) FROM scim_users u WHERE u.institution_id = $1 AND u.email_key = $2)",
        forgotten()
    );
    sql.execute(&text, &[institution.into(), email_key.into()]).await.map(|_| ())
}

/// For how many days an institution keeps its entries; `Some(None)` for ever, `None` if there is no such institution.
pub async fn retention(sql: &mut Sql, institution: InstitutionId) -> Result<Option<Option<i64>>> {
    let text = "SELECT audit_days FROM institutions WHERE id = $1";
    sql.one(text, &[institution.into()], |row| row.opt_int(0)).await
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
