//! Versions of what can be changed. Whoever changes something has seen one, and does not undo what others have saved since.

use std::fmt::Debug;

use super::{
    digest,
    fault::{Field, SetupFault},
    field_errors::FieldErrors,
};

/// Identifies values: others have another version.
pub fn version_of(values: &impl Debug) -> String {
    digest::hex(&digest::of(&format!("{values:?}")))
}

/// Fails if a change is based on another version than the current one. Without a base, it replaces whatever there is.
pub fn check_base(base: Option<&str>, current: &str) -> Result<(), FieldErrors> {
    match base {
        Some(base) if base != current => Err(FieldErrors::one(Field::Version, SetupFault::Outdated)),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_value_is_another_version() {
        assert_eq!(version_of(&["a", "b"]), version_of(&["a", "b"]));
        assert_ne!(version_of(&["a", "b"]), version_of(&["a", "c"]));
        assert_ne!(version_of(&["a", "b"]), version_of(&["ab", ""]));
    }

    #[test]
    fn a_change_is_based_on_the_current_version_or_on_none() {
        assert_eq!(check_base(None, "1"), Ok(()));
        assert_eq!(check_base(Some("1"), "1"), Ok(()));
        assert_eq!(check_base(Some("0"), "1"), Err(FieldErrors::one(Field::Version, SetupFault::Outdated)));
        assert!(check_base(Some(""), "1").is_err(), "a form without a version has seen nothing");
    }
}
