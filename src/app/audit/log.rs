//! Reading the log. Indexes find entries by time, by person and by subject. Everything else is searched entry by entry, in windows of a
//! fixed size: a page of results costs the same in a log of a thousand and of a million entries, and may be short or empty although
//! there are more. `Page::next` then goes on.

use std::collections::HashSet;

use bytes::Bytes;
use jiff::tz::TimeZone;
use serde_json::{Value as Json, json};

use super::{Record, write};
use crate::{
    app::{
        Actor, App, Error, Result,
        streams::{Chunks, Slot},
    },
    domain::{
        audit::{Act, Cursor, Entry, SubjectKind, Values, Who, WhoKind, fields},
        email::email_key,
        formula::{BYTE_ORDER_MARK, csv_row},
        ids::InstitutionId,
        moment::Moment,
        session::PersonId,
        text,
    },
    store::{
        Sql, audiences,
        audit::{self, Range},
        persons,
    },
};

/// Which entries are wanted. Everything that is given must apply.
#[derive(Debug, Clone, Default)]
pub struct Query {
    /// A text in any part of the entry. Ignores case and diacritics; blank for any.
    pub search: String,
    pub act: Option<Act>,
    /// A part of the name of who did it, or the word of a `WhoKind`.
    pub who: Option<String>,
    pub subject: Option<(SubjectKind, String)>,
    /// An email address, in any spelling.
    pub person: Option<String>,
    /// Not before this moment.
    pub from: Option<Moment>,
    /// Before this moment.
    pub to: Option<Moment>,
    /// Where the previous page ended.
    pub cursor: Option<Cursor>,
    /// Changes alone, without who has signed in and out.
    pub only_changes: bool,
}

/// A part of the log, the newest entry first.
#[derive(Debug, Clone, Default)]
pub struct Page {
    pub entries: Vec<Entry>,
    /// Where to go on. There may be nothing more.
    pub next: Option<Cursor>,
}

/// Entries on a page.
const PAGE: usize = 50;
/// Entries that are read at once while searching.
const WINDOW: i64 = 2_000;
/// Windows that are searched for one page.
const WINDOWS: usize = 3;

pub async fn list(app: &App, actor: &Actor, institution: InstitutionId, query: &Query) -> Result<Page> {
    actor.administer(institution)?;
    search(&mut app.db.read(), institution, query, PAGE).await
}

/// The entry at this position. `None` if it has expired.
pub async fn find(app: &App, actor: &Actor, institution: InstitutionId, at: Cursor) -> Result<Option<Entry>> {
    actor.administer(institution)?;
    Ok(audit::find(&mut app.db.read(), institution, at).await?)
}

async fn search(sql: &mut Sql, institution: InstitutionId, query: &Query, most: usize) -> Result<Page> {
    let filter = Filter::of(query);
    let person = query.person.as_deref().map(email_key);
    let range = match (&person, &query.subject) {
        (Some(key), _) => Range::Person(key),
        (None, Some((kind, id))) => Range::Subject(kind.word(), id),
        (None, None) => Range::All,
    };
    let from = query.from.unwrap_or(Moment::from_micros(i64::MIN));
    let start = query.cursor.unwrap_or(Cursor::NEWEST);
    let mut cursor = query.to.map_or(start, |to| start.older(Cursor::before(to)));
    let window = if filter.is_empty() { i64::try_from(most).unwrap_or(WINDOW) } else { WINDOW };
    let mut page = Page::default();
    for _ in 0..WINDOWS {
        let found = audit::before(sql, institution, range, cursor, from, window).await?;
        let is_last = i64::try_from(found.len()).is_ok_and(|count| count < window);
        for entry in found {
            cursor = Cursor::of(&entry);
            if filter.includes(&entry) {
                page.entries.push(entry);
            }
            if page.entries.len() == most {
                return Ok(Page { next: Some(cursor), ..page });
            }
        }
        if is_last {
            return Ok(page);
        }
    }
    Ok(Page { next: Some(cursor), ..page })
}

/// They change nothing.
const SIGN_INS: [Act; 3] = [Act::SignInSucceeded, Act::SignInFailed, Act::SignInEnded];

/// What no index finds.
struct Filter<'a> {
    search: String,
    act: Option<&'static str>,
    who: Option<String>,
    /// If the index of persons is used.
    subject: Option<(&'static str, &'a str)>,
    only_changes: bool,
}

impl<'a> Filter<'a> {
    fn of(query: &'a Query) -> Self {
        let subject = query.subject.as_ref().filter(|_| query.person.is_some());
        Self {
            search: text::searchable(query.search.trim()),
            act: query.act.map(Act::word),
            who: query.who.as_deref().map(|who| text::searchable(who.trim())),
            subject: subject.map(|(kind, id)| (kind.word(), id.as_str())),
            only_changes: query.only_changes,
        }
    }

    fn is_empty(&self) -> bool {
        let is_for_all = self.search.is_empty() && self.act.is_none() && self.who.is_none();
        is_for_all && self.subject.is_none() && !self.only_changes
    }

    fn includes(&self, entry: &Entry) -> bool {
        self.act.is_none_or(|act| entry.act == act)
            && !(self.only_changes && SIGN_INS.iter().any(|act| entry.act == act.word()))
            && self.who.as_deref().is_none_or(|who| is_by(&entry.who, who))
            && self.subject.is_none_or(|(kind, id)| entry.subject.kind == kind && entry.subject.id == id)
            && (self.search.is_empty() || entry.contains(&self.search))
    }
}

fn is_by(who: &Who, wanted: &str) -> bool {
    who.kind.word() == wanted || text::searchable(who.name()).contains(wanted)
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    Csv,
    /// One JSON object on each line.
    JsonLines,
}

impl Format {
    pub const ALL: [Self; 2] = [Self::Csv, Self::JsonLines];
    pub const WORDS: [&'static str; 2] = ["csv", "jsonl"];

    pub const fn word(self) -> &'static str {
        match self {
            Self::Csv => "csv",
            Self::JsonLines => "jsonl",
        }
    }

    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|format| format.word() == word)
    }

    pub const fn content_type(self) -> &'static str {
        match self {
            Self::Csv => "text/csv; charset=utf-8",
            Self::JsonLines => "application/x-ndjson",
        }
    }
}

/// Entries that are written at once.
const BATCH: usize = 1_000;
/// Spreadsheet programs read a CSV file as UTF-8 if it begins with it.
const HEADINGS: [&str; 12] = [
    "at",
    "act",
    "who_kind",
    "who",
    "who_id",
    "origin",
    "subject_kind",
    "subject_id",
    "subject",
    "person",
    "before",
    "after",
];

/// All entries that a query finds, as a file that is made while it is sent; the newest first.
pub struct AuditExport {
    pub format: Format,
    app: App,
    institution: InstitutionId,
    query: Query,
    is_begun: bool,
    is_over: bool,
    /// Limits how many are sent at once.
    _slot: Slot,
}

/// Begins an export, which is recorded itself.
pub async fn export(
    app: &App,
    actor: &Actor,
    institution: InstitutionId,
    query: Query,
    format: Format,
) -> Result<AuditExport> {
    actor.administer(institution)?;
    let slot = app.streams.slot(institution).await?;
    let record = Record::new(app, actor, institution, Act::AuditExported);
    let record = record.change(Json::Null, json!({ "format": format.word() }));
    app.db
        .write_bookkeeping::<_, Error>(move |sql| Box::pin(async move { Ok(write(sql, &[record]).await?) }))
        .await?;
    let app = app.clone();
    Ok(AuditExport { format, app, institution, query, is_begun: false, is_over: false, _slot: slot })
}

impl Chunks for AuditExport {
    async fn next(&mut self) -> Result<Option<Bytes>> {
        let is_first = !std::mem::replace(&mut self.is_begun, true);
        let mut entries = Vec::new();
        while entries.is_empty() && !self.is_over {
            let page = search(&mut self.app.db.read(), self.institution, &self.query, BATCH).await?;
            self.is_over = page.next.is_none();
            self.query.cursor = page.next;
            entries = page.entries;
        }
        match self.format {
            Format::Csv if is_first || !entries.is_empty() => Ok(Some(csv(&entries, is_first))),
            Format::JsonLines if !entries.is_empty() => {
                let lines: String = entries.iter().map(|entry| format!("{}\n", as_json(entry))).collect();
                Ok(Some(lines.into()))
            }
            Format::Csv | Format::JsonLines => Ok(None),
        }
    }
}

/// An entry in a JSON file.
pub fn as_json(entry: &Entry) -> Json {
    let values = |values: &Values| if values.is_empty() { Json::Null } else { Json::Object(values.clone()) };
    json!({
        "id": entry.id.to_string(),
        "at": entry.at.shown_in(&TimeZone::UTC),
        "act": entry.act,
        "who": { "kind": entry.who.kind.word(), "name": entry.who.name.as_deref(), "id": entry.who.id.map(|id| id.to_string()) },
        "origin": entry.origin,
        "subject": { "kind": entry.subject.kind, "id": entry.subject.id, "label": entry.subject.label },
        "person": entry.person,
        "before": values(&entry.before),
        "after": values(&entry.after),
    })
}

fn csv(entries: &[Entry], is_first: bool) -> Bytes {
    let start = if is_first { format!("{BYTE_ORDER_MARK}{}", csv_row(HEADINGS)) } else { String::new() };
    entries.iter().fold(start, |file, entry| file + &csv_row(row(entry))).into()
}

fn row(entry: &Entry) -> [String; HEADINGS.len()] {
    let values = |values: &Values| match values.is_empty() {
        true => String::new(),
        false => Json::Object(values.clone()).to_string(),
    };
    [
        entry.at.shown_in(&TimeZone::UTC),
        entry.act.to_string(),
        entry.who.kind.word().to_owned(),
        entry.who.name().to_owned(),
        entry.who.id.map(|id| id.to_string()).unwrap_or_default(),
        entry.origin.clone().unwrap_or_default(),
        entry.subject.kind.to_string(),
        entry.subject.id.clone(),
        entry.subject.label.clone(),
        entry.person.clone().unwrap_or_default(),
        values(&entry.before),
        values(&entry.after),
    ]
}

/// Who changed a person's data, as far as it is told to them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum By {
    /// The person, on these pages, in a learning system or on the phone.
    Themselves,
    /// A member of the institution; the address, unless they were erased.
    Member(Option<String>),
    /// The system that uses this token.
    Token(String),
    /// Somebody who runs the server for the institution.
    Operator,
    /// The server itself, or the learning system of this name.
    System(Option<String>),
}

/// A change of a person's data, as shown to them.
#[derive(Debug, Clone)]
pub struct OwnChange {
    pub at: Moment,
    /// `None` if this version does not know it.
    pub act: Option<Act>,
    pub by: By,
    /// The title of the name page or another name of what was changed.
    pub label: String,
    pub before: Values,
    pub after: Values,
}

impl OwnChange {
    /// The names of the changed fields.
    pub fn fields(&self) -> Vec<&str> {
        fields(&self.before, &self.after)
    }

    /// For a copy of everything about the person.
    pub fn as_json(&self, zone: &TimeZone) -> Json {
        let by = match &self.by {
            By::Themselves => "yourself".to_owned(),
            // Whoever it was has data of their own.
            By::Member(_) => "member".to_owned(),
            By::Token(name) => format!("access token {name}"),
            By::Operator => "operator".to_owned(),
            By::System(name) => format!("system {}", name.as_deref().unwrap_or_default()).trim().to_owned(),
        };
        json!({
            "at": self.at.shown_in(zone),
            "act": self.act.map(Act::word),
            "by": by,
            "subject": self.label,
            "before": self.before,
            "after": self.after,
        })
    }
}

/// The newest changes of a person's data.
pub async fn of_person(app: &App, actor: &Actor, person: &PersonId, most: usize) -> Result<Vec<OwnChange>> {
    actor.represent(person)?;
    told(&mut app.db.read(), person, most).await
}

/// `of_person` inside a transaction. An address may have been somebody else's before: what was done to their registrations is not told.
pub(in crate::app) async fn told(sql: &mut Sql, person: &PersonId, most: usize) -> Result<Vec<OwnChange>> {
    let query = Query { person: Some(person.email_key.clone()), only_changes: true, ..Query::default() };
    let registrations = persons::registrations(sql, person.institution, &person.email_key).await?;
    let own: HashSet<String> = registrations.iter().map(|one| one.id.to_string()).collect();
    let since = audiences::registered_at(sql, person.institution, &person.email_key).await?;
    let is_theirs = |entry: &Entry| {
        let is_registration = entry.subject.kind == SubjectKind::Participant.word();
        if is_registration {
            own.contains(&entry.subject.id)
        } else {
            since.is_none_or(|since| since <= entry.at)
        }
    };
    let page = search(sql, person.institution, &query, most).await?;
    Ok(page.entries.into_iter().filter(is_theirs).map(|entry| own_change(entry, person)).collect())
}

fn own_change(entry: Entry, person: &PersonId) -> OwnChange {
    let Entry { at, who, act, subject, before, after, .. } = entry;
    let by = match by(&who, person) {
        // Who has decided about a recording is told to nobody.
        By::Member(Some(_)) if act.starts_with("moderation.") => By::Member(None),
        by => by,
    };
    OwnChange { at, act: Act::parse(&act), by, label: subject.label, before, after }
}

fn by(who: &Who, person: &PersonId) -> By {
    let name = who.name.as_deref().map(str::to_owned);
    match who.kind {
        WhoKind::Lti | WhoKind::Phone => By::Themselves,
        WhoKind::Member | WhoKind::Person if email_key(who.name()) == person.email_key => By::Themselves,
        WhoKind::Member => By::Member(name),
        // Another person has no business here: what they ask for or report is told without their name.
        WhoKind::Person | WhoKind::Visitor => By::Member(None),
        WhoKind::Token | WhoKind::Scim => By::Token(who.name().to_owned()),
        WhoKind::Operator => By::Operator,
        WhoKind::System => By::System(name),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn people_are_told_who_it_was_and_nothing_about_other_people() {
        let ana = PersonId { institution: InstitutionId::new(1), email_key: "ana@example.edu".into() };
        let said = |kind: WhoKind, name: &str| by(&Who::named(kind, name), &ana);
        assert_eq!(said(WhoKind::Person, "ana@example.edu"), By::Themselves);
        assert_eq!(said(WhoKind::Member, "Ana@Example.edu"), By::Themselves);
        assert_eq!(said(WhoKind::Person, "ben@example.edu"), By::Member(None));
        assert_eq!(said(WhoKind::Member, "eva@example.edu"), By::Member(Some("eva@example.edu".into())));
        assert_eq!(said(WhoKind::Token, "SIS"), By::Token("SIS".into()));
        assert_eq!(by(&Who::OPERATOR, &ana), By::Operator);
        assert_eq!(by(&Who::SYSTEM, &ana), By::System(None));
        assert_eq!(by(&Who::numbered(WhoKind::Lti, 3), &ana), By::Themselves);
    }

    #[test]
    fn every_format_has_its_word() {
        assert_eq!(Format::ALL.map(Format::word), Format::WORDS);
        assert!(Format::ALL.into_iter().all(|format| Format::parse(format.word()) == Some(format)));
    }
}
