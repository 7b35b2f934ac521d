//! A person's own entry on a name page, for the pages where they view and edit it themselves.

use super::{
    App, Error, Missing, Result, calls, consents, own_recordings, own_recordings::Sharing, participants,
};
use crate::{
    domain::{
        fault::{Fault, Field},
        ids::{InstitutionId, ParticipantId},
        media::{Incoming, Origin, Waveform},
        participant::{Draft, Given, LegalNames, Participant, Source},
        phone_number::PhoneNumber,
    },
    store,
};

/// A person who is authenticated as the owner of an entry, for example by an LTI session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Owner {
    pub institution: InstitutionId,
    pub participant: ParticipantId,
}

/// A person's own entry, as shown to them.
pub struct OwnEntry {
    pub person: Participant,
    pub waveform: Option<Waveform>,
    /// The origin of their recording.
    pub origin: Option<Origin>,
    pub phone_number: Option<String>,
    /// Whether this installation can call people.
    pub can_be_called: bool,
    pub is_called: bool,
}

impl OwnEntry {
    /// Returns whether the recording was made for this page only.
    pub fn is_only_here(&self) -> bool {
        self.origin == Some(Origin::Page)
    }
}

pub async fn find(app: &App, owner: Owner) -> Result<OwnEntry> {
    let (Owner { institution, participant }, sql) = (owner, &mut app.db.read());
    let person = store::participants::by_ids(sql, institution, &[participant]).await?.pop();
    let person = person.ok_or(Error::Missing(Missing::Participant))?;
    let recording = match &person.recording {
        Some(recording) => store::media::find(sql, institution, &recording.hex).await?,
        None => None,
    };
    Ok(OwnEntry {
        origin: recording.as_ref().map(|recording| recording.origin),
        waveform: recording.and_then(|recording| recording.waveform),
        phone_number: store::participants::phone_number(sql, institution, participant).await?,
        can_be_called: app.calling.enabled,
        is_called: calls::is_pending(sql, institution, participant).await?,
        person,
    })
}

/// The fields that people may change in their own entry: how to pronounce the name, but not the name itself.
pub struct Details(Draft);

impl Details {
    pub fn read(source: &impl Source) -> Self {
        let Draft { phonetic, notes, mut errors, .. } = Draft::read(source, LegalNames::Ignored);
        errors.retain(|field| matches!(field, Field::Phonetic | Field::Notes));
        Self(Draft { phonetic, notes, errors, ..Draft::default() })
    }
}

pub async fn change(app: &App, owner: Owner, details: Details) -> Result<()> {
    update(app, owner, details.0).await
}

async fn update(app: &App, owner: Owner, draft: Draft) -> Result<()> {
    participants::update_own(app, owner.institution, owner.participant, draft).await.map(|_| ())
}

/// Stores the owner's recording, for all of their pages or for this one only. They must have agreed to the text about recordings.
pub async fn record(app: &App, owner: Owner, sound: Vec<u8>, sharing: Sharing) -> Result<()> {
    consents::require(&mut app.db.read(), owner, Field::Recording).await?;
    let target = (owner.institution, owner.participant);
    own_recordings::record(app, target, Incoming::Bytes(sound), sharing, None).await
}

/// Stores this phone number for the owner and requests a call to it.
pub async fn call(app: &App, owner: Owner, phone_number: &str) -> Result<()> {
    if !app.calling.enabled {
        return Err(Error::Missing(Missing::Call));
    }
    consents::require(&mut app.db.read(), owner, Field::PhoneNumber).await?;
    let invalid = |fault| Error::invalid(Field::PhoneNumber, fault);
    let number = PhoneNumber::parse(phone_number).ok_or_else(|| invalid(Fault::NotAPhoneNumber))?;
    update(app, owner, Draft { phone_number: Given::Set(number), ..Draft::default() }).await?;
    if calls::is_pending(&mut app.db.read(), owner.institution, owner.participant).await? {
        return Ok(());
    }
    Err(invalid(Fault::NotCallable))
}
