//! JSON that preserves key order, so that the reference shows fields in the order of the document.

use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};

use crate::http::html::escape;

#[derive(Debug, PartialEq)]
pub enum Json {
    Null,
    Bool(bool),
    Number(serde_json::Number),
    Text(String),
    List(Vec<Json>),
    Object(Vec<(String, Json)>),
}

impl Json {
    /// The value of this key; `Null` if absent, since both mean the same in these documents.
    pub fn get(&self, key: &str) -> &Self {
        self.entries().iter().find(|(name, _)| name == key).map_or(&Self::Null, |(_, value)| value)
    }

    pub fn has(&self, key: &str) -> bool {
        self.entries().iter().any(|(name, _)| name == key)
    }

    /// Empty if it is not a string.
    pub fn text(&self) -> &str {
        if let Self::Text(text) = self { text } else { "" }
    }

    pub fn is_true(&self) -> bool {
        *self == Self::Bool(true)
    }

    pub fn list(&self) -> &[Self] {
        if let Self::List(all) = self { all } else { &[] }
    }

    pub fn texts(&self) -> impl Iterator<Item = &str> {
        self.list().iter().map(Self::text)
    }

    pub fn entries(&self) -> &[(String, Self)] {
        if let Self::Object(all) = self { all } else { &[] }
    }

    /// The target of a `$ref` within this document.
    pub fn at(&self, reference: &str) -> &Self {
        reference.trim_start_matches("#/").split('/').fold(self, |here, key| here.get(key))
    }

    /// On one line, as text.
    pub fn brief(&self) -> String {
        match self {
            Self::Null => "null".to_owned(),
            Self::Bool(value) => value.to_string(),
            Self::Number(number) => number.to_string(),
            Self::Text(text) => text.clone(),
            Self::List(all) => all.iter().map(Self::brief).collect::<Vec<_>>().join(","),
            Self::Object(_) => "{…}".to_owned(),
        }
    }

    /// Indented HTML with markup for keys and values.
    pub fn html(&self) -> String {
        let mut out = String::new();
        self.write(0, &mut out);
        out
    }

    fn write(&self, depth: usize, out: &mut String) {
        match self {
            Self::Object(all) if !all.is_empty() => {
                let lines = all.iter().map(|(key, value)| (Some(key.as_str()), value));
                write_lines('{', lines, '}', depth, out);
            }
            Self::List(all) if !all.is_empty() => {
                write_lines('[', all.iter().map(|value| (None, value)), ']', depth, out);
            }
            Self::Object(_) => out.push_str("{}"),
            Self::List(_) => out.push_str("[]"),
            Self::Text(text) => out.push_str(&format!("<span class=\"text\">{}</span>", quoted(text))),
            Self::Null | Self::Bool(_) | Self::Number(_) => out.push_str(&self.brief()),
        }
    }
}

fn write_lines<'a>(
    open: char,
    lines: impl Iterator<Item = (Option<&'a str>, &'a Json)>,
    close: char,
    depth: usize,
    out: &mut String,
) {
    out.push(open);
    for (i, (key, value)) in lines.enumerate() {
        out.push_str(if i == 0 { "\n" } else { ",\n" });
        out.push_str(&"  ".repeat(depth + 1));
        if let Some(key) = key {
            out.push_str(&format!("<span class=\"key\">{}</span>: ", quoted(key)));
        }
        value.write(depth + 1, out);
    }
    out.push('\n');
    out.push_str(&"  ".repeat(depth));
    out.push(close);
}

/// A JSON string, escaped for HTML.
fn quoted(text: &str) -> String {
    escape(&serde_json::Value::from(text).to_string())
}

impl<'de> Deserialize<'de> for Json {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Ordered)
    }
}

struct Ordered;

impl<'de> Visitor<'de> for Ordered {
    type Value = Json;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("JSON")
    }

    fn visit_unit<E>(self) -> Result<Json, E> {
        Ok(Json::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Json, E> {
        Ok(Json::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Json, E> {
        Ok(Json::Number(value.into()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Json, E> {
        Ok(Json::Number(value.into()))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Json, E> {
        Ok(serde_json::Number::from_f64(value).map_or(Json::Null, Json::Number))
    }

    fn visit_str<E>(self, value: &str) -> Result<Json, E> {
        Ok(Json::Text(value.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut values: A) -> Result<Json, A::Error> {
        let mut all = Vec::new();
        while let Some(value) = values.next_element()? {
            all.push(value);
        }
        Ok(Json::List(all))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Json, A::Error> {
        let mut all = Vec::new();
        while let Some(entry) = entries.next_entry()? {
            all.push(entry);
        }
        Ok(Json::Object(all))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_the_order_and_escapes() {
        let json: Json = serde_json::from_str(r#"{"b": "<i>\"", "a": [1, null, {}]}"#).unwrap();
        assert_eq!(
            json.html(),
            "{\n  <span class=\"key\">&quot;b&quot;</span>: \
             <span class=\"text\">&quot;&lt;i&gt;\\&quot;&quot;</span>,\n  \
             <span class=\"key\">&quot;a&quot;</span>: [\n    1,\n    null,\n    {}\n  ]\n}"
        );
        assert_eq!(json.at("#/b").text(), "<i>\"");
        assert_eq!(json.get("c"), &Json::Null);
    }
}
