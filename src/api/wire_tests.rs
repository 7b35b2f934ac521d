//! Records of all versions are written byte for byte as `serde_json` would write them.

use serde_json::{Value, json};

use super::{
    legacy, v4, v5,
    view::{
        View,
        tests::{custom_of, embeds_of, legal_embeds_of, object, people, view},
    },
};
use crate::domain::participant::Participant;

type Write = fn(&View, &Participant, &mut Vec<u8>);

/// Stands for the custom values, each under its own key.
const CUSTOM: &str = "*";

const V5: &[&str] = &[
    "first_name",
    "last_name",
    "email",
    "recording_url",
    "recording_link",
    "recording_id",
    "recording_date",
    "custom_objects_recorded_date",
    "event_title",
    "event_slug",
    "event_access_code",
    "event_code",
    "institution_id",
    "photo",
    "name_badge_link",
    "phonetic_spelling",
    "notes",
    "legal_first_name",
    "legal_last_name",
    "legal_middle_name",
    "legal_recording_url",
    "legal_recording_id",
    "legal_phonetic",
    "legal_notes",
    "embed_image",
    "embed_iframe",
    "legal_embed_image",
    "legal_embed_iframe",
    CUSTOM,
    "custom_objects",
];

const V5_PRONUNCIATION: &[&str] =
    &["first_name", "last_name", "email", "recording_link", "institution_id", "recorded_at"];

const V4: &[&str] = &[
    "first_name",
    "last_name",
    "email",
    "recording_link",
    "recording_date",
    "custom_objects_recorded_date",
    "event_title",
    "event_slug",
    "event_access_code",
    "institution_id",
    "photo",
    "name_badge_link",
    "phonetic_spelling",
    "notes",
    "embed_image",
    "embed_iframe",
    "custom_objects",
];

const V3_EXTENDED: &[&str] = &[
    "first_name",
    "last_name",
    "email",
    "embed_image",
    "embed_iframe",
    "recording_link",
    "name_badge_link",
    "institution_id",
    "event_title",
    "event_slug",
    "event_access_code",
    "photo",
    "custom_objects",
];

const V3_AND_V2: &[&str] =
    &["first_name", "last_name", "email", "embed_image", "embed_iframe", "recording_link", "name_badge_link"];

/// What a key has in all versions that have it.
fn entries(view: &View, person: &Participant, key: &'static str) -> Vec<(&'static str, Value)> {
    // The first of them has nothing.
    let has = person.photo.is_some();
    let shown = |text: &str| json!(has.then_some(text));
    let ([image, iframe], [legal_image, legal_iframe]) =
        (embeds_of(view, person), legal_embeds_of(view, person));
    let (page, legal) = (&person.page, &person.legal);
    let value = match key {
        "first_name" => json!(person.first_name),
        "last_name" => json!(person.last_name),
        "email" => shown("ana\"@x.org"),
        "recording_url" | "recording_link" => shown("https://x.org/a\"b/audio/7/recording_cd34.mp3"),
        "recording_id" => shown("recording_cd34"),
        "recording_date" | "custom_objects_recorded_date" | "recorded_at" => {
            shown("1970-01-01T00:00:00.000+00:00")
        }
        "event_title" => json!(page.title),
        "event_slug" => json!(page.slug),
        "event_access_code" => json!(page.access_code),
        "event_code" => json!(page.event_code),
        "institution_id" => json!(person.identifier),
        "photo" => shown("https://x.org/a\"b/photos/7/photo_ef56.jpg"),
        "name_badge_link" => json!("https://x.org/a\"b/badges/7/ab\"12"),
        "phonetic_spelling" => json!(person.phonetic),
        "notes" => json!(person.notes),
        "legal_first_name" => json!(legal.first_name),
        "legal_last_name" => json!(legal.last_name),
        "legal_middle_name" => json!(legal.middle_name),
        "legal_recording_url" => shown("https://x.org/a\"b/audio/7/recording_0a1b.mp3"),
        "legal_recording_id" => shown("recording_0a1b"),
        "legal_phonetic" => json!(legal.phonetic),
        "legal_notes" => json!(legal.notes),
        "embed_image" => image,
        "embed_iframe" => iframe,
        "legal_embed_image" => legal_image,
        "legal_embed_iframe" => legal_iframe,
        "custom_objects" => {
            Value::Object(custom_of(person).into_iter().map(|(key, value)| (key.to_owned(), value)).collect())
        }
        CUSTOM => return custom_of(person),
        _ => panic!("{key}"),
    };
    vec![(key, value)]
}

#[test]
fn a_record_is_written_as_serde_json_would() {
    let view = view();
    let versions: [(&str, &[&'static str], Write); 5] = [
        ("version 5", V5, v5::wire::write_participant),
        ("version 5, pronunciation", V5_PRONUNCIATION, v5::wire::write_pronunciation),
        ("version 4", V4, v4::wire::write_participant),
        ("version 3, extended", V3_EXTENDED, |view, person, out| legacy::write_name(view, person, true, out)),
        ("versions 3 and 2", V3_AND_V2, |view, person, out| legacy::write_name(view, person, false, out)),
    ];
    for (version, keys, write) in versions {
        for person in people() {
            let wanted: Vec<_> = keys.iter().flat_map(|&key| entries(&view, &person, key)).collect();
            let mut out = Vec::new();
            write(&view, &person, &mut out);
            assert_eq!(String::from_utf8(out).unwrap(), object(&wanted), "{version}");
        }
    }
}

#[test]
fn a_single_record_has_a_frame() {
    let view = view();
    let record = |person: &Participant, write: Write| {
        let mut out = Vec::new();
        write(&view, person, &mut out);
        String::from_utf8(out).unwrap()
    };
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    for person in people() {
        let wanted = record(&person, v5::wire::write_participant);
        assert_eq!(text(v5::wire::one(&view, &person)), format!("{{\"participant\":{wanted}}}"));
        let wanted = record(&person, v4::wire::write_participant);
        assert_eq!(text(v4::wire::one(&view, &person, None)), format!("{{\"participant\":{wanted}}}"));
        let made = text(v4::wire::one(&view, &person, Some("https://x.org/\"1")));
        let meta = json!({ "link": "https://x.org/\"1" });
        assert_eq!(made, format!("{{\"participant\":{wanted},\"meta\":{meta}}}"));
    }
}
