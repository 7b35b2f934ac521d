//! XML of spreadsheet files, within limits. The parser keeps one tag or one piece of text in memory, so that the guard in front of it
//! bounds its memory: it fails at long runs without a tag, and at comments, CDATA sections and DTDs, which no spreadsheet program writes.

use std::{
    borrow::Cow,
    io::{self, BufReader, Read},
};

use quick_xml::{
    Reader,
    escape::{resolve_predefined_entity, unescape},
    events::{BytesRef, BytesStart, BytesText, Event},
    name::QName,
};

use super::{
    SheetFault, limits,
    zipped::{Budget, Part},
};

/// More than any spreadsheet program nests.
const DEPTH: usize = 64;

pub struct Xml<R> {
    reader: Reader<BufReader<Guard<Part<R>>>>,
    buffer: Vec<u8>,
    depth: usize,
    budget: Budget,
}

impl<R: Read> Xml<R> {
    pub fn new(part: Part<R>) -> Self {
        let budget = part.budget.clone();
        let guard = Guard { inner: part, run: 0, is_open: false };
        let mut reader = Reader::from_reader(BufReader::with_capacity(64 << 10, guard));
        let config = reader.config_mut();
        config.expand_empty_elements = true;
        config.check_end_names = false;
        Self { reader, buffer: Vec::new(), depth: 0, budget }
    }

    /// The next event. The parser remembers all open tags, so their number is limited, too.
    pub fn next_event(&mut self) -> Result<Event<'_>, SheetFault> {
        self.buffer.clear();
        self.budget.step()?;
        let event = self.reader.read_event_into(&mut self.buffer).map_err(fault)?;
        match &event {
            Event::Start(_) => self.depth += 1,
            Event::End(_) => self.depth = self.depth.saturating_sub(1),
            _ => {}
        }
        if self.depth > DEPTH {
            return Err(SheetFault::Damaged("the file is damaged: it is nested too deeply".to_owned()));
        }
        Ok(event)
    }
}

pub fn fault(error: quick_xml::Error) -> SheetFault {
    match error {
        quick_xml::Error::Io(error) => match error.kind() {
            io::ErrorKind::FileTooLarge => SheetFault::TooLarge(error.to_string()),
            _ => SheetFault::Damaged(format!("the file is damaged: {error}")),
        },
        other => SheetFault::Damaged(format!("the file is damaged: {other}")),
    }
}

/// The value of an attribute, by its name with prefix.
pub fn attribute(tag: &BytesStart<'_>, name: &str) -> Result<Option<String>, SheetFault> {
    find_attribute(tag, |key| key.as_ref() == name.as_bytes())
}

/// The value of the attribute with this name, whatever its prefix.
pub fn local_attribute(tag: &BytesStart<'_>, name: &str) -> Result<Option<String>, SheetFault> {
    find_attribute(tag, |key| key.local_name().as_ref() == name.as_bytes())
}

/// Does not look for duplicates, which compares each attribute with all others: a tag has room for tens of thousands.
fn find_attribute(
    tag: &BytesStart<'_>,
    is_wanted: impl Fn(QName<'_>) -> bool,
) -> Result<Option<String>, SheetFault> {
    for found in tag.attributes().with_checks(false) {
        let found = found.map_err(|error| fault(error.into()))?;
        if is_wanted(found.key) {
            let text = String::from_utf8_lossy(&found.value);
            let text = unescape(&text).map_err(|error| fault(error.into()))?;
            return Ok(Some(text.into_owned()));
        }
    }
    Ok(None)
}

/// Appends text, up to a little more than a cell may have.
pub fn append(value: &mut String, text: &str) {
    if value.len() <= limits::CELL {
        value.push_str(text);
    }
}

pub fn text<'a>(text: &BytesText<'a>) -> Result<Cow<'a, str>, SheetFault> {
    text.decode().map_err(|error| fault(error.into()))
}

/// The character that `&amp;` or `&#233;` stands for. Others have no meaning without a DTD.
pub fn append_reference(value: &mut String, reference: &BytesRef<'_>) -> Result<(), SheetFault> {
    if let Some(character) = reference.resolve_char_ref().map_err(fault)? {
        append(value, character.encode_utf8(&mut [0; 4]));
        return Ok(());
    }
    let name = reference.decode().map_err(|error| fault(error.into()))?;
    match resolve_predefined_entity(&name) {
        Some(text) => append(value, text),
        None => return Err(SheetFault::Damaged(format!("the file is damaged: unknown entity `{name}`"))),
    }
    Ok(())
}

pub struct Guard<R> {
    inner: R,
    /// The bytes since the last `<`.
    run: usize,
    /// The last byte was a `<`.
    is_open: bool,
}

impl<R: Read> Read for Guard<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(buffer)?;
        let fault = |what: &str| Err(io::Error::new(io::ErrorKind::InvalidData, what.to_owned()));
        if self.is_open && buffer[..read].first() == Some(&b'!') {
            return fault("it contains comments or definitions");
        }
        let mut last = None;
        for at in memchr::memchr_iter(b'<', &buffer[..read]) {
            if buffer[..read].get(at + 1) == Some(&b'!') {
                return fault("it contains comments or definitions");
            }
            self.run += at - last.unwrap_or_default();
            if self.run > limits::XML_RUN {
                return fault("it contains a very long text");
            }
            self.run = 0;
            last = Some(at);
        }
        self.run += read - last.unwrap_or_default();
        if self.run > limits::XML_RUN {
            return fault("it contains a very long text");
        }
        if read > 0 {
            self.is_open = buffer[read - 1] == b'<';
        }
        Ok(read)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn guarded(text: &[u8]) -> io::Result<Vec<u8>> {
        let mut all = Vec::new();
        Guard { inner: text, run: 0, is_open: false }.read_to_end(&mut all).map(|_| all)
    }

    #[test]
    fn ordinary_xml_passes_and_what_would_fill_the_memory_does_not() {
        let plain = b"<?xml version=\"1.0\"?><a><b c=\"d\">text</b></a>";
        assert_eq!(guarded(plain).unwrap(), plain);
        assert!(guarded(b"<a><!-- comment --></a>").is_err());
        assert!(guarded(b"<!DOCTYPE a [<!ENTITY b \"c\">]><a/>").is_err());
        assert!(guarded(b"<a><![CDATA[ ]]></a>").is_err());
        let long = [&b"<a>"[..], &vec![b'x'; limits::XML_RUN + 1], b"</a>"].concat();
        assert!(guarded(&long).is_err());
        let many = b"<a>x</a>".repeat(limits::XML_RUN);
        assert_eq!(guarded(&many).unwrap().len(), many.len());
    }

    #[test]
    fn a_definition_is_seen_even_if_it_is_read_in_pieces() {
        struct Bytewise<'a>(&'a [u8]);
        impl Read for Bytewise<'_> {
            fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
                let Some((first, rest)) = self.0.split_first() else { return Ok(0) };
                (buffer[0], self.0) = (*first, rest);
                Ok(1)
            }
        }
        let mut all = Vec::new();
        let mut guard = Guard { inner: Bytewise(b"<a><!-- x --></a>"), run: 0, is_open: false };
        assert!(guard.read_to_end(&mut all).is_err());
    }
}
