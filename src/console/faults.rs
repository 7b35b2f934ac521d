//! What is wrong with an input of the console, in words.

use crate::{
    domain::{
        fault::{Fault, Field, SetupFault},
        field_errors::FieldErrors,
    },
    words::Words,
};

/// The sentence about a field, if something is wrong with it.
pub fn of(words: Words, errors: &FieldErrors, field: &Field) -> Option<String> {
    errors.of(field).first().map(|fault| sentence(words, fault))
}

pub(super) fn sentence(words: Words, fault: &Fault) -> String {
    match fault {
        Fault::Blank => words.text("shared-blank"),
        Fault::TooLong { most } => words.one("me-fault-long", "most", *most as u64),
        Fault::ControlCharacter => words.text("me-fault-characters"),
        Fault::TooManyEntries { most } => words.one("console-set-fault-many", "most", *most as u64),
        Fault::Taken => words.text("console-set-fault-taken"),
        Fault::NotFound => words.text("console-set-fault-page"),
        Fault::Setup(fault) => setup(words, fault),
        _ => words.text("console-fault-other"),
    }
}

fn setup(words: Words, fault: &SetupFault) -> String {
    match fault {
        SetupFault::JustTaken => words.text("console-set-fault-taken"),
        SetupFault::NotASlug => words.text("console-set-fault-slug"),
        SetupFault::NotACode => words.text("console-set-fault-code"),
        SetupFault::ShortCode => words.text("console-set-fault-code-short"),
        SetupFault::NotAFieldName => words.text("console-set-fault-field-name"),
        SetupFault::ReservedFieldName(name) => words.one("console-set-fault-reserved", "name", name),
        SetupFault::UnknownTimeZone(_) => words.text("console-fault-zone"),
        SetupFault::NotADate(_) => words.text("console-set-fault-date"),
        SetupFault::NotAClosingTime(_) => words.text("console-set-fault-closing"),
        SetupFault::DateNeeded => words.text("console-set-fault-date-needed"),
        SetupFault::NotADomain(given) => words.one("console-set-fault-domain", "domain", given),
        SetupFault::PageDomainsNeeded => words.text("console-set-fault-domains-needed"),
        SetupFault::OutOfRange { least, most } => {
            words.with("console-set-fault-range", &[("least", (*least).into()), ("most", (*most).into())])
        }
        SetupFault::OptionsNeeded => words.text("console-set-fault-options"),
        SetupFault::NotAnOption(given) => words.one("console-set-fault-option", "option", given),
        SetupFault::Archived => words.text("console-page-archived-note"),
        _ => words.text("console-fault-other"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::language::Language;

    #[test]
    fn a_fault_is_said_at_its_field() {
        let errors = FieldErrors::one(Field::Slug, SetupFault::NotASlug);
        let words = Words::new(Language::English);
        assert_eq!(of(words, &errors, &Field::Name), None);
        assert_eq!(of(words, &errors, &Field::Slug), Some(words.text("console-set-fault-slug")));
    }
}
