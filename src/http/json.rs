//! Writes JSON objects of texts into a buffer, byte for byte as `serde_json` does. Lists have thousands of them: keys are not
//! escaped, texts are copied at once if nothing in them is, and what all records share is escaped once for all of them.

use super::html;

/// Text that is escaped for the inside of a JSON string.
#[derive(Debug, Clone)]
pub struct Escaped(String);

impl Escaped {
    pub fn new(text: &str) -> Self {
        if !has(text, is_special) {
            return Self(text.to_owned());
        }
        // A string can always be serialized.
        let quoted = serde_json::to_string(text).unwrap_or_default();
        let inside = quoted.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
        Self(inside.unwrap_or_default().to_owned())
    }
}

/// Must the byte be escaped in a JSON string?
const fn is_special(byte: u8) -> bool {
    byte < b' ' || byte == b'"' || byte == b'\\'
}

/// Would `html::escape` replace the byte?
const fn is_special_in_html(byte: u8) -> bool {
    matches!(byte, b'&' | b'<' | b'>' | b'"' | b'\'')
}

/// Without an early exit, which would keep the compiler from testing many bytes at a time.
fn has(text: &str, is_wanted: impl Fn(u8) -> bool) -> bool {
    text.bytes().fold(false, |found, byte| found | is_wanted(byte))
}

/// A JSON string that is being written.
pub struct Text<'a>(&'a mut Vec<u8>);

impl Text<'_> {
    pub fn add(&mut self, text: &str) {
        if has(text, is_special) {
            self.add_escaped(&Escaped::new(text));
        } else {
            self.0.extend_from_slice(text.as_bytes());
        }
    }

    pub fn add_escaped(&mut self, Escaped(text): &Escaped) {
        self.0.extend_from_slice(text.as_bytes());
    }

    /// Adds text to HTML, in an element or an attribute.
    pub fn add_to_html(&mut self, text: &str) {
        if has(text, |byte| is_special(byte) || is_special_in_html(byte)) {
            self.add(&html::escape(text));
        } else {
            self.0.extend_from_slice(text.as_bytes());
        }
    }
}

/// A JSON object that is being written. The keys are constants without special characters, except in `pair`.
pub struct Object<'a> {
    out: &'a mut Vec<u8>,
    is_empty: bool,
}

impl Object<'_> {
    /// Writes an object with what `fill` adds to it.
    pub fn write(out: &mut Vec<u8>, fill: impl FnOnce(&mut Object<'_>)) {
        out.push(b'{');
        let mut object = Object { out, is_empty: true };
        fill(&mut object);
        object.out.push(b'}');
    }

    fn separate(&mut self) {
        if !self.is_empty {
            self.out.push(b',');
        }
        self.is_empty = false;
    }

    fn key(&mut self, key: &'static str) {
        self.separate();
        self.out.push(b'"');
        self.out.extend_from_slice(key.as_bytes());
        self.out.extend_from_slice(b"\":");
    }

    fn string(&mut self, fill: impl FnOnce(&mut Text<'_>)) {
        self.out.push(b'"');
        fill(&mut Text(self.out));
        self.out.push(b'"');
    }

    pub fn null(&mut self, key: &'static str) {
        self.key(key);
        self.out.extend_from_slice(b"null");
    }

    /// Adds a text that consists of several parts.
    pub fn text_of(&mut self, key: &'static str, fill: impl FnOnce(&mut Text<'_>)) {
        self.key(key);
        self.string(fill);
    }

    pub fn text(&mut self, key: &'static str, value: &str) {
        self.text_of(key, |text| text.add(value));
    }

    pub fn opt_text(&mut self, key: &'static str, value: Option<&str>) {
        match value {
            Some(value) => self.text(key, value),
            None => self.null(key),
        }
    }

    /// Adds a text under any key.
    pub fn pair(&mut self, key: &str, value: &str) {
        self.separate();
        self.string(|text| text.add(key));
        self.out.push(b':');
        self.string(|text| text.add(value));
    }

    pub fn object(&mut self, key: &'static str, fill: impl FnOnce(&mut Object<'_>)) {
        self.key(key);
        Object::write(self.out, fill);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every character that is escaped somewhere, alone and in a text, and texts of other scripts.
    fn texts() -> Vec<String> {
        let all = (0..=0xff_u8).map(char::from).chain(['\u{2028}', '\u{2029}', '用', '😀']);
        let others = ["", "Ana Lima", "O’Brien \"Bob\" <b> & 'c' \\ \u{7f}", "用户 😀\n\tRéne"];
        all.flat_map(|c| [c.to_string(), format!("a long text before {c} and after it")])
            .chain(others.map(str::to_owned))
            .collect()
    }

    fn written(fill: impl FnOnce(&mut Object<'_>)) -> String {
        let mut out = Vec::new();
        Object::write(&mut out, fill);
        String::from_utf8(out).unwrap()
    }

    fn quoted(text: &str) -> String {
        serde_json::to_string(text).unwrap()
    }

    #[test]
    fn texts_are_escaped_as_serde_json_does() {
        for text in texts() {
            let wanted = quoted(&text);
            assert_eq!(written(|object| object.text("a", &text)), format!("{{\"a\":{wanted}}}"));
            assert_eq!(written(|object| object.pair(&text, &text)), format!("{{{wanted}:{wanted}}}"));
            let escaped = Escaped::new(&text);
            let twice = quoted(&format!("{text}{text}"));
            let shown = written(|object| {
                object.text_of("a", |all| {
                    all.add_escaped(&escaped);
                    all.add(&text);
                });
            });
            assert_eq!(shown, format!("{{\"a\":{twice}}}"));
        }
    }

    #[test]
    fn html_is_escaped_before_json() {
        for text in texts() {
            let shown = written(|object| object.text_of("a", |all| all.add_to_html(&text)));
            assert_eq!(shown, format!("{{\"a\":{}}}", quoted(&html::escape(&text))));
        }
    }

    #[test]
    fn objects_have_commas_between_their_entries() {
        assert_eq!(written(|_| ()), "{}");
        let shown = written(|object| {
            object.opt_text("a", Some("1"));
            object.opt_text("b", None);
            object.object("c", |inner| {
                inner.pair("d", "2");
                inner.pair("e", "3");
            });
            object.object("f", |_| ());
            object.text("g", "");
        });
        assert_eq!(shown, r#"{"a":"1","b":null,"c":{"d":"2","e":"3"},"f":{},"g":""}"#);
    }
}
