//! Registering people.

use std::{collections::HashSet, sync::Arc};

use serde_json::Value as Json;

use super::{
    arrivals::{self, Newcomer},
    change_custom, with_media,
};
use crate::{
    app::{
        App, Error, Forbidden, Missing, Result,
        audit::{self, Record as AuditRecord},
        calls::{self, CallChange},
        directory_holds,
        idempotency::{self, Creation},
        media, moderation, name_pages,
        own_recordings::{self, Attempts, Copies, Started},
    },
    domain::{
        access::{Access, Action},
        audit::Act,
        custom_field::CustomField,
        email::Email,
        fault::{Fault, Field},
        field_errors::FieldErrors,
        idempotency::{Made, RequestKey},
        ids::{InstitutionId, ParticipantId},
        media::{Kind, Media},
        moment::Moment,
        name_page::{NamePage, NamePageRef},
        own_recording::{Registration, Start},
        participant::{CustomValues, Draft, Participant},
        phone_number::PhoneNumber,
        registration::Registrant,
        text,
    },
    store::{
        self, Sql,
        participants::{self, KeyKind, Record, Registered, Vacancy},
        rolls,
    },
};

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

/// Registers somebody who gives a name and an email and nothing else, inside the caller's transaction, which holds the institution's
/// lock. The entry starts without a recording from another page.
pub(in crate::app) async fn create_named(
    sql: &mut Sql,
    institution: InstitutionId,
    (page, token): (NamePage, String),
    draft: Draft,
    record: AuditRecord,
    now: Moment,
) -> Result<Participant> {
    let vacancy = participants::vacancy(sql, institution, page.id, draft.email.set().map(Email::key)).await?;
    let vacancy = vacancy.ok_or(Error::Missing(Missing::NamePage))?;
    let place = NewParticipant { token, page, vacancy };
    let Created { person, fields, .. } = create_in(sql, institution, place, draft, now).await?;
    let after = values(&person, &fields, audit::of_phone(None), &[]);
    audit::write(sql, &[record.participant(&person).change(Json::Null, after)]).await?;
    Ok(person)
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
    Ok(directory_holds::seen_by(access, found))
}

/// `create` for somebody who registers themselves.
pub(in crate::app) async fn create_as(
    app: &App,
    access: &Access,
    page: NamePageRef,
    mut draft: Draft,
    registrant: Registrant,
    key: Option<RequestKey>,
) -> Result<Participant> {
    access.check(Action::Write)?;
    let (institution, now, token) = (access.institution, app.clock.now(), app.ids.hex());
    let (access, seen_as) = (access.clone(), access.clone());
    draft.require_for_create();
    // Before audio is processed, and before the lock, which others wait for.
    let found = name_pages::permitted(app, &access, &page).await?;
    let (call_change, rules, ids) = (CallChange::of(&draft), app.calling.clone(), calls::Ids::new(app, now));
    let processed = media::process(app, institution, &mut draft, now).await?;
    let record = AuditRecord::of(app, &access, Act::ParticipantCreated);
    let is_plain = key.is_none()
        && registrant == Registrant::Insider
        && matches!(call_change, CallChange::Nothing)
        && processed.is_empty()
        && draft.directory_hold.is_none()
        && draft.custom.is_empty();
    if is_plain && let Some(wait) = app.db.wait_to_join() {
        let newcomer = Newcomer::new(token.clone(), found.clone(), draft.clone(), record.clone(), now);
        if let Some(person) = arrivals::join(app, institution, newcomer, wait).await? {
            return Ok(directory_holds::seen_by(&seen_as, person));
        }
    }
    let registrations = [(0, Registration::of(&draft))];
    // Most people are new to the institution or bring a recording. A recording is copied only when the write turns out to
    // need it; then it is retried.
    let (mut copies, mut attempts) = (Copies::new(), Attempts::default());
    let person = loop {
        let made = own_recordings::files(&copies);
        let (db, rules, call_change, token) =
            (app.db.clone(), rules.clone(), call_change.clone(), token.clone());
        let (access, page, draft, key) = (access.clone(), page.clone(), draft.clone(), key.clone());
        let (found, record, owned_app) = (found.clone(), record.clone(), app.clone());
        let write = move |mut new: Vec<Media>| async move {
            db.write_people(institution, move |sql| {
                Box::pin(async move {
                    rolls::lock_for_new(sql, institution).await?;
                    let email_key = draft.email.set().map(Email::key);
                    let (page, vacancy) = vacancy(sql, &access, &page, found, email_key).await?;
                    let id = vacancy.id;
                    if let Some(key) = &key {
                        idempotency::claim(sql, key, &Made::Participant(id), now).await?;
                    }
                    let place = NewParticipant { token, page, vacancy };
                    let phone = audit::of_phone(draft.phone_number.set().map(PhoneNumber::e164));
                    let hold = draft.directory_hold;
                    let Created { mut person, recorded, fields } =
                        create_in(sql, institution, place, draft, now).await?;
                    if recorded {
                        store::directory_holds::spread(sql, institution, &[id]).await?;
                        let held = store::directory_holds::held(sql, institution, &[id]).await?;
                        person.directory_hold = !held.is_empty();
                    }
                    person = directory_holds::settle(sql, &access, person, hold, now).await?;
                    if registrant == Registrant::Outsider {
                        store::outsiders::mark(sql, institution, id).await?;
                        moderation::hold_entries(sql, &owned_app.ids, institution, &[id], now).await?;
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
                    let after = values(&person, &fields, phone, &new);
                    audit::write(sql, &[record.participant(&person).change(Json::Null, after)]).await?;
                    Ok(((person, used), replaced))
                })
            })
            .await
        };
        let written = media::store_and(app, institution, processed.copy(app), write).await;
        match own_recordings::settle(app, institution, made, written).await {
            Err(error) => {
                attempts.again(error)?;
                copies = own_recordings::prepare(app, institution, &registrations, Start::Shared).await?;
            }
            Ok(person) => break person,
        }
    };
    app.switchboard.wake();
    Ok(directory_holds::seen_by(&seen_as, person))
}

/// Returns what a new registration starts with, if the same email has a recording elsewhere. `place` is its index in the
/// copies. If that recording is paused, the registration is, before the copy is attached or held.
pub(in crate::app) async fn start(
    sql: &mut Sql,
    institution: InstitutionId,
    id: ParticipantId,
    place: usize,
    copies: &Copies,
) -> Result<Option<Started>> {
    let Some(own) = store::own_recordings::find(sql, institution, id).await? else { return Ok(None) };
    let mut started = own_recordings::start(sql, institution, &[(place, own)], Start::Shared, copies).await?;
    let Some(started) = started.remove(&place) else { return Ok(None) };
    started.follow(sql, institution, id).await?;
    Ok(Some(started))
}

/// A participant who was just created.
struct Created {
    person: Participant,
    /// Whether the same email has a recording or a directory hold elsewhere.
    recorded: bool,
    /// The institution's custom fields, if they have a value for one.
    fields: Vec<CustomField>,
}

/// What a participant gets before the draft is looked at.
pub(super) struct NewParticipant {
    pub token: String,
    pub page: NamePage,
    pub vacancy: Vacancy,
}

/// What the audit log says about a new participant.
pub(super) fn values(person: &Participant, fields: &[CustomField], phone: Json, media: &[Media]) -> Json {
    audit::with(audit::with(audit::of_participant(person, fields), phone), audit::of_media(media))
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
    new: NewParticipant,
    mut draft: Draft,
    now: Moment,
) -> Result<Created> {
    draft.require_for_create();
    let mut errors = std::mem::take(&mut draft.errors);
    let registered = new.vacancy.registered;
    let is_identifier_taken = match draft.identifier.set() {
        // Without a valid email, an identifier in use always belongs to somebody else.
        Some(identifier) => {
            let own_key = draft.email.set().map(Email::key).unwrap_or_default();
            participants::identifier_taken(sql, institution, &text::nfc(identifier), own_key).await?
        }
        None => false,
    };
    check_taken(&mut errors, registered, is_identifier_taken);
    let mut custom = CustomValues::default();
    let given = std::mem::take(&mut draft.custom);
    let (custom_changed, fields) = change_custom(sql, institution, &mut custom, given, &mut errors).await?;
    errors.into_result()?;
    rolls::take_places(sql, institution, new.page.id).await?;
    let mut row = new_row(new, draft, now);
    row.person.custom = custom;
    row.person.custom_changed_at = custom_changed.then_some(now);
    participants::insert(sql, institution, &row).await?;
    Ok(Created { person: row.person, recorded: registered.recorded, fields })
}

/// An email is registered once per page, and an identifier belongs to one email.
pub(super) fn check_taken(errors: &mut FieldErrors, registered: Registered, is_identifier_taken: bool) {
    if registered.on_page {
        errors.add(Field::Email, Fault::Taken);
    }
    if is_identifier_taken {
        errors.add(Field::Identifier, Fault::Taken);
    }
}

/// The row of a new participant without custom values. The participant is as it would be read: nothing is derived when a row is stored.
pub(super) fn new_row(
    NewParticipant { token, page, vacancy: Vacancy { id, place, .. } }: NewParticipant,
    mut draft: Draft,
    now: Moment,
) -> Record {
    let mut person = Participant::new(id, place, token);
    person.take_texts(&mut draft);
    person.email = draft.email.set().map(|email| email.as_given().to_owned());
    let name_page_id = page.id;
    person.page = Arc::new(page.into());
    Record {
        name_page_id,
        email_key: draft.email.set().map(|email| email.key().to_owned()),
        identifier_key: person.identifier.as_deref().map(text::nfc),
        phone_number: draft.phone_number.set().map(|number| number.e164().to_owned()),
        person,
        now,
    }
}
