//! Imports of people from files.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{
    ids::{CustomFieldId, ImportId, NamePageId},
    moment::Moment,
    participant::{Participant, Raw, Source},
};

/// What has happened to an import so far. A file that is imported on the command line starts as `Running`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ImportState {
    /// Somebody chooses which column is which field.
    Uploaded,
    /// A job reads the whole file, and finds out what would happen.
    Checking,
    Checked,
    /// The job that imports it has not begun.
    Waiting,
    Running,
    Done,
    /// A dry run or an import has failed: its file cannot be read (then there is a `fault`), or its job was given up (a part may be imported).
    Failed,
    Undoing,
    Undone,
}

impl ImportState {
    pub const ALL: [Self; 9] = [
        Self::Uploaded,
        Self::Checking,
        Self::Checked,
        Self::Waiting,
        Self::Running,
        Self::Done,
        Self::Failed,
        Self::Undoing,
        Self::Undone,
    ];

    pub const fn word(self) -> &'static str {
        match self {
            Self::Uploaded => "uploaded",
            Self::Checking => "checking",
            Self::Checked => "checked",
            Self::Waiting => "waiting",
            Self::Running => "running",
            Self::Done => "done",
            Self::Failed => "failed",
            Self::Undoing => "undoing",
            Self::Undone => "undone",
        }
    }

    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|state| state.word() == word)
    }

    /// Whether a job is at work, so that the numbers change.
    pub const fn is_busy(self) -> bool {
        matches!(self, Self::Checking | Self::Waiting | Self::Running | Self::Undoing)
    }
}

#[derive(Debug, Clone)]
pub struct Import {
    pub id: ImportId,
    pub page: NamePageId,
    pub state: ImportState,
    pub file_name: String,
    /// JSON, see `app/imports/sheet.rs`.
    pub mapping: String,
    /// Whether new people start with what they have recorded on other pages.
    pub starts_with_newest: bool,
    pub counts: Counts,
    pub rows_total: Option<u64>,
    /// JSON: the result of single rows.
    pub report: Option<String>,
    pub fault: Option<String>,
    pub created_at: Moment,
}

impl Import {
    /// Whether it may have changed people that are still there. A killed import is `Running`.
    pub const fn has_changed(&self) -> bool {
        match self.state {
            ImportState::Running | ImportState::Done | ImportState::Undoing => true,
            ImportState::Failed => self.counts.done > 0,
            ImportState::Uploaded
            | ImportState::Checking
            | ImportState::Checked
            | ImportState::Waiting
            | ImportState::Undone => false,
        }
    }
}

/// An import with the slug and the title of its page.
#[derive(Debug, Clone)]
pub struct ImportOnPage {
    pub import: Import,
    pub slug: String,
    pub title: String,
}

/// Numbers of rows, by their result.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    pub done: u64,
    pub created: u64,
    pub updated: u64,
    pub unchanged: u64,
    pub refused: u64,
}

/// What an import did with a recording of a person who was on the page before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BroughtRecording {
    Added,
    /// The one before is gone, so this cannot be undone.
    Replaced,
}

impl BroughtRecording {
    pub const fn word(self) -> &'static str {
        match self {
            Self::Added => "added",
            Self::Replaced => "replaced",
        }
    }

    pub fn parse(word: &str) -> Option<Self> {
        [Self::Added, Self::Replaced].into_iter().find(|one| one.word() == word)
    }
}

/// A participant before an import changed them.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Before {
    /// By the key in requests.
    texts: BTreeMap<String, String>,
    pub custom: BTreeMap<CustomFieldId, String>,
    pub custom_changed_at: Option<i64>,
    pub phone_number: Option<String>,
}

impl Before {
    pub fn of(person: &Participant, phone_number: Option<String>) -> Self {
        let texts = person.texts().filter_map(|(field, text)| Some((field.key.to_owned(), text?.to_owned())));
        Self {
            texts: texts.collect(),
            custom: person.custom.0.clone(),
            custom_changed_at: person.custom_changed_at.map(Moment::micros),
            phone_number,
        }
    }
}

/// For restoring the texts.
impl Source for Before {
    fn get(&self, key: &str) -> Raw<'_> {
        self.texts.get(key).map_or(Raw::Null, |text| Raw::Text(text.into()))
    }

    fn custom(&self) -> Vec<(String, Raw<'_>)> {
        Vec::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{
        ids::ParticipantId,
        participant::{Draft, LegalNames},
    };

    #[test]
    fn states_have_words() {
        for state in ImportState::ALL {
            assert_eq!(ImportState::parse(state.word()), Some(state));
        }
        assert_eq!(ImportState::parse("other"), None);
    }

    #[test]
    fn a_person_is_restored_from_what_they_were_before() {
        let mut person = Participant::new(ParticipantId::new(1), 1, String::new());
        person.first_name = Some("Ana".to_owned());
        person.legal.notes = Some("Since 2020".to_owned());
        person.custom.0.insert(CustomFieldId::new(7), "she".to_owned());
        let json = serde_json::to_string(&Before::of(&person, Some("+12025550123".to_owned()))).unwrap();
        let before: Before = serde_json::from_str(&json).unwrap();
        let mut changed = person.clone();
        changed.first_name = Some("Anna".to_owned());
        changed.notes = Some("new".to_owned());
        changed.take_texts(&mut Draft::read(&before, LegalNames::Permitted));
        for ((field, now), (_, then)) in changed.texts().zip(person.texts()) {
            assert_eq!(now, then, "{}", field.key);
        }
        assert_eq!(
            (&before.custom, before.phone_number.as_deref()),
            (&person.custom.0, Some("+12025550123"))
        );
    }
}
