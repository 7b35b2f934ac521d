//! Version 3 wire format.

use serde::ser::{Serialize, SerializeMap, Serializer};

use crate::{api::view::View, domain::participant::Participant};

pub struct Name<'a> {
    pub view: &'a View,
    pub person: &'a Participant,
    /// Add the fields of `include_extended_attributes`.
    pub extended: bool,
}

impl Serialize for Name<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self { view, person, extended } = self;
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("first_name", &person.first_name)?;
        map.serialize_entry("last_name", &person.last_name)?;
        map.serialize_entry("email", &view.email(person))?;
        view.write_embeds(person, &mut map)?;
        map.serialize_entry("recording_link", &view.recording_link(&person.recording))?;
        map.serialize_entry("name_badge_link", &view.name_badge_link(person))?;
        if *extended {
            map.serialize_entry("institution_id", &person.identifier)?;
            map.serialize_entry("event_title", &person.page.title)?;
            map.serialize_entry("event_slug", &person.page.slug)?;
            map.serialize_entry("event_access_code", &person.page.access_code)?;
            map.serialize_entry("photo", &view.photo(person))?;
            map.serialize_entry("custom_objects", &view.custom_objects(person))?;
        }
        map.end()
    }
}
