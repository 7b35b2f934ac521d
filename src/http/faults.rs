//! What is wrong with an input of a person's own page or of a page inside a learning system. The sentences are in `words/`.

use endonym_media::sound;

use crate::{
    domain::{fault::Fault, media::MediaFault},
    words::{Arg, Words},
};

/// An input of a form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Input {
    Phonetic,
    Notes,
    PhoneNumber,
    Recording,
    /// The title of a link that is added to a course.
    LinkTitle,
}

/// What is wrong with an input.
pub fn fault(words: Words, input: Input, fault: &Fault) -> String {
    match fault {
        Fault::Blank => words.text(match input {
            Input::Phonetic | Input::Notes | Input::LinkTitle => "me-fault-blank",
            Input::PhoneNumber => "me-fault-phone-blank",
            Input::Recording => "recorder-fault-no-file",
        }),
        Fault::TooLong { most } => match input {
            Input::Recording => words.text("recorder-fault-too-large"),
            Input::Phonetic | Input::Notes | Input::PhoneNumber | Input::LinkTitle => {
                words.one("me-fault-long", "most", *most as u64)
            }
        },
        Fault::NotCallable => words.text("me-fault-not-callable"),
        Fault::TooManyCalls { .. } => words.text("me-fault-too-many-calls"),
        Fault::NoConsent => words.text("data-consent-needed"),
        Fault::Media(fault) => media(words, fault),
        Fault::Invalid
        | Fault::ControlCharacter
        | Fault::AllBlank
        | Fault::BothBlank
        | Fault::TooManyEntries { .. }
        | Fault::Taken
        | Fault::NotIncluded
        | Fault::NotFound
        | Fault::NotANumber
        | Fault::TooSmall { .. }
        | Fault::NotATime
        | Fault::NotPeople
        | Fault::NotAPhoneNumber
        | Fault::PendingCalls
        | Fault::Setup(_)
        | Fault::Call(_)
        | Fault::NotText => words.text(match input {
            Input::Phonetic | Input::Notes | Input::LinkTitle => "me-fault-characters",
            Input::PhoneNumber => "me-fault-phone",
            Input::Recording => "recorder-refused",
        }),
    }
}

fn media(words: Words, fault: &MediaFault) -> String {
    match fault {
        MediaFault::Sound(sound::Refusal::NotSound) => words.text("recorder-fault-not-sound"),
        MediaFault::Sound(sound::Refusal::Damaged) => words.text("recorder-fault-damaged"),
        MediaFault::Sound(sound::Refusal::Unusual) => words.text("recorder-fault-unusual"),
        MediaFault::Sound(sound::Refusal::TooLarge { .. }) => words.text("recorder-fault-too-large"),
        MediaFault::Sound(sound::Refusal::TooLong { longest }) => {
            words.with("recorder-fault-too-long", &[("seconds", Arg::Number(longest.as_secs()))])
        }
        MediaFault::Sound(sound::Refusal::TooShort { .. }) => words.text("recorder-fault-too-short"),
        MediaFault::Sound(sound::Refusal::Silent) => words.text("recorder-fault-silent"),
        MediaFault::Picture(_) | MediaFault::NotAnObject | MediaFault::DataUrl | MediaFault::NotBase64 => {
            words.text("recorder-refused")
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::domain::language::Language;

    #[test]
    fn every_fault_has_a_sentence() {
        let words = Words::new(Language::English);
        let refusals = [
            sound::Refusal::NotSound,
            sound::Refusal::Damaged,
            sound::Refusal::Unusual,
            sound::Refusal::TooLarge { most: 1 },
            sound::Refusal::TooLong { longest: Duration::from_secs(30) },
            sound::Refusal::TooShort { shortest: Duration::from_millis(300) },
            sound::Refusal::Silent,
        ];
        let media = refusals.map(|refusal| Fault::Media(MediaFault::Sound(refusal)));
        let others = [
            Fault::Blank,
            Fault::TooLong { most: 10 },
            Fault::NotCallable,
            Fault::TooManyCalls { calls: 3, numbers: 2 },
            Fault::NoConsent,
            Fault::Invalid,
        ];
        for input in [Input::Phonetic, Input::Notes, Input::PhoneNumber, Input::Recording] {
            for fault in media.iter().chain(&others) {
                let sentence = super::fault(words, input, fault);
                assert!(sentence.ends_with('.') && sentence.contains(' '), "{input:?} {fault:?}: {sentence}");
            }
        }
    }
}
