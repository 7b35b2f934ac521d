//! What a public page shows of a person: asked for by the registration's token, which makes it public.

use super::{App, Error, Missing, Result, media, participants};
use crate::{
    blobs::{Key, Shelf},
    domain::{
        ids::InstitutionId,
        media::Waveform,
        participant::{Participant, Recording},
    },
    store::{custom_fields, institutions, participants as people},
};

/// A person, without what they do not show: the legal name stays away where their institution has none.
pub struct Shown {
    pub institution: InstitutionId,
    pub person: Participant,
}

/// Everything that a badge has.
pub struct Badge {
    pub institution: InstitutionId,
    pub person: Participant,
    pub attributes: Vec<Attribute>,
    pub waveform: Option<Waveform>,
    pub legal_waveform: Option<Waveform>,
    /// May search engines list it?
    pub listed: bool,
}

pub struct Attribute {
    pub name: String,
    pub label: String,
    pub value: String,
}

/// Where a browser is sent for recordings and pictures, when the store hands them out itself: an address there.
pub async fn elsewhere(
    app: &App,
    institution: InstitutionId,
    person: &Participant,
) -> Result<Option<String>> {
    let sounds = [&person.recording, &person.legal.recording].into_iter().flatten();
    let Some(hex) = sounds.map(|sound| &sound.hex).chain(&person.photo).next() else { return Ok(None) };
    address_of(app, institution, hex).await
}

pub async fn address_of(app: &App, institution: InstitutionId, hex: &str) -> Result<Option<String>> {
    let key = Key { shelf: Shelf::Recordings, institution, hex: hex.to_owned() };
    Ok(app.blobs.redirect(&key).await?)
}

pub async fn shown(app: &App, institution: InstitutionId, token: &str) -> Result<Shown> {
    let mut person = participants::by_token(app, institution, token).await?;
    let found = institutions::by_id(&mut app.db.read(), institution).await?;
    if !found.ok_or(Error::Missing(Missing::Institution))?.multiple_recordings {
        person.legal = Default::default();
    }
    Ok(Shown { institution, person })
}

pub async fn find(app: &App, institution: InstitutionId, token: &str) -> Result<Badge> {
    let Shown { person, .. } = shown(app, institution, token).await?;
    let sql = &mut app.db.read();
    let listed = people::badge_listed(sql, institution, person.id).await?;
    let fields = custom_fields::all(sql, institution).await?;
    let attribute = |field: crate::domain::custom_field::CustomField| {
        let value = person.custom.0.get(&field.id)?.clone();
        Some(Attribute { name: field.name, label: field.label, value })
    };
    let mut attributes: Vec<Attribute> = fields.into_iter().filter_map(attribute).collect();
    // How to speak of somebody comes before everything else that there is to say.
    attributes.sort_by_key(|attribute| !attribute.is_pronouns());
    let waveform = waveform(app, institution, &person.recording).await?;
    let legal_waveform = self::waveform(app, institution, &person.legal.recording).await?;
    Ok(Badge { institution, person, attributes, waveform, legal_waveform, listed })
}

impl Attribute {
    pub fn is_pronouns(&self) -> bool {
        self.name.contains("pronoun")
    }
}

/// `None` too for a recording that was replaced this moment.
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
