//! An export: an asynchronously generated report on people.

use std::time::Duration;

use super::{
    ids::{ExportId, NamePageId},
    moment::Moment,
};

/// | from | to | when |
/// |---|---|---|
/// | initial, in_progress | in_progress | a worker claims it, for the first time or after a crash |
/// | failed | in_progress | an operator retries its job |
/// | in_progress | completed | the report is stored |
/// | initial, in_progress | failed | the last attempt failed |
/// | initial, in_progress, completed | expired | its lifetime ended |
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    Initial,
    InProgress,
    Completed,
    Expired,
    Failed,
}

impl State {
    pub const ALL: [Self; 5] =
        [Self::Initial, Self::InProgress, Self::Completed, Self::Expired, Self::Failed];

    pub const fn word(self) -> &'static str {
        match self {
            Self::Initial => "initial",
            Self::InProgress => "in_progress",
            Self::Completed => "completed",
            Self::Expired => "expired",
            Self::Failed => "failed",
        }
    }

    pub fn to(self, next: Self) -> Result<Self, WrongState> {
        let allowed = match next {
            Self::Initial => false,
            Self::InProgress => matches!(self, Self::Initial | Self::InProgress | Self::Failed),
            Self::Completed => matches!(self, Self::InProgress),
            Self::Failed => matches!(self, Self::Initial | Self::InProgress),
            Self::Expired => matches!(self, Self::Initial | Self::InProgress | Self::Completed),
        };
        if allowed { Ok(next) } else { Err(WrongState { from: self, to: next }) }
    }
}

/// A transition that the table above does not allow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WrongState {
    pub from: State,
    pub to: State,
}

/// Filters are combined with AND.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Filters {
    pub created_after: Option<Moment>,
    pub updated_after: Option<Moment>,
    pub page: Option<Page>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page {
    /// As given in the request, and repeated in responses.
    pub given: String,
    pub id: NamePageId,
}

#[derive(Debug, Clone)]
pub struct Export {
    pub id: ExportId,
    pub filters: Filters,
    pub created_at: Moment,
    pub expires_at: Moment,
    pub state: State,
    /// Names of the custom fields in the report.
    pub custom_fields: Vec<String>,
    /// Requested with a token that is limited to certain name pages, and limited to them.
    pub pages_limited: bool,
    /// Requested with a token that gets the recordings of people with a directory hold.
    pub include_held: bool,
    /// How many people are in the report so far, and how many it will have, if that is known.
    pub people: Option<u64>,
    pub people_total: Option<u64>,
}

impl Export {
    pub fn request(id: ExportId, filters: Filters, now: Moment, life: Duration) -> Self {
        Self {
            id,
            filters,
            created_at: now,
            expires_at: now.plus(life),
            state: State::Initial,
            custom_fields: Vec::new(),
            pages_limited: false,
            include_held: false,
            people: Some(0),
            people_total: None,
        }
    }

    /// A completed report expires on time, even if the cleanup job has not removed it yet.
    pub fn state_at(&self, now: Moment) -> State {
        match self.state {
            State::Completed if self.is_over(now) => State::Expired,
            state => state,
        }
    }

    pub fn is_over(&self, now: Moment) -> bool {
        self.expires_at <= now
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_move_is_allowed_or_refused() {
        use State::{Completed, Expired, Failed, InProgress, Initial};
        let moves = [
            (Initial, InProgress),
            (Initial, Failed),
            (Initial, Expired),
            (InProgress, InProgress),
            (InProgress, Completed),
            (InProgress, Failed),
            (InProgress, Expired),
            (Completed, Expired),
            (Failed, InProgress),
        ];
        for from in State::ALL {
            for to in State::ALL {
                let wanted = if moves.contains(&(from, to)) { Ok(to) } else { Err(WrongState { from, to }) };
                assert_eq!(from.to(to), wanted);
            }
        }
    }

    #[test]
    fn a_report_is_over_at_its_time() {
        let now = Moment::from_micros(0);
        let mut export = Export::request(ExportId::new(1), Filters::default(), now, Duration::from_secs(60));
        let (before, at) = (now.plus(Duration::from_millis(59_999)), now.plus(Duration::from_secs(60)));
        assert_eq!((export.state_at(before), export.state_at(at)), (State::Initial, State::Initial));
        export.state = State::Completed;
        assert_eq!((export.state_at(before), export.state_at(at)), (State::Completed, State::Expired));
    }
}
