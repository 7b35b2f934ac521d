//! A participant: one person's registration on one name page.

mod fields;

use std::collections::BTreeMap;

use super::{
    email::Email,
    field_errors::FieldErrors,
    moment::Moment,
    phone_number::PhoneNumber,
    text::{self, BLANK, INVALID, Lines, longest},
};

pub(crate) use fields::text_fields;
pub use fields::{Draft, Legal, LegalDraft, Participant, TEXT_FIELDS, TextField, TextKind};

impl Participant {
    pub fn full_name(&self) -> String {
        joined([&self.first_name, &self.last_name])
    }
}

/// What a first or last name is looked up by.
pub fn name_key(name: &str) -> String {
    text::folded(name.trim())
}

fn joined<const N: usize>(parts: [&Option<String>; N]) -> String {
    parts.into_iter().filter_map(|part| part.as_deref()).collect::<Vec<_>>().join(" ")
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Recording {
    /// Lower-case hex, 128 bits: it is in the link, and the link needs no credentials.
    pub hex: String,
    pub recorded_at: Moment,
}

impl Legal {
    /// Blank where there is none.
    pub fn full_name(&self) -> String {
        joined([&self.first_name, &self.middle_name, &self.last_name])
    }
}

/// Values by the field's id, so that a deleted field takes its values out of sight at once.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CustomValues(pub BTreeMap<i64, String>);

/// Whose record changed in a time; both bounds are exclusive.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Changed {
    pub after: Option<Moment>,
    pub before: Option<Moment>,
}

impl Changed {
    pub fn is_set(self) -> bool {
        self != Self::default()
    }
}

/// What an input says of one field.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Given<T> {
    #[default]
    Absent,
    Clear,
    Set(T),
}

impl<T> Given<T> {
    pub fn set(&self) -> Option<&T> {
        match self {
            Self::Set(value) => Some(value),
            Self::Absent | Self::Clear => None,
        }
    }

    /// The value after this change to `old`.
    pub fn over(self, old: Option<T>) -> Option<T> {
        match self {
            Self::Absent => old,
            Self::Clear => None,
            Self::Set(value) => Some(value),
        }
    }

    /// The same in place.
    pub fn replace(self, value: &mut Option<T>) {
        *value = self.over(value.take());
    }
}

/// A value as it came, before anyone looked at it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Raw<'a> {
    Absent,
    Null,
    Text(std::borrow::Cow<'a, str>),
    /// A list, an object, a truth value: nothing that could be a text.
    Other,
}

/// Where a draft is read from: a JSON object, a line of a CSV file.
pub trait Source {
    fn get(&self, key: &str) -> Raw<'_>;
    /// Custom values by the key that the sender used.
    fn custom(&self) -> Vec<(String, Raw<'_>)>;
}

/// May the caller's people have legal names?
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LegalNames {
    Permitted,
    /// The fields are neither read nor an error.
    Ignored,
}

impl Draft {
    pub fn read(source: &impl Source, legal: LegalNames) -> Self {
        let mut errors = FieldErrors::default();
        let draft = Self::of_texts(legal, |field| {
            let (longest, lines) = (field.kind.longest(), field.kind.lines());
            let given = read_text(source.get(field.key), field.key, longest, lines, &mut errors);
            match field.kind {
                TextKind::Name => seen(given),
                TextKind::Identifier => trimmed(given),
                TextKind::Phonetic | TextKind::Notes => given,
            }
        });
        let email = read_parsed(source.get("email"), "email", INVALID, Email::parse, &mut errors);
        let phone_number = read_parsed(
            source.get("phone_number"),
            "phone_number",
            "Is not valid.",
            PhoneNumber::parse,
            &mut errors,
        );
        let custom = source
            .custom()
            .into_iter()
            .map(|(key, raw)| {
                let value = read_text(raw, &key, longest::CUSTOM_VALUE, Lines::One, &mut errors);
                (key, value)
            })
            .collect();
        Self { email, phone_number, custom, errors, ..draft }
    }

    /// What a new participant must have.
    pub fn require_for_create(&mut self) {
        if self.email.set().is_none() && !self.errors.has("email") {
            self.errors.add("email", BLANK);
        }
        let nameless = self.first_name.set().is_none() && self.last_name.set().is_none();
        if nameless && !self.errors.has("first_name") && !self.errors.has("last_name") {
            self.errors.add("first_name", BLANK);
        }
    }

    /// An update never changes who somebody is.
    pub fn ignore_identity(mut self) -> Self {
        let mut kept = FieldErrors::default();
        for (field, messages) in
            self.errors.iter().filter(|(field, _)| !matches!(*field, "email" | "institution_id"))
        {
            messages.iter().for_each(|message| kept.add(field, message));
        }
        self.errors = kept;
        self.email = Given::Absent;
        self.identifier = Given::Absent;
        self
    }
}

/// A name of invisible characters alone is blank.
fn seen(name: Given<String>) -> Given<String> {
    match name {
        Given::Set(name) if text::is_invisible(&name) => Given::Clear,
        other => other,
    }
}

fn trimmed(identifier: Given<String>) -> Given<String> {
    match identifier {
        Given::Set(text) => Given::Set(text.trim().to_owned()),
        other => other,
    }
}

fn read_text(
    raw: Raw<'_>,
    key: &str,
    longest: usize,
    lines: Lines,
    errors: &mut FieldErrors,
) -> Given<String> {
    match raw {
        Raw::Absent => Given::Absent,
        Raw::Null => Given::Clear,
        Raw::Other => {
            errors.add(key, INVALID);
            Given::Absent
        }
        Raw::Text(text) => match text::fault(&text, longest, lines) {
            Some(fault) => {
                errors.add(key, fault);
                Given::Absent
            }
            None if text::is_blank(&text) => Given::Clear,
            None => Given::Set(text.into_owned()),
        },
    }
}

fn read_parsed<T>(
    raw: Raw<'_>,
    key: &str,
    fault: &str,
    parse: impl FnOnce(&str) -> Option<T>,
    errors: &mut FieldErrors,
) -> Given<T> {
    match raw {
        Raw::Absent => Given::Absent,
        Raw::Null => Given::Clear,
        Raw::Text(text) if text::is_blank(&text) => Given::Clear,
        Raw::Text(text) => match parse(&text) {
            Some(value) => Given::Set(value),
            None => {
                errors.add(key, fault);
                Given::Absent
            }
        },
        Raw::Other => {
            errors.add(key, fault);
            Given::Absent
        }
    }
}
