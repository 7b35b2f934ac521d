//! The audit log. A use case that changes something for an institution writes a `Record` in the transaction of the change, so there is
//! none without the other. See [ADR 28](../../docs/adr/0028-audit-log.md).
//!
//! ```text
//! let record = Record::new(app, actor, institution, Act::TokenCreated);   // before the transaction: it knows who and from where
//! … audit::write(sql, &[record.about(SubjectKind::Token, id, name).change(Json::Null, after)]).await?;   // inside
//! ```

mod chain;
mod log;
mod media;
mod retention;
mod sign_ins;
mod values;

use std::fmt::Display;

use serde_json::Value as Json;

pub(super) use chain::{ANCHOR, anchor_text};
pub use chain::{Broken, Verdict, verify};
pub(super) use log::told;
pub use log::{AuditExport, By, Format, OwnChange, Page, Query, as_json, export, find, list, of_person};
pub(super) use media::{MediaChange, write_media};
pub use retention::run as delete_expired;
pub(super) use sign_ins::{EVERYWHERE, LTI, refused};
pub(super) use values::{of_media, of_participant, of_phone, read_author, with, written_author};

use super::{Actor, App, Ids, Result};
use crate::{
    domain::{
        access::Access,
        audit::{Act, Entry, NewEntry, Origin, Subject, SubjectKind, Values, Who, differences},
        email::email_key,
        ids::{InstitutionId, ParticipantId},
        participant::Participant,
        session::PersonId,
    },
    store::{self, Sql},
};

tokio::task_local! {
    static ORIGIN: Origin;
}

/// Runs a request or a command. The records that it makes have this origin; those of tasks that it spawns have none.
pub async fn within<F: Future>(origin: Origin, work: F) -> F::Output {
    ORIGIN.scope(origin, work).await
}

/// The origin of this request or command. Code that spawns a task passes it on with `within`.
pub fn origin() -> Origin {
    ORIGIN.try_with(|origin| *origin).unwrap_or_default()
}

/// An entry to be written.
#[derive(Debug, Clone)]
pub struct Record(NewEntry);

impl Record {
    /// For use cases that take an `Actor`. Made outside of the transaction, which may run on another thread.
    pub fn new(app: &App, actor: &Actor, institution: InstitutionId, act: Act) -> Self {
        Self::by(app, actor.who(), institution, act)
    }

    /// For use cases that take an `Access`.
    pub fn of(app: &App, access: &Access, act: Act) -> Self {
        Self::by(app, access.by.clone(), access.institution, act)
    }

    /// For what is authorized by something else than an actor. The institution is the subject, unless another is given.
    pub fn by(app: &App, who: Who, institution: InstitutionId, act: Act) -> Self {
        let at = app.clock.now();
        let entry = Entry {
            institution,
            id: app.ids.id(at),
            at,
            who,
            act: act.word().into(),
            subject: Subject {
                kind: SubjectKind::Institution.word().into(),
                id: institution.to_string(),
                label: String::new(),
            },
            person: None,
            origin: origin().text(),
            before: Values::new(),
            after: Values::new(),
        };
        Self(NewEntry { entry, salts: app.ids.salts() })
    }

    /// Another record of the same act, for changes of many things at once.
    pub fn another(&self, ids: &Ids) -> Self {
        let entry = Entry { id: ids.id(self.0.entry.at), ..self.0.entry.clone() };
        Self(NewEntry { entry, salts: ids.salts() })
    }

    /// `another` of a different act.
    pub fn then(&self, ids: &Ids, act: Act) -> Self {
        let mut other = self.another(ids);
        other.0.entry.act = act.word().into();
        other
    }

    pub(super) const fn who(&self) -> &Who {
        &self.0.entry.who
    }

    /// For a change of somebody's address: filed under both.
    pub(super) fn of_both(self, ids: &Ids, before: Option<&str>, after: Option<&str>) -> Vec<Self> {
        let mut keys: Vec<&str> = after.into_iter().chain(before).collect();
        keys.dedup();
        match keys[..] {
            [] => vec![self],
            [one] => vec![self.person(one)],
            [one, other, ..] => {
                let another = self.another(ids);
                vec![self.person(one), another.person(other)]
            }
        }
    }

    pub(super) fn institution(&self) -> InstitutionId {
        self.0.entry.institution
    }

    /// For what is found by its id alone: its institution.
    pub fn within(mut self, institution: InstitutionId) -> Self {
        self.0.entry.institution = institution;
        self
    }

    /// For what is made before it is known who does it.
    pub(super) fn done_by(mut self, who: Who) -> Self {
        self.0.entry.who = who;
        self
    }

    /// Without the name of who did it: they are erased.
    pub fn anonymous(mut self) -> Self {
        self.0.entry.who.name = None;
        self
    }

    /// What was changed, with a name for people.
    pub fn about(mut self, kind: SubjectKind, id: impl Display, label: impl Into<String>) -> Self {
        self.0.entry.subject = Subject { kind: kind.word().into(), id: id.to_string(), label: label.into() };
        self
    }

    /// A registration was changed.
    pub fn participant(self, person: &Participant) -> Self {
        let record = self.about(SubjectKind::Participant, person.id, values::label(person));
        match &person.email {
            Some(email) => record.person(&email_key(email)),
            None => record,
        }
    }

    /// Something that a person has once for all of their registrations was changed.
    pub fn of_person(self, person: &PersonId) -> Self {
        self.about(SubjectKind::Person, &person.email_key, "").person(&person.email_key)
    }

    /// Whose data was changed. They see it on `/me`, and it is forgotten when they are erased.
    pub fn person(mut self, email_key: &str) -> Self {
        self.0.entry.person = Some(email_key.to_owned());
        self
    }

    /// JSON objects. Only the fields that differ are kept, and never secrets.
    pub fn change(mut self, before: Json, after: Json) -> Self {
        (self.0.entry.before, self.0.entry.after) = differences(before, after);
        self
    }

    pub(super) fn into_entry(self) -> NewEntry {
        self.0
    }

    /// Has anything changed?
    pub fn is_change(&self) -> bool {
        !self.0.entry.before.is_empty() || !self.0.entry.after.is_empty()
    }
}

/// Writes records, in the transaction of the change. They cost PostgreSQL no round trip if no statement follows.
pub async fn write(sql: &mut Sql, records: &[Record]) -> store::Result<()> {
    let entries: Vec<&NewEntry> = records.iter().map(|record| &record.0).collect();
    store::audit::insert(sql, &entries).await
}

/// `write` for an update, which may have changed nothing: a client that sends the same data every night fills no log.
pub async fn write_change(sql: &mut Sql, record: Record) -> Result<()> {
    if record.is_change() {
        write(sql, &[record]).await?;
    }
    Ok(())
}

/// Writes a record of the same act for each of these registrations, as far as they are visible.
pub(super) async fn write_each(
    sql: &mut Sql,
    record: &Record,
    ids: &Ids,
    people: &[ParticipantId],
) -> Result<()> {
    let people = store::participants::by_ids(sql, record.0.entry.institution, people).await?;
    let records: Vec<Record> = people.iter().map(|person| record.another(ids).participant(person)).collect();
    Ok(write(sql, &records).await?)
}

/// A record about a registration that is known by its id alone.
pub(super) async fn of_registration(
    sql: &mut Sql,
    record: Record,
    participant: ParticipantId,
) -> Result<Record> {
    let found = store::participants::by_ids(sql, record.0.entry.institution, &[participant]).await?.pop();
    Ok(match found {
        Some(person) => record.participant(&person),
        // They have left the course, or were deleted.
        None => record.about(SubjectKind::Participant, participant, ""),
    })
}
