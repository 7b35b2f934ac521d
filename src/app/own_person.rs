//! A person's own page: all of their registrations in an institution. `own_entry.rs` has what they do with one of them.

use super::{
    Actor, App, Error, Missing, Result,
    audit::{self, MediaChange, Record},
    calls, media,
    moderation::{self, Standing},
    own_entry::{self, Details, Owner},
    own_recordings::Sharing,
};
use crate::{
    domain::{
        access::SearchScope,
        audit::Act,
        custom_field::{CustomField, sort_for_pages},
        ids::{InstitutionId, ParticipantId},
        institution::Institution,
        media::{Kind, Origin},
        participant::{Participant, Recording},
        session::PersonId,
    },
    store::{
        Sql, custom_fields, institutions, media as stored,
        participants::{self, KeyFilter, KeyKind},
        persons::{self, Registration},
        rolls,
    },
};

/// A person with their registrations, as shown to them.
pub struct OwnPerson {
    pub institution: Institution,
    /// At least one. Those of courses that they have left are not included.
    pub registrations: Vec<OwnRegistration>,
    /// The institution's custom fields, in the order of pages.
    pub fields: Vec<CustomField>,
    pub phone_number: Option<String>,
    /// Whether this installation can call people.
    pub can_be_called: bool,
    pub is_called: bool,
}

pub struct OwnRegistration {
    pub entry: Participant,
    /// The origin of its newest recording, which exists even while nobody may hear it.
    pub origin: Option<Origin>,
    /// There is a recording that needs no approval, even if nobody may hear it for now.
    pub is_recorded: bool,
    pub standing: Standing,
}

impl OwnRegistration {
    /// There is a recording that nobody may hear for now.
    pub fn is_paused(&self) -> bool {
        self.is_recorded && self.entry.recording.is_none()
    }

    /// The newest recording waits for a manager's approval.
    pub fn is_held(&self) -> bool {
        self.standing.held.is_some()
    }

    /// Returns whether the recording was made for this page only.
    pub fn is_only_here(&self) -> bool {
        self.origin == Some(Origin::Page)
    }

    fn follows(&self) -> bool {
        self.origin.is_none_or(Origin::is_replaceable)
    }
}

/// A person without registrations is `Missing::Participant`.
pub async fn find(app: &App, actor: &Actor, person: &PersonId) -> Result<OwnPerson> {
    actor.represent(person)?;
    let (institution, sql) = (person.institution, &mut app.db.read());
    let registrations = registrations(sql, person).await?;
    let found = institutions::by_id(sql, institution).await?;
    let called = main(&registrations)?;
    let mut fields = custom_fields::all(sql, institution).await?;
    sort_for_pages(&mut fields);
    Ok(OwnPerson {
        institution: found.ok_or(Error::Missing(Missing::Institution))?,
        phone_number: participants::phone_number(sql, institution, called).await?,
        can_be_called: app.calling.enabled && calls::may_ask(sql, institution, called).await?,
        is_called: calls::is_pending(sql, institution, called).await?,
        registrations,
        fields,
    })
}

/// Their registrations, in the order in which they were made.
async fn registrations(sql: &mut Sql, person: &PersonId) -> Result<Vec<OwnRegistration>> {
    let (institution, keys) = (person.institution, [person.email_key.as_str()]);
    let filter = KeyFilter::new(SearchScope::Institution, KeyKind::Email, &keys);
    let mut entries = participants::by_keys(sql, institution, filter).await?;
    entries.sort_by_key(|entry| entry.id);
    let mut found = Vec::with_capacity(entries.len());
    for entry in entries {
        let recording = stored::of(sql, institution, entry.id, Kind::Recording).await?;
        let standing = moderation::standing(sql, institution, &entry, recording.as_ref()).await?;
        let newest = standing.held.as_ref().or(recording.as_ref());
        let (origin, is_recorded) = (newest.map(|newest| newest.origin), recording.is_some());
        let entry = entry.unveiled();
        found.push(OwnRegistration { entry, origin, is_recorded, standing });
    }
    Ok(found)
}

/// The registration that stands for the person where one must: a recording for all pages replaces its recording, so it is one
/// whose recording may be replaced, if there is one.
fn main(all: &[OwnRegistration]) -> Result<ParticipantId> {
    let chosen = all.iter().find(|one| one.follows()).or(all.first());
    chosen.map(|one| one.entry.id).ok_or(Error::Missing(Missing::Participant))
}

/// Finds the registration on a page by its slug, or the main one.
pub(super) async fn owner(app: &App, person: &PersonId, page: Option<&str>) -> Result<Owner> {
    let all = registrations(&mut app.db.read(), person).await?;
    let main = main(&all)?;
    let participant = match page {
        None => main,
        Some(slug) => {
            let found = all.iter().find(|one| one.entry.page.slug == slug);
            found.ok_or(Error::Missing(Missing::NamePage))?.entry.id
        }
    };
    Ok(Owner { institution: person.institution, participant })
}

/// Stores a recording for all of the person's pages, or for one. Returns it, unless nobody may hear it for now.
pub async fn record(
    app: &App,
    actor: &Actor,
    person: &PersonId,
    sound: Vec<u8>,
    page: Option<&str>,
) -> Result<Option<Recording>> {
    actor.represent(person)?;
    let owner = owner(app, person, page).await?;
    let sharing = if page.is_some() { Sharing::ThisPage } else { Sharing::All };
    own_entry::record(app, owner, actor.who(), sound, sharing).await?;
    let stored = own_entry::find_stored(app, owner).await;
    Ok(stored.filter(|own| !own.is_held()).and_then(|own| own.person.recording))
}

/// Deletes the recordings of a person's name on all of their pages, including courses that they have left, or on one page.
pub async fn delete_recording(app: &App, actor: &Actor, person: &PersonId, page: Option<&str>) -> Result<()> {
    actor.represent(person)?;
    let owner = owner(app, person, page).await?;
    let (institution, email_key, now) = (person.institution, person.email_key.clone(), app.clock.now());
    let is_everywhere = page.is_none();
    let record = Record::new(app, actor, institution, Act::RecordingDeleted).person(&person.email_key);
    let owned_app = app.clone();
    let gone = app
        .db
        .write::<_, Error>(move |sql| {
            Box::pin(async move {
                rolls::lock(sql, institution).await?;
                let ids = if is_everywhere {
                    ids_of(sql, institution, &email_key).await?
                } else {
                    vec![owner.participant]
                };
                let (mut gone, mut changes) = (Vec::new(), Vec::new());
                for id in ids {
                    let old = stored::detach(sql, institution, id, Kind::Recording, now).await?;
                    changes.extend(MediaChange::deleted(id, &old));
                    gone.extend(old);
                }
                audit::write_media(sql, &record, &owned_app.ids, &changes).await?;
                Ok(gone)
            })
        })
        .await?;
    media::discard(app, institution, &gone).await;
    Ok(())
}

/// Takes the institution's lock, for a write that needs a person with registrations. Returns all of them, including courses that they
/// have left.
pub(super) async fn lock_registered(sql: &mut Sql, person: &PersonId) -> Result<Vec<Registration>> {
    rolls::lock(sql, person.institution).await?;
    let all = persons::registrations(sql, person.institution, &person.email_key).await?;
    if all.is_empty() { Err(Error::Missing(Missing::Participant)) } else { Ok(all) }
}

/// All registrations of a person, including courses that they have left.
pub(super) async fn ids_of(
    sql: &mut Sql,
    institution: InstitutionId,
    email_key: &str,
) -> Result<Vec<ParticipantId>> {
    let all = persons::registrations(sql, institution, email_key).await?;
    Ok(all.into_iter().map(|one| one.id).collect())
}

/// Changes the details of the registration on a page.
pub async fn change(app: &App, actor: &Actor, person: &PersonId, page: &str, details: Details) -> Result<()> {
    actor.represent(person)?;
    own_entry::change(app, owner(app, person, Some(page)).await?, actor.who(), details).await
}

/// Requests a call. What the person says is recorded for all of their pages.
pub async fn call(app: &App, actor: &Actor, person: &PersonId, phone_number: &str) -> Result<()> {
    actor.represent(person)?;
    own_entry::call(app, owner(app, person, None).await?, actor.who(), phone_number).await
}
