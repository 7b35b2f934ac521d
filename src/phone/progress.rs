//! Events of a call in progress, for observers.

use std::{fmt, sync::Arc};

use crate::domain::conversation::{End, Step};

#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Progress {
    Ringing,
    Answered,
    /// The conversation has reached this step.
    Step(Step),
    Key(char),
    /// A take of this length, kept or not.
    Recorded {
        seconds: f32,
    },
    /// They have put us on hold, or resumed.
    Held(bool),
}

/// The observer. Called from the task that sends audio, so it must be fast.
pub type ProgressFn = Arc<dyn Fn(Progress) + Send + Sync>;

impl fmt::Display for Progress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Ringing => write!(f, "Ringing."),
            Self::Answered => write!(f, "Answered."),
            Self::Step(Step::Invite { said: 1 }) => {
                write!(f, "Playing the invitation and waiting for a key.")
            }
            Self::Step(Step::Invite { .. }) => write!(f, "No key yet: asking again."),
            Self::Step(Step::Record { take }) => write!(f, "Recording take {take}."),
            Self::Step(Step::Review { said: 1, .. }) => {
                write!(f, "Playing it back and asking whether to keep it.")
            }
            Self::Step(Step::Review { .. }) => write!(f, "No key yet: asking again whether to keep it."),
            Self::Step(Step::Over { end }) => match end {
                End::Kept => write!(f, "The recording was accepted."),
                End::NoKey => write!(f, "No key was pressed: saying goodbye."),
                End::Silence => write!(f, "Nothing was said: saying goodbye."),
                End::NotKept => write!(f, "No take was accepted: saying goodbye."),
                End::OptedOut => write!(f, "The callee opted out of further calls."),
                End::HungUp => write!(f, "The callee hung up."),
            },
            Self::Key(key) => write!(f, "Key {key} was pressed."),
            Self::Recorded { seconds } => write!(f, "Recorded {seconds:.1} seconds."),
            Self::Held(true) => write!(f, "On hold."),
            Self::Held(false) => write!(f, "Off hold."),
        }
    }
}
