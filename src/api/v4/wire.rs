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
