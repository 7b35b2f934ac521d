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

fn sentence(words: Words, fault: &Fault) -> String {
    match fault {
        Fault::Blank => words.text("console-fault-blank"),
        Fault::TooLong { most } => words.one("me-fault-long", "most", *most as u64),
        Fault::Taken | Fault::Setup(SetupFault::JustTaken) => words.text("console-fault-taken"),
        Fault::Setup(SetupFault::NotASlug) => words.text("console-fault-slug"),
        Fault::Setup(SetupFault::UnknownTimeZone(_)) => words.text("console-fault-zone"),
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
        assert_eq!(of(words, &errors, &Field::Slug), Some(words.text("console-fault-slug")));
    }
}
