//! A participant: one person's registration on one name page.

use std::{collections::BTreeMap, sync::Arc};

use super::{
    email::Email,
    fault::{Fault, Field},
    field_errors::FieldErrors,
    ids::{CustomFieldId, ParticipantId},
    media::{Incoming, Kind},
    moment::Moment,
    name_page::PageLabel,
    phone_number::PhoneNumber,
    text::{self, Lines, longest},
};

#[derive(Debug, Clone)]
pub struct Participant {
    /// Their place in the institution's roll; never shown.
    pub id: ParticipantId,
    /// The public, unguessable identifier of the registration.
    pub token: String,
    pub first_name: Option<String>,
    pub last_name: Option<String>,
    pub email: Option<String>,
    pub identifier: Option<String>,
    pub phonetic: Option<String>,
    pub notes: Option<String>,
    pub recording: Option<Recording>,
    /// The hex of their picture, as with recordings.
    pub photo: Option<String>,
    pub legal: Legal,
    pub custom: CustomValues,
    pub custom_changed_at: Option<Moment>,
    pub page: Arc<PageLabel>,
    /// Their place in the page's roll; never shown.
    pub page_place: i64,
}

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

/// The name that papers say, beside the one that people say.
#[derive(Debug, Clone, Default)]
pub struct Legal {
    pub first_name: Option<String>,
    pub last_name: Option<String>,
    pub middle_name: Option<String>,
    pub phonetic: Option<String>,
    pub notes: Option<String>,
    pub recording: Option<Recording>,
}

impl Legal {
    /// Blank where there is none.
    pub fn full_name(&self) -> String {
        joined([&self.first_name, &self.middle_name, &self.last_name])
    }

    /// Is there nothing to show?
    pub fn is_empty(&self) -> bool {
        let texts = [&self.first_name, &self.last_name, &self.middle_name, &self.phonetic, &self.notes];
        texts.into_iter().all(Option::is_none) && self.recording.is_none()
    }
}

/// Values by the field's id, so that a deleted field takes its values out of sight at once.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CustomValues(pub BTreeMap<CustomFieldId, String>);

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

/// What a caller wants a participant to be: fields checked one by one, faults collected.
#[derive(Debug, Clone, Default)]
pub struct Draft {
    pub first_name: Given<String>,
    pub last_name: Given<String>,
    pub email: Given<Email>,
    pub identifier: Given<String>,
    pub phonetic: Given<String>,
    pub notes: Given<String>,
    pub phone_number: Given<PhoneNumber>,
    pub legal: LegalDraft,
    pub custom: Vec<(String, Given<String>)>,
    /// Recordings and pictures, before anyone has looked at them.
    pub media: Vec<(Kind, Incoming)>,
    pub errors: FieldErrors,
}

#[derive(Debug, Clone, Default)]
pub struct LegalDraft {
    pub first_name: Given<String>,
    pub last_name: Given<String>,
    pub middle_name: Given<String>,
    pub phonetic: Given<String>,
    pub notes: Given<String>,
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
        let mut text = |field: Field, longest, lines| {
            let read = read_text(source.get(field.name()), longest, lines);
            read_or_add(read, field, &mut errors)
        };
        let first_name = seen(text(Field::FirstName, longest::NAME, Lines::One));
        let last_name = seen(text(Field::LastName, longest::NAME, Lines::One));
        let identifier = match text(Field::Identifier, longest::IDENTIFIER, Lines::One) {
            Given::Set(text) => Given::Set(text.trim().to_owned()),
            other => other,
        };
        let phonetic = text(Field::Phonetic, longest::PHONETIC, Lines::One);
        let notes = text(Field::Notes, longest::NOTES, Lines::Many);
        let legal = match legal {
            LegalNames::Ignored => LegalDraft::default(),
            LegalNames::Permitted => LegalDraft {
                first_name: seen(text(Field::LegalFirstName, longest::NAME, Lines::One)),
                last_name: seen(text(Field::LegalLastName, longest::NAME, Lines::One)),
                middle_name: seen(text(Field::LegalMiddleName, longest::NAME, Lines::One)),
                phonetic: text(Field::LegalPhonetic, longest::PHONETIC, Lines::One),
                notes: text(Field::LegalNotes, longest::NOTES, Lines::Many),
            },
        };
        let email = read_parsed(source.get("email"), Email::parse).ok_or(Fault::Invalid);
        let email = read_or_add(email, Field::Email, &mut errors);
        let phone_number =
            read_parsed(source.get("phone_number"), PhoneNumber::parse).ok_or(Fault::NotAPhoneNumber);
        let phone_number = read_or_add(phone_number, Field::PhoneNumber, &mut errors);
        let custom = source
            .custom()
            .into_iter()
            .map(|(key, raw)| {
                let read = read_text(raw, longest::CUSTOM_VALUE, Lines::One);
                // The key is copied only when there is something to say about it.
                let value = match read {
                    Ok(value) => value,
                    fault => read_or_add(fault, Field::Custom(key.clone()), &mut errors),
                };
                (key, value)
            })
            .collect();
        Self {
            first_name,
            last_name,
            email,
            identifier,
            phonetic,
            notes,
            phone_number,
            legal,
            custom,
            media: Vec::new(),
            errors,
        }
    }

    /// What a new participant must have.
    pub fn require_for_create(&mut self) {
        if self.email.set().is_none() && !self.errors.has(&Field::Email) {
            self.errors.add(Field::Email, Fault::Blank);
        }
        let nameless = self.first_name.set().is_none() && self.last_name.set().is_none();
        if nameless && !self.errors.has(&Field::FirstName) && !self.errors.has(&Field::LastName) {
            self.errors.add(Field::FirstName, Fault::Blank);
        }
    }

    /// An update never changes who somebody is.
    pub fn ignore_identity(mut self) -> Self {
        self.errors.retain(|field| *field != Field::Email && *field != Field::Identifier);
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

fn read_or_add<T>(read: Result<Given<T>, Fault>, field: Field, errors: &mut FieldErrors) -> Given<T> {
    read.unwrap_or_else(|fault| {
        errors.add(field, fault);
        Given::Absent
    })
}

fn read_text(raw: Raw<'_>, longest: usize, lines: Lines) -> Result<Given<String>, Fault> {
    Ok(match raw {
        Raw::Absent => Given::Absent,
        Raw::Null => Given::Clear,
        Raw::Other => return Err(Fault::Invalid),
        Raw::Text(text) => match text::fault(&text, longest, lines) {
            Some(fault) => return Err(fault),
            None if text::is_blank(&text) => Given::Clear,
            None => Given::Set(text.into_owned()),
        },
    })
}

/// `None` when it cannot be parsed.
fn read_parsed<T>(raw: Raw<'_>, parse: impl FnOnce(&str) -> Option<T>) -> Option<Given<T>> {
    match raw {
        Raw::Absent => Some(Given::Absent),
        Raw::Null => Some(Given::Clear),
        Raw::Text(text) if text::is_blank(&text) => Some(Given::Clear),
        Raw::Text(text) => parse(&text).map(Given::Set),
        Raw::Other => None,
    }
}
