//! What happens on a call while it is made, for whoever watches.

use std::{fmt, sync::Arc};

use crate::domain::conversation::{End, Step};

#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Progress {
    Ringing,
    Answered,
    /// The conversation has come to this step.
    Step(Step),
    Key(char),
    /// A take of this length, kept or not.
    Recorded {
        seconds: f32,
    },
    /// They have put us on hold, or have come back.
    Held(bool),
}

/// Who is told. Called from the task that speaks, so it must be quick.
pub type Told = Arc<dyn Fn(Progress) + Send + Sync>;

impl fmt::Display for Progress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Ringing => write!(f, "The phone rings."),
            Self::Answered => write!(f, "Somebody answers."),
            Self::Step(Step::Invite { said: 1 }) => write!(f, "We say who we are, and ask for a key."),
            Self::Step(Step::Invite { .. }) => write!(f, "No key yet: we ask again."),
            Self::Step(Step::Record { take }) => write!(f, "We record, take {take}."),
            Self::Step(Step::Review { said: 1, .. }) => {
                write!(f, "We play it back, and ask whether to keep it.")
            }
            Self::Step(Step::Review { .. }) => write!(f, "No key yet: we ask again whether to keep it."),
            Self::Step(Step::Over { end }) => match end {
                End::Kept => write!(f, "They keep it."),
                End::NoKey => write!(f, "Nobody has pressed a key: we say goodbye."),
                End::Silence => write!(f, "Nothing was said: we say goodbye."),
                End::NotKept => write!(f, "They have kept none of their tries: we say goodbye."),
                End::OptedOut => write!(f, "They do not want to be called again."),
                End::HungUp => write!(f, "They have hung up."),
            },
            Self::Key(key) => write!(f, "They press {key}."),
            Self::Recorded { seconds } => write!(f, "We have recorded {seconds:.1} seconds."),
            Self::Held(true) => write!(f, "They put us on hold."),
            Self::Held(false) => write!(f, "They are back."),
        }
    }
}
