//! Public data of a person, addressed by the registration's token.

use serde_json::json;

use super::{
    Actor, App, Error, Missing, Result, audiences,
    audit::{self, Record},
    links::secret::{self, Purpose},
    looks::{self, Look},
    media, participants, public_view,
};
use crate::{
    blobs::{Key, Shelf},
    domain::{
        audience::Audience,
        audit::Act,
        custom_field::is_pronouns,
        email::email_key,
        ids::InstitutionId,
        language::Language,
        media::Waveform,
        participant::{Participant, Recording},
        session::PersonId,
    },
    store::{audiences as stored_audiences, custom_fields, institutions, participants as people, rolls},
};

/// A person without private data: no legal name if the institution does not use legal names.
pub struct PublicPerson {
    pub institution: InstitutionId,
    pub institution_slug: String,
    pub institution_name: String,
    /// The language of the institution's pages.
    pub language: Option<Language>,
    pub person: Participant,
}

/// Everything that a badge shows: name, how it is said, pronouns, picture, and of the rest what an admin has marked for it.
pub struct Badge {
    pub institution: InstitutionId,
    pub institution_slug: String,
    pub institution_name: String,
    /// The language of the institution's pages.
    pub language: Option<Language>,
    pub person: Participant,
    pub attributes: Vec<Attribute>,
    pub waveform: Option<Waveform>,
    pub legal_waveform: Option<Waveform>,
    /// May search engines index it?
    pub listed: bool,
    pub audience: Audience,
    pub look: Look,
}

impl Badge {
    /// Is it of one of this person's registrations?
    pub fn belongs_to(&self, person: &PersonId) -> bool {
        let email_key = self.person.email.as_deref().map(email_key);
        person.institution == self.institution && email_key.as_deref() == Some(&person.email_key)
    }
}

pub struct Attribute {
    pub name: String,
    pub label: String,
    pub value: String,
}

/// A URL of recordings and photos outside of this site, if browsers load them from the blob store directly.
pub async fn external_url(
    app: &App,
    institution: InstitutionId,
    person: &Participant,
) -> Result<Option<String>> {
    let sounds = [&person.recording, &person.legal.recording].into_iter().flatten();
    let Some(hex) = sounds.map(|sound| &sound.hex).chain(&person.photo).next() else { return Ok(None) };
    external_url_of(app, institution, hex).await
}

pub async fn external_url_of(app: &App, institution: InstitutionId, hex: &str) -> Result<Option<String>> {
    let key = Key { shelf: Shelf::Recordings, institution, hex: hex.to_owned() };
    Ok(app.blobs.redirect(&key).await?)
}

/// The person behind a player's link. The name that an API client was given plays whatever its client may hear, without a session;
/// the token of a badge plays what its owner made public.
pub async fn played(app: &App, institution: InstitutionId, name: &str) -> Result<PublicPerson> {
    if !secret::is_name(name) {
        let person = participants::by_token(app, institution, name).await?;
        let reduced = public_view::reduced(&mut app.db.read(), institution, vec![person]).await?.pop();
        return public_person(app, institution, reduced.ok_or(Error::Missing(Missing::Participant))?).await;
    }
    let id = secret::find(app, institution).await?.read(Purpose::Player, name);
    let id = id.ok_or(Error::Missing(Missing::Participant))?;
    let person = people::by_ids(&mut app.db.read(), institution, &[id]).await?.pop();
    let person = person.filter(|one| !one.directory_hold).ok_or(Error::Missing(Missing::Participant))?;
    public_person(app, institution, person).await
}

async fn public_person(
    app: &App,
    institution: InstitutionId,
    mut person: Participant,
) -> Result<PublicPerson> {
    if person.is_held {
        return Err(Error::Missing(Missing::Participant));
    }
    let found = institutions::by_id(&mut app.db.read(), institution).await?;
    let found = found.ok_or(Error::Missing(Missing::Institution))?;
    if !found.multiple_recordings {
        person.legal = Default::default();
    }
    Ok(PublicPerson {
        institution,
        institution_slug: found.slug,
        institution_name: found.name,
        language: found.language,
        person,
    })
}

/// Whoever has paused has no badge.
pub async fn find(app: &App, institution: InstitutionId, token: &str) -> Result<Badge> {
    let person = participants::by_token(app, institution, token).await?;
    let sql = &mut app.db.read();
    if !stored_audiences::paused(sql, institution, &[person.id]).await?.is_empty() {
        return Err(Error::Missing(Missing::Participant));
    }
    let PublicPerson { mut person, institution_slug, institution_name, language, .. } =
        public_person(app, institution, person).await?;
    if !institutions::notes_on_badge(sql, institution).await?.unwrap_or_default() {
        person.notes = None;
        person.legal.notes = None;
    }
    let listed = people::badge_listed(sql, institution, person.id).await?;
    let mut fields = custom_fields::all(sql, institution).await?;
    fields.retain(|field| field.on_badge || field.is_pronouns());
    let attribute = |field: crate::domain::custom_field::CustomField| {
        let value = person.custom.0.get(&field.id)?.clone();
        Some(Attribute { name: field.name, label: field.label, value })
    };
    let mut attributes: Vec<Attribute> = fields.into_iter().filter_map(attribute).collect();
    // Pronouns come first.
    attributes.sort_by_key(|attribute| !attribute.is_pronouns());
    let audience = audiences::of_one(sql, institution, &person).await?;
    let waveform = waveform(app, institution, &person.recording).await?;
    let legal_waveform = self::waveform(app, institution, &person.legal.recording).await?;
    let listed = listed && audience == Audience::Public;
    let look = looks::find(app, institution).await?;
    Ok(Badge {
        institution,
        institution_slug,
        institution_name,
        language,
        person,
        attributes,
        waveform,
        legal_waveform,
        listed,
        audience,
        look,
    })
}

/// May search engines index all of the person's badges, as far as it is up to the person? A new registration is not listed.
pub async fn is_listed(app: &App, actor: &Actor, person: &PersonId) -> Result<bool> {
    actor.represent(person)?;
    Ok(people::all_listed(&mut app.db.read(), person.institution, &person.email_key).await?)
}

/// Sets whether search engines may index the badges of all of the person's registrations. A new registration is not listed.
pub async fn list_all(app: &App, actor: &Actor, person: &PersonId, listed: bool) -> Result<()> {
    actor.represent(person)?;
    let record = Record::new(app, actor, person.institution, Act::BadgeListed).of_person(person);
    let person = person.clone();
    app.db
        .write::<_, Error>(move |sql| {
            Box::pin(async move {
                let PersonId { institution, email_key } = person;
                rolls::lock(sql, institution).await?;
                let were_listed = people::all_listed(sql, institution, &email_key).await?;
                people::list_badges(sql, institution, &email_key, listed).await?;
                let (before, after) = (json!({ "listed": were_listed }), json!({ "listed": listed }));
                audit::write_change(sql, record.change(before, after)).await
            })
        })
        .await
}

impl Attribute {
    pub fn is_pronouns(&self) -> bool {
        is_pronouns(&self.name)
    }
}

/// `None` also if the recording has just been replaced.
async fn waveform(
    app: &App,
    institution: InstitutionId,
    recording: &Option<Recording>,
) -> Result<Option<Waveform>> {
    let Some(recording) = recording else { return Ok(None) };
    match media::find(app, institution, &recording.hex).await {
        Ok(found) => Ok(found.waveform),
        Err(Error::Missing(_)) => Ok(None),
        Err(error) => Err(error),
    }
}
