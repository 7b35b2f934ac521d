//! The form body of a webhook. Names may repeat; signatures cover the decoded values.

use std::collections::{BTreeMap, BTreeSet};

use percent_encoding::percent_decode;

/// A decoded form. Kept as bytes, because the signature is over bytes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Form(Vec<(Vec<u8>, Vec<u8>)>);

impl Form {
    /// Parses `application/x-www-form-urlencoded`.
    pub fn read(body: &[u8]) -> Self {
        let pieces = body.split(|byte| *byte == b'&').filter(|piece| !piece.is_empty());
        Self(pieces.map(pair).collect())
    }

    /// The first value of this name, if it is UTF-8.
    pub fn text(&self, name: &str) -> Option<&str> {
        let (_, value) = self.0.iter().find(|(known, _)| known == name.as_bytes())?;
        std::str::from_utf8(value).ok()
    }

    /// The signed content: names in order, each followed by its distinct values in order.
    pub(super) fn sorted(&self) -> BTreeMap<&[u8], BTreeSet<&[u8]>> {
        let mut sorted: BTreeMap<&[u8], BTreeSet<&[u8]>> = BTreeMap::new();
        for (name, value) in &self.0 {
            sorted.entry(name).or_default().insert(value);
        }
        sorted
    }
}

/// Encodes a form.
pub fn written<'a>(pairs: impl IntoIterator<Item = (&'a str, &'a str)>) -> String {
    let escape = |text: &str| percent_encoding::utf8_percent_encode(text, ENCODE_SET).to_string();
    let pieces = pairs.into_iter().map(|(name, value)| format!("{}={}", escape(name), escape(value)));
    pieces.collect::<Vec<_>>().join("&")
}

const ENCODE_SET: &percent_encoding::AsciiSet =
    &percent_encoding::NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

fn pair(piece: &[u8]) -> (Vec<u8>, Vec<u8>) {
    let end = piece.iter().position(|byte| *byte == b'=').unwrap_or(piece.len());
    (decoded(&piece[..end]), decoded(piece.get(end + 1..).unwrap_or_default()))
}

fn decoded(text: &[u8]) -> Vec<u8> {
    let blanks: Vec<u8> = text.iter().map(|byte| if *byte == b'+' { b' ' } else { *byte }).collect();
    percent_decode(&blanks).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blanks_signs_and_letters_are_what_they_were() {
        let form =
            Form::read(b"To=%2B12025550123&Name=Siobh%C3%A1n+N%C3%AD&Empty=&Bare&=x&Odd=%zz%4&Digits=%23");
        assert_eq!(form.text("To"), Some("+12025550123"));
        assert_eq!(form.text("Name"), Some("Siobhán Ní"));
        assert_eq!((form.text("Empty"), form.text("Bare")), (Some(""), Some("")));
        assert_eq!(form.text("Odd"), Some("%zz%4"));
        assert_eq!(form.text("Digits"), Some("#"));
        assert_eq!(form.text("Nobody"), None);
        assert_eq!(Form::read(b"a=%ff").text("a"), None, "no text");
    }

    #[test]
    fn a_name_may_come_again() {
        let form = Form::read(b"a=2&b=x&a=1&a=1");
        assert_eq!(form.text("a"), Some("2"));
        let values: Vec<&[u8]> = form.sorted()[&b"a"[..]].iter().copied().collect();
        assert_eq!(values, [b"1", b"2"]);
    }

    #[test]
    fn what_is_written_is_read_back() {
        let pairs = [("To", "+1 202"), ("Event", "a&b=c"), ("Event", "é%")];
        let form = Form::read(written(pairs).as_bytes());
        assert_eq!(form.0[0], (b"To".to_vec(), b"+1 202".to_vec()));
        assert_eq!(form.0[2].1, "é%".as_bytes());
    }
}
