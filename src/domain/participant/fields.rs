//! A participant's text fields, in one list. A line in `text_fields!` is a field of `Participant` and of `Draft`, a key in
//! requests and import files, a reserved name for custom fields, and a column of the table, which is selected, inserted,
//! updated, merged and moved with the row. docs/adding-a-field.md describes the remaining manual steps.

use std::sync::Arc;

use super::{CustomValues, Given, LegalNames, Recording, Withheld};
use crate::domain::{
    email::Email,
    fault::Field,
    field_errors::FieldErrors,
    ids::ParticipantId,
    media::{Incoming, Kind},
    moment::Moment,
    name_page::PageLabel,
    phone_number::PhoneNumber,
    text::{Lines, longest},
};

/// Expands `$generate!` with the list. `own` are the fields of `Participant`, `legal` those of `Legal`; each has its kind, its
/// key in requests, and its `Field` in errors. Validation and errors in responses follow this order: append new fields.
macro_rules! text_fields {
    ($generate:ident) => {
        $generate! {
            own {
                first_name: Name = "first_name" FirstName,
                last_name: Name = "last_name" LastName,
                identifier: Identifier = "institution_id" Identifier,
                phonetic: Phonetic = "phonetic" Phonetic,
                notes: Notes = "notes" Notes,
            }
            legal {
                first_name: Name = "legal_first_name" LegalFirstName,
                last_name: Name = "legal_last_name" LegalLastName,
                middle_name: Name = "legal_middle_name" LegalMiddleName,
                phonetic: Phonetic = "legal_phonetic" LegalPhonetic,
                notes: Notes = "legal_notes" LegalNotes,
            }
        }
    };
}
pub(crate) use text_fields;

/// A text field of a participant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextField {
    /// The key in requests and in the header row of import files.
    pub key: &'static str,
    /// The column in the tables `participants` and `hidden_participants`.
    pub column: &'static str,
    pub kind: TextKind,
    /// The field in errors.
    pub field: Field,
    /// Only for institutions with legal names.
    pub is_legal: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TextKind {
    Name,
    /// Part of a participant's identity: set on creation, never updated.
    Identifier,
    Phonetic,
    Notes,
}

impl TextKind {
    /// The maximum length in characters.
    pub const fn longest(self) -> usize {
        match self {
            Self::Name => longest::NAME,
            Self::Identifier => longest::IDENTIFIER,
            Self::Phonetic => longest::PHONETIC,
            Self::Notes => longest::NOTES,
        }
    }

    pub const fn lines(self) -> Lines {
        match self {
            Self::Name | Self::Identifier | Self::Phonetic => Lines::One,
            Self::Notes => Lines::Many,
        }
    }
}

macro_rules! types {
    (
        own { $($own:ident: $own_kind:ident = $own_key:literal $own_field:ident,)* }
        legal { $($legal:ident: $legal_kind:ident = $legal_key:literal $legal_field:ident,)* }
    ) => {
        /// All text fields: those of `Participant`, then those of `Legal`.
        pub static TEXT_FIELDS: [TextField; [$($own_key,)* $($legal_key,)*].len()] = [
            $(TextField {
                key: $own_key,
                column: stringify!($own),
                kind: TextKind::$own_kind,
                field: Field::$own_field,
                is_legal: false,
            },)*
            $(TextField {
                key: $legal_key,
                column: concat!("legal_", stringify!($legal)),
                kind: TextKind::$legal_kind,
                field: Field::$legal_field,
                is_legal: true,
            },)*
        ];

        #[derive(Debug, Clone)]
        pub struct Participant {
            /// The position in the institution's roll; internal.
            pub id: ParticipantId,
            /// The public, unguessable identifier of the registration.
            pub token: String,
            pub email: Option<String>,
            $(pub $own: Option<String>,)*
            pub recording: Option<Recording>,
            /// The hex id of their picture, like a recording's.
            pub photo: Option<String>,
            /// Only managers and the person see the entry, until a manager has approved it.
            pub is_held: bool,
            pub legal: Legal,
            pub custom: CustomValues,
            pub custom_changed_at: Option<Moment>,
            /// The institution tells the public nothing about them. Recordings and picture are withheld.
            pub directory_hold: bool,
            pub withheld: Withheld,
            pub page: Arc<PageLabel>,
            /// The position in the page's roll; internal.
            pub page_place: i64,
        }

        /// The legal name, besides the preferred one.
        #[derive(Debug, Clone, Default)]
        pub struct Legal {
            $(pub $legal: Option<String>,)*
            pub recording: Option<Recording>,
        }

        /// Validated input for a participant, with the errors found.
        #[derive(Debug, Clone, Default)]
        pub struct Draft {
            pub email: Given<Email>,
            pub phone_number: Given<PhoneNumber>,
            $(pub $own: Given<String>,)*
            pub legal: LegalDraft,
            /// Only where `Draft::with_directory_hold` has read it: people do not decide this about themselves.
            pub directory_hold: Option<bool>,
            pub custom: Vec<(String, Given<String>)>,
            /// Recordings and pictures, not validated yet.
            pub media: Vec<(Kind, Incoming)>,
            pub errors: FieldErrors,
        }

        #[derive(Debug, Clone, Default)]
        pub struct LegalDraft {
            $(pub $legal: Given<String>,)*
        }

        impl Participant {
            /// Creates a participant without any texts.
            pub fn new(id: ParticipantId, page_place: i64, token: String) -> Self {
                Self {
                    id,
                    token,
                    email: None,
                    $($own: None,)*
                    recording: None,
                    photo: None,
                    is_held: false,
                    legal: Legal::default(),
                    custom: CustomValues::default(),
                    custom_changed_at: None,
                    directory_hold: false,
                    withheld: Withheld::default(),
                    page: Arc::default(),
                    page_place,
                }
            }

            /// Each text field with its value, in the order of `TEXT_FIELDS`.
            pub fn texts(&self) -> impl Iterator<Item = (&'static TextField, Option<&str>)> {
                let values = [$(self.$own.as_deref(),)* $(self.legal.$legal.as_deref(),)*];
                TEXT_FIELDS.iter().zip(values)
            }

            /// Moves the texts out of a draft and applies them.
            pub fn take_texts(&mut self, draft: &mut Draft) {
                $(std::mem::take(&mut draft.$own).replace(&mut self.$own);)*
                $(std::mem::take(&mut draft.legal.$legal).replace(&mut self.legal.$legal);)*
            }
        }

        impl Legal {
            /// Whether there is nothing to show.
            pub fn is_empty(&self) -> bool {
                [$(&self.$legal,)*].into_iter().all(Option::is_none) && self.recording.is_none()
            }
        }

        impl Draft {
            /// Creates a draft by calling `read` for each text field, in order.
            pub(super) fn of_texts(
                legal: LegalNames,
                mut read: impl FnMut(&TextField) -> Given<String>,
            ) -> Self {
                let mut fields = TEXT_FIELDS.iter();
                let mut next = || match fields.next() {
                    Some(field) if field.is_legal && legal == LegalNames::Ignored => Given::Absent,
                    Some(field) => read(field),
                    None => Given::Absent,
                };
                Self {
                    $($own: next(),)*
                    legal: LegalDraft { $($legal: next(),)* },
                    ..Self::default()
                }
            }
        }
    };
}
text_fields!(types);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_field_has_a_key_and_a_column_of_its_own() {
        for (at, field) in TEXT_FIELDS.iter().enumerate() {
            let others = &TEXT_FIELDS[at + 1..];
            assert!(others.iter().all(|other| other.key != field.key && other.column != field.column));
            assert_eq!(field.is_legal, field.key.starts_with("legal_"), "{}", field.key);
            assert_eq!(field.field.name(), field.key);
        }
    }

    #[test]
    fn a_draft_is_read_and_taken_over_field_by_field() {
        let mut draft =
            Draft::of_texts(LegalNames::Permitted, |field| Given::Set(format!("a {}", field.column)));
        let mut person = Participant::new(ParticipantId::new(1), 1, String::new());
        person.take_texts(&mut draft);
        for (field, value) in person.texts() {
            assert_eq!(value, Some(format!("a {}", field.column).as_str()));
        }
        assert_eq!(person.legal.notes.as_deref(), Some("a legal_notes"));
        let mut ignored = Draft::of_texts(LegalNames::Ignored, |field| {
            assert!(!field.is_legal);
            Given::Clear
        });
        person.take_texts(&mut ignored);
        for (field, value) in person.texts() {
            assert_eq!(value.is_some(), field.is_legal, "{}", field.key);
        }
    }
}
