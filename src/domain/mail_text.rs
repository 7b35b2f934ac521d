//! Page mails: the messages about name pages. An institution can replace their subjects and texts, which have placeholders such as
//! `{name}`.

use serde::{Deserialize, Serialize};

use super::{
    fault::{Fault, Field, SetupFault},
    field_errors::FieldErrors,
    text::{self, Lines},
};

/// The longest subject, in characters.
const LONGEST_SUBJECT: usize = 200;
/// The longest text, in characters.
const LONGEST_TEXT: usize = 10_000;

pub const SUBJECT: Field = Field::Parameter("subject");
pub const TEXT: Field = Field::Parameter("text");

/// What a page mail is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PageMailKind {
    /// A personal link to a page.
    Invitation,
    /// The same link again, for somebody who has not recorded yet.
    Reminder,
    /// A manager did not accept a recording.
    Rejection,
    /// A manager did not accept an entry.
    EntryRejection,
    /// A listener asks for a recording.
    RecordingRequest,
    /// Recordings will be deleted soon.
    Retention,
}

impl PageMailKind {
    pub const ALL: [Self; 6] = [
        Self::Invitation,
        Self::Reminder,
        Self::Rejection,
        Self::EntryRejection,
        Self::RecordingRequest,
        Self::Retention,
    ];

    /// In the database, on the command line and in forms.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Invitation => "invitation",
            Self::Reminder => "reminder",
            Self::Rejection => "rejection",
            Self::EntryRejection => "entry_rejection",
            Self::RecordingRequest => "recording_request",
            Self::Retention => "retention",
        }
    }

    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.word() == word)
    }

    /// The placeholders that its text may have.
    pub const fn placeholders(self) -> &'static [Placeholder] {
        use Placeholder::{Closes, Date, Institution, Link, Name, Page, Reason};
        match self {
            Self::Invitation | Self::Reminder | Self::RecordingRequest => {
                &[Name, Page, Institution, Link, Closes]
            }
            Self::Rejection | Self::EntryRejection => &[Name, Page, Institution, Link, Closes, Reason],
            Self::Retention => &[Name, Page, Institution, Link, Date],
        }
    }
}

/// A place in a text that is filled in for each recipient.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Placeholder {
    /// The recipient's name. May have no value.
    Name,
    /// The title of the page.
    Page,
    Institution,
    Link,
    /// The last moment for recording. May have no value.
    Closes,
    /// Why a recording was not accepted.
    Reason,
    /// The day on which recordings are deleted.
    Date,
}

impl Placeholder {
    /// What a subject may have: these always have a value, and a link is of no use there.
    pub const IN_SUBJECTS: [Self; 2] = [Self::Page, Self::Institution];

    /// As it is written, in braces.
    pub const fn written(self) -> &'static str {
        match self {
            Self::Name => "{name}",
            Self::Page => "{page}",
            Self::Institution => "{institution}",
            Self::Link => "{link}",
            Self::Closes => "{closes}",
            Self::Reason => "{reason}",
            Self::Date => "{date}",
        }
    }
}

/// A part of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Piece<'a> {
    Text(&'a str),
    Value(Placeholder),
}

/// The subject and the text of a page mail, with placeholders. Plain text: blank lines separate paragraphs, and a line with a
/// placeholder that has no value is left out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MailText {
    pub subject: String,
    pub text: String,
}

impl MailText {
    pub fn parse(kind: PageMailKind, subject: &str, given: &str) -> Result<Self, FieldErrors> {
        let mut errors = FieldErrors::default();
        let subject = subject.trim().to_owned();
        let text = given.trim_start_matches('\u{feff}').replace("\r\n", "\n").trim().to_owned();
        for (field, value, most, lines, permitted) in [
            (SUBJECT, &subject, LONGEST_SUBJECT, Lines::One, &Placeholder::IN_SUBJECTS[..]),
            (TEXT, &text, LONGEST_TEXT, Lines::Many, kind.placeholders()),
        ] {
            if text::is_invisible(value) {
                errors.add(field, Fault::Blank);
                continue;
            }
            if let Some(fault) = text::fault(value, most, lines) {
                errors.add(field, fault);
                continue;
            }
            for unknown in unknown(value, permitted) {
                errors.add(field.clone(), SetupFault::UnknownPlaceholder(unknown));
            }
        }
        if !errors.has(&TEXT)
            && !pieces(&text, kind.placeholders()).contains(&Piece::Value(Placeholder::Link))
        {
            errors.add(TEXT, SetupFault::MissingPlaceholder(Placeholder::Link.written()));
        }
        errors.into_result()?;
        Ok(Self { subject, text })
    }
}

/// Splits a text at its placeholders. What is no placeholder stays text.
pub fn pieces<'a>(text: &'a str, permitted: &[Placeholder]) -> Vec<Piece<'a>> {
    let mut found = Vec::new();
    let mut rest = text;
    let next = |rest: &str| {
        let places = permitted.iter().filter_map(|one| rest.find(one.written()).map(|start| (start, *one)));
        places.min_by_key(|(start, _)| *start)
    };
    while let Some((start, placeholder)) = next(rest) {
        if start > 0 {
            found.push(Piece::Text(&rest[..start]));
        }
        found.push(Piece::Value(placeholder));
        rest = &rest[start + placeholder.written().len()..];
    }
    if !rest.is_empty() {
        found.push(Piece::Text(rest));
    }
    found
}

/// What looks like a placeholder and is none: in a sent message, it would be a mistake that everybody sees.
fn unknown(text: &str, permitted: &[Placeholder]) -> Vec<String> {
    const SHOWN: usize = 30;
    let mut unknown = Vec::new();
    for piece in pieces(text, permitted) {
        let Piece::Text(mut rest) = piece else { continue };
        while let Some(start) = rest.find(['{', '}']) {
            let behind = &rest[start + 1..];
            let closed = rest[start..].starts_with('{').then(|| behind.find('}')).flatten();
            let end = closed.map_or(start + 1, |length| start + length + 2);
            unknown.push(rest[start..end].chars().take(SHOWN).collect());
            rest = &rest[end..];
        }
    }
    unknown
}

#[cfg(test)]
mod tests {
    use super::*;

    fn faults(kind: PageMailKind, subject: &str, text: &str) -> String {
        MailText::parse(kind, subject, text).unwrap_err().to_string()
    }

    #[test]
    fn a_text_is_split_at_its_placeholders() {
        use Piece::{Text, Value};
        let permitted = PageMailKind::Invitation.placeholders();
        assert_eq!(
            pieces("Hi {name}, {link}{page}", permitted),
            [
                Text("Hi "),
                Value(Placeholder::Name),
                Text(", "),
                Value(Placeholder::Link),
                Value(Placeholder::Page)
            ]
        );
        assert_eq!(pieces("no {reason}", permitted), [Text("no {reason}")]);
        assert_eq!(pieces("", permitted), []);
    }

    #[test]
    fn a_text_needs_a_link_and_has_known_placeholders_only() {
        let kind = PageMailKind::Invitation;
        let fine = MailText::parse(kind, " Names: {page} ", "\u{feff}Hi {name}\r\n\r\n{link}\r\n").unwrap();
        assert_eq!(fine, MailText { subject: "Names: {page}".into(), text: "Hi {name}\n\n{link}".into() });
        for (subject, text, fault) in [
            ("S", "Hi {name}", "text must contain {link}"),
            ("S", "{link} {nmae}", "`{nmae}`"),
            ("S", "{link} {Name}", "`{Name}`"),
            ("S", "{link} { name }", "`{ name }`"),
            ("S", "{link} {reason}", "`{reason}`"),
            ("S", "{link} {", "`{`"),
            ("S", "{link} }", "`}`"),
            ("S", "{{link}}", "`{`"),
            ("{link}", "{link}", "subject"),
            ("{name}", "{link}", "`{name}`"),
            ("", "{link}", "subject can't be blank"),
            ("S", "\u{200b} \n", "text can't be blank"),
            ("a\nb", "{link}", "control character"),
            ("S", "{link}\u{0}", "control character"),
        ] {
            let said = faults(kind, subject, text);
            assert!(said.contains(fault), "{subject:?} {text:?}: {said}");
        }
        assert!(faults(kind, &"x".repeat(201), "{link}").contains("too long"));
        assert!(faults(kind, "S", &format!("{{link}}{}", "x".repeat(10_000))).contains("too long"));
        assert!(MailText::parse(PageMailKind::Rejection, "S", "{reason} {link}").is_ok());
        assert!(MailText::parse(PageMailKind::Retention, "S", "{date} {link}").is_ok());
    }

    #[test]
    fn a_kind_is_found_by_its_word() {
        for kind in PageMailKind::ALL {
            assert_eq!(PageMailKind::parse(kind.word()), Some(kind));
            assert_eq!(serde_json::to_string(&kind).unwrap(), format!("\"{}\"", kind.word()));
            assert!(kind.placeholders().contains(&Placeholder::Link));
        }
        assert_eq!(PageMailKind::parse("sign_in"), None);
    }
}
