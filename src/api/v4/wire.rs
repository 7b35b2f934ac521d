//! Version 4 wire format.

use jiff::tz::TimeZone;

use crate::{
    api::{listing::Meta, view::View},
    domain::{
        export::{self, State},
        moment::Moment,
        participant::Participant,
    },
    http::json::Object,
};

pub fn write_participant(view: &View, person: &Participant, out: &mut Vec<u8>) {
    Object::write(out, |object| add_participant(view, person, object));
}

fn add_participant(view: &View, person: &Participant, object: &mut Object<'_>) {
    object.opt_text("first_name", person.first_name.as_deref());
    object.opt_text("last_name", person.last_name.as_deref());
    object.opt_text("email", view.email(person).as_deref());
    view.write_recording_link("recording_link", &person.recording, object);
    if view.dates {
        view.write_dates(person, object);
    }
    object.text("event_title", &person.page.title);
    object.text("event_slug", &person.page.slug);
    object.text("event_access_code", &person.page.access_code);
    object.opt_text("institution_id", person.identifier.as_deref());
    view.write_photo(person, object);
    view.write_name_badge_link(person, object);
    object.opt_text("phonetic_spelling", person.phonetic.as_deref());
    object.opt_text("notes", person.notes.as_deref());
    if view.include.embeddables {
        view.write_embeds(person, object);
    }
    if view.include.custom_attributes {
        view.write_custom_objects(person, object);
    }
}

/// A response with one participant, and with its URL if it was created.
pub fn one(view: &View, person: &Participant, link: Option<&str>) -> Vec<u8> {
    let mut out = Vec::with_capacity(1_024);
    Object::write(&mut out, |object| {
        object.object("participant", |object| add_participant(view, person, object));
        if let Some(link) = link {
            object.object("meta", |meta| meta.text("link", link));
        }
    });
    out
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

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::api::view::tests::{custom_of, embeds_of, object, people, view};

    #[test]
    fn a_record_is_written_as_serde_json_would() {
        let view = view();
        for person in people() {
            // The first of them has nothing.
            let has = person.photo.is_some();
            let shown = |text: &str| has.then(|| text.to_owned());
            let link = shown("https://x.org/a\"b/audio/7/recording_cd34.mp3");
            let date = shown("1970-01-01T00:00:00.000+00:00");
            let custom = custom_of(&person);
            let [image, iframe] = embeds_of(&view, &person);
            let wanted = object(&[
                ("first_name", json!(person.first_name)),
                ("last_name", json!(person.last_name)),
                ("email", json!(shown("ana\"@x.org"))),
                ("recording_link", json!(link)),
                ("recording_date", json!(date)),
                ("custom_objects_recorded_date", json!(date)),
                ("event_title", json!(person.page.title)),
                ("event_slug", json!(person.page.slug)),
                ("event_access_code", json!(person.page.access_code)),
                ("institution_id", json!(person.identifier)),
                ("photo", json!(shown("https://x.org/a\"b/photos/7/photo_ef56.jpg"))),
                ("name_badge_link", json!("https://x.org/a\"b/badges/7/ab\"12")),
                ("phonetic_spelling", json!(person.phonetic)),
                ("notes", json!(person.notes)),
                ("embed_image", image),
                ("embed_iframe", iframe),
                ("custom_objects", object_of(&custom)),
            ]);
            let mut out = Vec::new();
            write_participant(&view, &person, &mut out);
            assert_eq!(String::from_utf8(out).unwrap(), wanted);
            let alone = String::from_utf8(one(&view, &person, None)).unwrap();
            assert_eq!(alone, format!("{{\"participant\":{wanted}}}"));
            let made = String::from_utf8(one(&view, &person, Some("https://x.org/\"1"))).unwrap();
            let meta = json!({"link": "https://x.org/\"1"});
            assert_eq!(made, format!("{{\"participant\":{wanted},\"meta\":{meta}}}"));
        }
    }

    fn object_of(custom: &[(&str, Value)]) -> Value {
        Value::Object(custom.iter().map(|(key, value)| ((*key).to_owned(), value.clone())).collect())
    }
}
