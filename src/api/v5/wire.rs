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
