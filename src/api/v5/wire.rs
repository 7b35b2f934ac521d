//! Version 5 wire format.

use serde::ser::{Serialize, SerializeMap, Serializer};

use crate::{
    api::view::View,
    domain::participant::{self, Recording},
};

pub struct Participant<'a>(pub &'a View, pub &'a participant::Participant);

impl Serialize for Participant<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self(view, person) = self;
        let recording_link = view.recording_link(&person.recording);
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("first_name", &person.first_name)?;
        map.serialize_entry("last_name", &person.last_name)?;
        map.serialize_entry("email", &view.email(person))?;
        map.serialize_entry("recording_url", &recording_link)?;
        map.serialize_entry("recording_link", &recording_link)?;
        map.serialize_entry("recording_id", &recording_id(&person.recording))?;
        if view.dates {
            view.write_dates(person, &mut map)?;
        }
        map.serialize_entry("event_title", &person.page.title)?;
        map.serialize_entry("event_slug", &person.page.slug)?;
        map.serialize_entry("event_access_code", &person.page.access_code)?;
        if view.event_code {
            map.serialize_entry("event_code", &person.page.event_code)?;
        }
        map.serialize_entry("institution_id", &person.identifier)?;
        map.serialize_entry("photo", &view.photo(person))?;
        map.serialize_entry("name_badge_link", &view.name_badge_link(person))?;
        map.serialize_entry("phonetic_spelling", &person.phonetic)?;
        map.serialize_entry("notes", &person.notes)?;
        if view.institution().multiple_recordings {
            let legal = &person.legal;
            map.serialize_entry("legal_first_name", &legal.first_name)?;
            map.serialize_entry("legal_last_name", &legal.last_name)?;
            map.serialize_entry("legal_middle_name", &legal.middle_name)?;
            map.serialize_entry("legal_recording_url", &view.recording_link(&legal.recording))?;
            map.serialize_entry("legal_recording_id", &recording_id(&legal.recording))?;
            map.serialize_entry("legal_phonetic", &legal.phonetic)?;
            map.serialize_entry("legal_notes", &legal.notes)?;
        }
        if view.include.embeddables {
            view.write_embeds(person, &mut map)?;
        }
        if view.include.legal_embeddables && view.institution().multiple_recordings {
            view.write_legal_embeds(person, &mut map)?;
        }
        if view.include.custom_attributes {
            let custom = view.custom_objects(person);
            for (name, value) in custom.pairs() {
                map.serialize_entry(name, value)?;
            }
            map.serialize_entry("custom_objects", &custom)?;
        }
        map.end()
    }
}

fn recording_id(recording: &Option<Recording>) -> Option<String> {
    recording.as_ref().map(|recording| format!("recording_{}", recording.hex))
}

pub struct Pronunciation<'a>(pub &'a View, pub &'a participant::Participant);

impl Serialize for Pronunciation<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self(view, person) = self;
        let mut map = serializer.serialize_map(Some(6))?;
        map.serialize_entry("first_name", &person.first_name)?;
        map.serialize_entry("last_name", &person.last_name)?;
        map.serialize_entry("email", &view.email(person))?;
        map.serialize_entry("recording_link", &view.recording_link(&person.recording))?;
        map.serialize_entry("institution_id", &person.identifier)?;
        map.serialize_entry("recorded_at", &view.date(person.recording.as_ref().map(|it| it.recorded_at)))?;
        map.end()
    }
}
