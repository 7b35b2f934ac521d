//! Participants: lookup, creation and updates. For lists see `lists`, for deletion see `persons`.

mod lists;

use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
};

pub use lists::{Filter, Listing, list};
pub(super) use lists::{best_first, list_in, matching};

use serde_json::{Value as Json, json};

use super::{
    App, Error, Forbidden, Missing, Result,
    audit::{self, Record as AuditRecord},
    calls::{self, CallChange},
    consents,
    idempotency::{self, Creation},
    media::{self, Written},
    name_pages,
    own_entry::Owner,
    own_recordings::{self, Attempts, Copies, Started},
};
use crate::{
    domain::{
        access::{Access, Action, SearchScope},
        audit::{Act, Who},
        custom_field::CustomField,
        email::Email,
        fault::{Fault, Field, SetupFault},
        field_errors::FieldErrors,
        idempotency::{Made, RequestKey},
        ids::{CustomFieldId, InstitutionId, NamePageId, ParticipantId},
        media::{Kind, Media},
        moment::Moment,
        name_page::{NamePage, NamePageRef},
        own_recording::{Registration, Start},
        participant::{CustomValues, Draft, Given, Participant},
        phone_number::PhoneNumber,
        registration::Registrant,
        text,
    },
    store::{
        self, Sql, custom_fields,
        participants::{self, Key, KeyFilter, KeyKind, Record, Vacancy},
        people_list, rolls,
    },
};

/// A key that may be an email, a registration's token or an institution's identifier, tried in that order.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct PersonKey {
    pub as_email: String,
    pub as_given: String,
    /// As spelled in the request. If it is an email, the response shows it this way.
    pub spelled: String,
}

impl PersonKey {
    pub(super) fn by(&self) -> impl Iterator<Item = (KeyKind, &str)> {
        let email = self.as_email.contains('@').then_some((KeyKind::Email, self.as_email.as_str()));
        // Skip the lookup for anything that does not have the format of a token.
        let token_like = self.as_given.len() == 32 && self.as_given.bytes().all(|b| b.is_ascii_hexdigit());
        let token = token_like.then_some((KeyKind::Token, self.as_given.as_str()));
        [email, token, Some((KeyKind::Identifier, self.as_given.as_str()))].into_iter().flatten()
    }
}

/// Finds one participant, on one page or anywhere within the caller's reach.
pub async fn find(
    app: &App,
    access: &Access,
    page: Option<&NamePageRef>,
    person_key: &PersonKey,
) -> Result<Participant> {
    access.check(Action::Read)?;
    let page = match page {
        Some(page) => Some(name_pages::permitted(app, access, page).await?),
        None => None,
    };
    let (sql, institution) = (&mut app.db.read(), access.institution);
    for (by, key) in person_key.by() {
        let found = match &page {
            Some(page) => participants::best_on_page(sql, institution, page, by, key).await?,
            None => participants::best(sql, institution, access.within(), by, key).await?,
        };
        if let Some(found) = found {
            return Ok(found);
        }
    }
    Err(Error::Missing(Missing::Participant))
}

/// Finds the registration with this token.
pub async fn by_token(app: &App, institution: InstitutionId, token: &str) -> Result<Participant> {
    let sql = &mut app.db.read();
    let found = participants::best(sql, institution, SearchScope::Institution, KeyKind::Token, token).await?;
    found.ok_or(Error::Missing(Missing::Participant))
}

/// Returns for each key the person's registration with the newest recording, or else their newest registration.
pub async fn latest(app: &App, access: &Access, person_keys: &[PersonKey]) -> Result<Vec<Participant>> {
    access.check(Action::Read)?;
    let (institution, within) = (access.institution, access.within());
    let sql = &mut app.db.read();
    if let [person_key] = person_keys
        && let Some((KeyKind::Email, key)) = person_key.by().next()
        && let Some(found) = participants::best(sql, institution, within, KeyKind::Email, key).await?
    {
        return Ok(vec![found]);
    }
    let mut open: Vec<&PersonKey> = person_keys.iter().collect();
    let mut best: HashMap<ParticipantId, i64> = HashMap::new();
    for by in [KeyKind::Email, KeyKind::Token, KeyKind::Identifier] {
        let wanted = |person_key: &&PersonKey| {
            person_key.by().find(|(its, _)| *its == by).map(|(_, key)| key.to_owned())
        };
        let keys: Vec<String> = open.iter().filter_map(wanted).collect();
        let mut found = newest_of_each(sql, institution, within, by, &keys).await?;
        open.retain(|person_key| wanted(person_key).is_none_or(|key| !found.contains_key(&key)));
        if by != KeyKind::Email {
            // The key identifies the person, who may have a newer registration under the same email.
            let emails: Vec<String> = found.values().filter_map(|key| key.email_key.clone()).collect();
            found.retain(|_, key| key.email_key.is_none());
            found.extend(newest_of_each(sql, institution, within, KeyKind::Email, &emails).await?);
        }
        best.extend(found.into_values().map(|key| (key.id, key.recorded_at)));
    }
    let ids = best_first(best.into_iter().collect());
    Ok(participants::by_ids(sql, institution, &ids).await?)
}

/// The registration with the newest recording for each of these keys.
pub(super) async fn newest_of_each(
    sql: &mut Sql,
    institution: InstitutionId,
    within: SearchScope<'_>,
    by: KeyKind,
    keys: &[String],
) -> Result<HashMap<String, Key>> {
    let keys: Vec<&str> = keys.iter().map(String::as_str).collect();
    let mut newest: HashMap<String, Key> = HashMap::new();
    let filter = KeyFilter::new(within, by, &keys);
    for key in participants::keys(sql, institution, filter).await? {
        let better =
            newest.get(&key.matched).is_none_or(|old| (old.recorded_at, old.id) < (key.recorded_at, key.id));
        if better {
            newest.insert(key.matched.clone(), key);
        }
    }
    Ok(newest)
}

/// Registers a person on a page. Reports all validation errors together.
pub async fn create(app: &App, access: &Access, page: NamePageRef, draft: Draft) -> Result<Participant> {
    create_as(app, access, page, draft, Registrant::Insider, None).await
}

/// `create` for a request that may be repeated with the same key.
pub async fn create_once(
    app: &App,
    access: &Access,
    page: NamePageRef,
    draft: Draft,
    key: Option<RequestKey>,
) -> Result<Creation<Participant>> {
    access.check(Action::Write)?;
    let make = create_as(app, access, page, draft, Registrant::Insider, key.clone());
    idempotency::once(app, key.as_ref(), make, |made| created(app, access, made)).await
}

/// The participant whom an earlier request has created.
async fn created(app: &App, access: &Access, made: Made) -> Result<Participant> {
    let Made::Participant(id) = made else { return Err(idempotency::other_kind()) };
    let (sql, institution) = (&mut app.db.read(), access.institution);
    let found = participants::by_ids(sql, institution, &[id]).await?.pop();
    let found = found.ok_or(Error::Missing(Missing::Participant))?;
    // The token may be limited to pages, and the participant may be on another one by now.
    if access.pages().is_some() {
        let (within, token) = (access.within(), &found.token);
        let within_reach = participants::best(sql, institution, within, KeyKind::Token, token).await?;
        within_reach.ok_or(Error::Forbidden(Forbidden::NamePage))?;
    }
    Ok(found)
}

/// `create` for somebody who registers themselves.
pub(super) async fn create_as(
    app: &App,
    access: &Access,
    page: NamePageRef,
    mut draft: Draft,
    registrant: Registrant,
    key: Option<RequestKey>,
) -> Result<Participant> {
    access.check(Action::Write)?;
    let (institution, now, token) = (access.institution, app.clock.now(), app.ids.hex());
    let access = access.clone();
    draft.require_for_create();
    // Before audio is processed, and before the lock, which others wait for.
    let found = name_pages::permitted(app, &access, &page).await?;
    let (call_change, rules, ids) = (CallChange::of(&draft), app.calling.clone(), calls::Ids::new(app, now));
    let processed = media::process(app, institution, &mut draft, now).await?;
    let registrations = [(0, Registration::of(&draft))];
    let record = AuditRecord::of(app, &access, Act::ParticipantCreated);
    // Most people are new to the institution or bring a recording. A recording is copied only when the write turns out to
    // need it; then it is retried.
    let (mut copies, mut attempts) = (Copies::new(), Attempts::default());
    let person = loop {
        let made = own_recordings::files(&copies);
        let (db, rules, call_change, token) =
            (app.db.clone(), rules.clone(), call_change.clone(), token.clone());
        let (access, page, draft, key) = (access.clone(), page.clone(), draft.clone(), key.clone());
        let (found, record) = (found.clone(), record.clone());
        let write = move |mut new: Vec<Media>| async move {
            db.write_people(institution, move |sql| {
                Box::pin(async move {
                    let id = rolls::lock_for_new(sql, institution).await?;
                    let id = id.map(ParticipantId::new).ok_or(Error::Missing(Missing::NamePage))?;
                    if let Some(key) = &key {
                        idempotency::claim(sql, key, &Made::Participant(id), now).await?;
                    }
                    let email_key = draft.email.set().map(Email::key);
                    let (page, vacancy) = vacancy(sql, &access, &page, found, email_key).await?;
                    let place = NewParticipant { id, token, page, vacancy };
                    let phone = audit::of_phone(draft.phone_number.set().map(PhoneNumber::e164));
                    let Created { person, recorded, fields } =
                        create_in(sql, institution, place, draft, now).await?;
                    if registrant == Registrant::Outsider {
                        store::outsiders::mark(sql, institution, id).await?;
                    }
                    calls::settle(sql, &rules, (institution, person.id), call_change, ids, now).await?;
                    // A token limited to some pages must not reach recordings from others.
                    let starts = recorded && access.pages().is_none();
                    let mut used: HashSet<String> = new.iter().map(|one| one.hex.clone()).collect();
                    if starts
                        && !new.iter().any(|one| one.kind == Kind::Recording)
                        && let Some(started) = start(sql, institution, person.id, 0, &copies).await?
                    {
                        used.insert(started.media.hex.clone());
                        let one = [(person.id, &started)];
                        if own_recordings::hold_started(sql, institution, &one, now).await?.is_empty() {
                            new.push(started.media);
                        }
                    }
                    let (person, replaced) = with_media(sql, institution, person, &new, now).await?;
                    let after = audit::with(audit::of_participant(&person, &fields), phone);
                    let after = audit::with(after, audit::of_media(&new));
                    audit::write(sql, &[record.participant(&person).change(Json::Null, after)]).await?;
                    Ok(((person, used), replaced))
                })
            })
            .await
        };
        let written = media::store_and(app, institution, processed.clone(), write).await;
        match own_recordings::settle(app, institution, made, written).await {
            Err(error) => {
                attempts.again(error)?;
                copies = own_recordings::prepare(app, institution, &registrations, Start::Shared).await?;
            }
            Ok(person) => break person,
        }
    };
    app.switchboard.wake();
    Ok(person)
}

/// Returns what a new registration starts with, if the same email has a recording elsewhere. `place` is its index in the
/// copies. If that recording is paused, the registration is, before the copy is attached or held.
pub(super) async fn start(
    sql: &mut Sql,
    institution: InstitutionId,
    id: ParticipantId,
    place: usize,
    copies: &Copies,
) -> Result<Option<Started>> {
    let Some(own) = store::own_recordings::find(sql, institution, id).await? else { return Ok(None) };
    let mut started = own_recordings::start(sql, institution, &[(place, own)], Start::Shared, copies).await?;
    let Some(started) = started.remove(&place) else { return Ok(None) };
    if started.is_paused {
        store::audiences::pause(sql, institution, &[id]).await?;
    }
    Ok(Some(started))
}

/// Attaches new media to a participant, and returns the participant and the replaced media.
async fn with_media(
    sql: &mut Sql,
    institution: InstitutionId,
    person: Participant,
    new: &[Media],
    now: Moment,
) -> Result<Written> {
    if new.is_empty() {
        return Ok((person, Vec::new()));
    }
    let replaced = media::attach(sql, institution, person.id, new, now).await?;
    Ok((written(sql, institution, person.id).await?, replaced))
}

/// A participant who was just created.
pub(super) struct Created {
    pub person: Participant,
    /// Whether the same email has a recording elsewhere.
    pub recorded: bool,
    /// The institution's custom fields, if they have a value for one.
    pub fields: Vec<CustomField>,
}

/// What a participant gets before the draft is looked at.
struct NewParticipant {
    id: ParticipantId,
    token: String,
    page: NamePage,
    vacancy: Vacancy,
}

/// The page with what it has for a new participant. `found` was read before the institution was locked. If that page is gone, it
/// was deleted or merged into another one.
async fn vacancy(
    sql: &mut Sql,
    access: &Access,
    page: &NamePageRef,
    found: NamePage,
    email_key: Option<&str>,
) -> Result<(NamePage, Vacancy)> {
    if let Some(vacancy) = participants::vacancy(sql, access.institution, found.id, email_key).await? {
        return Ok((found, vacancy));
    }
    let found = name_pages::permitted_in(sql, access, page).await?;
    let vacancy = participants::vacancy(sql, access.institution, found.id, email_key).await?;
    Ok((found, vacancy.ok_or(Error::Missing(Missing::NamePage))?))
}

/// Creates a participant inside the caller's transaction, which holds the institution's lock and is rolled back if this
/// fails.
async fn create_in(
    sql: &mut Sql,
    institution: InstitutionId,
    NewParticipant { id, token, page, vacancy: Vacancy { place, registered } }: NewParticipant,
    mut draft: Draft,
    now: Moment,
) -> Result<Created> {
    draft.require_for_create();
    let mut errors = std::mem::take(&mut draft.errors);
    let email_key = draft.email.set().map(|email| email.key().to_owned());
    if registered.on_page {
        errors.add(Field::Email, Fault::Taken);
    }
    if let Some(identifier) = draft.identifier.set() {
        // Without a valid email, an identifier in use always belongs to somebody else.
        let own_key = email_key.as_deref().unwrap_or_default();
        if participants::identifier_taken(sql, institution, &text::nfc(identifier), own_key).await? {
            errors.add(Field::Identifier, Fault::Taken);
        }
    }
    let mut custom = CustomValues::default();
    let given = std::mem::take(&mut draft.custom);
    let (custom_changed, fields) = change_custom(sql, institution, &mut custom, given, &mut errors).await?;
    errors.into_result()?;
    rolls::take_places(sql, institution, page.id).await?;
    let mut person = Participant::new(id, place, token);
    person.take_texts(&mut draft);
    person.email = draft.email.set().map(|email| email.as_given().to_owned());
    person.custom = custom;
    person.custom_changed_at = custom_changed.then_some(now);
    let record = Record {
        name_page_id: page.id,
        email_key,
        identifier_key: person.identifier.as_deref().map(text::nfc),
        phone_number: draft.phone_number.set().map(|number| number.e164().to_owned()),
        person,
        now,
    };
    participants::insert(sql, institution, &record).await?;
    // As it would be read: nothing is derived when a record is stored.
    let person = Participant { page: Arc::new(page.into()), ..record.person };
    Ok(Created { person, recorded: registered.recorded, fields })
}

/// Changes the given fields and leaves the others.
pub async fn update(
    app: &App,
    access: &Access,
    page: NamePageRef,
    email_key: String,
    draft: Draft,
) -> Result<Participant> {
    access.check(Action::Write)?;
    update_target(app, access.clone(), Target::Registered(page, email_key), draft).await
}

/// Like `update`, for a person who changes their own entry.
pub(super) async fn update_own(app: &App, owner: Owner, who: Who, draft: Draft) -> Result<Participant> {
    let access = Access::whole(owner.institution).by(who);
    update_target(app, access, Target::Own(owner.participant), draft).await
}

/// An entry that somebody has seen in the console.
#[derive(Debug, Clone, Copy)]
pub(super) struct SeenEntry {
    pub id: ParticipantId,
    /// The time of its last change when it was seen. If it has changed since, the update is refused: `SetupFault::Outdated`. `None`
    /// updates it in any case.
    pub version: Option<i64>,
    /// Whether a new phone number is called.
    pub is_called: bool,
}

/// Like `update`, by id: not everybody has an email.
pub(super) async fn update_entry(
    app: &App,
    access: &Access,
    entry: SeenEntry,
    draft: Draft,
) -> Result<Participant> {
    access.check(Action::Write)?;
    update_target(app, access.clone(), Target::Entry(entry), draft).await
}

enum Target {
    /// On a page, by the key of the email.
    Registered(NamePageRef, String),
    /// The owner of the entry.
    Own(ParticipantId),
    Entry(SeenEntry),
}

impl Target {
    async fn find(&self, sql: &mut Sql, access: &Access) -> Result<Participant> {
        match self {
            Self::Registered(page, email_key) => {
                let page = page_of(sql, access, page).await?;
                registered(sql, access.institution, page, email_key).await
            }
            Self::Own(id) => {
                let found = participants::by_ids(sql, access.institution, &[*id]).await?.pop();
                found.ok_or(Error::Missing(Missing::Participant))
            }
            Self::Entry(SeenEntry { id, version, .. }) => {
                let place = people_list::places(sql, access.institution, &[*id], false).await?.pop();
                let place = place.filter(|place| access.reaches(place.page));
                let place = place.ok_or(Error::Missing(Missing::Participant))?;
                if version.is_some_and(|version| version != place.updated_at) {
                    return Err(Error::invalid(Field::Version, SetupFault::Outdated));
                }
                let found = participants::by_ids(sql, access.institution, &[*id]).await?.pop();
                found.ok_or(Error::Missing(Missing::Participant))
            }
        }
    }
}

async fn update_target(app: &App, access: Access, target: Target, draft: Draft) -> Result<Participant> {
    let (institution, now) = (access.institution, app.clock.now());
    let mut draft = draft.ignore_identity();
    if !draft.media.is_empty() {
        // Do not process audio for a participant who does not exist.
        target.find(&mut app.db.read(), &access).await?;
    }
    let call_change = match &target {
        Target::Entry(SeenEntry { is_called: false, .. }) => CallChange::of(&draft).without_call(),
        Target::Entry(_) | Target::Registered(..) | Target::Own(_) => CallChange::of(&draft),
    };
    // An API client may send the number every night, so only its change is recorded.
    let is_call = matches!(call_change, CallChange::Call(_)) && !matches!(target, Target::Registered(..));
    let (rules, ids) = (app.calling.clone(), calls::Ids::new(app, now));
    let processed = media::process(app, institution, &mut draft, now).await?;
    let (db, record) = (app.db.clone(), AuditRecord::of(app, &access, Act::ParticipantUpdated));
    let requested = record.then(&app.ids, Act::CallRequested);
    let write = move |new: Vec<Media>| async move {
        db.write_people(institution, move |sql| {
            Box::pin(async move {
                rolls::lock(sql, institution).await?;
                let old = target.find(sql, &access).await?;
                if matches!(target, Target::Own(_)) {
                    if matches!(call_change, CallChange::Call(_)) {
                        // They may have withdrawn their consent since they asked for the call.
                        let owner = Owner { institution, participant: old.id };
                        consents::require(sql, owner, Field::PhoneNumber).await?;
                    }
                    calls::check_own(sql, (institution, old.id), &call_change, now).await?;
                }
                let phones = phones(sql, institution, old.id, &draft.phone_number).await?;
                let (before, (changed, fields)) =
                    (old.clone(), update_in(sql, institution, old, draft, now).await?);
                calls::settle(sql, &rules, (institution, changed.id), call_change, ids, now).await?;
                let (person, replaced) = with_media(sql, institution, changed, &new, now).await?;
                let values = |person: &Participant, media: &[Media], phone: Json| {
                    let values = audit::with(audit::of_participant(person, &fields), audit::of_media(media));
                    audit::with(values, phone)
                };
                let before = values(&before, &replaced, phones.0);
                let called = phones.1.clone();
                let record = record.participant(&person).change(before, values(&person, &new, phones.1));
                if record.is_change() {
                    audit::write(sql, &[record]).await?;
                } else if is_call && calls::is_pending(sql, institution, person.id).await? {
                    // The number is known, and they are called again.
                    let requested = requested.participant(&person).change(Json::Null, called);
                    audit::write(sql, &[requested]).await?;
                }
                Ok((person, replaced))
            })
        })
        .await
    };
    let person = media::store_and(app, institution, processed, write).await?;
    app.switchboard.wake();
    Ok(person)
}

/// The phone number before and after a change, for the audit log.
async fn phones(
    sql: &mut Sql,
    institution: InstitutionId,
    id: ParticipantId,
    given: &Given<PhoneNumber>,
) -> Result<(Json, Json)> {
    if *given == Given::Absent {
        return Ok((Json::Null, Json::Null));
    }
    let before = participants::phone_number(sql, institution, id).await?;
    let after = given.set().map(PhoneNumber::e164);
    Ok((audit::of_phone(before.as_deref()), audit::of_phone(after)))
}

/// Like `update`, inside the caller's transaction; see `create_in`. Returns the institution's custom fields, too, if one was given.
pub(super) async fn update_in(
    sql: &mut Sql,
    institution: InstitutionId,
    old: Participant,
    draft: Draft,
    now: Moment,
) -> Result<(Participant, Vec<CustomField>)> {
    let mut draft = draft.ignore_identity();
    let mut errors = std::mem::take(&mut draft.errors);
    let mut person = old;
    let given = std::mem::take(&mut draft.custom);
    let (custom_changed, fields) =
        change_custom(sql, institution, &mut person.custom, given, &mut errors).await?;
    if custom_changed {
        person.custom_changed_at = Some(now);
    }
    person.take_texts(&mut draft);
    if person.first_name.is_none() && person.last_name.is_none() && !errors.has(&Field::FirstName) {
        errors.add(Field::FirstName, Fault::Blank);
    }
    errors.into_result()?;
    let phone_number = match &draft.phone_number {
        Given::Absent => None,
        Given::Clear => Some(None),
        Given::Set(number) => Some(Some(number.e164())),
    };
    participants::update(sql, institution, &person, phone_number, now).await?;
    Ok((written(sql, institution, person.id).await?, fields))
}

/// Sets whether search engines may index a person's badge. This is the person's choice; the default is no.
pub async fn list_badge(
    app: &App,
    access: &Access,
    page: NamePageRef,
    email_key: String,
    listed: bool,
) -> Result<()> {
    access.check(Action::Write)?;
    let record = AuditRecord::of(app, access, Act::BadgeListed);
    let (access, institution) = (access.clone(), access.institution);
    app.db
        .write_people(institution, move |sql| {
            Box::pin(async move {
                rolls::lock(sql, institution).await?;
                let page = page_of(sql, &access, &page).await?;
                let person = registered(sql, institution, page, &email_key).await?;
                let was_listed = participants::badge_listed(sql, institution, person.id).await?;
                participants::list_badge(sql, institution, person.id, listed).await?;
                let (before, after) = (json!({ "listed": was_listed }), json!({ "listed": listed }));
                audit::write_change(sql, record.participant(&person).change(before, after)).await
            })
        })
        .await
}

pub(super) async fn page_of(sql: &mut Sql, access: &Access, page: &NamePageRef) -> Result<NamePageId> {
    Ok(name_pages::permitted_in(sql, access, page).await?.id)
}

pub(super) async fn registered(
    sql: &mut Sql,
    institution: InstitutionId,
    page: NamePageId,
    email_key: &str,
) -> Result<Participant> {
    let found =
        participants::best(sql, institution, SearchScope::Page(page), KeyKind::Email, email_key).await?;
    found.ok_or(Error::Missing(Missing::Participant))
}

async fn written(sql: &mut Sql, institution: InstitutionId, id: ParticipantId) -> Result<Participant> {
    let written = participants::by_ids(sql, institution, &[id]).await?.pop();
    written.ok_or_else(|| Error::Internal("a participant is gone after being written".to_owned()))
}

/// Applies each key. Returns whether any value changed, and the fields, if there are keys. An unknown key is an error on that key.
async fn change_custom(
    sql: &mut Sql,
    institution: InstitutionId,
    values: &mut CustomValues,
    given: Vec<(String, Given<String>)>,
    errors: &mut FieldErrors,
) -> Result<(bool, Vec<CustomField>)> {
    if given.is_empty() {
        return Ok((false, Vec::new()));
    }
    let fields = custom_fields::all(sql, institution).await?;
    Ok((apply_custom(&custom_ids(&fields), values, given, errors), fields))
}

/// The custom fields by their keys in requests.
pub(super) fn custom_ids(fields: &[CustomField]) -> HashMap<String, CustomFieldId> {
    fields.iter().map(|field| (field.import_key(), field.id)).collect()
}

/// See `change_custom`.
pub(super) fn apply_custom(
    ids: &HashMap<String, CustomFieldId>,
    values: &mut CustomValues,
    given: Vec<(String, Given<String>)>,
    errors: &mut FieldErrors,
) -> bool {
    if given.is_empty() {
        return false;
    }
    let before = values.clone();
    for (key, value) in given {
        let Some(id) = ids.get(&key) else {
            let field = Field::Custom(key);
            if !errors.has(&field) {
                errors.add(field, Fault::Invalid);
            }
            continue;
        };
        match value {
            Given::Absent => {}
            Given::Clear => {
                values.0.remove(id);
            }
            Given::Set(value) => {
                values.0.insert(*id, value);
            }
        }
    }
    *values != before
}
