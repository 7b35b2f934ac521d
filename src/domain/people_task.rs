//! What is done with many people at once: by a job, in groups, with an outcome for everybody.

use serde::{Deserialize, Serialize};

use super::{
    ids::{CustomFieldId, NamePageId, PeopleTaskId},
    moment::Moment,
};

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum TaskAction {
    /// Invites those who have not recorded. Links begin with the base URL of the server that received the request.
    Invite { base_url: String },
    /// Reminds those who were invited and have not recorded.
    Remind { base_url: String },
    /// Moves them to another name page.
    Move { page: NamePageId },
    /// Sets a custom field, or clears it.
    Tag { field: CustomFieldId, value: Option<String> },
    /// They can be restored for some time.
    Delete,
    /// Undoes a deletion.
    Restore,
}

impl TaskAction {
    pub const fn word(&self) -> &'static str {
        match self {
            Self::Invite { .. } => "invite",
            Self::Remind { .. } => "remind",
            Self::Move { .. } => "move",
            Self::Tag { .. } => "tag",
            Self::Delete => "delete",
            Self::Restore => "restore",
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TaskState {
    /// Some people have not had their turn.
    Waiting,
    Done,
    /// The job has failed for the last time. Those who have had their turn are done.
    Failed,
}

impl TaskState {
    pub const ALL: [Self; 3] = [Self::Waiting, Self::Done, Self::Failed];

    pub const fn word(self) -> &'static str {
        match self {
            Self::Waiting => "waiting",
            Self::Done => "done",
            Self::Failed => "failed",
        }
    }

    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|state| state.word() == word)
    }
}

/// What has become of somebody.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum TaskOutcome {
    Done,
    /// Nothing had to be done.
    Unchanged,
    /// They are not there any more, or not on a page of whoever has begun this.
    Gone,
    /// Somebody with the same address or identifier is there.
    Taken,
    WithoutEmail,
    /// They have recorded already.
    Recorded,
    /// They want no mail, or their address does not exist.
    Unreachable,
    NotInvited,
    /// They were written to a short time ago, or often enough.
    JustWritten,
    /// A learning system decides on which page they are.
    InCourse,
    /// The name page is closed or archived.
    Closed,
}

impl TaskOutcome {
    pub const ALL: [Self; 11] = [
        Self::Done,
        Self::Unchanged,
        Self::Gone,
        Self::Taken,
        Self::WithoutEmail,
        Self::Recorded,
        Self::Unreachable,
        Self::NotInvited,
        Self::JustWritten,
        Self::InCourse,
        Self::Closed,
    ];

    pub const fn word(self) -> &'static str {
        match self {
            Self::Done => "done",
            Self::Unchanged => "unchanged",
            Self::Gone => "gone",
            Self::Taken => "taken",
            Self::WithoutEmail => "without_email",
            Self::Recorded => "recorded",
            Self::Unreachable => "unreachable",
            Self::NotInvited => "not_invited",
            Self::JustWritten => "just_written",
            Self::InCourse => "in_course",
            Self::Closed => "closed",
        }
    }

    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|outcome| outcome.word() == word)
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PeopleTask {
    pub id: PeopleTaskId,
    pub action: TaskAction,
    /// The name pages of whoever has begun it; `None` for all.
    pub pages: Option<Vec<NamePageId>>,
    pub state: TaskState,
    pub rows_done: u64,
    pub rows_total: u64,
    pub created_by: String,
    pub created_at: Moment,
}

impl PeopleTask {
    pub fn reaches(&self, page: NamePageId) -> bool {
        self.pages.as_ref().is_none_or(|pages| pages.contains(&page))
    }
}

/// The most people of one task.
pub const MOST_PEOPLE: usize = 10_000;
/// So many are done at once, while somebody waits for the response.
pub const FEW_PEOPLE: usize = 100;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_read_back() {
        assert!(TaskState::ALL.into_iter().all(|state| TaskState::parse(state.word()) == Some(state)));
        assert!(TaskOutcome::ALL.into_iter().all(|one| TaskOutcome::parse(one.word()) == Some(one)));
    }

    /// The rows of an earlier version must stay readable.
    #[test]
    fn every_action_is_stored_under_its_word() {
        for row in [
            r#"{"kind":"invite","base_url":"https://names.example.edu"}"#,
            r#"{"kind":"remind","base_url":"https://names.example.edu"}"#,
            r#"{"kind":"move","page":7}"#,
            r#"{"kind":"tag","field":7,"value":"Physics"}"#,
            r#"{"kind":"tag","field":7,"value":null}"#,
            r#"{"kind":"delete"}"#,
            r#"{"kind":"restore"}"#,
        ] {
            let action: TaskAction = serde_json::from_str(row).unwrap();
            assert_eq!(serde_json::to_string(&action).unwrap(), row);
            assert!(row.contains(&format!("\"{}\"", action.word())), "{row}");
        }
    }
}
