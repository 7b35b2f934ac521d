//! A participant as JSON brings it. The names of the fields are the same in versions 5 and 4; which of them a version
//! has is its own affair.

use std::borrow::Cow;

use serde_json::{Map, Value};

use crate::domain::{
    field_errors::FieldErrors,
    media::Incoming,
    participant::{Raw, Source},
};

/// Institutions have some dozens of custom fields. Every unknown key is named in the answer, so that there is an end to it.
const MOST_CUSTOM_KEYS: usize = 1_000;

pub struct JsonSource<'a> {
    pub fields: &'a Map<String, Value>,
    /// Where the version keeps custom values.
    pub custom_key: &'static str,
    /// The fields that the version has, if it does not have all. Others are ignored, like everything unknown.
    pub only: Option<&'static [&'static str]>,
}

impl JsonSource<'_> {
    /// Told at once, before anything else is looked at or looked up.
    pub fn check_size(&self) -> Result<(), FieldErrors> {
        match self.fields.get(self.custom_key) {
            Some(Value::Object(values)) if values.len() > MOST_CUSTOM_KEYS => Err(FieldErrors::one(
                self.custom_key,
                format!("is too long (maximum is {MOST_CUSTOM_KEYS} entries)"),
            )),
            _ => Ok(()),
        }
    }
}

impl Source for JsonSource<'_> {
    fn get(&self, key: &str) -> Raw<'_> {
        let is_known = self.only.is_none_or(|known| known.contains(&key));
        if is_known { raw(self.fields.get(key)) } else { Raw::Absent }
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

/// Numbers are taken as their digits: identifiers come so from many systems.
fn raw(value: Option<&Value>) -> Raw<'_> {
    match value {
        None => Raw::Absent,
        Some(Value::Null) => Raw::Null,
        Some(Value::String(text)) => Raw::Text(Cow::Borrowed(text)),
        Some(Value::Number(number)) => Raw::Text(Cow::Owned(number.to_string())),
        Some(Value::Bool(_) | Value::Array(_) | Value::Object(_)) => Raw::Other,
    }
}

/// A recording or a picture: an object with base64 under `base64_str` or, failing that, `base64_set`. What is blank is
/// not given. Takes the value itself, because it may be large.
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
