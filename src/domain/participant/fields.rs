//! A participant's text fields, in one list. A line in `text_fields!` is a field of `Participant` and of `Draft`, a key that
//! requests and import files may have, a name that no custom field may take, and a column of the table, which is selected,
//! inserted, updated, merged and moved with the row. docs/adding-a-field.md says what is left to do by hand.

use std::sync::Arc;

use super::{CustomValues, Given, LegalNames, Recording};
use crate::domain::{
    email::Email,
    field_errors::FieldErrors,
    media::{Incoming, Kind},
    moment::Moment,
    name_page::PageLabel,
    phone_number::PhoneNumber,
    text::{Lines, longest},
};

/// Expands `$generate!` with the list. `own` are fields of `Participant`, `legal` those of `Legal`; each has its kind and its
/// key in requests. Requests are checked in this order, and responses list errors in it: append new fields.
macro_rules! text_fields {
    ($generate:ident) => {
        $generate! {
            own {
                first_name: Name = "first_name",
                last_name: Name = "last_name",
                identifier: Identifier = "institution_id",
                phonetic: Phonetic = "phonetic",
                notes: Notes = "notes",
            }
            legal {
                first_name: Name = "legal_first_name",
                last_name: Name = "legal_last_name",
                middle_name: Name = "legal_middle_name",
                phonetic: Phonetic = "legal_phonetic",
                notes: Notes = "legal_notes",
            }
        }
    };
}
pub(crate) use text_fields;

/// A text field of a participant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TextField {
    /// In requests and in the heading of an import file.
    pub key: &'static str,
    /// In the tables `participants` and `hidden_participants`.
    pub column: &'static str,
    pub kind: TextKind,
    /// Only for institutions that have legal names.
    pub is_legal: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TextKind {
    Name,
    /// Part of a participant's identity: set on creation, and never by an update.
    Identifier,
    Phonetic,
    Notes,
}

impl TextKind {
    /// In characters.
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
        own { $($own:ident: $own_kind:ident = $own_key:literal,)* }
        legal { $($legal:ident: $legal_kind:ident = $legal_key:literal,)* }
    ) => {
        /// Every text field: those of `Participant`, then those of `Legal`.
        pub const TEXT_FIELDS: [TextField; [$($own_key,)* $($legal_key,)*].len()] = [
            $(TextField {
                key: $own_key,
                column: stringify!($own),
                kind: TextKind::$own_kind,
                is_legal: false,
            },)*
            $(TextField {
                key: $legal_key,
                column: concat!("legal_", stringify!($legal)),
                kind: TextKind::$legal_kind,
                is_legal: true,
            },)*
        ];

        #[derive(Debug, Clone)]
        pub struct Participant {
            /// Their place in the institution's roll; never shown.
            pub id: i64,
            /// The public, unguessable identifier of the registration.
            pub token: String,
            pub email: Option<String>,
            $(pub $own: Option<String>,)*
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

        /// The legal name, beside the one that the participant goes by.
        #[derive(Debug, Clone, Default)]
        pub struct Legal {
            $(pub $legal: Option<String>,)*
            pub recording: Option<Recording>,
        }

        /// What a caller wants a participant to be: fields checked one by one, faults collected.
        #[derive(Debug, Clone, Default)]
        pub struct Draft {
            pub email: Given<Email>,
            pub phone_number: Given<PhoneNumber>,
            $(pub $own: Given<String>,)*
            pub legal: LegalDraft,
            pub custom: Vec<(String, Given<String>)>,
            /// Recordings and pictures, before anyone has looked at them.
            pub media: Vec<(Kind, Incoming)>,
            pub errors: FieldErrors,
        }

        #[derive(Debug, Clone, Default)]
        pub struct LegalDraft {
            $(pub $legal: Given<String>,)*
        }

        impl Participant {
            /// Without any text yet.
            pub fn new(id: i64, page_place: i64, token: String) -> Self {
                Self {
                    id,
                    token,
                    email: None,
                    $($own: None,)*
                    recording: None,
                    photo: None,
                    legal: Legal::default(),
                    custom: CustomValues::default(),
                    custom_changed_at: None,
                    page: Arc::default(),
                    page_place,
                }
            }

            /// Each text field with its value, in the order of `TEXT_FIELDS`.
            pub fn texts(&self) -> impl Iterator<Item = (&'static TextField, Option<&str>)> {
                let values = [$(self.$own.as_deref(),)* $(self.legal.$legal.as_deref(),)*];
                TEXT_FIELDS.iter().zip(values)
            }

            /// Takes over the texts that a draft gives, out of the draft.
            pub fn take_texts(&mut self, draft: &mut Draft) {
                $(std::mem::take(&mut draft.$own).replace(&mut self.$own);)*
                $(std::mem::take(&mut draft.legal.$legal).replace(&mut self.legal.$legal);)*
            }
        }

        impl Legal {
            /// Is there nothing to show?
            pub fn is_empty(&self) -> bool {
                [$(&self.$legal,)*].into_iter().all(Option::is_none) && self.recording.is_none()
            }
        }

        impl Draft {
            /// A draft of what `read` finds for each text field, in order.
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
        }
    }

    #[test]
    fn a_draft_is_read_and_taken_over_field_by_field() {
        let mut draft =
            Draft::of_texts(LegalNames::Permitted, |field| Given::Set(format!("a {}", field.column)));
        let mut person = Participant::new(1, 1, String::new());
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
