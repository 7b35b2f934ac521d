//! Forms without files, as browsers and learning systems send them. `multipart.rs` has those with files.

use axum::{
    body::Bytes,
    extract::Request,
    http::{HeaderMap, StatusCode, header},
};

use super::body;
use crate::domain::{
    ids::InstitutionId,
    participant::{Raw, Source},
};

/// From somebody who is not known yet. An LTI launch is a few kilobytes; platforms with many parameters send more.
const LARGEST_UNKNOWN: usize = 128 << 10;
/// A form of our own pages, with notes in any script.
const LARGEST: usize = 512 << 10;

/// Names and values.
#[derive(Debug, Default)]
pub struct Form(Vec<(String, String)>);

impl Form {
    pub fn from_query(query: &str) -> Self {
        Self(form_urlencoded::parse(query.as_bytes()).into_owned().collect())
    }

    fn from_body(body: &Bytes) -> Result<Self, StatusCode> {
        std::str::from_utf8(body).map(Self::from_query).map_err(|_| StatusCode::BAD_REQUEST)
    }

    /// The first of that name, as it came.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.0.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }

    /// The same, where a blank is as good as nothing.
    pub fn filled(&self, name: &str) -> Option<String> {
        self.get(name).filter(|value| !value.trim().is_empty()).map(str::to_owned)
    }
}

/// A person's entry is read from it as from a request of the API. Browsers end lines with both signs.
impl Source for Form {
    fn get(&self, key: &str) -> Raw<'_> {
        match Form::get(self, key) {
            Some(text) => Raw::Text(text.replace("\r\n", "\n").into()),
            None => Raw::Absent,
        }
    }

    fn custom(&self) -> Vec<(String, Raw<'_>)> {
        Vec::new()
    }
}

/// A form from somebody who is not known yet.
pub async fn read_unknown(request: Request) -> Result<Form, StatusCode> {
    let (parts, body) = request.into_parts();
    if !is_form(&parts.headers) {
        return Err(StatusCode::UNSUPPORTED_MEDIA_TYPE);
    }
    let read = body::read_unknown(LARGEST_UNKNOWN, &parts.extensions, body).await;
    Form::from_body(&read.map_err(body::Fault::status)?.bytes)
}

/// A form of a page of ours, in a session of this institution.
pub async fn read(request: Request, institution: InstitutionId) -> Result<Form, StatusCode> {
    let (parts, body) = request.into_parts();
    if !is_form(&parts.headers) {
        return Err(StatusCode::UNSUPPORTED_MEDIA_TYPE);
    }
    let read = body::read_at_most(LARGEST, &parts.extensions, institution, body).await;
    Form::from_body(&read.map_err(body::Fault::status)?.bytes)
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
        assert_eq!(form.get("b"), Some("é&"));
        assert_eq!(form.filled("c"), None);
        assert_eq!(form.filled("d"), None);
    }
}
