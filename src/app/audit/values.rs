//! Records as JSON objects, as the log shows them. No secrets, no audio, and no whole phone numbers.

use serde_json::{Map, Value as Json, json};

use crate::domain::{
    audit::masked_number,
    custom_field::CustomField,
    media::{Kind, Media},
    participant::Participant,
};

/// The fields of a registration by their keys in the API, and custom fields by theirs.
pub fn of_participant(person: &Participant, fields: &[CustomField]) -> Json {
    let mut values = Map::new();
    let mut set = |key: &str, value: Option<&str>| {
        if let Some(value) = value {
            values.insert(key.to_owned(), value.into());
        }
    };
    set("email", person.email.as_deref());
    for (field, value) in person.texts() {
        set(field.key, value);
    }
    for (id, value) in &person.custom.0 {
        match fields.iter().find(|field| field.id == *id) {
            Some(field) => set(&field.import_key(), Some(value)),
            None => set(&format!("custom_{id}"), Some(value)),
        }
    }
    Json::Object(values)
}

/// Recordings and pictures by their kind. Eight digits tell files apart; all of them would be a link.
pub fn of_media<'a>(media: impl IntoIterator<Item = &'a Media>) -> Json {
    let field = |kind: Kind| match kind {
        Kind::Recording | Kind::Held | Kind::Removed => "recording",
        Kind::LegalRecording => "legal_recording",
        Kind::Photo => "photo",
    };
    let mut values = Map::new();
    for one in media {
        let digits: String = one.hex.chars().take(8).collect();
        values.insert(field(one.kind).to_owned(), format!("{}_{digits}", one.kind.word()).into());
    }
    Json::Object(values)
}

/// A phone number, as far as the log shows it.
pub fn of_phone(e164: Option<&str>) -> Json {
    json!({ "phone_number": e164.map(masked_number) })
}

/// How a registration is called: the person, and the page.
pub fn label(person: &Participant) -> String {
    let parts = [person.full_name(), person.page.title.clone()];
    parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(", ")
}

/// Both objects in one.
pub fn with(one: Json, other: Json) -> Json {
    match (one, other) {
        (Json::Object(mut one), Json::Object(other)) => {
            one.extend(other);
            Json::Object(one)
        }
        (one, _) => one,
    }
}
