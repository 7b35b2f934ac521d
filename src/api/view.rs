//! What serializing a participant needs besides the participant, shared by all records of a response. Each version
//! chooses the keys.

use std::{borrow::Cow, sync::Arc};

use serde::ser::{Serialize, SerializeMap, Serializer};

use crate::{
    app::{App, Links, Result, custom_fields},
    domain::{
        access::{Access, Action},
        custom_field::CustomField,
        email::Spellings,
        institution::Institution,
        moment::Moment,
        participant::{CustomValues, Participant, Recording},
    },
    http::embeds::{self, Icon, Include},
};

pub struct View {
    links: Links,
    institution: Arc<Institution>,
    pub include: Include,
    icon: Icon,
    fields: Vec<CustomField>,
    /// Emails as the request spelled them.
    pub spellings: Spellings,
    /// Show the two dates of `latest`.
    pub dates: bool,
    /// Show the event code, as version 5's answers to writes do.
    pub event_code: bool,
}

impl View {
    pub async fn new(
        app: &App,
        access: &Access,
        institution: &Arc<Institution>,
        include: Include,
        icon: Icon,
    ) -> Result<Self> {
        let fields =
            if include.custom_attributes { custom_fields::all(app, access).await? } else { Vec::new() };
        let (links, institution) = (app.links.clone(), institution.clone());
        let spellings = Spellings::default();
        Ok(Self { links, institution, include, icon, fields, spellings, dates: false, event_code: false })
    }

    /// For the response to a create, always with custom values. The fields are read only if there may be values: those of the draft
    /// or, if the request has a key, those of somebody whom an earlier one has created.
    pub async fn of_created(
        app: &App,
        access: &Access,
        institution: &Arc<Institution>,
        include: Include,
        may_have_values: bool,
    ) -> Result<Self> {
        access.check(Action::Read)?;
        let include = Include { custom_attributes: may_have_values, ..include };
        let mut view = Self::new(app, access, institution, include, Icon::default()).await?;
        view.include.custom_attributes = true;
        Ok(view)
    }

    /// For export reports, where the custom fields are given.
    pub fn of_report(institution: Arc<Institution>, links: Links, fields: Vec<CustomField>) -> Self {
        let include = Include { custom_attributes: true, ..Include::default() };
        let (icon, spellings) = (Icon::default(), Spellings::default());
        Self { links, institution, include, icon, fields, spellings, dates: false, event_code: false }
    }

    pub fn institution(&self) -> &Institution {
        &self.institution
    }

    pub fn email<'a>(&'a self, person: &'a Participant) -> Option<Cow<'a, str>> {
        person.email.as_deref().map(|stored| self.spellings.show(stored))
    }

    fn links(&self) -> &Links {
        &self.links
    }

    pub fn recording_link(&self, recording: &Option<Recording>) -> Option<String> {
        recording.as_ref().map(|recording| self.links().recording(self.institution().id, recording))
    }

    pub fn photo(&self, person: &Participant) -> Option<String> {
        person.photo.as_ref().map(|hex| self.links().photo(self.institution().id, hex))
    }

    pub fn name_badge_link(&self, person: &Participant) -> String {
        self.links().name_badge(self.institution().id, &person.token)
    }

    pub fn date(&self, moment: Option<Moment>) -> Option<String> {
        moment.map(|moment| moment.shown_in(&self.institution().time_zone))
    }

    /// The two dates of `latest`.
    pub fn write_dates<M: SerializeMap>(&self, person: &Participant, map: &mut M) -> Result<(), M::Error> {
        let recorded_at = person.recording.as_ref().map(|recording| recording.recorded_at);
        map.serialize_entry("recording_date", &self.date(recorded_at))?;
        map.serialize_entry("custom_objects_recorded_date", &self.date(person.custom_changed_at))
    }

    pub fn write_embeds<M: SerializeMap>(&self, person: &Participant, map: &mut M) -> Result<(), M::Error> {
        map.serialize_entry(
            "embed_image",
            &embeds::image(self.links(), self.institution().id, person, &self.icon, false),
        )?;
        map.serialize_entry(
            "embed_iframe",
            &embeds::iframe(self.links(), self.institution().id, person, &self.icon, false),
        )
    }

    pub fn write_legal_embeds<M: SerializeMap>(
        &self,
        person: &Participant,
        map: &mut M,
    ) -> Result<(), M::Error> {
        let image = embeds::image(self.links(), self.institution().id, person, &self.icon, true);
        map.serialize_entry("legal_embed_image", &image)?;
        map.serialize_entry(
            "legal_embed_iframe",
            &embeds::iframe(self.links(), self.institution().id, person, &self.icon, true),
        )
    }

    pub fn custom_objects<'a>(&'a self, person: &'a Participant) -> CustomObjects<'a> {
        CustomObjects(&self.fields, &person.custom)
    }
}

/// Custom values by field name; unset ones are omitted.
pub struct CustomObjects<'a>(&'a [CustomField], &'a CustomValues);

impl<'a> CustomObjects<'a> {
    pub fn pairs(&self) -> impl Iterator<Item = (&'a str, &'a str)> {
        let Self(fields, values) = *self;
        fields.iter().filter_map(|field| Some((field.name.as_str(), values.0.get(&field.id)?.as_str())))
    }
}

impl Serialize for CustomObjects<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.pairs())
    }
}
