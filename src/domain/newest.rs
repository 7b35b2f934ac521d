//! Deduplicates records to one per person, for clients that cannot handle several.

use std::collections::{HashMap, HashSet};

/// The keys that identify a record's person.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PersonKeys {
    pub email: Option<String>,
    pub identifier: Option<String>,
}

/// Keeps the first record of each person. A person is identified by email. A record without one belongs to the person with the
/// same identifier; a record with neither counts as a separate person.
pub fn one_per_person<T>(records: Vec<T>, keys: impl Fn(&T) -> PersonKeys) -> Vec<T> {
    let keyed: Vec<(PersonKeys, T)> = records.into_iter().map(|record| (keys(&record), record)).collect();
    let owners: HashMap<String, String> =
        keyed.iter().filter_map(|(keys, _)| Some((keys.identifier.clone()?, keys.email.clone()?))).collect();
    let mut seen = HashSet::new();
    let mut is_first = |keys: PersonKeys| {
        let owner = || keys.identifier.as_ref().and_then(|identifier| owners.get(identifier).cloned());
        match keys.email.clone().or_else(owner) {
            Some(email) => seen.insert((Some(email), None)),
            None => keys.identifier.is_none() || seen.insert((None, keys.identifier)),
        }
    };
    keyed.into_iter().filter_map(|(keys, record)| is_first(keys).then_some(record)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept(records: &[(&str, &str)]) -> Vec<usize> {
        let given = |text: &str| (!text.is_empty()).then(|| text.to_owned());
        let numbered = (0..records.len()).collect();
        one_per_person(numbered, |n| {
            let (email, identifier) = records[*n];
            PersonKeys { email: given(email), identifier: given(identifier) }
        })
    }

    #[test]
    fn the_first_record_of_an_email_stays() {
        assert_eq!(kept(&[("a@x", "1"), ("b@x", ""), ("a@x", ""), ("a@x", "1"), ("b@x", "2")]), [0, 1]);
    }

    #[test]
    fn a_record_without_an_email_belongs_to_whoever_has_its_identifier() {
        assert_eq!(kept(&[("", "1"), ("a@x", "1"), ("", "2"), ("", "2")]), [0, 2]);
        assert_eq!(kept(&[("a@x", ""), ("", "1"), ("a@x", "1")]), [0], "however they are ordered");
    }

    #[test]
    fn an_email_is_never_taken_for_an_identifier() {
        assert_eq!(kept(&[("1", ""), ("", "1"), ("", ""), ("", "")]), [0, 1, 2, 3]);
    }
}
