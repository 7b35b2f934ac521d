//! Merging two entries of one person: which values the kept entry takes from the other.

use std::collections::BTreeMap;

use super::{
    ids::CustomFieldId,
    participant::{Participant, TextKind},
    text::longest,
};

/// What the kept entry gets from the other one: only what it lacks.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MergePlan {
    /// Text fields by their columns, besides the identifier. Notes are joined, if they fit.
    pub texts: Vec<(&'static str, String)>,
    pub custom: BTreeMap<CustomFieldId, String>,
    pub takes_email: bool,
    pub takes_identifier: bool,
    pub takes_recording: bool,
    pub takes_legal_recording: bool,
    pub takes_photo: bool,
}

impl MergePlan {
    /// The entries as they are read: a recording that is paused is not in them. Whether it moves is decided by what is stored.
    pub fn new(kept: &Participant, other: &Participant) -> Self {
        let mut texts = Vec::new();
        for ((field, own), (_, theirs)) in kept.texts().zip(other.texts()) {
            let Some(theirs) = theirs else { continue };
            match (field.kind, own) {
                (TextKind::Identifier, _) => {}
                (_, None) => texts.push((field.column, theirs.to_owned())),
                (TextKind::Notes, Some(own)) => {
                    texts.extend(joined(own, theirs).map(|both| (field.column, both)))
                }
                (TextKind::Name | TextKind::Phonetic, Some(_)) => {}
            }
        }
        let is_new = |id: &CustomFieldId| !kept.custom.0.contains_key(id);
        let custom = other.custom.0.iter().filter(|(id, _)| is_new(id));
        Self {
            texts,
            custom: custom.map(|(id, value)| (*id, value.clone())).collect(),
            takes_email: kept.email.is_none() && other.email.is_some(),
            takes_identifier: kept.identifier.is_none() && other.identifier.is_some(),
            takes_recording: kept.recording.is_none() && other.recording.is_some(),
            takes_legal_recording: kept.legal.recording.is_none() && other.legal.recording.is_some(),
            takes_photo: kept.photo.is_none() && other.photo.is_some(),
        }
    }

    /// The new text of a field, if it changes.
    pub fn text(&self, column: &str) -> Option<&str> {
        self.texts.iter().find(|(own, _)| *own == column).map(|(_, text)| text.as_str())
    }
}

/// Both notes. `None` if the second ones are contained in the first, or do not fit.
fn joined(own: &str, theirs: &str) -> Option<String> {
    let both = format!("{own}\n{theirs}");
    (!own.contains(theirs) && both.chars().count() <= longest::NOTES).then_some(both)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{ids::ParticipantId, moment::Moment, participant::Recording};

    fn person(id: i64, texts: &[(&str, &str)]) -> Participant {
        let mut person = Participant::new(ParticipantId::new(id), id, id.to_string());
        for (name, text) in texts {
            let text = Some((*text).to_owned());
            match *name {
                "first" => person.first_name = text,
                "last" => person.last_name = text,
                "phonetic" => person.phonetic = text,
                "notes" => person.notes = text,
                "email" => person.email = text,
                "identifier" => person.identifier = text,
                "legal" => person.legal.first_name = text,
                "photo" => person.photo = text,
                _ => panic!("{name}"),
            }
        }
        person
    }

    #[test]
    fn the_kept_entry_takes_what_it_lacks_and_keeps_what_it_has() {
        let mut kept = person(1, &[("first", "Ana"), ("email", "a@x.org"), ("notes", "One")]);
        let mut other = person(
            2,
            &[
                ("first", "Anna"),
                ("last", "Lima"),
                ("phonetic", "AH-na"),
                ("notes", "Two"),
                ("email", "b@x.org"),
                ("identifier", "S1"),
                ("legal", "Anastasia"),
                ("photo", "0f"),
            ],
        );
        let (major, year) = (CustomFieldId::new(1), CustomFieldId::new(2));
        kept.custom.0.insert(major, "Physics".into());
        other.custom.0.extend([(major, "Chemistry".to_owned()), (year, "2027".to_owned())]);
        other.recording = Some(Recording { hex: "0a".into(), recorded_at: Moment::from_micros(1) });
        let plan = MergePlan::new(&kept, &other);
        let texts = [
            ("last_name", "Lima"),
            ("phonetic", "AH-na"),
            ("notes", "One\nTwo"),
            ("legal_first_name", "Anastasia"),
        ];
        assert_eq!(plan.texts, texts.map(|(column, text)| (column, text.to_owned())));
        assert_eq!(plan.text("first_name"), None);
        assert_eq!(plan.custom, BTreeMap::from([(year, "2027".to_owned())]));
        assert!(plan.takes_recording && plan.takes_identifier && plan.takes_photo);
        assert!(!plan.takes_email && !plan.takes_legal_recording);
        let nothing = MergePlan::new(&other, &kept);
        assert_eq!(nothing.texts, [("notes", "Two\nOne".to_owned())]);
        assert!(nothing.custom.is_empty() && !nothing.takes_recording && !nothing.takes_photo);
    }

    #[test]
    fn notes_are_joined_once_and_only_if_they_fit() {
        assert_eq!(joined("a b", "b"), None);
        assert_eq!(joined("a", "b").as_deref(), Some("a\nb"));
        assert_eq!(joined(&"a".repeat(longest::NOTES - 1), "b"), None);
    }
}
