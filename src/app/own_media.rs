//! What a person has once for all of their registrations: the photo, and the recording of the legal name. Each registration has its
//! own copy, as in `own_recordings.rs`. What the person sends replaces what an API client has set, and what they delete is deleted
//! everywhere, including in courses that they have left.

use bytes::Bytes;

use super::{
    Actor, App, Error, Missing, Result,
    audit::{self, MediaChange, Record},
    consents, media, moderation,
    own_entry::{self, Owner},
    own_person::{self, OwnPerson, OwnRegistration, ids_of, owner},
    own_recordings::Attempts,
};
use crate::{
    blobs::{Key, Shelf},
    domain::{
        audience::Audience,
        audit::Act,
        institution::Institution,
        media::{Incoming, Kind, Media, Origin},
        participant::{Draft, Participant, Recording},
        session::PersonId,
    },
    store::{audiences, institutions, media as stored, rolls},
};

pub async fn set_photo(app: &App, actor: &Actor, person: &PersonId, picture: Vec<u8>) -> Result<()> {
    actor.represent(person)?;
    let record = Record::new(app, actor, person.institution, Act::PhotoReplaced);
    set(app, person, record, (Kind::Photo, Incoming::Portrait(picture)), None).await
}

pub async fn delete_photo(app: &App, actor: &Actor, person: &PersonId) -> Result<()> {
    actor.represent(person)?;
    delete(app, person, Record::new(app, actor, person.institution, Act::PhotoDeleted), Kind::Photo).await
}

/// Stores a recording of the legal name. Returns it, unless nobody may hear it for now.
pub async fn record_legal_name(
    app: &App,
    actor: &Actor,
    person: &PersonId,
    sound: Vec<u8>,
) -> Result<Option<Recording>> {
    actor.represent(person)?;
    permit_legal_names(app, person).await?;
    let owner = owner(app, person, None).await?;
    consents::require(&mut app.db.read(), owner, Kind::LegalRecording.field()).await?;
    let record = Record::new(app, actor, person.institution, Act::RecordingReplaced);
    set(app, person, record, (Kind::LegalRecording, Incoming::Bytes(sound)), Some(owner)).await?;
    Ok(own_entry::find_stored(app, owner).await.and_then(|own| own.person.legal.recording))
}

pub async fn delete_legal_recording(app: &App, actor: &Actor, person: &PersonId) -> Result<()> {
    actor.represent(person)?;
    let record = Record::new(app, actor, person.institution, Act::RecordingDeleted);
    delete(app, person, record, Kind::LegalRecording).await
}

/// The legal name of a person, on each of their pages.
pub struct OwnLegalName {
    pub institution: Institution,
    pub entries: Vec<LegalEntry>,
}

pub struct LegalEntry {
    pub entry: Participant,
    /// There is a recording of the legal name, even if nobody may hear it for now.
    pub is_recorded: bool,
}

impl LegalEntry {
    pub fn is_paused(&self) -> bool {
        self.is_recorded && self.entry.legal.recording.is_none()
    }
}

/// `Missing::Recording` if the institution does not use legal names.
pub async fn find_legal_name(app: &App, actor: &Actor, person: &PersonId) -> Result<OwnLegalName> {
    let OwnPerson { institution, registrations, .. } = own_person::find(app, actor, person).await?;
    check_legal_names(&institution)?;
    let sql = &mut app.db.read();
    let mut entries = Vec::with_capacity(registrations.len());
    for OwnRegistration { entry, .. } in registrations {
        let recording = stored::of(sql, person.institution, entry.id, Kind::LegalRecording).await?;
        entries.push(LegalEntry { entry, is_recorded: recording.is_some() });
    }
    Ok(OwnLegalName { institution, entries })
}

fn check_legal_names(institution: &Institution) -> Result<()> {
    if institution.multiple_recordings { Ok(()) } else { Err(Error::Missing(Missing::Recording)) }
}

async fn permit_legal_names(app: &App, person: &PersonId) -> Result<()> {
    let found = institutions::by_id(&mut app.db.read(), person.institution).await?;
    check_legal_names(&found.ok_or(Error::Missing(Missing::Institution))?)
}

/// The MP3 file of a person's own recording on a page, even while nobody else may hear it.
pub async fn sound(app: &App, actor: &Actor, person: &PersonId, page: &str, kind: Kind) -> Result<Bytes> {
    actor.represent(person)?;
    if kind == Kind::LegalRecording {
        permit_legal_names(app, person).await?;
    }
    let owner = owner(app, person, Some(page)).await?;
    own_entry::sound(app, owner, kind).await
}

/// The person's picture on a page, or the first one that they have: its link is dead while their entry is held.
pub async fn picture(app: &App, actor: &Actor, person: &PersonId, page: Option<&str>) -> Result<Bytes> {
    let missing = || Error::Missing(Missing::Recording);
    let mut own = own_person::find(app, actor, person).await?.registrations;
    own.retain(|one| page.is_none_or(|slug| one.entry.page.slug == slug));
    let hex = own.into_iter().find_map(|one| one.entry.photo).ok_or_else(missing)?;
    let key = Key { shelf: Shelf::Photos, institution: person.institution, hex };
    app.blobs.read(&key).await?.ok_or_else(missing)
}

/// Stores a file for all registrations of a person. See `own_recordings.rs` for the retries. `consenting`: the owner who must have
/// agreed to the text about recordings, and may have withdrawn while the sound was processed.
async fn set(
    app: &App,
    person: &PersonId,
    record: Record,
    (kind, incoming): (Kind, Incoming),
    consenting: Option<Owner>,
) -> Result<()> {
    let (institution, now) = (person.institution, app.clock.now());
    let record = record.person(&person.email_key);
    let mut draft = Draft { media: vec![(kind, incoming)], ..Draft::default() };
    let processed = media::process(app, institution, &mut draft, now).await?;
    draft.errors.into_result()?;
    let mut attempts = Attempts::default();
    loop {
        let ids = ids_of(&mut app.db.read(), institution, &person.email_key).await?;
        if ids.is_empty() {
            return Err(Error::Missing(Missing::Participant));
        }
        let copies = processed.copies(app, ids.len(), Origin::Shared);
        let (owned_app, email_key, record) = (app.clone(), person.email_key.clone(), record.clone());
        let write = move |made: Vec<Media>| async move {
            let db = owned_app.db.clone();
            db.write(move |sql| {
                Box::pin(async move {
                    rolls::lock(sql, institution).await?;
                    if let Some(owner) = consenting {
                        consents::require(sql, owner, kind.field()).await?;
                    }
                    let ids = ids_of(sql, institution, &email_key).await?;
                    if ids.len() > made.len() {
                        return Err(Error::FilesNeeded);
                    }
                    let mut made = made.into_iter();
                    let (mut gone, mut changes) = (Vec::new(), Vec::new());
                    for (id, one) in ids.iter().copied().zip(made.by_ref()) {
                        let old = stored::attach(sql, institution, id, &one, now).await?;
                        let before = old.iter().cloned().collect();
                        changes.push(MediaChange { participant: id, before, after: Some(one) });
                        gone.extend(old);
                    }
                    audit::write_media(sql, &record, &owned_app.ids, &changes).await?;
                    if kind == Kind::Photo {
                        moderation::hold_entries(sql, &owned_app.ids, institution, &ids, now).await?;
                    }
                    // Registrations without an email that the person got after they had paused.
                    if kind.is_sound()
                        && audiences::chosen(sql, institution, &email_key).await? == Some(Audience::Paused)
                    {
                        audiences::pause(sql, institution, &ids).await?;
                    }
                    gone.extend(made);
                    Ok(((), gone))
                })
            })
            .await
        };
        match media::store_and(app, institution, copies, write).await {
            Err(error) => attempts.again(error)?,
            Ok(()) => return Ok(()),
        }
    }
}

/// Deletes the files of a kind at all registrations of a person.
async fn delete(app: &App, person: &PersonId, record: Record, kind: Kind) -> Result<()> {
    let (institution, email_key, now) = (person.institution, person.email_key.clone(), app.clock.now());
    let (record, owned_app) = (record.person(&email_key), app.clone());
    let gone = app
        .db
        .write::<_, Error>(move |sql| {
            Box::pin(async move {
                rolls::lock(sql, institution).await?;
                let (mut gone, mut changes) = (Vec::new(), Vec::new());
                for id in ids_of(sql, institution, &email_key).await? {
                    let old = stored::detach(sql, institution, id, kind, now).await?;
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
