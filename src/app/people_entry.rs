//! One entry in the console: everything that is known about it, changing it, recording for its owner, and calling them.

use std::collections::HashMap;

use bytes::Bytes;

use super::{
    Actor, App, Error, Missing, Result, audiences, calls, moderation,
    participants::{self, SeenEntry},
};
use crate::{
    blobs::{Key, Shelf},
    domain::{
        access::{Access, Action},
        audience::Audience,
        audit::{Cursor, Entry as Change, SubjectKind},
        call,
        custom_field::CustomField,
        email::email_key,
        fault::{Fault, Field},
        ids::{CallId, InstitutionId, NamePageId, ParticipantId},
        invitation::Invitation,
        media::{Incoming, Kind, Media},
        message::{Message, OutboxMessage, Stored},
        moderation::Case,
        moment::Moment,
        participant::{Draft, Given, Participant},
        phone_number::PhoneNumber,
    },
    store::{self, Sql, audit::Range, page_lists, people_list, persons},
};

/// Messages that are shown.
const MESSAGES: i64 = 50;
/// Changes that are shown.
const CHANGES: i64 = 20;

pub struct EntryView {
    pub person: Participant,
    pub page: NamePageId,
    /// The time of the last change: whoever changes the entry says which one they have seen.
    pub version: i64,
    pub phone_number: Option<String>,
    /// Pronouns first.
    pub fields: Vec<CustomField>,
    pub audience: Audience,
    /// Nobody may hear the recordings for now.
    pub is_paused: bool,
    /// Recordings and pictures, the newest first.
    pub media: Vec<Media>,
    /// What was decided about recordings, the newest first.
    pub cases: Vec<Case>,
    pub calls: Vec<CallView>,
    pub messages: Vec<OutboxMessage>,
    /// The newest changes of the entry, from the audit log.
    pub changes: Vec<Change>,
    pub invitation: Option<Invitation>,
    /// Other entries of the same person.
    pub others: Vec<OtherEntry>,
    pub can_be_called: bool,
    pub is_called: bool,
    /// A learning system provides the names.
    pub is_in_course: bool,
}

pub struct CallView {
    pub phone_number: String,
    pub state: call::State,
    pub attempts: Vec<call::Attempt>,
}

pub struct OtherEntry {
    pub id: ParticipantId,
    pub page: String,
    pub page_slug: String,
    pub is_recorded: bool,
}

/// Everything about an entry. Managers see the entries on their pages.
pub async fn find(
    app: &App,
    actor: &Actor,
    institution: InstitutionId,
    id: ParticipantId,
) -> Result<EntryView> {
    let access = actor.permit(Action::Write, institution)?;
    let place = reached(&mut app.db.read(), &access, id).await?;
    let missing = || Error::Missing(Missing::Participant);
    // Each read has a connection of its own, so that they wait for the database side by side.
    let (person, fields, media, cases, about) = tokio::try_join!(
        async { Ok::<_, Error>(store::participants::by_ids(&mut app.db.read(), institution, &[id]).await?) },
        async { Ok(store::custom_fields::all(&mut app.db.read(), institution).await?) },
        async { Ok(store::media::all_of(&mut app.db.read(), institution, id).await?) },
        async { Ok(store::moderation::of(&mut app.db.read(), institution, id).await?) },
        about(app, institution, id),
    )?;
    let (mut fields, mut media, mut cases) = (fields, media, cases);
    // The actor runs the page.
    let person = person.into_iter().next().ok_or_else(missing)?.unveiled();
    let email_key = person.email.as_deref().map(email_key);
    fields.sort_by_key(|field| !field.is_pronouns());
    media.sort_by_key(|one| std::cmp::Reverse(one.created_at));
    cases.reverse();
    let (audience, others, (invitation, mut messages)) = tokio::try_join!(
        async { audiences::of_one(&mut app.db.read(), institution, &person).await },
        async { others(&mut app.db.read(), &access, id, email_key.as_deref()).await },
        mail(app, institution, place.page, email_key.as_deref()),
    )?;
    if access.pages().is_some() {
        // The others are about pages of which a manager may know nothing.
        messages.retain(|one| match &one.message {
            Stored::Known(message) => is_about(message, id, invitation.as_ref(), &cases),
            Stored::Newer { .. } => one.page == Some(place.page),
        });
    }
    Ok(EntryView {
        audience,
        is_paused: about.is_paused,
        phone_number: about.phone_number,
        calls: about.calls,
        changes: about.changes,
        others,
        can_be_called: app.calling.enabled,
        is_called: about.is_called,
        is_in_course: about.is_in_course,
        version: place.updated_at,
        page: place.page,
        person,
        fields,
        media,
        cases,
        messages,
        invitation,
    })
}

/// What is stored elsewhere about an entry.
struct About {
    is_paused: bool,
    phone_number: Option<String>,
    calls: Vec<CallView>,
    changes: Vec<Change>,
    is_called: bool,
    is_in_course: bool,
}

async fn about(app: &App, institution: InstitutionId, id: ParticipantId) -> Result<About> {
    let (paused, phone_number, calls, changes, is_called, is_in_course) = tokio::try_join!(
        async { Ok::<_, Error>(store::audiences::paused(&mut app.db.read(), institution, &[id]).await?) },
        async { Ok(store::participants::phone_number(&mut app.db.read(), institution, id).await?) },
        async { called(&mut app.db.read(), institution, id).await },
        async { changes(&mut app.db.read(), institution, id).await },
        async { calls::is_pending(&mut app.db.read(), institution, id).await },
        async { Ok(store::courses::members::is_member(&mut app.db.read(), institution, id).await?) },
    )?;
    Ok(About { is_paused: !paused.is_empty(), phone_number, calls, changes, is_called, is_in_course })
}

/// The invitation to the page, and the last messages.
async fn mail(
    app: &App,
    institution: InstitutionId,
    page: NamePageId,
    email_key: Option<&str>,
) -> Result<(Option<Invitation>, Vec<OutboxMessage>)> {
    let Some(key) = email_key else { return Ok((None, Vec::new())) };
    tokio::try_join!(
        async {
            Ok::<_, Error>(store::invitations::of_address(&mut app.db.read(), institution, page, key).await?)
        },
        async { Ok(store::outbox::to_address(&mut app.db.read(), institution, key, MESSAGES).await?) },
    )
}

async fn reached(sql: &mut Sql, access: &Access, id: ParticipantId) -> Result<people_list::Place> {
    let place = people_list::places(sql, access.institution, &[id], false).await?.pop();
    let place = place.filter(|place| access.reaches(place.page));
    place.ok_or(Error::Missing(Missing::Participant))
}

fn is_about(message: &Message, id: ParticipantId, invitation: Option<&Invitation>, cases: &[Case]) -> bool {
    match message {
        Message::Invitation { invitation: about, .. } | Message::Reminder { invitation: about, .. } => {
            invitation.is_some_and(|invitation| invitation.id == *about)
        }
        Message::Rejection { case: about, .. } | Message::EntryRejection { case: about, .. } => {
            cases.iter().any(|case| case.id == *about)
        }
        Message::RecordingRequest { participant, .. } | Message::Retention { participant, .. } => {
            *participant == id
        }
        Message::SignIn { .. }
        | Message::Test
        | Message::Sample { .. }
        | Message::Warning { .. }
        | Message::Notice { .. } => false,
    }
}

async fn changes(sql: &mut Sql, institution: InstitutionId, id: ParticipantId) -> Result<Vec<Change>> {
    let id = id.to_string();
    let range = Range::Subject(SubjectKind::Participant.word(), &id);
    let since = Moment::from_micros(0);
    Ok(store::audit::before(sql, institution, range, Cursor::NEWEST, since, CHANGES).await?)
}

async fn called(sql: &mut Sql, institution: InstitutionId, id: ParticipantId) -> Result<Vec<CallView>> {
    let all = store::calls::of_participant(sql, institution, id).await?;
    let ids: Vec<CallId> = all.iter().map(|call| call.id).collect();
    let mut attempts = store::call_attempts::of_calls(sql, institution, &ids).await?;
    let view = |call: store::calls::Call| CallView {
        attempts: attempts.remove(&call.id).unwrap_or_default(),
        phone_number: call.phone_number,
        state: call.state,
    };
    Ok(all.into_iter().map(view).collect())
}

/// The other entries of the person with this email that the caller may see.
async fn others(
    sql: &mut Sql,
    access: &Access,
    id: ParticipantId,
    email_key: Option<&str>,
) -> Result<Vec<OtherEntry>> {
    let Some(email_key) = email_key else { return Ok(Vec::new()) };
    let mut all = persons::registrations(sql, access.institution, email_key).await?;
    all.retain(|one| !one.hidden && one.id != id && access.reaches(one.page));
    let ids: Vec<ParticipantId> = all.iter().map(|one| one.id).collect();
    let pages: Vec<NamePageId> = all.iter().map(|one| one.page).collect();
    let names = page_lists::names_of(sql, access.institution, &pages).await?;
    let extra = people_list::Extra { sound: true, ..people_list::Extra::default() };
    let found = people_list::by_ids(sql, access.institution, &ids, extra).await?;
    let is_recorded: HashMap<ParticipantId, bool> =
        found.into_iter().map(|one| (one.id, one.has_sound)).collect();
    let entry = |one: persons::Registration| {
        let page = names.get(&one.page)?;
        let is_recorded = is_recorded.get(&one.id).copied()?;
        Some(OtherEntry { id: one.id, page: page.title.clone(), page_slug: page.slug.clone(), is_recorded })
    };
    Ok(all.into_iter().filter_map(entry).collect())
}

/// Changes an entry, unless it has changed since that version: then the error is `SetupFault::Outdated`. A new phone number is not called.
pub async fn update(
    app: &App,
    actor: &Actor,
    institution: InstitutionId,
    (id, version): (ParticipantId, i64),
    draft: Draft,
) -> Result<()> {
    let access = actor.permit(Action::Write, institution)?;
    let entry = SeenEntry { id, version: Some(version), is_called: false };
    participants::update_entry(app, &access, entry, draft).await.map(drop)
}

/// Stores a recording or a picture of somebody, as API clients do. A pending call is canceled with a recording.
pub async fn upload(
    app: &App,
    actor: &Actor,
    institution: InstitutionId,
    id: ParticipantId,
    (kind, file): (Kind, Vec<u8>),
) -> Result<()> {
    let access = actor.permit(Action::Write, institution)?;
    let incoming = match kind {
        Kind::Photo => Incoming::Portrait(file),
        Kind::Recording | Kind::LegalRecording | Kind::Held | Kind::Removed => Incoming::Bytes(file),
    };
    let draft = Draft { media: vec![(kind, incoming)], ..Draft::default() };
    let entry = SeenEntry { id, version: None, is_called: false };
    participants::update_entry(app, &access, entry, draft).await.map(drop)
}

/// Calls somebody at the number of their entry, as soon as quiet hours and limits permit. The error is `NotCallable` if this number is
/// not called.
pub async fn call(app: &App, actor: &Actor, institution: InstitutionId, id: ParticipantId) -> Result<()> {
    let access = actor.permit(Action::Write, institution)?;
    let sql = &mut app.db.read();
    reached(sql, &access, id).await?;
    let number = store::participants::phone_number(sql, institution, id).await?;
    let number = number.as_deref().and_then(PhoneNumber::parse);
    let number = number.ok_or_else(|| Error::invalid(Field::PhoneNumber, Fault::Blank))?;
    let draft = Draft { phone_number: Given::Set(number), ..Draft::default() };
    let entry = SeenEntry { id, version: None, is_called: true };
    participants::update_entry(app, &access, entry, draft).await?;
    if calls::is_pending(sql, institution, id).await? {
        Ok(())
    } else {
        Err(Error::invalid(Field::PhoneNumber, Fault::NotCallable))
    }
}

/// The MP3 file of a recording of an entry, also of one that waits or was not accepted. What is paused is silent for managers, too.
pub async fn sound(
    app: &App,
    actor: &Actor,
    institution: InstitutionId,
    id: ParticipantId,
    hex: &str,
) -> Result<Bytes> {
    let access = actor.permit(Action::Write, institution)?;
    let missing = || Error::Missing(Missing::Recording);
    let sql = &mut app.db.read();
    reached(sql, &access, id).await?;
    let found = store::media::all_of(sql, institution, id).await?.into_iter().find(|one| one.hex == hex);
    let found = found.filter(|one| one.kind != Kind::Photo).ok_or_else(missing)?;
    let owner = store::directory_holds::owner(sql, institution, hex).await?;
    let is_hidden = found.kind.is_public() && owner != Some(id);
    if is_hidden || moderation::silenced(sql, institution, &[id]).await?.contains(&id) {
        return Err(missing());
    }
    let key = Key { shelf: Shelf::Recordings, institution, hex: found.hex };
    app.blobs.read(&key).await?.ok_or_else(missing)
}
