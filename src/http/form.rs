//! URL-encoded forms from browsers and learning management systems. `multipart.rs` reads forms with files.

use std::collections::BTreeSet;

use axum::{
    body::Bytes,
    extract::Request,
    http::{HeaderMap, StatusCode, header},
};

use super::body;
use crate::domain::{
    custom_field::is_import_key,
    ids::InstitutionId,
    participant::{Raw, Source},
};

/// From anonymous clients. An LTI launch has a few kilobytes, more on platforms with many parameters.
const MAX_ANONYMOUS_BYTES: usize = 128 << 10;
/// Forms of our own pages, with notes in any script.
const MAX_BYTES: usize = 512 << 10;

#[derive(Debug, Default)]
pub struct Form(Vec<(String, String)>);

impl Form {
    pub fn from_query(query: &str) -> Self {
        Self(form_urlencoded::parse(query.as_bytes()).into_owned().collect())
    }

    /// Bytes that are not UTF-8, encoded or not, would become replacement characters in names.
    fn from_body(body: &Bytes) -> Result<Self, StatusCode> {
        if percent_encoding::percent_decode(body).decode_utf8().is_err() {
            return Err(StatusCode::BAD_REQUEST);
        }
        std::str::from_utf8(body).map(Self::from_query).map_err(|_| StatusCode::BAD_REQUEST)
    }

    /// The first value of that name, unchanged.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.0.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }

    /// The first value of that name; `None` if blank.
    pub fn text(&self, name: &str) -> Option<String> {
        self.get(name).filter(|value| !value.trim().is_empty()).map(str::to_owned)
    }

    /// All values of that name, unchanged: of checkboxes, those that are ticked.
    pub fn all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> {
        self.0.iter().filter(move |(key, _)| key == name).map(|(_, value)| value.as_str())
    }

    /// The names that may be those of custom fields, each once.
    pub fn custom_keys(&self) -> impl Iterator<Item = &str> {
        let keys: BTreeSet<&str> = self.0.iter().map(|(key, _)| key.as_str()).collect();
        keys.into_iter().filter(|key| is_import_key(key))
    }
}

/// The entry form of a person is parsed like an API request. Browsers send line breaks as CRLF.
impl Source for Form {
    fn get(&self, key: &str) -> Raw<'_> {
        match Form::get(self, key) {
            Some(text) => Raw::Text(text.replace("\r\n", "\n").into()),
            None => Raw::Absent,
        }
    }

    fn custom(&self) -> Vec<(String, Raw<'_>)> {
        self.custom_keys().map(|key| (key.to_owned(), Source::get(self, key))).collect()
    }

    fn texts(&self, key: &str) -> Vec<String> {
        self.all(key).map(|text| text.replace("\r\n", "\n")).collect()
    }
}

/// Reads a form from an anonymous client.
pub async fn read_anonymous(request: Request) -> Result<Form, StatusCode> {
    let (parts, body) = request.into_parts();
    if !is_form(&parts.headers) {
        return Err(StatusCode::UNSUPPORTED_MEDIA_TYPE);
    }
    let read = body::read_anonymous(MAX_ANONYMOUS_BYTES, &parts.extensions, body).await;
    Form::from_body(&read.map_err(body::BodyError::status)?.bytes)
}

/// Reads a form of our own pages, in a session of this institution.
pub async fn read(request: Request, institution: InstitutionId) -> Result<Form, StatusCode> {
    let (parts, body) = request.into_parts();
    if !is_form(&parts.headers) {
        return Err(StatusCode::UNSUPPORTED_MEDIA_TYPE);
    }
    let read = body::read_limited(MAX_BYTES, &parts.extensions, institution, body).await;
    Form::from_body(&read.map_err(body::BodyError::status)?.bytes)
}

fn is_form(headers: &HeaderMap) -> bool {
    let given = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let kind = given.split(';').next().unwrap_or_default().trim();
    kind.eq_ignore_ascii_case("application/x-www-form-urlencoded")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_are_decoded() {
        let form = Form::from_query("a=1+2&b=%C3%A9%26&a=3&c&d=+");
        assert_eq!(form.get("a"), Some("1 2"));
        assert_eq!(form.all("a").collect::<Vec<_>>(), ["1 2", "3"]);
        assert_eq!(form.get("b"), Some("é&"));
        assert_eq!(form.all("a").collect::<Vec<_>>(), ["1 2", "3"]);
        assert_eq!(form.text("c"), None);
        assert_eq!(form.text("d"), None);
    }

    #[test]
    fn a_body_is_utf8_before_and_after_decoding() {
        let read =
            |body: &'static [u8]| Form::from_body(&Bytes::from_static(body)).map(|form| form.text("a"));
        assert_eq!(read(b"a=%E6%9D%8E%ZZ%"), Ok(Some("李%ZZ%".to_owned())));
        for body in [&b"a=\xff"[..], b"a=%FF", b"a=%E6%9D&b=%8E", b"%C3=1", b"a=%ED%A0%80"] {
            assert_eq!(read(body), Err(StatusCode::BAD_REQUEST), "{}", body.escape_ascii());
        }
    }
}
