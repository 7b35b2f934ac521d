//! Bulk imports: people from a file, and their recordings from a folder.

mod sheet;

use std::collections::HashSet;

pub use sheet::{Row, Sheet, SheetFault};

use super::{
    Actor, App, Error, Missing, Result,
    calls::{self, CallChange},
    media::{self, PendingCall},
    own_recordings::{self, Attempts, Copies},
    participants::{self, Created},
};
use crate::{
    domain::{
        access::{Access, SearchScope},
        email::email_key,
        fault::{Fault, Field},
        field_errors::FieldErrors,
        ids::{InstitutionId, NamePageId},
        media::{Incoming, Kind, MediaFault},
        name_page::NamePageRef,
        own_recording::{Registration, Start},
        participant::{Draft, Participant},
        text,
    },
    store::{
        self,
        participants::{KeyKind, best},
        rolls,
    },
};

#[derive(Clone)]
pub struct Line {
    pub number: u64,
    pub draft: Draft,
}

/// Whether to call people whose row has a phone number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CallPolicy {
    Nobody,
    WithNumber,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    Created,
    Updated,
    Refused(FieldErrors),
}

/// The result of importing one row.
pub struct RowReport {
    pub line: u64,
    pub email: String,
    pub identifier: Option<String>,
    pub outcome: Outcome,
}

/// The number of rows per transaction.
pub const GROUP: usize = 500;

/// Imports rows of a sheet in one transaction. Returns a report for each row, in the same order.
pub async fn rows(
    app: &App,
    actor: &Actor,
    institution: InstitutionId,
    page: NamePageRef,
    rows: Vec<Row>,
    calling: CallPolicy,
    rehearse: bool,
) -> Result<Vec<RowReport>> {
    let mut reports = Vec::with_capacity(rows.len());
    let mut lines = Vec::with_capacity(rows.len());
    for Row { line, email, draft } in rows {
        let identifier = draft.as_ref().and_then(|draft| draft.identifier.set().cloned());
        reports.push(RowReport { line, email, identifier, outcome: Outcome::Refused(unreadable()) });
        lines.extend(draft.map(|draft| Line { number: line, draft }));
    }
    for (line, outcome) in group(app, actor, institution, page, lines, calling, rehearse).await? {
        if let Some(row) = reports.iter_mut().find(|row| row.line == line) {
            row.outcome = outcome;
        }
    }
    Ok(reports)
}

fn unreadable() -> FieldErrors {
    FieldErrors::one(Field::Row, Fault::NotText)
}

/// Why the transaction of a group was rolled back.
enum RolledBack {
    /// A dry run. Contains what would have happened.
    Rehearsal(Vec<(u64, Outcome)>),
    Failed(Error),
}

impl From<store::Error> for RolledBack {
    fn from(error: store::Error) -> Self {
        Self::Failed(error.into())
    }
}

impl From<Error> for RolledBack {
    fn from(error: Error) -> Self {
        Self::Failed(error)
    }
}

/// Imports one group of rows in one transaction (upsert by email): updates people who are already on the page and creates
/// the others. An invalid row is rejected without affecting the others.
pub async fn group(
    app: &App,
    actor: &Actor,
    institution: InstitutionId,
    page: NamePageRef,
    lines: Vec<Line>,
    calling: CallPolicy,
    rehearse: bool,
) -> Result<Vec<(u64, Outcome)>> {
    actor.administer(institution)?;
    let now = app.clock.now();
    let ids = |line| (line, app.ids.hex(), calls::Ids::new(app, now));
    let lines: Vec<(Line, String, calls::Ids)> = lines.into_iter().map(ids).collect();
    // Copies of recordings that people made elsewhere are prepared only when the write needs them; then it is retried.
    let (mut copies, mut attempts) = (Copies::new(), Attempts::default());
    loop {
        let made = own_recordings::files(&copies);
        let written = write(app, institution, page.clone(), (lines.clone(), copies), calling, rehearse).await;
        match own_recordings::settle(app, institution, made, written).await {
            Err(error) => {
                attempts.again(error)?;
                let registrations: Vec<(usize, Registration)> =
                    lines.iter().map(|(line, ..)| Registration::of(&line.draft)).enumerate().collect();
                copies = own_recordings::prepare(app, institution, &registrations, Start::Shared).await?;
            }
            Ok(report) => return Ok(report),
        }
    }
}

/// Also returns which copies were used.
async fn write(
    app: &App,
    institution: InstitutionId,
    page: NamePageRef,
    (lines, copies): (Vec<(Line, String, calls::Ids)>, Copies),
    calling: CallPolicy,
    rehearse: bool,
) -> Result<(Vec<(u64, Outcome)>, HashSet<String>)> {
    let (now, rules) = (app.clock.now(), app.calling.clone());
    let outcome = app
        .db
        .write(move |sql| {
            Box::pin(async move {
                rolls::lock(sql, institution).await?;
                let page = participants::page_of(sql, &Access::whole(institution), &page).await?;
                let mut report = Vec::with_capacity(lines.len());
                let mut used = HashSet::new();
                for (place, (Line { number, draft }, token, ids)) in lines.into_iter().enumerate() {
                    let call_change = match calling {
                        CallPolicy::WithNumber => CallChange::of(&draft),
                        CallPolicy::Nobody => CallChange::of(&draft).without_call(),
                    };
                    let registered = match draft.email.set() {
                        Some(email) => participants::registered(sql, institution, page, email.key()).await,
                        None => Err(Error::Missing(Missing::Participant)),
                    };
                    let written = match registered {
                        Ok(old) => participants::update_in(sql, institution, old, draft, now)
                            .await
                            .map(|person| (person.id, Outcome::Updated)),
                        Err(Error::Missing(_)) => {
                            let made =
                                participants::create_in(sql, institution, page, draft, now, token).await;
                            if let Ok(Created { person, recorded: true }) = &made
                                && !rehearse
                            {
                                let started =
                                    participants::start(sql, institution, person.id, place, &copies).await?;
                                if let Some(started) = started {
                                    let (one, new) = ([(person.id, &started)], &started.media);
                                    let held = own_recordings::hold_started(sql, institution, &one, now);
                                    if held.await?.is_empty() {
                                        store::media::attach(sql, institution, person.id, new, now).await?;
                                    }
                                    used.insert(started.media.hex);
                                }
                            }
                            made.map(|made| (made.person.id, Outcome::Created))
                        }
                        Err(other) => Err(other),
                    };
                    report.push(match written {
                        Ok((person, outcome)) => {
                            calls::settle(sql, &rules, (institution, person), call_change, ids, now).await?;
                            (number, outcome)
                        }
                        Err(Error::Invalid(errors)) => (number, Outcome::Refused(errors)),
                        Err(other) => return Err(other.into()),
                    });
                }
                if rehearse { Err(RolledBack::Rehearsal(report)) } else { Ok((report, used)) }
            })
        })
        .await;
    match outcome {
        Ok(done) => Ok(done),
        Err(RolledBack::Rehearsal(report)) => Ok((report, HashSet::new())),
        Err(RolledBack::Failed(error)) => Err(error),
    }
}

/// Finds the owner of a recording on the page by its file name, which is an email or an identifier, with or without a file
/// extension.
pub async fn owner(
    app: &App,
    actor: &Actor,
    institution: InstitutionId,
    page: NamePageId,
    file: &str,
) -> Result<Option<Participant>> {
    actor.administer(institution)?;
    let sql = &mut app.db.read();
    for (email, identifier) in names(file) {
        for (by, key) in [(KeyKind::Email, email), (KeyKind::Identifier, identifier)] {
            let found = best(sql, institution, SearchScope::Page(page), by, &key).await?;
            if found.is_some() {
                return Ok(found);
            }
        }
    }
    Ok(None)
}

/// Returns what a file name may stand for, as keys of an email and of an identifier. The domain of an email can look like a
/// file extension, so the whole name comes first.
pub fn names(file: &str) -> impl Iterator<Item = (String, String)> {
    let without_ending = file.rsplit_once('.').map(|(name, _)| name);
    [Some(file), without_ending].into_iter().flatten().map(|name| (email_key(name), text::nfc(name.trim())))
}

/// Attaches a recording from a file. The inner error says what is wrong with the file.
pub async fn recording(
    app: &App,
    actor: &Actor,
    institution: InstitutionId,
    person: Option<&Participant>,
    bytes: Vec<u8>,
    rehearse: bool,
) -> Result<std::result::Result<(), MediaFault>> {
    actor.administer(institution)?;
    let incoming = Incoming::Bytes(bytes);
    // In a dry run, the owner may not exist yet: they may be somebody whom the import would create.
    let Some(person) = person.filter(|_| !rehearse) else {
        return Ok(app.studio.process(Kind::Recording, incoming).await?.map(|_| ()));
    };
    let media_file = (Kind::Recording, incoming);
    match media::store_one(app, (institution, person.id), media_file, PendingCall::Cancel).await {
        Ok(_) => Ok(Ok(())),
        Err(Error::Invalid(errors)) => {
            let fault = errors.iter().flat_map(|(_, faults)| faults).find_map(|fault| match fault {
                Fault::Media(fault) => Some(fault.clone()),
                _ => None,
            });
            fault.map(Err).ok_or(Error::Invalid(errors))
        }
        Err(other) => Err(other),
    }
}
