//! Changing what is known about people.

use serde_json::{Value as Json, json};

use super::{change_custom, page_of, registered, with_media, written};
use crate::{
    app::{
        App, Error, Missing, Result,
        audit::{self, Record as AuditRecord},
        calls::{self, CallChange},
        consents, directory_holds, kept_recordings, media, moderation,
        own_entry::Owner,
    },
    domain::{
        access::{Access, Action},
        audit::{Act, Who},
        custom_field::CustomField,
        fault::{Fault, Field, SetupFault},
        ids::{InstitutionId, ParticipantId},
        media::{Kind, Media},
        moment::Moment,
        name_page::NamePageRef,
        participant::{Draft, Given, Participant},
        phone_number::PhoneNumber,
    },
    store::{Sql, participants, people_list, rolls},
};

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
pub(in crate::app) async fn update_own(
    app: &App,
    owner: Owner,
    who: Who,
    draft: Draft,
) -> Result<Participant> {
    let access = Access::whole(owner.institution).by(who);
    update_target(app, access, Target::Own(owner.participant), draft).await
}

/// An entry that somebody has seen in the console.
#[derive(Debug, Clone, Copy)]
pub(in crate::app) struct SeenEntry {
    pub id: ParticipantId,
    /// The time of its last change when it was seen. If it has changed since, the update is refused: `SetupFault::Outdated`. `None`
    /// updates it in any case.
    pub version: Option<i64>,
    /// Whether a new phone number is called.
    pub is_called: bool,
}

/// Like `update`, by id: not everybody has an email.
pub(in crate::app) async fn update_entry(
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
    let (institution, now, seen_as) = (access.institution, app.clock.now(), access.clone());
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
    let (db, owned_app) = (app.db.clone(), app.clone());
    let record = AuditRecord::of(app, &access, Act::ParticipantUpdated);
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
                let hold = draft.directory_hold;
                let phones = phones(sql, institution, old.id, &draft.phone_number).await?;
                let (before, (changed, fields)) =
                    (old.clone(), update_in(sql, institution, old, draft, now).await?);
                if matches!(target, Target::Own(_)) && !changed.shows_the_same(&before) {
                    moderation::hold_entries(sql, &owned_app.ids, institution, &[changed.id], now).await?;
                }
                let changed = directory_holds::settle(sql, &access, changed, hold, now).await?;
                calls::settle(sql, &rules, (institution, changed.id), call_change, ids, now).await?;
                let kept = match new.iter().any(|one| one.kind == Kind::Recording) {
                    true => kept_recordings::keep(sql, institution, changed.id, now).await?,
                    false => None,
                };
                if kept.is_some() {
                    kept_recordings::tell(sql, &owned_app, institution, &[changed.id], now).await?;
                }
                let (person, replaced) = with_media(sql, institution, changed, &new, now).await?;
                let values = |person: &Participant, media: &[Media], phone: Json| {
                    let values = audit::with(audit::of_participant(person, &fields), audit::of_media(media));
                    audit::with(values, phone)
                };
                let had: Vec<Media> = kept.iter().chain(&replaced).cloned().collect();
                let before = values(&before, &had, phones.0);
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
    app.queue.wake();
    app.switchboard.wake();
    Ok(directory_holds::seen_by(&seen_as, person))
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
pub(in crate::app) async fn update_in(
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
