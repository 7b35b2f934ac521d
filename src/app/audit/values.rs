//! Records as JSON objects, as the log shows them. No secrets, no audio, and no whole phone numbers.

use std::fmt::Display;

use serde_json::{Map, Value as Json, json};

use crate::{
    domain::{
        audit::{Who, WhoKind, masked_number},
        custom_field::CustomField,
        media::{Kind, Media},
        participant::Participant,
    },
    store::{self, stored_json},
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
    set("directory_hold", person.directory_hold.then_some("true"));
    for (field, value) in person.texts() {
        set(field.key, value);
    }
    for (id, value) in &person.custom.0 {
        match fields.iter().find(|field| field.id == *id) {
            Some(field) => set(&field.import_key(), Some(value.as_str())),
            None => set(&format!("custom_{id}"), Some(value.as_str())),
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

/// Who is to be named by a job that does their work.
pub fn written_author(who: &Who) -> String {
    json!({ "kind": who.kind.word(), "name": who.name.as_deref(), "id": who.id }).to_string()
}

/// Reads it from this table, column and row. If it is unreadable, nobody else must be named instead.
pub fn read_author(place: (&str, &str, impl Display + Copy), json: &str) -> store::Result<Who> {
    let author: Json = stored_json(place, json)?;
    let kind = author.get("kind").and_then(Json::as_str).and_then(WhoKind::parse);
    let (table, column, row) = place;
    let unknown = || store::Error::Broken(format!("{table}.{column} of row {row} names nobody"));
    let name = author.get("name").and_then(Json::as_str).map(Into::into);
    Ok(Who { kind: kind.ok_or_else(unknown)?, name, id: author.get("id").and_then(Json::as_i64) })
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLACE: (&str, &str, i64) = ("imports", "author", 1);

    #[test]
    fn an_author_is_written_and_read() {
        let authors = [
            Who::OPERATOR,
            Who::named(WhoKind::Member, "eva@x.org"),
            Who::named(WhoKind::Token, "é").with_id(7),
        ];
        for who in authors {
            assert_eq!(read_author(PLACE, &written_author(&who)).unwrap(), who);
        }
        for unreadable in ["{}", "", r#"{"kind":"x"}"#] {
            assert!(matches!(read_author(PLACE, unreadable), Err(store::Error::Broken(_))), "{unreadable}");
        }
    }
}
