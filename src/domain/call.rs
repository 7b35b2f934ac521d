//! A phone call that asks a person to record their name: its state machine, its attempts and its retries.

use super::{ids::CallId, moment::Moment};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    /// Waiting for its first attempt or for a retry.
    Scheduled,
    Dialing,
    InProgress,
    Recorded,
    NoAnswer,
    Busy,
    Failed,
    Canceled,
}

impl State {
    pub const ALL: [Self; 8] = [
        Self::Scheduled,
        Self::Dialing,
        Self::InProgress,
        Self::Recorded,
        Self::NoAnswer,
        Self::Busy,
        Self::Failed,
        Self::Canceled,
    ];

    pub const fn word(self) -> &'static str {
        match self {
            Self::Scheduled => "scheduled",
            Self::Dialing => "dialing",
            Self::InProgress => "in_progress",
            Self::Recorded => "recorded",
            Self::NoAnswer => "no_answer",
            Self::Busy => "busy",
            Self::Failed => "failed",
            Self::Canceled => "cancelled",
        }
    }

    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|state| state.word() == word)
    }

    /// A call is in progress or scheduled.
    pub const fn is_pending(self) -> bool {
        matches!(self, Self::Scheduled | Self::Dialing | Self::InProgress)
    }

    /// Whether the transition from this state to `next` is allowed.
    pub const fn may_become(self, next: Self) -> bool {
        match self {
            Self::Scheduled => matches!(next, Self::Dialing | Self::Canceled),
            // Back to `Scheduled` means a retry.
            Self::Dialing => !matches!(next, Self::Dialing | Self::Recorded),
            Self::InProgress => {
                matches!(next, Self::Scheduled | Self::Recorded | Self::Failed | Self::Canceled)
            }
            // An operator may retry a finished call unless it succeeded.
            Self::NoAnswer | Self::Busy | Self::Failed | Self::Canceled => matches!(next, Self::Scheduled),
            Self::Recorded => false,
        }
    }
}

/// Why an attempt failed or was canceled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reason {
    /// Nobody pressed a key: often an answering machine.
    NoKey,
    /// Nothing was said after the tone.
    Silence,
    HungUp,
    Declined,
    /// All takes were used up and none was kept.
    NotKept,
    /// The recording was unusable: too short, or not available from the vendor.
    Unusable,
    /// The trunk or the vendor refused the call, or could not be reached.
    Unreachable,
    /// The process that made the call died.
    Interrupted,
    /// They asked not to be called.
    OptedOut,
    /// The person got a recording by other means.
    RecordedElsewhere,
    /// The phone number was replaced or removed.
    NumberChanged,
    /// Canceled by an operator.
    ByOperator,
    /// The person is no longer in the course.
    LeftCourse,
}

impl Reason {
    pub const ALL: [Self; 13] = [
        Self::NoKey,
        Self::Silence,
        Self::HungUp,
        Self::Declined,
        Self::NotKept,
        Self::Unusable,
        Self::Unreachable,
        Self::Interrupted,
        Self::OptedOut,
        Self::RecordedElsewhere,
        Self::NumberChanged,
        Self::ByOperator,
        Self::LeftCourse,
    ];

    pub const fn word(self) -> &'static str {
        match self {
            Self::NoKey => "no_key",
            Self::Silence => "silence",
            Self::HungUp => "hung_up",
            Self::Declined => "declined",
            Self::NotKept => "not_kept",
            Self::Unusable => "unusable",
            Self::Unreachable => "unreachable",
            Self::Interrupted => "interrupted",
            Self::OptedOut => "opted_out",
            Self::RecordedElsewhere => "recorded_elsewhere",
            Self::NumberChanged => "number_changed",
            Self::ByOperator => "by_operator",
            Self::LeftCourse => "left_course",
        }
    }

    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|reason| reason.word() == word)
    }
}

/// How an attempt ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    Recorded,
    NoAnswer,
    Busy,
    Failed(Reason),
    Canceled(Reason),
}

impl Outcome {
    pub const fn state(self) -> State {
        match self {
            Self::Recorded => State::Recorded,
            Self::NoAnswer => State::NoAnswer,
            Self::Busy => State::Busy,
            Self::Failed(_) => State::Failed,
            Self::Canceled(_) => State::Canceled,
        }
    }

    pub const fn reason(self) -> Option<Reason> {
        match self {
            Self::Failed(reason) | Self::Canceled(reason) => Some(reason),
            Self::Recorded | Self::NoAnswer | Self::Busy => None,
        }
    }

    /// The call's next state, given the attempts made so far and the maximum.
    pub const fn call_becomes(self, made: u32, allowed: u32) -> State {
        match self {
            Self::Recorded | Self::Canceled(_) => self.state(),
            Self::NoAnswer | Self::Busy | Self::Failed(_) if made < allowed => State::Scheduled,
            Self::NoAnswer | Self::Busy | Self::Failed(_) => self.state(),
        }
    }

    /// Maps the final SIP response code to an INVITE.
    pub const fn of_sip_code(code: u16) -> Self {
        match code {
            486 | 600 => Self::Busy,
            408 | 480 | 487 => Self::NoAnswer,
            603 => Self::Failed(Reason::Declined),
            _ => Self::Failed(Reason::Unreachable),
        }
    }
}

/// A call as listed for operators.
#[derive(Debug, Clone)]
pub struct Listed {
    pub id: CallId,
    pub institution: String,
    pub email: Option<String>,
    pub phone_number: String,
    pub state: State,
    /// When the call is due, if it is scheduled.
    pub run_at: Option<Moment>,
    pub attempts: Vec<Attempt>,
}

#[derive(Debug, Clone)]
pub struct Attempt {
    pub state: State,
    pub reason: Option<Reason>,
    /// When it started.
    pub at: Moment,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_these_moves_are_possible() {
        use State::{Busy, Canceled, Dialing, Failed, InProgress, NoAnswer, Recorded, Scheduled};
        let possible = [
            (Scheduled, vec![Dialing, Canceled]),
            (Dialing, vec![Scheduled, InProgress, NoAnswer, Busy, Failed, Canceled]),
            (InProgress, vec![Scheduled, Recorded, Failed, Canceled]),
            (Recorded, vec![]),
            (NoAnswer, vec![Scheduled]),
            (Busy, vec![Scheduled]),
            (Failed, vec![Scheduled]),
            (Canceled, vec![Scheduled]),
        ];
        for (from, to) in possible {
            for next in State::ALL {
                assert_eq!(from.may_become(next), to.contains(&next), "{from:?} to {next:?}");
            }
        }
    }

    #[test]
    fn words_are_read_back() {
        for state in State::ALL {
            assert_eq!(State::parse(state.word()), Some(state));
        }
        for reason in Reason::ALL {
            assert_eq!(Reason::parse(reason.word()), Some(reason));
        }
    }

    #[test]
    fn a_call_is_tried_again_until_its_attempts_are_used_up() {
        let outcomes = [Outcome::NoAnswer, Outcome::Busy, Outcome::Failed(Reason::HungUp)];
        for outcome in outcomes {
            assert_eq!(outcome.call_becomes(1, 3), State::Scheduled);
            assert_eq!(outcome.call_becomes(2, 3), State::Scheduled);
            assert_eq!(outcome.call_becomes(3, 3), outcome.state());
        }
        assert_eq!(Outcome::Recorded.call_becomes(1, 3), State::Recorded);
        assert_eq!(Outcome::Canceled(Reason::OptedOut).call_becomes(1, 3), State::Canceled);
    }

    #[test]
    fn final_codes_are_told_apart() {
        for code in [486, 600] {
            assert_eq!(Outcome::of_sip_code(code), Outcome::Busy);
        }
        for code in [408, 480, 487] {
            assert_eq!(Outcome::of_sip_code(code), Outcome::NoAnswer);
        }
        assert_eq!(Outcome::of_sip_code(603), Outcome::Failed(Reason::Declined));
        for code in [401, 403, 404, 407, 484, 488, 500, 503, 604] {
            assert_eq!(Outcome::of_sip_code(code), Outcome::Failed(Reason::Unreachable), "{code}");
        }
    }
}
