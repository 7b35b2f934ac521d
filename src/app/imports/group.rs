//! Writes a group of rows. What it needs is read with a few statements for all rows, and people are inserted many at a time.

use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
};

use serde_json::Value as Json;

use super::{
    super::{
        App, Error, Ids, Result,
        audit::{self, Record as AuditRecord},
        calls::{self, CallChange},
        directory_holds as app_holds,
        own_recordings::{self, Attempts, Copies},
        participants::{apply_custom, custom_ids, start},
    },
    CallPolicy, Outcome, Run, Target,
};
use crate::{
    domain::{
        access::SearchScope,
        audit::{Act, Who},
        custom_field::CustomField,
        directory_hold,
        email::email_key,
        fault::{Fault, Field},
        field_errors::FieldErrors,
        ids::{CustomFieldId, InstitutionId, NamePageId, ParticipantId},
        import::{Before, Counts, ImportState},
        moment::Moment,
        name_page::{NamePageRef, PageLabel},
        own_recording::{Registration, Start},
        participant::{CustomValues, Draft, Given, Participant},
        text,
    },
    store::{
        self, Sql, custom_fields, directory_holds, imports, name_pages, outsiders,
        participants::{self, KeyFilter, KeyKind, Record},
        rolls,
    },
};

/// A row, with what it may need at random.
#[derive(Clone)]
struct Line {
    draft: Draft,
    token: String,
    ids: calls::Ids,
}

/// Imports drafts in one transaction (upsert by email): updates people who are already on the page and creates the others. An invalid
/// row is rejected without affecting the others. `unread` are rows without a draft; they are only counted.
pub(super) async fn write(
    app: &App,
    who: Who,
    run: &Run,
    drafts: Vec<Draft>,
    unread: Counts,
) -> Result<Vec<Outcome>> {
    let now = app.clock.now();
    let audit = AuditRecord::by(app, who, run.institution, Act::ParticipantCreated);
    let line = |draft| Line { draft, token: app.ids.hex(), ids: calls::Ids::new(app, now) };
    let lines: Vec<Line> = drafts.into_iter().map(line).collect();
    // Copies of recordings that people made elsewhere are prepared only when the write needs them; then it is retried.
    let (mut copies, mut attempts) = (Copies::new(), Attempts::default());
    loop {
        let made = own_recordings::files(&copies);
        let written = write_once(app, audit.clone(), *run, (lines.clone(), copies), unread, now).await;
        match own_recordings::settle(app, run.institution, made, written).await {
            Err(error) => {
                attempts.again(error)?;
                let registrations: Vec<(usize, Registration)> =
                    lines.iter().map(|line| Registration::of(&line.draft)).enumerate().collect();
                copies = own_recordings::prepare(app, run.institution, &registrations, Start::Shared).await?;
            }
            Ok(outcomes) => return Ok(outcomes),
        }
    }
}

/// Also returns which copies were used.
async fn write_once(
    app: &App,
    audit_record: AuditRecord,
    run: Run,
    (lines, copies): (Vec<Line>, Copies),
    unread: Counts,
    now: Moment,
) -> Result<(Vec<Outcome>, HashSet<String>)> {
    let (rules, owned_app) = (app.calling.clone(), app.clone());
    app.db
        .write::<_, Error>(move |sql| {
            Box::pin(async move {
                let Run { institution, page, target, calling, .. } = run;
                rolls::lock(sql, institution).await?;
                let mut plan = Plan::read(sql, &run, &lines, now).await?;
                let outcomes: Vec<Outcome> = lines
                    .into_iter()
                    .enumerate()
                    .map(|(place, line)| plan.add(place, line, calling))
                    .collect();
                let Target::Import(import) = target else {
                    advance(sql, &run, None, counts(&outcomes, unread)).await?;
                    return Ok((outcomes, HashSet::new()));
                };
                let count = i64::try_from(plan.new.len()).unwrap_or(i64::MAX);
                if count > 0 {
                    let first = rolls::join_all(sql, institution, rolls::INSTITUTION, count).await?;
                    let first_place = rolls::join_all(sql, institution, page, count).await?;
                    let label = label(sql, institution, page).await?;
                    for (at, new) in (0_i64..).zip(&mut plan.new) {
                        new.record.person.page = label.clone();
                        new.record.person.id = ParticipantId::new(first + at);
                        new.record.person.page_place = first_place + at;
                    }
                }
                let Plan { old, new, calls: call_changes, fields, holds, .. } = plan;
                let (records, starting): (Vec<Record>, Vec<Option<usize>>) =
                    new.into_iter().map(|new| (new.record, new.is_recorded.then_some(new.place))).unzip();
                participants::insert_all(sql, institution, &records).await?;
                let mut used = HashSet::new();
                for (record, place) in records.iter().zip(starting) {
                    let Some(place) = place else { continue };
                    let id = record.person.id;
                    let Some(started) = start(sql, institution, id, place, &copies).await? else { continue };
                    let one = [(id, &started)];
                    if own_recordings::hold_started(sql, institution, &one, now).await?.is_empty() {
                        store::media::attach(sql, institution, id, &started.media, now).await?;
                    }
                    used.insert(started.media.hex);
                }
                let mut changes: Vec<(ParticipantId, Option<String>)> =
                    records.iter().map(|record| (record.person.id, None)).collect();
                for one in old.iter().filter(|one| one.is_changed) {
                    let phone_number = one.new_phone.as_ref().map(|number| Some(number.as_str()));
                    participants::update(sql, institution, &one.person, phone_number, now).await?;
                    changes.push((one.person.id, Some(one.before.clone())));
                }
                for (email_key, held) in &holds {
                    app_holds::change(sql, institution, email_key, *held, now).await?;
                }
                imports::remember(sql, institution, import, &changes, now).await?;
                // The institution has them on its list.
                let listed: Vec<ParticipantId> = old.iter().map(|one| one.person.id).collect();
                outsiders::admit_all(sql, institution, &listed).await?;
                for (whose, change, ids) in call_changes {
                    let participant = match whose {
                        Whose::Old(at) => old[at].person.id,
                        Whose::New(at) => records[at].person.id,
                    };
                    calls::settle(sql, &rules, (institution, participant), change, ids, now).await?;
                }
                let log = log(&audit_record, &owned_app.ids, &fields, &records, &old);
                audit::write(sql, &log).await?;
                advance(sql, &run, Some(run.rows_done), counts(&outcomes, unread)).await?;
                Ok((outcomes, used))
            })
        })
        .await
}

/// What people see of a page.
async fn label(sql: &mut Sql, institution: InstitutionId, page: NamePageId) -> Result<Arc<PageLabel>> {
    let Some(reference) = NamePageRef::parse(&page.to_string()) else { return Ok(Arc::default()) };
    let found = name_pages::find(sql, institution, &reference).await?;
    Ok(Arc::new(found.map(PageLabel::from).unwrap_or_default()))
}

/// A record of everybody who was created or changed.
fn log(
    record: &AuditRecord,
    ids: &Ids,
    fields: &[CustomField],
    created: &[Record],
    old: &[Old],
) -> Vec<AuditRecord> {
    let values = |person: &Participant, phone: Option<&str>| {
        audit::with(audit::of_participant(person, fields), audit::of_phone(phone))
    };
    let created = created.iter().map(|one| {
        let after = values(&one.person, one.phone_number.as_deref());
        record.another(ids).participant(&one.person).change(Json::Null, after)
    });
    let changed = old.iter().filter(|one| one.is_changed).map(|one| {
        let before =
            one.was.as_deref().map_or(Json::Null, |(person, phone)| values(person, phone.as_deref()));
        let record = record.then(ids, Act::ParticipantUpdated).participant(&one.person);
        record.change(before, values(&one.person, one.phone.as_deref()))
    });
    created.chain(changed).collect()
}

/// Counts rows in the transaction that writes them. Fails if the import has been ended meanwhile, or if not exactly `done` rows are, because
/// another worker goes on with it: then nothing is written.
pub(super) async fn advance(sql: &mut Sql, run: &Run, done: Option<u64>, more: Counts) -> Result<()> {
    let import = match run.target {
        Target::Rehearsal => return Ok(()),
        Target::Check(import) => (import, ImportState::Checking),
        Target::Import(import) => (import, ImportState::Running),
    };
    if !imports::advance(sql, run.institution, import, done, more).await? {
        let why = "the import has been undone, or another worker goes on with it";
        return Err(Error::Unavailable(why.to_owned()));
    }
    Ok(())
}

fn counts(outcomes: &[Outcome], unread: Counts) -> Counts {
    outcomes.iter().fold(unread, sum_with)
}

fn sum_with(mut sum: Counts, outcome: &Outcome) -> Counts {
    sum.done += 1;
    match outcome {
        Outcome::Created => sum.created += 1,
        Outcome::Updated(_) => sum.updated += 1,
        Outcome::Unchanged => sum.unchanged += 1,
        Outcome::Refused(_) => sum.refused += 1,
        Outcome::Skipped => {}
    }
    sum
}

/// Somebody who was on the page before this group.
struct Old {
    person: Participant,
    /// JSON.
    before: String,
    phone: Option<String>,
    new_phone: Option<String>,
    is_changed: bool,
    /// What they were before the first change, with their phone number.
    was: Option<Box<(Participant, Option<String>)>>,
}

struct New {
    /// The index of the row.
    place: usize,
    record: Record,
    /// The same email has a recording elsewhere, and the import may use it.
    is_recorded: bool,
}

#[derive(Clone, Copy)]
enum Whose {
    Old(usize),
    New(usize),
}

/// What a group of rows does, before anything is written.
struct Plan {
    run: Run,
    now: Moment,
    custom: HashMap<String, CustomFieldId>,
    fields: Vec<CustomField>,
    /// Everybody on the page, by the key of their email.
    people: HashMap<String, Whose>,
    old: Vec<Old>,
    new: Vec<New>,
    /// The emails of those who have an identifier, which may be none.
    identifiers: HashMap<String, Vec<Option<String>>>,
    /// The emails of new people who start with a recording from elsewhere, if they can.
    recorded: HashSet<String>,
    /// The emails of people with a directory hold who are on other pages, too.
    held_elsewhere: HashSet<String>,
    /// Directory holds that the rows give or end, by email.
    holds: HashMap<String, bool>,
    calls: Vec<(Whose, CallChange, calls::Ids)>,
}

impl Plan {
    async fn read(sql: &mut Sql, run: &Run, lines: &[Line], now: Moment) -> Result<Self> {
        let institution = run.institution;
        let keys: Vec<&str> = lines.iter().filter_map(|line| Some(line.draft.email.set()?.key())).collect();
        let filter = KeyFilter::new(SearchScope::Page(run.page), KeyKind::Email, &keys);
        let mut found = participants::by_keys(sql, institution, filter).await?;
        // Keys are padded, and a person may be in the group twice.
        found.sort_unstable_by_key(|person| person.id);
        found.dedup_by_key(|person| person.id);
        let ids: Vec<ParticipantId> = found.iter().map(|person| person.id).collect();
        let mut phones = imports::phone_numbers(sql, institution, &ids).await?;
        let mut people = HashMap::with_capacity(lines.len());
        let mut old = Vec::with_capacity(found.len());
        for person in found {
            people.insert(email_key(person.email.as_deref().unwrap_or_default()), Whose::Old(old.len()));
            let phone = phones.remove(&person.id);
            let before = before(&person, phone.clone())?;
            old.push(Old { person, before, phone, new_phone: None, is_changed: false, was: None });
        }
        let fresh: Vec<&str> = keys.iter().copied().filter(|key| !people.contains_key(*key)).collect();
        let recorded = match run.starts_with_newest {
            true => imports::recorded(sql, institution, &fresh).await?,
            false => HashSet::new(),
        };
        let given: Vec<String> = lines
            .iter()
            .filter_map(|line| line.draft.identifier.set())
            .map(|given| text::nfc(given))
            .collect();
        let given: Vec<&str> = given.iter().map(String::as_str).collect();
        let filter = KeyFilter::new(SearchScope::Institution, KeyKind::Identifier, &given);
        let mut identifiers: HashMap<String, Vec<Option<String>>> = HashMap::new();
        for one in participants::registrations(sql, institution, filter).await? {
            if let Some(identifier) = one.person.identifier {
                identifiers.entry(identifier).or_default().push(one.person.email);
            }
        }
        let ending: Vec<&str> = lines
            .iter()
            .filter(|line| line.draft.directory_hold == Some(false))
            .filter_map(|line| Some(line.draft.email.set()?.key()))
            .collect();
        let held_elsewhere = directory_holds::elsewhere(sql, institution, &ending, run.page).await?;
        let has_custom = lines.iter().any(|line| !line.draft.custom.is_empty());
        let custom = if has_custom { custom_fields::all(sql, institution).await? } else { Vec::new() };
        Ok(Self {
            run: *run,
            now,
            custom: custom_ids(&custom),
            fields: custom,
            people,
            old,
            new: Vec::new(),
            identifiers,
            recorded,
            held_elsewhere: held_elsewhere.into_iter().collect(),
            holds: HashMap::new(),
            calls: Vec::new(),
        })
    }

    fn add(&mut self, place: usize, line: Line, calling: CallPolicy) -> Outcome {
        let Line { draft, token, ids } = line;
        let call_change = match calling {
            CallPolicy::WithNumber => CallChange::of(&draft),
            CallPolicy::Nobody => CallChange::of(&draft).without_call(),
        };
        let key = draft.email.set().map(|email| email.key().to_owned());
        let hold = key.clone().zip(draft.directory_hold);
        let known = key.as_ref().and_then(|key| self.people.get(key).copied());
        let done = match known {
            Some(whose) => self.update(whose, draft).map(|outcome| (whose, outcome)),
            None => self.create(place, draft, key, token).map(|whose| (whose, Outcome::Created)),
        };
        match done {
            Ok((whose, outcome)) => {
                let outcome = self.hold(whose, hold, outcome);
                if !matches!(call_change, CallChange::Nothing) {
                    self.calls.push((whose, call_change, ids));
                }
                outcome
            }
            Err(errors) => Outcome::Refused(errors),
        }
    }

    /// Notes the directory hold that a row gives somebody or ends.
    fn hold(&mut self, whose: Whose, given: Option<(String, bool)>, outcome: Outcome) -> Outcome {
        let Some((email_key, held)) = given else { return outcome };
        let is_changed = match whose {
            Whose::Old(at) => {
                let old = &mut self.old[at];
                let is_changed = old.person.directory_hold != held;
                if is_changed && old.was.is_none() {
                    old.was = Some(Box::new((old.person.clone(), old.phone.clone())));
                }
                old.is_changed |= is_changed;
                old.person.directory_hold = held;
                is_changed
            }
            Whose::New(at) => {
                self.new[at].record.person.directory_hold = held;
                false
            }
        };
        self.holds.insert(email_key, held);
        match outcome {
            Outcome::Unchanged if is_changed => Outcome::Updated(vec![directory_hold::KEY.to_owned()]),
            Outcome::Updated(mut fields) if is_changed => {
                fields.push(directory_hold::KEY.to_owned());
                Outcome::Updated(fields)
            }
            other => other,
        }
    }

    /// Only the whole institution ends a hold of somebody who is on other pages, too.
    fn check_hold(&self, draft: &Draft, email_key: Option<&str>, errors: &mut FieldErrors) {
        let is_held = email_key.is_some_and(|key| self.held_elsewhere.contains(key));
        if draft.directory_hold == Some(false) && is_held {
            errors.add(Field::DirectoryHold, Fault::HeldElsewhere);
        }
    }

    /// Changes the given fields and leaves the others.
    fn update(&mut self, whose: Whose, draft: Draft) -> Result<Outcome, FieldErrors> {
        let email = draft.email.set().map(|email| email.key().to_owned());
        let mut draft = draft.ignore_identity();
        let mut errors = std::mem::take(&mut draft.errors);
        self.check_hold(&draft, email.as_deref(), &mut errors);
        let old = match whose {
            Whose::Old(at) => &self.old[at].person,
            Whose::New(at) => &self.new[at].record.person,
        };
        let mut person = old.clone();
        let given = std::mem::take(&mut draft.custom);
        if apply_custom(&self.custom, &mut person.custom, given, &mut errors) {
            person.custom_changed_at = Some(self.now);
        }
        person.take_texts(&mut draft);
        if person.first_name.is_none() && person.last_name.is_none() && !errors.has(&Field::FirstName) {
            errors.add(Field::FirstName, Fault::Blank);
        }
        errors.into_result()?;
        let mut changed = self.differences(old, &person);
        let number = draft.phone_number.set().map(|number| number.e164().to_owned());
        match whose {
            Whose::Old(at) => {
                let old = &mut self.old[at];
                let is_called_elsewhere = number.is_some() && number != old.phone;
                if old.was.is_none() && (is_called_elsewhere || !changed.is_empty()) {
                    old.was = Some(Box::new((old.person.clone(), old.phone.clone())));
                }
                if is_called_elsewhere {
                    changed.push("phone_number".to_owned());
                    old.phone.clone_from(&number);
                    old.new_phone = number;
                }
                old.is_changed |= !changed.is_empty();
                old.person = person;
            }
            Whose::New(at) => {
                let new = &mut self.new[at].record;
                if number.is_some() && number != new.phone_number {
                    changed.push("phone_number".to_owned());
                    new.phone_number = number;
                }
                new.person = person;
            }
        }
        Ok(if changed.is_empty() { Outcome::Unchanged } else { Outcome::Updated(changed) })
    }

    /// The keys of the fields that differ.
    fn differences(&self, old: &Participant, new: &Participant) -> Vec<String> {
        let texts = old.texts().zip(new.texts()).filter(|((_, old), (_, new))| old != new);
        let mut changed: Vec<String> = texts.map(|((field, _), _)| field.key.to_owned()).collect();
        let mut custom: Vec<&String> = self
            .custom
            .iter()
            .filter(|(_, id)| old.custom.0.get(*id) != new.custom.0.get(*id))
            .map(|(key, _)| key)
            .collect();
        custom.sort_unstable();
        changed.extend(custom.into_iter().cloned());
        changed
    }

    fn create(
        &mut self,
        place: usize,
        mut draft: Draft,
        email_key: Option<String>,
        token: String,
    ) -> Result<Whose, FieldErrors> {
        draft.require_for_create();
        let mut errors = std::mem::take(&mut draft.errors);
        let identifier_key = draft.identifier.set().map(|identifier| text::nfc(identifier));
        if let Some(owners) = identifier_key.as_ref().and_then(|key| self.identifiers.get(key))
            && owners.iter().any(|owner| owner.is_none() || *owner != email_key)
        {
            errors.add(Field::Identifier, Fault::Taken);
        }
        self.check_hold(&draft, email_key.as_deref(), &mut errors);
        let mut custom = CustomValues::default();
        let given = std::mem::take(&mut draft.custom);
        let is_custom_changed = apply_custom(&self.custom, &mut custom, given, &mut errors);
        errors.into_result()?;
        let mut person = Participant::new(ParticipantId::default(), 0, token);
        person.take_texts(&mut draft);
        person.email = draft.email.set().map(|email| email.as_given().to_owned());
        person.custom = custom;
        person.custom_changed_at = is_custom_changed.then_some(self.now);
        let whose = Whose::New(self.new.len());
        if let Some(key) = &email_key {
            self.people.insert(key.clone(), whose);
        }
        if let Some(key) = &identifier_key {
            self.identifiers.entry(key.clone()).or_default().push(email_key.clone());
        }
        let is_recorded = email_key.as_ref().is_some_and(|key| self.recorded.contains(key));
        let record = Record {
            name_page_id: self.run.page,
            email_key,
            identifier_key,
            phone_number: match &draft.phone_number {
                Given::Set(number) => Some(number.e164().to_owned()),
                Given::Absent | Given::Clear => None,
            },
            person,
            now: self.now,
        };
        self.new.push(New { place, record, is_recorded });
        Ok(whose)
    }
}

pub(super) fn before(person: &Participant, phone: Option<String>) -> Result<String, store::Error> {
    serde_json::to_string(&Before::of(person, phone)).map_err(|error| store::Error::Broken(error.to_string()))
}
