//! A badge as a vCard.

use axum::{
    http::{HeaderValue, header},
    response::Response,
};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

use crate::{
    app::{App, badges::Badge},
    domain::vcard::Contact,
    words::Words,
};

pub fn response(app: &App, badge: &Badge, words: Words) -> Response {
    let mut response = Response::new(written(app, badge, words).into());
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("text/vcard; charset=utf-8"));
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(header::REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    headers.insert(header::CONTENT_DISPOSITION, disposition(&badge.person.full_name()));
    response
}

fn written(app: &App, badge: &Badge, words: Words) -> String {
    let person = &badge.person;
    let pronouns = badge.attributes.iter().filter(|attribute| attribute.is_pronouns());
    let note = |phonetic: &String| words.plain("badge-note", &[("phonetic", phonetic.as_str().into())]);
    let contact = Contact {
        full_name: &person.full_name(),
        first_name: person.first_name.as_deref(),
        last_name: person.last_name.as_deref(),
        phonetic: None,
        pronouns: pronouns.map(|attribute| attribute.value.as_str()).collect(),
        email: None,
        recording: person.recording.as_ref().map(|one| app.links.recording(badge.institution, one)),
        photo: person.photo.as_ref().map(|hex| app.links.photo(badge.institution, hex)),
        note: person.phonetic.as_ref().map(note),
        url: app.links.name_badge(badge.institution, &person.token),
    };
    contact.written()
}

/// Two file names: an ASCII fallback, and the person's own name.
fn disposition(name: &str) -> HeaderValue {
    const ENCODE_SET: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_');
    let parts = name.split(|c: char| !c.is_ascii_alphanumeric()).filter(|part| !part.is_empty());
    let plain: String = parts.collect::<Vec<_>>().join("-").chars().take(60).collect();
    let plain = if plain.is_empty() { "name-badge" } else { &plain };
    // Characters with a meaning in paths are not allowed in file names.
    let own: String =
        name.chars().filter(|c| !c.is_control() && !"/\\:*?\"<>|".contains(*c)).take(60).collect();
    let own = utf8_percent_encode(own.trim_matches('.'), ENCODE_SET).to_string();
    let value = format!("attachment; filename=\"{plain}.vcf\"; filename*=UTF-8''{own}.vcf");
    HeaderValue::try_from(value).unwrap_or(HeaderValue::from_static("attachment"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_named_after_the_person_in_any_script() {
        assert_eq!(
            disposition("\"Zoë\"\r\n/../x"),
            "attachment; filename=\"Zo-x.vcf\"; filename*=UTF-8''Zo%C3%AB..x.vcf"
        );
        assert!(disposition("王").to_str().unwrap().contains("filename=\"name-badge.vcf\""));
    }
}
