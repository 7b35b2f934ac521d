//! Version 5 accepts and returns every text field that the domain declares: docs/adding-a-field.md.

use endonym::{
    domain::participant::{TEXT_FIELDS, TextField, TextKind},
    http::openapi::DOCUMENTS,
};
use serde_json::{Map, Value};

use super::on_page;
use crate::support::{Setup, World};

/// A participant's text fields, each with a distinct text.
fn texts(word: &str) -> Map<String, Value> {
    TEXT_FIELDS.iter().map(|field| (field.key.to_owned(), text(word, field).into())).collect()
}

fn text(word: &str, field: &TextField) -> String {
    format!("{word} {}", field.column)
}

/// Where a response contains a text.
fn key_of<'a>(participant: &'a Value, text: &str) -> Option<&'a str> {
    let found = participant.as_object().unwrap().iter().find(|(_, value)| *value == text);
    found.map(|(key, _)| key.as_str())
}

#[tokio::test]
async fn every_text_field_is_created_updated_cleared_and_shown() {
    let world = World::with(Setup { multiple_recordings: true, ..Setup::default() }).await;
    let mut new = texts("first");
    new.insert("email".to_owned(), "ana@x.org".into());
    let made = world.post("/v5/participants", on_page(&world, new.into())).await.expect(201);
    let keys = TEXT_FIELDS.each_ref().map(|field| {
        let key = key_of(&made["participant"], &text("first", field));
        key.unwrap_or_else(|| panic!("api/v5/wire.rs does not show {}", field.key)).to_owned()
    });

    let body = on_page(&world, texts("second").into());
    let changed = world.put("/v5/participants/ana@x.org", body).await.expect(200);
    for (field, key) in TEXT_FIELDS.iter().zip(&keys) {
        let word = if field.kind == TextKind::Identifier { "first" } else { "second" };
        assert_eq!(changed["participant"][key], text(word, field), "{key}");
    }

    // At least one of the names is required.
    let clearable = |field: &&TextField| field.kind != TextKind::Identifier && field.key != "first_name";
    let nulls: Map<String, Value> =
        TEXT_FIELDS.iter().filter(clearable).map(|field| (field.key.to_owned(), Value::Null)).collect();
    let cleared = world.put("/v5/participants/ana@x.org", on_page(&world, nulls.into())).await.expect(200);
    for (field, key) in TEXT_FIELDS.iter().zip(&keys) {
        assert_eq!(cleared["participant"][key].is_null(), clearable(&field), "{key}");
    }
}

#[tokio::test]
async fn the_reference_describes_every_text_field() {
    let world = World::with(Setup { multiple_recordings: true, ..Setup::default() }).await;
    let (_, document) = DOCUMENTS.iter().find(|(version, _)| *version == "v5").unwrap();
    let document: Value = serde_json::from_str(document).unwrap();
    let schemas = &document["components"]["schemas"];
    let mut new = texts("first");
    new.insert("email".to_owned(), "ana@x.org".into());
    let made = world.post("/v5/participants", on_page(&world, new.into())).await.expect(201);
    for field in &TEXT_FIELDS {
        let requests = match field.kind {
            TextKind::Identifier => &schemas["NewParticipant"]["allOf"][1],
            _ => &schemas["ParticipantFields"],
        };
        let property = &requests["properties"][field.key];
        assert_eq!(property["maxLength"], field.kind.longest(), "of {} in assets/openapi/v5.json", field.key);
        let shown = key_of(&made["participant"], &text("first", field)).unwrap();
        let participant = &schemas["Participant"];
        assert!(participant["properties"][shown].is_object(), "{shown} in assets/openapi/v5.json");
        let is_required = participant["required"].as_array().unwrap().contains(&shown.into());
        assert_eq!(is_required, !field.is_legal, "{shown} in assets/openapi/v5.json");
    }
}
