//! A participant: one person's registration on one name page.

mod fields;

use std::collections::BTreeMap;

use super::{
    directory_hold,
    email::Email,
    fault::{Fault, Field},
    field_errors::FieldErrors,
    ids::CustomFieldId,
    moment::Moment,
    phone_number::PhoneNumber,
    text::{self, Lines, longest},
};

pub(crate) use fields::text_fields;
pub use fields::{Draft, Legal, LegalDraft, Participant, TEXT_FIELDS, TextField, TextKind};

impl Participant {
    pub fn full_name(&self) -> String {
        joined([&self.first_name, &self.last_name])
    }

    /// Are all texts and custom values equal?
    pub fn shows_the_same(&self, other: &Self) -> bool {
        let texts = |one: &Self| one.texts().map(|(_, text)| text.map(str::to_owned)).collect::<Vec<_>>();
        self.custom == other.custom && texts(self) == texts(other)
    }
}

/// The media of somebody with a directory hold. Whoever reads a participant sees none; `unveiled` shows it to those who may see it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Withheld {
    recording: Option<Recording>,
    legal_recording: Option<Recording>,
    photo: Option<String>,
}

impl Participant {
    /// With a hold, nothing of the media is shown.
    pub fn veiled(mut self) -> Self {
        if self.directory_hold {
            self.withheld.recording = self.recording.take().or(self.withheld.recording);
            self.withheld.legal_recording = self.legal.recording.take().or(self.withheld.legal_recording);
            self.withheld.photo = self.photo.take().or(self.withheld.photo);
        }
        self
    }

    /// As those see them who may hear people with a directory hold.
    pub fn unveiled(mut self) -> Self {
        let Withheld { recording, legal_recording, photo } = std::mem::take(&mut self.withheld);
        self.recording = recording.or(self.recording);
        self.legal.recording = legal_recording.or(self.legal.recording);
        self.photo = photo.or(self.photo);
        self
    }

    /// The time of a recording that is not paused, whoever may hear it.
    pub fn recorded_at(&self) -> Option<Moment> {
        self.recording.as_ref().or(self.withheld.recording.as_ref()).map(|recording| recording.recorded_at)
    }

    /// Is there a recording that is not paused, whoever may hear it?
    pub fn is_recorded(&self) -> bool {
        self.recorded_at().is_some()
    }
}

/// The lookup key of a first or last name.
pub fn name_key(name: &str) -> String {
    text::folded(name.trim())
}

fn joined<const N: usize>(parts: [&Option<String>; N]) -> String {
    parts.into_iter().filter_map(|part| part.as_deref()).collect::<Vec<_>>().join(" ")
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Recording {
    /// 128 random bits in lowercase hex: the link contains them and needs no other credentials.
    pub hex: String,
    pub recorded_at: Moment,
}

impl Legal {
    /// Empty if there is none.
    pub fn full_name(&self) -> String {
        joined([&self.first_name, &self.middle_name, &self.last_name])
    }
}

/// Values by field id, so that deleting a field hides its values at once.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CustomValues(pub BTreeMap<CustomFieldId, String>);

/// Filters by time of change; both bounds are exclusive.
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

/// What an input does to a field.
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

    /// Like `over`, in place.
    pub fn replace(self, value: &mut Option<T>) {
        *value = self.over(value.take());
    }
}

/// A value before validation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Raw<'a> {
    Absent,
    Null,
    Text(std::borrow::Cow<'a, str>),
    /// A list, an object or a Boolean: not convertible to text.
    Other,
}

/// The input of a draft: a JSON object or a row of a CSV file.
pub trait Source {
    fn get(&self, key: &str) -> Raw<'_>;
    /// Custom values by the key in the input.
    fn custom(&self) -> Vec<(String, Raw<'_>)>;

    /// A yes or no. JSON has a type for it.
    fn get_flag(&self, key: &str) -> Raw<'_> {
        self.get(key)
    }

    /// All values with this key: a form with checkboxes sends several.
    fn texts(&self, key: &str) -> Vec<String> {
        match self.get(key) {
            Raw::Text(text) => vec![text.into_owned()],
            Raw::Absent | Raw::Null | Raw::Other => Vec::new(),
        }
    }
}

/// Whether the tenant uses legal names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LegalNames {
    Permitted,
    /// The fields are silently ignored.
    Ignored,
}

impl Draft {
    pub fn read(source: &impl Source, legal: LegalNames) -> Self {
        let mut errors = FieldErrors::default();
        let draft = Self::of_texts(legal, |field| {
            let read = read_text(source.get(field.key), field.kind.longest(), field.kind.lines());
            let given = read_or_add(read, field.field.clone(), &mut errors);
            match field.kind {
                TextKind::Name => seen(given),
                TextKind::Identifier => trimmed(given),
                TextKind::Phonetic | TextKind::Notes => given,
            }
        });
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
                // Clone the key only on error.
                let value = match read {
                    Ok(value) => value,
                    fault => read_or_add(fault, Field::Custom(key.clone()), &mut errors),
                };
                (key, value)
            })
            .collect();
        Self { email, phone_number, custom, errors, ..draft }
    }

    /// Reads the directory hold, too, which only an institution decides. What is blank is not said: it must not end a hold.
    pub fn with_directory_hold(mut self, source: &impl Source) -> Self {
        let text = match source.get_flag(directory_hold::KEY) {
            Raw::Absent | Raw::Null => return self,
            Raw::Text(text) if text::is_blank(&text) => return self,
            Raw::Text(text) => directory_hold::parse(&text),
            Raw::Other => None,
        };
        match text {
            Some(held) => self.directory_hold = Some(held),
            None => self.errors.add(Field::DirectoryHold, Fault::Invalid),
        }
        self
    }

    /// Checks the fields that are required on creation.
    pub fn require_for_create(&mut self) {
        if self.email.set().is_none() && !self.errors.has(&Field::Email) {
            self.errors.add(Field::Email, Fault::Blank);
        }
        let nameless = self.first_name.set().is_none() && self.last_name.set().is_none();
        if nameless && !self.errors.has(&Field::FirstName) && !self.errors.has(&Field::LastName) {
            self.errors.add(Field::FirstName, Fault::Blank);
        }
    }

    /// Updates never change the identity.
    pub fn ignore_identity(mut self) -> Self {
        self.errors.retain(|field| *field != Field::Email && *field != Field::Identifier);
        self.email = Given::Absent;
        self.identifier = Given::Absent;
        self
    }
}

/// A name that consists of invisible characters is blank.
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

/// `None` if it cannot be parsed.
fn read_parsed<T>(raw: Raw<'_>, parse: impl FnOnce(&str) -> Option<T>) -> Option<Given<T>> {
    match raw {
        Raw::Absent => Some(Given::Absent),
        Raw::Null => Some(Given::Clear),
        Raw::Text(text) if text::is_blank(&text) => Some(Given::Clear),
        Raw::Text(text) => parse(&text).map(Given::Set),
        Raw::Other => None,
    }
}
