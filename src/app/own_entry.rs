//! A person's own entry on a name page, for the pages where they view and edit it themselves.

use std::collections::BTreeSet;

use bytes::Bytes;

use super::{
    Actor, App, Error, Missing, Result,
    audit::{self, MediaChange, Record},
    calls::{self, CallChange},
    consents::{self, Withdrawal},
    media,
    moderation::{self, Standing},
    own_person,
    own_recordings::{self, Maker, Sharing},
    participants,
};
use crate::{
    blobs::{Key, Shelf},
    domain::{
        audit::{Act, SubjectKind, Who, WhoKind},
        call::Reason,
        consent::Giver,
        custom_field::{Answers, CustomField, sort_for_pages},
        email::email_key,
        fault::{Fault, Field},
        ids::{InstitutionId, ParticipantId},
        media::{Incoming, Kind, Origin, Waveform},
        own_recording::People,
        participant::{CustomValues, Draft, Given, LegalNames, Participant, Source},
        phone_number::PhoneNumber,
        session::PersonId,
    },
    store::{self, Sql, rolls},
};

/// A person who is authenticated as the owner of an entry, for example by an LTI session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Owner {
    pub institution: InstitutionId,
    pub participant: ParticipantId,
}

impl Owner {
    /// The owner in the audit log, in a learning system.
    pub fn in_lti(self) -> Who {
        Who::numbered(WhoKind::Lti, self.participant)
    }
}

/// A person's own entry, as shown to them.
pub struct OwnEntry {
    pub person: Participant,
    pub waveform: Option<Waveform>,
    /// The institution's custom fields, in the order of pages.
    pub fields: Vec<CustomField>,
    /// The origin of their newest recording, which exists even while nobody may hear it.
    pub origin: Option<Origin>,
    /// There is a recording that needs no approval, even if nobody may hear it for now.
    pub is_recorded: bool,
    pub standing: Standing,
    pub phone_number: Option<String>,
    /// Whether this installation can call people.
    pub can_be_called: bool,
    pub is_called: bool,
}

impl OwnEntry {
    /// There is a recording that nobody may hear for now.
    pub fn is_paused(&self) -> bool {
        self.is_recorded && self.person.recording.is_none()
    }

    /// The newest recording waits for a manager's approval.
    pub fn is_held(&self) -> bool {
        self.standing.held.is_some()
    }

    /// Returns whether the recording was made for this page only.
    pub fn is_only_here(&self) -> bool {
        self.origin == Some(Origin::Page)
    }
}

pub async fn find(app: &App, owner: Owner) -> Result<OwnEntry> {
    let (Owner { institution, participant }, sql) = (owner, &mut app.db.read());
    let person = entry(sql, owner).await?.unveiled();
    let recording = store::media::of(sql, institution, participant, Kind::Recording).await?;
    let standing = moderation::standing(sql, institution, &person, recording.as_ref()).await?;
    let is_recorded = recording.is_some();
    let newest = standing.held.clone().or(recording);
    let mut fields = store::custom_fields::all(sql, institution).await?;
    sort_for_pages(&mut fields);
    Ok(OwnEntry {
        fields,
        origin: newest.as_ref().map(|newest| newest.origin),
        waveform: newest.and_then(|newest| newest.waveform),
        is_recorded,
        standing,
        phone_number: store::participants::phone_number(sql, institution, participant).await?,
        can_be_called: app.calling.enabled && calls::may_ask(sql, institution, participant).await?,
        is_called: calls::is_pending(sql, institution, participant).await?,
        person,
    })
}

/// `find` after a write. What is committed is not reported as failed, so `None` if it cannot be read.
pub async fn find_stored(app: &App, owner: Owner) -> Option<OwnEntry> {
    let found = find(app, owner).await;
    if let Err(error) = &found {
        tracing::warn!(%error, "an entry was changed, but could not be read again");
    }
    found.ok()
}

pub(super) async fn entry(sql: &mut Sql, Owner { institution, participant }: Owner) -> Result<Participant> {
    let found = store::participants::by_ids(sql, institution, &[participant]).await?.pop();
    found.ok_or(Error::Missing(Missing::Participant))
}

/// The fields that people may change in their own entry: how to pronounce the name, but not the name itself, and the custom fields
/// that their institution lets them edit.
pub struct Details {
    texts: Draft,
    answers: Answers,
}

impl Details {
    pub fn read(source: &impl Source) -> Self {
        let Draft { phonetic, notes, mut errors, .. } = Draft::read(source, LegalNames::Ignored);
        errors.retain(|field| matches!(field, Field::Phonetic | Field::Notes));
        let texts = Draft { phonetic, notes, errors, ..Draft::default() };
        Self { texts, answers: Answers::read(source) }
    }

    /// Ignores all custom fields but these. `stored` are the values that the entry has.
    fn restricted(self, editable: &[CustomField], stored: &CustomValues) -> Draft {
        let mut draft = self.texts;
        draft.custom = self.answers.given(editable, stored, &mut draft.errors);
        draft
    }
}

/// On an archived page, the change is rejected with `Fault::Closed`.
pub async fn change(app: &App, owner: Owner, who: Who, details: Details) -> Result<()> {
    let Owner { institution, participant } = owner;
    if store::page_settings::is_archived(&mut app.db.read(), institution, participant).await? {
        return Err(Error::invalid(Field::Phonetic, Fault::Closed));
    }
    let mut fields = store::custom_fields::all(&mut app.db.read(), institution).await?;
    fields.retain(|field| field.editable);
    let stored = entry(&mut app.db.read(), owner).await?.custom;
    participants::update_own(app, owner, who, details.restricted(&fields, &stored)).await.map(|_| ())
}

/// Stores the owner's recording, for all of their pages or for this one only. They must have agreed to the text about recordings.
pub async fn record(app: &App, owner: Owner, who: Who, sound: Vec<u8>, sharing: Sharing) -> Result<()> {
    record_by(app, owner, who, sound, sharing, Maker::Owner).await
}

/// `record` with the maker: `Owner` or `OnPage`.
pub(super) async fn record_by(
    app: &App,
    owner: Owner,
    who: Who,
    sound: Vec<u8>,
    sharing: Sharing,
    maker: Maker,
) -> Result<()> {
    // Checked again when it is stored. Sound of people who have not agreed is not even processed.
    consents::require(&mut app.db.read(), owner, Field::Recording).await?;
    let target = (owner.institution, owner.participant);
    own_recordings::record(app, target, who, Incoming::Bytes(sound), sharing, maker).await
}

/// Deletes the owner's recording on all of their pages, including courses that they have left, or on this page.
pub async fn delete_recording(app: &App, owner: Owner, who: Who, sharing: Sharing) -> Result<()> {
    let (institution, now, owned_app) = (owner.institution, app.clock.now(), app.clone());
    let record = Record::by(app, who, institution, Act::RecordingDeleted);
    let gone = app
        .db
        .write::<_, Error>(move |sql| {
            Box::pin(async move {
                rolls::lock(sql, institution).await?;
                let ids = match sharing {
                    Sharing::All => everywhere(sql, owner).await?,
                    Sharing::ThisPage => BTreeSet::from([entry(sql, owner).await?.id]),
                };
                let (mut gone, mut changes) = (Vec::new(), Vec::new());
                for id in ids {
                    let old = store::media::detach(sql, institution, id, Kind::Recording, now).await?;
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

/// The registrations that share the owner's recordings, with their own. If their email is known, all with this email.
async fn everywhere(sql: &mut Sql, owner: Owner) -> Result<BTreeSet<ParticipantId>> {
    let Owner { institution, participant } = owner;
    let email = entry(sql, owner).await?.email;
    let own = store::own_recordings::find(sql, institution, participant).await?;
    let own = own.ok_or(Error::Missing(Missing::Participant))?;
    let all = store::own_recordings::around(sql, institution, vec![own]).await?;
    let mut ids = BTreeSet::from([participant]);
    ids.extend(People::new(&all).followers(0));
    if let Some(email) = email {
        ids.extend(own_person::ids_of(sql, institution, &email_key(&email)).await?);
    }
    Ok(ids)
}

/// Withdraws the owner's consent, and cancels their pending calls. If their email is known, they do it as that person. Without an
/// email, a recording cannot be paused: only the audience of a person can be chosen.
pub async fn withdraw(app: &App, owner: Owner, who: Who, then: Withdrawal) -> Result<()> {
    let (institution, now) = (owner.institution, app.clock.now());
    let email = entry(&mut app.db.read(), owner).await?.email;
    if let Some(email) = email {
        let person = PersonId { institution, email_key: email_key(&email) };
        return consents::withdraw_by(app, who, &Actor::Person(person.clone()), &person, then).await;
    }
    if then == Withdrawal::Pause {
        return Err(Error::invalid(Field::Audience, Fault::NotIncluded));
    }
    let (owned_app, record) = (app.clone(), Record::by(app, who, institution, Act::ConsentWithdrawn));
    let gone = app
        .db
        .write::<_, Error>(move |sql| {
            Box::pin(async move {
                rolls::lock(sql, institution).await?;
                let (mut gone, mut changes) = (Vec::new(), Vec::new());
                for id in everywhere(sql, owner).await? {
                    store::consents::withdraw(sql, &Giver::Registration(institution, id), now).await?;
                    let (rules, ids) = (&owned_app.calling, calls::Ids::new(&owned_app, now));
                    let cancel = CallChange::Cancel(Reason::OptedOut);
                    calls::settle(sql, rules, (institution, id), cancel, ids, now).await?;
                    let old = store::media::detach(sql, institution, id, Kind::Recording, now).await?;
                    changes.extend(MediaChange::deleted(id, &old));
                    gone.extend(old);
                }
                let withdrawn = record.clone().about(SubjectKind::Participant, owner.participant, "");
                audit::write(sql, &[withdrawn]).await?;
                audit::write_media(sql, &record, &owned_app.ids, &changes).await?;
                Ok(gone)
            })
        })
        .await?;
    app.queue.wake();
    media::discard(app, institution, &gone).await;
    Ok(())
}

/// The MP3 file of the owner's newest recording, even while nobody else may hear it or it waits for approval.
pub async fn sound(app: &App, owner: Owner, kind: Kind) -> Result<Bytes> {
    let Owner { institution, participant } = owner;
    let missing = || Error::Missing(Missing::Recording);
    let sql = &mut app.db.read();
    let held = match kind {
        Kind::Recording => store::media::of(sql, institution, participant, Kind::Held).await?,
        Kind::LegalRecording | Kind::Photo | Kind::Held | Kind::Removed => None,
    };
    let found = match held {
        Some(held) => Some(held),
        None => store::media::of(sql, institution, participant, kind).await?,
    };
    let hex = found.ok_or_else(missing)?.hex;
    app.blobs.read(&Key { shelf: Shelf::Recordings, institution, hex }).await?.ok_or_else(missing)
}

/// Stores this phone number for the owner and requests a call to it.
pub async fn call(app: &App, owner: Owner, who: Who, phone_number: &str) -> Result<()> {
    if !app.calling.enabled {
        return Err(Error::Missing(Missing::Call));
    }
    consents::require(&mut app.db.read(), owner, Field::PhoneNumber).await?;
    let invalid = |fault| Error::invalid(Field::PhoneNumber, fault);
    let fault = if phone_number.trim().is_empty() { Fault::Blank } else { Fault::NotAPhoneNumber };
    let number = PhoneNumber::parse(phone_number).ok_or_else(|| invalid(fault))?;
    let draft = Draft { phone_number: Given::Set(number), ..Draft::default() };
    participants::update_own(app, owner, who, draft).await?;
    match calls::is_pending(&mut app.db.read(), owner.institution, owner.participant).await {
        Ok(true) => Ok(()),
        Ok(false) => Err(invalid(Fault::NotCallable)),
        Err(error) => {
            // The number is stored.
            tracing::warn!(%error, "whether a call was requested could not be read");
            Ok(())
        }
    }
}
