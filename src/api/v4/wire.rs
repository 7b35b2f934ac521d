//! Version 4 wire format.

use serde::ser::{Serialize, SerializeMap, Serializer};

use jiff::tz::TimeZone;

use crate::{
    api::{listing::Meta, view::View},
    domain::{
        export::{self, State},
        moment::Moment,
        participant,
    },
};

pub struct Participant<'a>(pub &'a View, pub &'a participant::Participant);

impl Serialize for Participant<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self(view, person) = self;
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("first_name", &person.first_name)?;
        map.serialize_entry("last_name", &person.last_name)?;
        map.serialize_entry("email", &view.email(person))?;
        map.serialize_entry("recording_link", &view.recording_link(&person.recording))?;
        if view.dates {
            view.write_dates(person, &mut map)?;
        }
        map.serialize_entry("event_title", &person.page.title)?;
        map.serialize_entry("event_slug", &person.page.slug)?;
        map.serialize_entry("event_access_code", &person.page.access_code)?;
        map.serialize_entry("institution_id", &person.identifier)?;
        map.serialize_entry("photo", &view.photo(person))?;
        map.serialize_entry("name_badge_link", &view.name_badge_link(person))?;
        map.serialize_entry("phonetic_spelling", &person.phonetic)?;
        map.serialize_entry("notes", &person.notes)?;
        if view.include.embeddables {
            view.write_embeds(person, &mut map)?;
        }
        if view.include.custom_attributes {
            map.serialize_entry("custom_objects", &view.custom_objects(person))?;
        }
        map.end()
    }
}

/// A response with one participant.
#[derive(serde::Serialize)]
pub struct One<'a> {
    pub participant: Participant<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub meta: Option<Link>,
}

#[derive(serde::Serialize)]
pub struct Link {
    pub link: String,
}

/// An export without its report.
#[derive(serde::Serialize)]
pub struct Export {
    id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    created_after: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    updated_after: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    name_page_id: Option<String>,
    created_at: String,
    expires_at: String,
    state: &'static str,
}

impl Export {
    pub fn new(export: &export::Export, state: State, zone: &TimeZone) -> Self {
        let filters = &export.filters;
        let shown = |moment: Moment| moment.shown_in(zone);
        Self {
            id: export.id.to_string(),
            created_after: filters.created_after.map(shown),
            updated_after: filters.updated_after.map(shown),
            name_page_id: filters.page.as_ref().map(|page| page.given.clone()),
            created_at: shown(export.created_at),
            expires_at: shown(export.expires_at),
            state: state.word(),
        }
    }
}

#[derive(serde::Serialize)]
pub struct Created {
    pub export: Export,
    pub meta: Link,
}

#[derive(serde::Serialize)]
pub struct OneExport {
    pub export: Export,
}

#[derive(serde::Serialize)]
pub struct Exports {
    pub exports: Vec<Export>,
    pub meta: Meta,
}
