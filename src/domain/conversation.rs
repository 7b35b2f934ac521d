//! The dialog of a phone call as a state machine. Each provider plays and records in its own way and asks it for the next step.

use super::call::{Outcome, Reason};

/// How long a menu waits for a key after its prompt.
pub const MENU_WAIT_SECONDS: u32 = 6;
/// How often a menu is played before the call ends.
pub const MENU_TIMES: u8 = 2;
/// A recording ends after this much silence following speech, …
pub const SILENCE_AFTER_SPEECH_SECONDS: u32 = 2;
/// … or after this much silence without speech, …
pub const SILENCE_SECONDS: u32 = 5;
/// … or at this length, or when `#` is pressed.
pub const MAX_SECONDS: u32 = 10;
pub const TAKES: u8 = 3;

/// A prompt. Each one is an audio file per language.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Prompt {
    /// "This is". The institution's own audio file or synthesized name follows; without either, `AnInstitution` replaces both.
    ThisIs,
    /// "This is a call from your institution."
    AnInstitution,
    /// "We would like to record how you say your name. Press 1 to record. …"
    Invite,
    /// "Please say your name after the tone."
    SayYourName,
    Tone,
    /// "This is what we recorded."
    YouSaid,
    /// "To keep it, press 1. To record again, press 2."
    Review,
    /// The same after the last take.
    LastReview,
    ThankYou,
    /// "We could not record your name this time. Goodbye."
    Goodbye,
    /// "We will not call you again."
    OptedOut,
}

impl Prompt {
    pub const ALL: [Self; 11] = [
        Self::ThisIs,
        Self::AnInstitution,
        Self::Invite,
        Self::SayYourName,
        Self::Tone,
        Self::YouSaid,
        Self::Review,
        Self::LastReview,
        Self::ThankYou,
        Self::Goodbye,
        Self::OptedOut,
    ];

    /// The file name without the extension.
    pub const fn file(self) -> &'static str {
        match self {
            Self::ThisIs => "this-is",
            Self::AnInstitution => "an-institution",
            Self::Invite => "invite",
            Self::SayYourName => "say-your-name",
            Self::Tone => "tone",
            Self::YouSaid => "you-said",
            Self::Review => "review",
            Self::LastReview => "last-review",
            Self::ThankYou => "thank-you",
            Self::Goodbye => "goodbye",
            Self::OptedOut => "opted-out",
        }
    }
}

/// The current step of the dialog. Takes and repetitions of a menu (`said`) are counted from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(tag = "step", rename_all = "snake_case")]
pub enum Step {
    /// "Press 1 to record."
    Invite {
        said: u8,
    },
    Record {
        take: u8,
    },
    /// "1 to keep, 2 to record again."
    Review {
        take: u8,
        said: u8,
    },
    Over {
        end: End,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum End {
    /// The last take was kept.
    Kept,
    NoKey,
    Silence,
    NotKept,
    OptedOut,
    HungUp,
}

impl End {
    /// The outcome of the attempt. `Kept` becomes `Recorded` once the audio is stored.
    pub const fn outcome(self) -> Outcome {
        match self {
            Self::Kept => Outcome::Recorded,
            Self::NoKey => Outcome::Failed(Reason::NoKey),
            Self::Silence => Outcome::Failed(Reason::Silence),
            Self::NotKept => Outcome::Failed(Reason::NotKept),
            Self::OptedOut => Outcome::Canceled(Reason::OptedOut),
            Self::HungUp => Outcome::Failed(Reason::HungUp),
        }
    }

    /// The prompt played before hanging up.
    pub const fn farewell(self) -> Option<Prompt> {
        match self {
            Self::Kept => Some(Prompt::ThankYou),
            Self::NoKey | Self::Silence | Self::NotKept => Some(Prompt::Goodbye),
            Self::OptedOut => Some(Prompt::OptedOut),
            Self::HungUp => None,
        }
    }
}

/// An event within a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Event {
    Key(char),
    /// The menu's prompt was played, and no key was pressed before the timeout.
    NoKey,
    /// Speech was recorded.
    Heard,
    /// Only silence was recorded.
    Silence,
    HungUp,
}

impl Step {
    pub const START: Self = Self::Invite { said: 1 };

    /// The next step. Events that a step does not expect are ignored.
    pub const fn after(self, event: Event) -> Self {
        const fn over(end: End) -> Step {
            Step::Over { end }
        }
        match (self, event) {
            (Self::Over { .. }, _) => self,
            (_, Event::HungUp) => over(End::HungUp),
            (Self::Invite { .. } | Self::Review { .. }, Event::Key('9')) => over(End::OptedOut),
            (Self::Invite { .. }, Event::Key('1')) => Self::Record { take: 1 },
            (Self::Invite { said }, Event::NoKey) if said < MENU_TIMES => Self::Invite { said: said + 1 },
            (Self::Review { take, said }, Event::NoKey) if said < MENU_TIMES => {
                Self::Review { take, said: said + 1 }
            }
            (Self::Invite { .. } | Self::Review { .. }, Event::NoKey) => over(End::NoKey),
            (Self::Record { take }, Event::Heard) => Self::Review { take, said: 1 },
            (Self::Record { .. }, Event::Silence) => over(End::Silence),
            (Self::Review { .. }, Event::Key('1')) => over(End::Kept),
            (Self::Review { take, .. }, Event::Key('2')) if take < TAKES => Self::Record { take: take + 1 },
            (Self::Review { .. }, Event::Key('2')) => over(End::NotKept),
            _ => self,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn play(events: &[Event]) -> Step {
        events.iter().fold(Step::START, |step, event| step.after(*event))
    }

    #[test]
    fn a_name_is_said_heard_and_kept() {
        let end = play(&[Event::Key('1'), Event::Heard, Event::Key('1')]);
        assert_eq!(end, Step::Over { end: End::Kept });
    }

    #[test]
    fn three_takes_at_most() {
        let again = [Event::Heard, Event::Key('2')];
        let twice = [&[Event::Key('1')][..], &again, &again].concat();
        assert_eq!(play(&twice), Step::Record { take: 3 });
        let kept = [&twice[..], &[Event::Heard, Event::Key('1')]].concat();
        assert_eq!(play(&kept), Step::Over { end: End::Kept });
        let not_kept = [&twice[..], &again].concat();
        assert_eq!(play(&not_kept), Step::Over { end: End::NotKept });
    }

    #[test]
    fn a_menu_is_said_twice() {
        assert_eq!(play(&[Event::NoKey]), Step::Invite { said: 2 });
        assert_eq!(play(&[Event::NoKey, Event::NoKey]), Step::Over { end: End::NoKey });
        let review = [Event::Key('1'), Event::Heard, Event::NoKey];
        assert_eq!(play(&review), Step::Review { take: 1, said: 2 });
        assert_eq!(play(&[&review[..], &[Event::NoKey]].concat()), Step::Over { end: End::NoKey });
    }

    #[test]
    fn nine_ends_it_at_any_menu_and_nowhere_else() {
        assert_eq!(play(&[Event::Key('9')]), Step::Over { end: End::OptedOut });
        assert_eq!(
            play(&[Event::Key('1'), Event::Heard, Event::Key('9')]),
            Step::Over { end: End::OptedOut }
        );
        assert_eq!(play(&[Event::Key('1'), Event::Key('9')]), Step::Record { take: 1 });
    }

    #[test]
    fn what_means_nothing_changes_nothing() {
        assert_eq!(play(&[Event::Key('5'), Event::Key('#'), Event::Heard]), Step::START);
        let over = play(&[Event::HungUp]);
        assert_eq!(over, Step::Over { end: End::HungUp });
        assert_eq!(over.after(Event::Key('1')), over);
    }
}
