//! Applies a roster to a name page in one transaction.

use std::{collections::HashSet, sync::Arc};

use serde_json::{Value as Json, json};

use super::{backfill_key, known_names, photos::Photo, staff};
use crate::{
    app::{
        App, Error, Missing, Result, address_changes,
        audit::{self, MediaChange, Record as AuditRecord},
        hiding,
        own_recordings::{self, Copies, Started},
    },
    domain::{
        audit::{Act, SubjectKind, Who, WhoKind},
        course::Course,
        ids::{CourseId, InstitutionId, NamePageId, ParticipantId, ToolConsumerId},
        job::Claim,
        matching::{Entry, Holder, Loss, Plan, TargetIdentity, identifier_key},
        media::Media,
        moment::Moment,
        name_page::PageLabel,
        own_recording::{Registration, Start},
        participant::Participant,
        roster::{Member, Roster},
        tool_consumer::ToolConsumer,
    },
    store::{
        self, Sql,
        courses::{self, SyncResult, members},
        name_pages,
        participants::{self, Record},
        rolls,
    },
};

#[derive(Debug, Clone, Copy, Default)]
pub struct Counts {
    pub new: usize,
    pub changed: usize,
    pub back: usize,
    pub left: usize,
    pub identifiers_taken: usize,
}

pub enum Applied {
    Written {
        counts: Counts,
        /// Photos to copy or remove afterwards.
        photos: Vec<Photo>,
    },
    /// The roster lacks so many people that an operator must confirm it. The page is unchanged, and the reason is stored with
    /// the course.
    HeldBack(String),
}

pub async fn apply(
    app: &App,
    claim: &Claim,
    consumer: &ToolConsumer,
    course: &Course,
    mut roster: Roster,
    copies: Copies,
    requested_at: Moment,
) -> Result<Applied> {
    let (claim, consumer, institution) = (claim.clone(), consumer.clone(), consumer.institution);
    let title = roster.title.as_deref().map(|title| super::title(title, &course.external_id));
    let title = title.unwrap_or_else(|| course.title.clone());
    let made = own_recordings::files(&copies);
    let who = Who::named(WhoKind::System, &consumer.name);
    let mut sync = Sync::new(app, who, institution, course, copies, requested_at);
    let written = app
        .db
        .write::<_, Error>(move |sql| {
            Box::pin(async move {
                rolls::lock(sql, institution).await?;
                if !store::jobs::holds_lease(sql, &claim).await? {
                    // Another worker has the lease now.
                    return Err(Error::Missing(Missing::Job));
                }
                // If another tool consumer has taken the course over, this roster has the wrong user ids.
                let is_same =
                    |course: &Course| course.name_page == sync.page && course.tool_consumer == sync.consumer;
                let there = courses::find(sql, institution, sync.course).await?;
                let there = there.filter(|(course, job)| is_same(course) && *job == Some(claim.id));
                let (course, _) = there.ok_or(Error::Missing(Missing::Course))?;
                backfill_key(sql, &consumer, &course).await?;
                // The copies are keyed by position on the roster, so a changed roster needs new ones.
                if staff::exclude_staff(sql, &consumer, &course, &mut roster, requested_at).await? {
                    return Err(Error::FilesNeeded);
                }
                let applied = sync.write(sql, &roster, &title).await?;
                Ok((applied, sync.used))
            })
        })
        .await;
    own_recordings::settle(app, institution, made, written).await
}

/// Prepares copies of the recordings that people who are new on this page made, or were given, elsewhere.
pub async fn prepare(
    app: &App,
    institution: InstitutionId,
    course: &Course,
    members: &[Member],
    requested_at: Moment,
) -> Result<Copies> {
    let (sql, page) = (&mut app.db.read(), course.name_page);
    let entries = members::entries(sql, institution, (course.id, page), requested_at).await?;
    let holders = holders(sql, institution, page, members, &entries).await?;
    let plan = Plan::new(members, &entries, &holders);
    let found = recognized(sql, institution, &entries, &plan).await?;
    let starting = plan.new.iter().map(|(who, wanted)| (*who, wanted));
    let starting = starting.chain(found.into_iter().map(|(who, _, wanted)| (who, wanted)));
    let starting = registrations(course.tool_consumer, members, starting);
    own_recordings::prepare(app, institution, &starting, Start::Any).await
}

/// Keyed by position on the roster.
pub(super) fn registrations<'a>(
    consumer: ToolConsumerId,
    members: &[Member],
    people: impl Iterator<Item = (usize, &'a TargetIdentity)>,
) -> Vec<(usize, Registration)> {
    let registration = |(who, wanted): (usize, &TargetIdentity)| {
        let users = vec![(consumer, members[who].user_id.clone())];
        let (email_key, identifier_key) = (wanted.email_key.clone(), wanted.identifier_key.clone());
        (who, Registration { email_key, identifier_key, users, ..Registration::default() })
    };
    people.map(registration).collect()
}

/// People on the page who have no recording and whose email has only now become known: roster position, participant,
/// identity.
async fn recognized<'a>(
    sql: &mut Sql,
    institution: InstitutionId,
    entries: &[Entry],
    plan: &'a Plan,
) -> Result<Vec<(usize, ParticipantId, &'a TargetIdentity)>> {
    let is_recognized = |(at, _, wanted): &&(usize, usize, TargetIdentity)| {
        entries[*at].email_key.is_none() && wanted.email_key.is_some()
    };
    let known: Vec<(usize, ParticipantId, &TargetIdentity)> = plan
        .known
        .iter()
        .filter(is_recognized)
        .map(|(at, who, wanted)| (*who, entries[*at].id, wanted))
        .collect();
    let ids: Vec<ParticipantId> = known.iter().map(|(_, id, _)| *id).collect();
    let unrecorded = store::own_recordings::unrecorded(sql, institution, &ids).await?;
    Ok(known.into_iter().filter(|(_, id, _)| unrecorded.contains(id)).collect())
}

/// Holders on other pages of the identifiers that people may get here, either from the roster or by returning.
pub(super) async fn holders(
    sql: &mut Sql,
    institution: InstitutionId,
    page: NamePageId,
    members: &[Member],
    entries: &[Entry],
) -> Result<Vec<Holder>> {
    let away = entries.iter().filter(|entry| entry.hidden).filter_map(|entry| entry.identifier_key.clone());
    let keys: HashSet<String> = members.iter().filter_map(identifier_key).chain(away).collect();
    let keys: Vec<&str> = keys.iter().map(String::as_str).collect();
    Ok(members::holders(sql, institution, page, &keys).await?)
}

pub(super) struct Sync {
    pub(super) app: App,
    pub(super) institution: InstitutionId,
    consumer: ToolConsumerId,
    pub(super) course: CourseId,
    pub(super) page: NamePageId,
    pub(super) now: Moment,
    /// When the roster was requested.
    pub(super) requested_at: Moment,
    pub(super) copies: Copies,
    /// The copies that were attached to somebody.
    pub(super) used: HashSet<String>,
    /// What the records of the audit log have in common.
    record: AuditRecord,
    /// The page, as far as records name it.
    label: Arc<PageLabel>,
}

impl Sync {
    pub(super) fn new(
        app: &App,
        who: Who,
        institution: InstitutionId,
        course: &Course,
        copies: Copies,
        requested_at: Moment,
    ) -> Self {
        Self {
            app: app.clone(),
            institution,
            consumer: course.tool_consumer,
            course: course.id,
            page: course.name_page,
            now: app.clock.now(),
            requested_at,
            copies,
            used: HashSet::new(),
            record: AuditRecord::by(app, who, institution, Act::ParticipantUpdated),
            label: Arc::new(PageLabel { title: course.title.clone(), ..PageLabel::default() }),
        }
    }

    /// Records of another identity.
    pub(super) fn identified(&self, entry: &Entry, wanted: &TargetIdentity) -> Vec<AuditRecord> {
        let names = [&wanted.first_name, &wanted.last_name].into_iter().flatten().cloned();
        let name = names.collect::<Vec<String>>().join(" ");
        let parts = [name, self.label.title.clone()].into_iter().filter(|part| !part.is_empty());
        let label = parts.collect::<Vec<String>>().join(", ");
        let record = self.record.another(&self.app.ids).about(SubjectKind::Participant, entry.id, label);
        let record = record.change(values(&entry.identity()), values(wanted));
        record.of_both(&self.app.ids, entry.email_key.as_deref(), wanted.email_key.as_deref())
    }

    /// Records of people who have left or are back.
    async fn log(&self, sql: &mut Sql, act: Act, people: &[Participant]) -> Result<()> {
        let record = |person: &Participant| self.record.then(&self.app.ids, act).participant(person);
        let records: Vec<AuditRecord> = people.iter().map(record).collect();
        Ok(audit::write(sql, &records).await?)
    }

    async fn write(&mut self, sql: &mut Sql, roster: &Roster, title: &str) -> Result<Applied> {
        let members = roster.members.as_slice();
        let (institution, page) = (self.institution, self.page);
        let entries = members::entries(sql, institution, (self.course, page), self.requested_at).await?;
        let holders = holders(sql, institution, page, members, &entries).await?;
        let plan = Plan::new(members, &entries, &holders);
        if let Some(loss) = plan.loss(&entries)
            && !courses::accepts_losses(sql, institution, self.course).await?
        {
            let why = held_back(loss, roster.note.as_deref());
            courses::end(sql, institution, self.course, SyncResult::Failed(&why)).await?;
            return Ok(Applied::HeldBack(why));
        }
        let left: Vec<ParticipantId> = plan.leaving.iter().map(|at| entries[*at].id).collect();
        self.hide(sql, left).await?;
        let mut counts = Counts {
            new: plan.new.len(),
            left: plan.leaving.len(),
            identifiers_taken: plan.identifiers_taken,
            ..Counts::default()
        };
        let changes_email =
            |(at, _, wanted): &&(usize, usize, TargetIdentity)| loses_email(&entries[*at], wanted);
        let moving: Vec<&Entry> =
            plan.known.iter().filter(changes_email).map(|(at, ..)| &entries[*at]).collect();
        participants::clear_emails(sql, institution, &moving).await?;
        let (mut back, mut log) = (Vec::new(), Vec::new());
        for (at, _, wanted) in &plan.known {
            let entry = &entries[*at];
            if is_changed(entry, wanted) {
                participants::set_identity(sql, institution, (entry.id, entry.hidden), wanted, self.now)
                    .await?;
                log.extend(self.identified(entry, wanted));
                let both = (entry.email.as_deref(), wanted.email.as_deref());
                address_changes::tell(sql, &self.app, institution, both, self.now).await?;
                counts.changed += 1;
            }
            back.extend(entry.hidden.then_some(entry.id));
        }
        audit::write(sql, &log).await?;
        counts.back = back.len();
        self.show(sql, back).await?;
        self.start_recognized(sql, members, &entries, &plan).await?;
        let first = self.insert(sql, members, &plan.new).await?;
        self.link(sql, members, &entries, &plan, &first).await?;
        let is_new_to_them = |(at, who, wanted): &&(usize, usize, TargetIdentity)| {
            let entry = &entries[*at];
            let is_linked = entry.user_id.as_deref() == Some(members[*who].user_id.as_str());
            wanted.email_key.is_none() && (!is_linked || is_changed(entry, wanted))
        };
        let known = plan.known.iter().filter(is_new_to_them).map(|(at, ..)| entries[*at].id);
        let new = plan.new.iter().zip(&first).filter(|((_, wanted), _)| wanted.email_key.is_none());
        let unnamed: Vec<ParticipantId> = known.chain(new.map(|(_, id)| *id)).collect();
        own_recordings::follow_pause(sql, institution, &unnamed).await?;
        name_pages::set_title(sql, institution, page, title).await?;
        let renamed = self.record.then(&self.app.ids, Act::NamePageUpdated);
        let renamed = renamed.about(SubjectKind::NamePage, page, title);
        let (before, after) = (json!({ "title": self.label.title }), json!({ "title": title }));
        audit::write_change(sql, renamed.change(before, after)).await?;
        courses::describe(sql, institution, self.course, title, None).await?;
        let taken = (plan.identifiers_taken > 0).then(|| {
            format!(
                "{} kept without the institution_id of the learning system: somebody with another email has it",
                plan.identifiers_taken
            )
        });
        let notes: Vec<String> = roster.note.iter().cloned().chain(taken).collect();
        let note = (!notes.is_empty()).then(|| notes.join("; "));
        courses::end(sql, institution, self.course, SyncResult::Synced(self.now, note.as_deref())).await?;
        let known = plan.known.iter().map(|(at, who, _)| Photo::of(&members[*who], &entries[*at]));
        let new = plan.new.iter().zip(&first).map(|((who, _), id)| Photo::new(&members[*who], *id));
        Ok(Applied::Written { counts, photos: known.chain(new).flatten().collect() })
    }

    pub(super) async fn hide(&self, sql: &mut Sql, ids: Vec<ParticipantId>) -> Result<()> {
        let people = participants::by_ids(sql, self.institution, &ids).await?;
        hiding::hide(sql, &self.app, (self.institution, self.page), ids, self.now).await?;
        self.log(sql, Act::ParticipantHidden, &people).await
    }

    pub(super) async fn show(&self, sql: &mut Sql, ids: Vec<ParticipantId>) -> Result<()> {
        hiding::show(sql, (self.institution, self.page), &ids, self.now).await?;
        let people = participants::by_ids(sql, self.institution, &ids).await?;
        self.log(sql, Act::ParticipantShown, &people).await
    }

    /// Inserts new participants and returns their ids in the same order.
    pub(super) async fn insert(
        &mut self,
        sql: &mut Sql,
        members: &[Member],
        new: &[(usize, TargetIdentity)],
    ) -> Result<Vec<ParticipantId>> {
        if new.is_empty() {
            return Ok(Vec::new());
        }
        let count = i64::try_from(new.len()).unwrap_or(i64::MAX);
        let first_id = rolls::join_all(sql, self.institution, rolls::INSTITUTION, count).await?;
        let first_place = rolls::join_all(sql, self.institution, self.page, count).await?;
        let people = registrations(self.consumer, members, new.iter().map(|(who, wanted)| (*who, wanted)));
        let started = own_recordings::start(sql, self.institution, &people, Start::Any, &self.copies).await?;
        let known = known_names::find(sql, self.institution, members, new).await?;
        let record = |(nth, (who, wanted)): (i64, &(usize, TargetIdentity))| {
            let known = known.get(who);
            let id = ParticipantId::new(first_id + nth);
            let mut person = Participant::new(id, first_place + nth, self.app.ids.hex());
            person.first_name = known.map_or(&wanted.first_name, |known| &known.first_name).clone();
            person.last_name = known.map_or(&wanted.last_name, |known| &known.last_name).clone();
            person.email = wanted.email.clone();
            person.identifier = wanted.identifier.clone();
            person.page = self.label.clone();
            person.phonetic = started.get(who).and_then(|started| started.phonetic.clone());
            Record {
                person,
                name_page_id: self.page,
                email_key: wanted.email_key.clone(),
                identifier_key: wanted.identifier_key.clone(),
                phone_number: None,
                now: self.now,
            }
        };
        let records: Vec<Record> = (0..).zip(new).map(record).collect();
        participants::insert_all(sql, self.institution, &records).await?;
        let created = |record: &Record| {
            let after = audit::of_participant(&record.person, &[]);
            let made = self.record.then(&self.app.ids, Act::ParticipantCreated);
            made.participant(&record.person).change(Json::Null, after)
        };
        audit::write(sql, &records.iter().map(created).collect::<Vec<_>>()).await?;
        let recordings: Vec<(ParticipantId, &Started)> = records
            .iter()
            .zip(new)
            .filter_map(|(record, (who, _))| Some((record.person.id, started.get(who)?)))
            .collect();
        for (id, started) in &recordings {
            started.follow(sql, self.institution, *id).await?;
        }
        let held = own_recordings::hold_started(sql, self.institution, &recordings, self.now).await?;
        let audible = recordings.iter().filter(|(id, _)| !held.contains(id));
        let audible: Vec<(ParticipantId, &Media)> = audible.map(|(id, one)| (*id, &one.media)).collect();
        store::media::attach_recordings(sql, self.institution, &audible).await?;
        self.used.extend(recordings.iter().map(|(_, one)| one.media.hex.clone()));
        Ok(records.into_iter().map(|record| record.person.id).collect())
    }

    /// Attaches existing recordings to people whose email has only now become known.
    async fn start_recognized(
        &mut self,
        sql: &mut Sql,
        members: &[Member],
        entries: &[Entry],
        plan: &Plan,
    ) -> Result<()> {
        let found = recognized(sql, self.institution, entries, plan).await?;
        let people =
            registrations(self.consumer, members, found.iter().map(|(who, _, wanted)| (*who, *wanted)));
        let mut started =
            own_recordings::start(sql, self.institution, &people, Start::Any, &self.copies).await?;
        for (who, id, _) in found {
            if let Some(started) = started.remove(&who) {
                started.follow(sql, self.institution, id).await?;
                let one = [(id, &started)];
                if own_recordings::hold_started(sql, self.institution, &one, self.now).await?.is_empty() {
                    let old =
                        store::media::attach(sql, self.institution, id, &started.media, self.now).await?;
                    let (before, after) = (old.into_iter().collect(), Some(started.media.clone()));
                    let change = MediaChange { participant: id, before, after };
                    audit::write_media(sql, &self.record, &self.app.ids, &[change]).await?;
                }
                self.used.insert(started.media.hex);
            }
        }
        Ok(())
    }

    async fn link(
        &self,
        sql: &mut Sql,
        members: &[Member],
        entries: &[Entry],
        plan: &Plan,
        first: &[ParticipantId],
    ) -> Result<()> {
        let mut pairs: Vec<(&str, ParticipantId)> = Vec::new();
        for (at, who, _) in &plan.known {
            if entries[*at].user_id.as_deref() != Some(&members[*who].user_id) {
                pairs.push((&members[*who].user_id, entries[*at].id));
            }
        }
        let new = plan.new.iter().zip(first).map(|((who, _), id)| (members[*who].user_id.as_str(), *id));
        pairs.extend(new);
        Ok(members::link(sql, self.institution, self.course, &pairs, None).await?)
    }
}

/// What a learning system says about a person.
fn values(identity: &TargetIdentity) -> Json {
    json!({
        "first_name": identity.first_name,
        "last_name": identity.last_name,
        "email": identity.email,
        "institution_id": identity.identifier,
    })
}

fn held_back(loss: Loss, note: Option<&str>) -> String {
    let Loss { before, lost } = loss;
    let lost = if lost == before {
        format!("everybody who was on it ({before})")
    } else {
        format!("{lost} of the {before} people who were on it")
    };
    let note = note.map(|note| format!(": {note}")).unwrap_or_default();
    format!(
        "the name page was left as it is, because the learning system's roster has lost {lost}{note}; if that is right, \
         `endonym course sync --accept-empty` applies the roster"
    )
}

/// Changes the identity of a single entry.
pub(super) async fn set_identity(
    sql: &mut Sql,
    institution: InstitutionId,
    entry: &Entry,
    wanted: &TargetIdentity,
    now: Moment,
) -> Result<()> {
    if loses_email(entry, wanted) {
        participants::clear_emails(sql, institution, &[entry]).await?;
    }
    Ok(participants::set_identity(sql, institution, (entry.id, entry.hidden), wanted, now).await?)
}

fn loses_email(entry: &Entry, wanted: &TargetIdentity) -> bool {
    entry.email_key.is_some() && entry.email_key != wanted.email_key
}

fn is_changed(entry: &Entry, wanted: &TargetIdentity) -> bool {
    let stored = (&entry.first_name, &entry.last_name, &entry.email, &entry.identifier);
    stored != (&wanted.first_name, &wanted.last_name, &wanted.email, &wanted.identifier)
}
