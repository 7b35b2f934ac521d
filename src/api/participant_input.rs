//! Participants in JSON requests. Field names are the same in versions 5 and 4; each version accepts its own subset.

use std::borrow::Cow;

use serde_json::{Map, Value};

use crate::domain::{
    fault::{Fault, Field},
    field_errors::FieldErrors,
    media::Incoming,
    participant::{Raw, Source},
};

/// Institutions have a few dozen custom fields. Every unknown key is listed in the error, so their number is bounded.
const MAX_CUSTOM_KEYS: usize = 1_000;

pub struct JsonSource<'a> {
    pub fields: &'a Map<String, Value>,
    /// The key that holds the custom values in this version.
    pub custom_key: &'static str,
    /// The fields that the version has, if it does not have all. Others are ignored, like any unknown field.
    pub only: Option<&'static [&'static str]>,
}

impl JsonSource<'_> {
    /// Checked first, before any parsing or query.
    pub fn check_size(&self) -> Result<(), FieldErrors> {
        match self.fields.get(self.custom_key) {
            Some(Value::Object(values)) if values.len() > MAX_CUSTOM_KEYS => {
                let field = Field::Parameter(self.custom_key);
                Err(FieldErrors::one(field, Fault::TooManyEntries { most: MAX_CUSTOM_KEYS }))
            }
            _ => Ok(()),
        }
    }
}

impl Source for JsonSource<'_> {
    fn get(&self, key: &str) -> Raw<'_> {
        let is_known = self.only.is_none_or(|known| known.contains(&key));
        if is_known { raw(self.fields.get(key)) } else { Raw::Absent }
    }

    fn get_flag(&self, key: &str) -> Raw<'_> {
        match self.fields.get(key) {
            Some(Value::Bool(flag)) if self.only.is_none_or(|known| known.contains(&key)) => {
                Raw::Text(Cow::Borrowed(if *flag { "true" } else { "false" }))
            }
            _ => self.get(key),
        }
    }

    fn custom(&self) -> Vec<(String, Raw<'_>)> {
        match self.fields.get(self.custom_key) {
            None | Some(Value::Null) => Vec::new(),
            Some(Value::Object(values)) => {
                values.iter().map(|(key, value)| (key.clone(), raw(Some(value)))).collect()
            }
            Some(Value::String(text)) if text.trim().is_empty() => Vec::new(),
            Some(Value::Array(values)) if values.is_empty() => Vec::new(),
            Some(_) => vec![(self.custom_key.to_owned(), Raw::Other)],
        }
    }
}

/// Numbers are accepted as strings: many systems send numeric identifiers.
fn raw(value: Option<&Value>) -> Raw<'_> {
    match value {
        None => Raw::Absent,
        Some(Value::Null) => Raw::Null,
        Some(Value::String(text)) => Raw::Text(Cow::Borrowed(text)),
        Some(Value::Number(number)) => Raw::Text(Cow::Owned(number.to_string())),
        Some(Value::Bool(_) | Value::Array(_) | Value::Object(_)) => Raw::Other,
    }
}

/// A recording or photo: an object with base64 in `base64_str` or `base64_set`. Blank means absent. Takes ownership,
/// because the value may be large.
pub fn file(value: Value) -> Option<Incoming> {
    let mut object = match value {
        Value::Null => return None,
        Value::String(text) if text.trim().is_empty() => return None,
        Value::Object(object) => object,
        _ => return Some(Incoming::Unreadable),
    };
    let mut blank = object.is_empty();
    for key in ["base64_str", "base64_set"] {
        match object.remove(key) {
            None => {}
            Some(Value::Null) => blank = true,
            Some(Value::String(text)) if text.trim().is_empty() => blank = true,
            Some(Value::String(text)) => return Some(Incoming::Base64(text)),
            Some(_) => return Some(Incoming::Unreadable),
        }
    }
    (!blank).then_some(Incoming::Unreadable)
}
