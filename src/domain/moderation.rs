//! Cases of moderation: recordings and entries that wait for a manager's approval, and complaints about those that others can hear and see.

use std::time::Duration;

use super::{
    fault::{Fault, Field},
    ids::{ModerationId, NamePageId, ParticipantId},
    moment::Moment,
    text::{self, Lines},
};

/// How long a decision can be undone. Then the case is deleted, and with it the recording that was rejected or removed.
pub const KEPT: Duration = Duration::from_secs(30 * 24 * 3_600);

/// The maximum length of a manager's reason and of a listener's sentence, in characters.
pub const LONGEST: usize = 1_000;

/// The maximum length of the sentences of all listeners in one case, in characters.
pub const LONGEST_TOGETHER: usize = 4_000;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Case {
    pub id: ModerationId,
    pub page: NamePageId,
    pub participant: ParticipantId,
    pub kind: CaseKind,
    pub about: About,
    /// The recording that it is about. Of an entry that waits: what identifies its last change. Empty for a report about an entry.
    pub hex: String,
    pub state: CaseState,
    /// Set for reports.
    pub complaint: Option<Complaint>,
    /// What listeners wrote, one line each.
    pub sentence: Option<String>,
    /// How many listeners have complained.
    pub reports: u64,
    /// When the recording was made, or first reported.
    pub created_at: Moment,
    pub decided_at: Option<Moment>,
    /// Who has decided: the email of a member, or `operator`.
    pub decided_by: Option<String>,
    /// Why the recording was rejected or removed.
    pub reason: Option<String>,
    /// When the case is deleted. Set once it is decided.
    pub purge_at: Option<Moment>,
}

impl Case {
    pub fn is_open(&self) -> bool {
        self.state == CaseState::Open
    }

    /// A new case, which nobody has decided about. A report counts the listener who complains.
    pub fn open(
        id: ModerationId,
        (participant, page): (ParticipantId, NamePageId),
        about: About,
        hex: String,
        report: Option<(Complaint, Option<String>)>,
        created_at: Moment,
    ) -> Self {
        let kind = if report.is_some() { CaseKind::Report } else { CaseKind::Held };
        let (complaint, sentence) = match report {
            Some((complaint, sentence)) => (Some(complaint), sentence),
            None => (None, None),
        };
        Self {
            id,
            page,
            participant,
            kind,
            about,
            hex,
            state: CaseState::Open,
            complaint,
            sentence,
            reports: u64::from(kind == CaseKind::Report),
            created_at,
            decided_at: None,
            decided_by: None,
            reason: None,
            purge_at: None,
        }
    }

    /// Was a recording or an entry rejected or removed that still exists?
    pub fn can_be_restored(&self) -> bool {
        matches!(self.state, CaseState::Rejected | CaseState::Removed)
    }

    /// Is it about what others can hear or see? What was held and approved, or an open report.
    pub fn can_be_removed(&self) -> bool {
        match self.kind {
            CaseKind::Held => matches!(self.state, CaseState::Approved | CaseState::Restored),
            CaseKind::Report => {
                matches!(self.state, CaseState::Open | CaseState::Dismissed | CaseState::Restored)
            }
        }
    }
}

/// What a case is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum About {
    Recording,
    /// Everything that an entry shows: names, spelling, picture and the other details.
    Entry,
}

impl About {
    pub const ALL: [Self; 2] = [Self::Recording, Self::Entry];

    /// In forms and on the command line.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Recording => "recording",
            Self::Entry => "entry",
        }
    }

    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|about| about.word() == word)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CaseKind {
    /// It waits for approval.
    Held,
    /// Listeners complain about it.
    Report,
}

impl CaseKind {
    pub const ALL: [Self; 2] = [Self::Held, Self::Report];

    /// The value in the database.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Held => "held",
            Self::Report => "report",
        }
    }

    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.word() == word)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CaseState {
    Open,
    /// What was held can be heard or seen.
    Approved,
    /// What was held was not accepted.
    Rejected,
    /// What could be heard or seen was taken away.
    Removed,
    /// The complaint was not justified.
    Dismissed,
    /// What was rejected or removed can be heard or seen again.
    Restored,
}

impl CaseState {
    pub const ALL: [Self; 6] =
        [Self::Open, Self::Approved, Self::Rejected, Self::Removed, Self::Dismissed, Self::Restored];

    /// The value in the database.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Approved => "approved",
            Self::Rejected => "rejected",
            Self::Removed => "removed",
            Self::Dismissed => "dismissed",
            Self::Restored => "restored",
        }
    }

    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|state| state.word() == word)
    }
}

/// What is wrong with a recording or an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Complaint {
    /// It is somebody else's name.
    WrongPerson,
    Offensive,
    Unintelligible,
}

impl Complaint {
    pub const ALL: [Self; 3] = [Self::WrongPerson, Self::Offensive, Self::Unintelligible];

    /// The value in the database and in forms.
    pub const fn word(self) -> &'static str {
        match self {
            Self::WrongPerson => "wrong_person",
            Self::Offensive => "offensive",
            Self::Unintelligible => "unintelligible",
        }
    }

    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|complaint| complaint.word() == word)
    }
}

/// The field of a manager's reason.
pub const REASON: Field = Field::Parameter("reason");
/// The field of a listener's sentence.
pub const SENTENCE: Field = Field::Parameter("sentence");

/// A manager's reason, which the person receives: it must say something.
pub fn reason(given: &str) -> Result<String, Fault> {
    let given = tidied(given);
    if text::is_invisible(&given) {
        return Err(Fault::Blank);
    }
    match text::fault(&given, LONGEST, Lines::Many) {
        Some(fault) => Err(fault),
        None => Ok(given),
    }
}

/// A listener's sentence, on one line: the lines of a case are those of its listeners. It may be missing.
pub fn sentence(given: &str) -> Result<Option<String>, Fault> {
    let given = tidied(given).split_whitespace().collect::<Vec<_>>().join(" ");
    if text::is_invisible(&given) {
        return Ok(None);
    }
    match text::fault(&given, LONGEST, Lines::One) {
        Some(fault) => Err(fault),
        None => Ok(Some(given)),
    }
}

fn tidied(given: &str) -> String {
    text::nfc(given.replace("\r\n", "\n").trim())
}

/// What listeners wrote, with one more sentence, unless it was written before or they are too long together.
pub fn with_sentence(old: Option<String>, new: Option<String>) -> Option<String> {
    match (old, new) {
        (Some(old), Some(new)) => {
            let both = format!("{old}\n{new}");
            let is_known = old.lines().any(|line| line == new);
            Some(if is_known || both.chars().count() > LONGEST_TOGETHER { old } else { both })
        }
        (old, new) => old.or(new),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_read_back() {
        assert!(CaseKind::ALL.into_iter().all(|one| CaseKind::parse(one.word()) == Some(one)));
        assert!(CaseState::ALL.into_iter().all(|one| CaseState::parse(one.word()) == Some(one)));
        assert!(Complaint::ALL.into_iter().all(|one| Complaint::parse(one.word()) == Some(one)));
        assert!(About::ALL.into_iter().all(|one| About::parse(one.word()) == Some(one)));
        assert_eq!(Complaint::parse("rude"), None);
    }

    #[test]
    fn a_reason_says_something_and_is_not_endless() {
        assert_eq!(reason(" Too quiet.\r\nPlease try again. "), Ok("Too quiet.\nPlease try again.".into()));
        for nothing in ["", " \n", "\u{200b}\u{2060}"] {
            assert_eq!(reason(nothing), Err(Fault::Blank), "{nothing:?}");
        }
        assert_eq!(reason("a\0b"), Err(Fault::ControlCharacter));
        assert_eq!(reason(&"é".repeat(LONGEST)).map(|reason| reason.chars().count()), Ok(LONGEST));
        assert_eq!(reason(&"é".repeat(LONGEST + 1)), Err(Fault::TooLong { most: LONGEST }));
    }

    #[test]
    fn the_sentences_of_listeners_are_kept_within_bounds() {
        assert_eq!(sentence(" That is\r\nnot  her. "), Ok(Some("That is not her.".into())));
        assert_eq!(sentence(" \u{200b}"), Ok(None));
        assert_eq!(sentence(&"a".repeat(LONGEST + 1)), Err(Fault::TooLong { most: LONGEST }));
        let some = |text: &str| Some(text.to_owned());
        assert_eq!(with_sentence(None, some("a")), some("a"));
        assert_eq!(with_sentence(some("a"), None), some("a"));
        assert_eq!(with_sentence(some("a"), some("b")), some("a\nb"));
        assert_eq!(with_sentence(some("a\nb"), some("b")), some("a\nb"));
        let full = "a".repeat(LONGEST_TOGETHER - 1);
        assert_eq!(with_sentence(Some(full.clone()), some("b")), Some(full));
    }
}
