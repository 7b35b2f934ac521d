//! Version 5 wire format.

use crate::{
    api::view::View,
    domain::participant::{Participant, Recording},
    http::json::Object,
};

pub fn write_participant(view: &View, person: &Participant, out: &mut Vec<u8>) {
    Object::write(out, |object| add_participant(view, person, object));
}

fn add_participant(view: &View, person: &Participant, object: &mut Object<'_>) {
    object.opt_text("first_name", person.first_name.as_deref());
    object.opt_text("last_name", person.last_name.as_deref());
    object.opt_text("email", view.email(person).as_deref());
    view.write_recording_link("recording_url", &person.recording, object);
    view.write_recording_link("recording_link", &person.recording, object);
    add_recording_id("recording_id", &person.recording, object);
    if view.dates {
        view.write_dates(person, object);
    }
    object.text("event_title", &person.page.title);
    object.text("event_slug", &person.page.slug);
    object.text("event_access_code", &person.page.access_code);
    if view.event_code {
        object.text("event_code", &person.page.event_code);
    }
    object.opt_text("institution_id", person.identifier.as_deref());
    view.write_photo(person, object);
    view.write_name_badge_link(person, object);
    object.opt_text("phonetic_spelling", person.phonetic.as_deref());
    object.opt_text("notes", person.notes.as_deref());
    if view.institution().multiple_recordings {
        let legal = &person.legal;
        object.opt_text("legal_first_name", legal.first_name.as_deref());
        object.opt_text("legal_last_name", legal.last_name.as_deref());
        object.opt_text("legal_middle_name", legal.middle_name.as_deref());
        view.write_recording_link("legal_recording_url", &legal.recording, object);
        add_recording_id("legal_recording_id", &legal.recording, object);
        object.opt_text("legal_phonetic", legal.phonetic.as_deref());
        object.opt_text("legal_notes", legal.notes.as_deref());
    }
    if view.include.embeddables {
        view.write_embeds(person, object);
    }
    if view.include.legal_embeddables && view.institution().multiple_recordings {
        view.write_legal_embeds(person, object);
    }
    if view.include.custom_attributes {
        view.write_custom_values(person, object);
        view.write_custom_objects(person, object);
    }
}

fn add_recording_id(key: &'static str, recording: &Option<Recording>, object: &mut Object<'_>) {
    let Some(recording) = recording else { return object.null(key) };
    object.text_of(key, |text| {
        text.add("recording_");
        text.add(&recording.hex);
    });
}

/// A response with one participant.
pub fn one(view: &View, person: &Participant) -> Vec<u8> {
    let mut out = Vec::with_capacity(1_024);
    Object::write(&mut out, |object| {
        object.object("participant", |object| add_participant(view, person, object));
    });
    out
}

pub fn write_pronunciation(view: &View, person: &Participant, out: &mut Vec<u8>) {
    Object::write(out, |object| {
        object.opt_text("first_name", person.first_name.as_deref());
        object.opt_text("last_name", person.last_name.as_deref());
        object.opt_text("email", view.email(person).as_deref());
        view.write_recording_link("recording_link", &person.recording, object);
        object.opt_text("institution_id", person.identifier.as_deref());
        view.write_date("recorded_at", person.recording.as_ref().map(|it| it.recorded_at), object);
    });
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::api::view::tests::{custom_of, embeds_of, legal_embeds_of, object, people, view};

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
            let [legal_image, legal_iframe] = legal_embeds_of(&view, &person);
            let mut wanted = vec![
                ("first_name", json!(person.first_name)),
                ("last_name", json!(person.last_name)),
                ("email", json!(shown("ana\"@x.org"))),
                ("recording_url", json!(link)),
                ("recording_link", json!(link)),
                ("recording_id", json!(shown("recording_cd34"))),
                ("recording_date", json!(date)),
                ("custom_objects_recorded_date", json!(date)),
                ("event_title", json!(person.page.title)),
                ("event_slug", json!(person.page.slug)),
                ("event_access_code", json!(person.page.access_code)),
                ("event_code", json!(person.page.event_code)),
                ("institution_id", json!(person.identifier)),
                ("photo", json!(shown("https://x.org/a\"b/photos/7/photo_ef56.jpg"))),
                ("name_badge_link", json!("https://x.org/a\"b/badges/7/ab\"12")),
                ("phonetic_spelling", json!(person.phonetic)),
                ("notes", json!(person.notes)),
                ("legal_first_name", json!(person.legal.first_name)),
                ("legal_last_name", json!(person.legal.last_name)),
                ("legal_middle_name", json!(person.legal.middle_name)),
                ("legal_recording_url", json!(shown("https://x.org/a\"b/audio/7/recording_0a1b.mp3"))),
                ("legal_recording_id", json!(shown("recording_0a1b"))),
                ("legal_phonetic", json!(person.legal.phonetic)),
                ("legal_notes", json!(person.legal.notes)),
                ("embed_image", image),
                ("embed_iframe", iframe),
                ("legal_embed_image", legal_image),
                ("legal_embed_iframe", legal_iframe),
            ];
            wanted.extend(custom.clone());
            wanted.push(("custom_objects", object_of(&custom)));
            let wanted = object(&wanted);
            let mut out = Vec::new();
            write_participant(&view, &person, &mut out);
            assert_eq!(String::from_utf8(out).unwrap(), wanted);
            let alone = String::from_utf8(one(&view, &person)).unwrap();
            assert_eq!(alone, format!("{{\"participant\":{wanted}}}"));
            let mut out = Vec::new();
            write_pronunciation(&view, &person, &mut out);
            let wanted = object(&[
                ("first_name", json!(person.first_name)),
                ("last_name", json!(person.last_name)),
                ("email", json!(shown("ana\"@x.org"))),
                ("recording_link", json!(link)),
                ("institution_id", json!(person.identifier)),
                ("recorded_at", json!(date)),
            ]);
            assert_eq!(String::from_utf8(out).unwrap(), wanted);
        }
    }

    fn object_of(custom: &[(&str, Value)]) -> Value {
        Value::Object(custom.iter().map(|(key, value)| ((*key).to_owned(), value.clone())).collect())
    }
}
