//! A badge as a vCard 4.0 (RFC 6350; pronouns from RFC 9554).

use axum::{
    http::{HeaderValue, header},
    response::Response,
};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

use crate::{
    app::{App, badges::Badge},
    words::Words,
};

const MAX_LINE: usize = 75;

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
    let address = app.links.name_badge(badge.institution, &person.token);
    let text = |value: &Option<String>| escaped(value.as_deref().unwrap_or_default());
    let mut card = Card::default();
    card.line("BEGIN:VCARD");
    card.line("VERSION:4.0");
    card.line(&format!("FN:{}", escaped(&person.full_name())));
    card.line(&format!("N:{};{};;;", text(&person.last_name), text(&person.first_name)));
    for pronouns in badge.attributes.iter().filter(|attribute| attribute.is_pronouns()) {
        card.line(&format!("PRONOUNS:{}", escaped(&pronouns.value)));
    }
    if let Some(recording) = &person.recording {
        let link = app.links.recording(badge.institution, recording);
        card.line(&format!("SOUND;VALUE=uri;MEDIATYPE=audio/mpeg:{link}"));
    }
    if let Some(hex) = &person.photo {
        let link = app.links.photo(badge.institution, hex);
        card.line(&format!("PHOTO;VALUE=uri;MEDIATYPE=image/jpeg:{link}"));
    }
    if let Some(phonetic) = &person.phonetic {
        card.line(&format!(
            "NOTE:{}",
            escaped(&words.plain("badge-note", &[("phonetic", phonetic.as_str().into())]))
        ));
    }
    card.line(&format!("URL:{address}"));
    card.line(&format!("UID:{address}"));
    card.line("END:VCARD");
    card.0
}

#[derive(Default)]
struct Card(String);

impl Card {
    /// Folds long lines without splitting a character.
    fn line(&mut self, text: &str) {
        let mut length = 0;
        for c in text.chars() {
            if length + c.len_utf8() > MAX_LINE {
                self.0.push_str("\r\n ");
                length = 1;
            }
            self.0.push(c);
            length += c.len_utf8();
        }
        self.0.push_str("\r\n");
    }
}

fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\\' | ',' | ';' => safe.extend(['\\', c]),
            '\n' => safe.push_str("\\n"),
            '\r' => {}
            other => safe.push(other),
        }
    }
    safe
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
    fn lines_are_folded_at_75_octets_and_no_letter_is_split() {
        let mut card = Card::default();
        let text = format!("FN:{}", "é漢".repeat(40));
        card.line(&text);
        assert!(card.0.lines().all(|line| line.len() <= 75), "{}", card.0);
        assert_eq!(card.0.replace("\r\n ", ""), format!("{text}\r\n"));
    }

    #[test]
    fn signs_with_a_meaning_are_escaped() {
        assert_eq!(escaped("a;b,c\\d\r\ne"), "a\\;b\\,c\\\\d\\ne");
    }

    #[test]
    fn a_file_is_named_after_the_person_in_any_script() {
        assert_eq!(
            disposition("\"Zoë\"\r\n/../x"),
            "attachment; filename=\"Zo-x.vcf\"; filename*=UTF-8''Zo%C3%AB..x.vcf"
        );
        assert!(disposition("王").to_str().unwrap().contains("filename=\"name-badge.vcf\""));
    }
}
