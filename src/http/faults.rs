//! What is wrong with an input of a person's own page or of a page inside a learning system. The sentences are in `words/`.

use endonym_media::{picture, sound};

use crate::{
    domain::{
        fault::{Fault, Field},
        field_errors::FieldErrors,
        media::MediaFault,
    },
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
    CustomField,
    Photo,
}

/// The first thing that is wrong with a field, if something is.
pub fn sentence(words: Words, errors: &FieldErrors, field: &Field, input: Input) -> Option<String> {
    errors.of(field).first().map(|found| fault(words, input, found))
}

/// What is wrong with an input.
pub fn fault(words: Words, input: Input, fault: &Fault) -> String {
    match fault {
        Fault::Blank => words.text(match input {
            Input::Phonetic | Input::Notes | Input::LinkTitle | Input::CustomField => "shared-blank",
            Input::PhoneNumber => "me-fault-phone-blank",
            Input::Recording => "recorder-fault-no-file",
            Input::Photo => "profile-photo-no-file",
        }),
        Fault::TooLong { most } => match input {
            Input::Recording => words.text("recorder-fault-too-large"),
            Input::Photo => words.text("profile-photo-large"),
            Input::Phonetic | Input::Notes | Input::PhoneNumber | Input::LinkTitle | Input::CustomField => {
                words.one("me-fault-long", "most", *most as u64)
            }
        },
        Fault::NotIncluded if input == Input::CustomField => words.text("profile-field-not-included"),
        Fault::NotCallable => words.text("me-fault-not-callable"),
        Fault::TooManyCalls { .. } => words.text("me-fault-too-many-calls"),
        Fault::NoConsent => words.text("data-consent-needed"),
        Fault::Closed => words.text(match input {
            // What people write can be changed until the page is archived.
            Input::Phonetic | Input::Notes | Input::CustomField => "page-archived",
            Input::PhoneNumber | Input::Recording | Input::LinkTitle | Input::Photo => {
                "recorder-fault-closed"
            }
        }),
        Fault::Media(fault) => media(words, input, fault),
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
        | Fault::HeldElsewhere
        | Fault::Setup(_)
        | Fault::Call(_)
        | Fault::NotText => words.text(match input {
            Input::Phonetic | Input::Notes | Input::LinkTitle | Input::CustomField => "me-fault-characters",
            Input::PhoneNumber => "me-fault-phone",
            Input::Recording => "recorder-refused",
            Input::Photo => "profile-photo-other",
        }),
    }
}

fn media(words: Words, input: Input, fault: &MediaFault) -> String {
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
        MediaFault::Picture(refusal) => words.text(picture(refusal)),
        MediaFault::NotAnObject | MediaFault::DataUrl | MediaFault::NotBase64 => words.text(match input {
            Input::Photo => "profile-photo-other",
            _ => "recorder-refused",
        }),
    }
}

fn picture(refusal: &picture::Refusal) -> &'static str {
    match refusal {
        picture::Refusal::NotAPicture | picture::Refusal::Unsupported(_) => "profile-photo-other",
        picture::Refusal::Heic => "profile-photo-heic",
        picture::Refusal::Damaged => "profile-photo-damaged",
        picture::Refusal::TooLarge { .. }
        | picture::Refusal::TooManyPixels { .. }
        | picture::Refusal::TooLong { .. } => "profile-photo-large",
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
        let pictures = [
            picture::Refusal::NotAPicture,
            picture::Refusal::Unsupported("a BMP picture"),
            picture::Refusal::Heic,
            picture::Refusal::Damaged,
            picture::Refusal::TooLarge { limit: 1 },
            picture::Refusal::TooManyPixels { width: 9, height: 9, limit: 1 },
            picture::Refusal::TooLong { side: 9, limit: 1 },
        ];
        let sounds = refusals.map(|refusal| Fault::Media(MediaFault::Sound(refusal)));
        let pictures = pictures.map(|refusal| Fault::Media(MediaFault::Picture(refusal)));
        let others = [
            Fault::Blank,
            Fault::TooLong { most: 10 },
            Fault::NotCallable,
            Fault::TooManyCalls { calls: 3, numbers: 2 },
            Fault::NoConsent,
            Fault::Closed,
            Fault::NotIncluded,
            Fault::Invalid,
        ];
        let inputs = [
            Input::Phonetic,
            Input::Notes,
            Input::PhoneNumber,
            Input::Recording,
            Input::CustomField,
            Input::Photo,
        ];
        for input in inputs {
            for fault in sounds.iter().chain(&pictures).chain(&others) {
                let sentence = super::fault(words, input, fault);
                assert!(sentence.ends_with('.') && sentence.contains(' '), "{input:?} {fault:?}: {sentence}");
            }
        }
    }
}
