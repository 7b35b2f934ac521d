//! Version 2 wire format.

use serde::ser::{Serialize, SerializeMap, Serializer};

use crate::{api::view::View, domain::participant::Participant};

pub struct Name<'a>(pub &'a View, pub &'a Participant);

impl Serialize for Name<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self(view, person) = self;
        let mut map = serializer.serialize_map(Some(7))?;
        map.serialize_entry("first_name", &person.first_name)?;
        map.serialize_entry("last_name", &person.last_name)?;
        map.serialize_entry("email", &view.email(person))?;
        view.write_embeds(person, &mut map)?;
        map.serialize_entry("recording_link", &view.recording_link(&person.recording))?;
        map.serialize_entry("name_badge_link", &view.name_badge_link(person))?;
        map.end()
    }
}
