//! The contract's English for what is wrong with a field, the same in every version.

use std::borrow::Cow;

use crate::{
    app::error::PENDING_CALLS,
    domain::{fault::Fault, field_errors::FieldErrors},
};

/// All faults of one field. The contract's word for a bad recording or picture stands before the reason.
pub fn faults(faults: &[Fault]) -> Vec<Cow<'static, str>> {
    let mut sentences = Vec::with_capacity(faults.len());
    for one in faults {
        if let Fault::Media(_) = one {
            sentences.push(fault(&Fault::Invalid));
        }
        sentences.push(fault(one));
    }
    sentences
}

pub fn fault(fault: &Fault) -> Cow<'static, str> {
    match fault {
        Fault::Blank => "can't be blank".into(),
        Fault::AllBlank => "can't all be blank".into(),
        Fault::BothBlank => "can't both be blank".into(),
        Fault::Invalid | Fault::ControlCharacter => "is invalid".into(),
        Fault::TooLong { most } => format!("is too long (maximum is {most} characters)").into(),
        Fault::TooManyEntries { most } => format!("is too long (maximum is {most} entries)").into(),
        Fault::Taken => "has already been taken".into(),
        Fault::NotIncluded => "is not included in the list".into(),
        Fault::NotFound => "is not found".into(),
        Fault::NotANumber => "is not a number".into(),
        Fault::TooSmall { least } => format!("must be greater than or equal to {least}").into(),
        Fault::NotATime => {
            "is invalid: it must be an ISO-8601 time with a zone, like 2026-01-31T12:00:00Z".into()
        }
        Fault::NotPeople => "must be a list of objects with `email` or `institution_id`".into(),
        Fault::NotAPhoneNumber => "Is not valid.".into(),
        Fault::PendingCalls => PENDING_CALLS.into(),
        Fault::HeldElsewhere => "cannot be ended here: the person is on other name pages, too".into(),
        Fault::Media(fault) => fault.to_string().into(),
        // No endpoint of the contract leads to these.
        Fault::NotCallable
        | Fault::TooManyCalls { .. }
        | Fault::NoConsent
        | Fault::Closed
        | Fault::Setup(_)
        | Fault::Call(_)
        | Fault::NotText => fault.to_string().into(),
    }
}

/// All fields in one line, for the versions that have no place for them in their answers.
pub fn line(errors: &FieldErrors) -> String {
    let fields = errors.iter().map(|(field, all)| format!("{} {}", field.name(), faults(all).join(", ")));
    fields.collect::<Vec<_>>().join("; ")
}

#[cfg(test)]
mod tests {
    use endonym_media::{picture, sound};

    use super::*;
    use crate::domain::{
        fault::{CallFault, Field, SetupFault},
        media::MediaFault,
    };

    /// Each has a number, so that a fault that the table below lacks is noticed.
    const COUNT: usize = 25;

    const fn number(fault: &Fault) -> usize {
        match fault {
            Fault::Blank => 0,
            Fault::AllBlank => 1,
            Fault::BothBlank => 2,
            Fault::Invalid => 3,
            Fault::ControlCharacter => 4,
            Fault::TooLong { .. } => 5,
            Fault::TooManyEntries { .. } => 6,
            Fault::Taken => 7,
            Fault::NotIncluded => 8,
            Fault::NotFound => 9,
            Fault::NotANumber => 10,
            Fault::TooSmall { .. } => 11,
            Fault::NotATime => 12,
            Fault::NotPeople => 13,
            Fault::NotAPhoneNumber => 14,
            Fault::NotCallable => 15,
            Fault::TooManyCalls { .. } => 16,
            Fault::PendingCalls => 17,
            Fault::Media(_) => 18,
            Fault::Setup(_) => 19,
            Fault::Call(_) => 20,
            Fault::NotText => 21,
            Fault::NoConsent => 22,
            Fault::Closed => 23,
            Fault::HeldElsewhere => 24,
        }
    }

    #[test]
    fn every_fault_has_the_contracts_words() {
        let mut seen = [false; COUNT];
        for (one, words) in [
            (Fault::Blank, "can't be blank"),
            (Fault::AllBlank, "can't all be blank"),
            (Fault::BothBlank, "can't both be blank"),
            (Fault::Invalid, "is invalid"),
            (Fault::ControlCharacter, "is invalid"),
            (Fault::TooLong { most: 200 }, "is too long (maximum is 200 characters)"),
            (Fault::TooManyEntries { most: 1_000 }, "is too long (maximum is 1000 entries)"),
            (Fault::Taken, "has already been taken"),
            (Fault::NotIncluded, "is not included in the list"),
            (Fault::NotFound, "is not found"),
            (Fault::NotANumber, "is not a number"),
            (Fault::TooSmall { least: 1 }, "must be greater than or equal to 1"),
            (
                Fault::NotATime,
                "is invalid: it must be an ISO-8601 time with a zone, like 2026-01-31T12:00:00Z",
            ),
            (Fault::NotPeople, "must be a list of objects with `email` or `institution_id`"),
            (Fault::NotAPhoneNumber, "Is not valid."),
            (Fault::NotCallable, "cannot be called from here"),
            (
                Fault::TooManyCalls { calls: 3, numbers: 2 },
                "has reached its limit of 3 calls and 2 numbers a day",
            ),
            (Fault::PendingCalls, "Participant has pending calls"),
            (Fault::HeldElsewhere, "cannot be ended here: the person is on other name pages, too"),
            (MediaFault::NotAnObject.into(), "send an object with the base64 text under `base64_str`"),
            (
                MediaFault::DataUrl.into(),
                "send the base64 text alone, without the `data:…;base64,` in front of it",
            ),
            (MediaFault::NotBase64.into(), "this is not base64"),
            (
                MediaFault::Sound(sound::Refusal::Silent).into(),
                "the recording is silent; check the microphone and record it again",
            ),
            (
                MediaFault::Picture(picture::Refusal::NotAPicture).into(),
                "this is not a picture that we can read; send a JPEG, PNG, WebP or GIF",
            ),
            (
                SetupFault::NotASlug.into(),
                "must be lower-case letters, digits and hyphens, and at most 100 of them",
            ),
            (CallFault::Pending.into(), "is pending already"),
            (Fault::NoConsent, "needs the person's consent"),
            (Fault::Closed, "is not taken any more: the name page is closed"),
            (Fault::NotText, "is not UTF-8 text: save the file as “CSV UTF-8”"),
        ] {
            seen[number(&one)] = true;
            assert_eq!(fault(&one), words);
        }
        assert_eq!(seen, [true; COUNT]);
    }

    #[test]
    fn a_bad_recording_is_invalid_and_has_a_reason() {
        let words = faults(&[Fault::Blank, MediaFault::NotBase64.into()]);
        assert_eq!(words, ["can't be blank", "is invalid", "this is not base64"]);
    }

    #[test]
    fn a_line_has_all_fields_in_their_order() {
        let mut errors = FieldErrors::one(Field::Parameter("icon"), Fault::NotIncluded);
        errors.add(Field::Email, Fault::Blank);
        errors.add(Field::Parameter("icon"), Fault::Invalid);
        assert_eq!(line(&errors), "icon is not included in the list, is invalid; email can't be blank");
    }
}
