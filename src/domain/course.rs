//! A course of a learning system, with a name page of its own.

use super::moment::Moment;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Course {
    pub id: i64,
    pub tool_consumer: i64,
    /// The learning system's own id for it.
    pub external_id: String,
    pub title: String,
    pub name_page: i64,
    /// Where its roster is, when a launch or an answer has told.
    pub memberships_url: Option<String>,
    pub synced_at: Option<Moment>,
    /// Why the last attempt has failed.
    pub error: Option<String>,
    /// What an operator should know of the last one that has not.
    pub note: Option<String>,
    /// When the schedule has it synchronized next.
    pub next_sync_at: Option<Moment>,
    pub sync: Sync,
}

impl Course {
    /// What those who look after it should know: why it could not be synchronized, then what was noted when it last was.
    pub fn notes(&self) -> Vec<&str> {
        self.error.iter().chain(&self.note).map(String::as_str).collect()
    }
}

/// Is a course being synchronised?
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sync {
    Idle,
    /// It waits for its turn, or is under way.
    Running,
    /// It has failed and will be tried again by itself; whoever asks has it tried at once.
    Resting,
}
