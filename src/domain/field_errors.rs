//! What is wrong with an input, field by field, in the order in which it was found.

use std::collections::HashMap;

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FieldErrors {
    in_order: Vec<(String, Vec<String>)>,
    /// Where each field is among them: a request may have a thousand.
    places: HashMap<String, usize>,
}

/// More than a participant has fields and custom fields.
const MOST_FIELDS: usize = 1_100;
/// Of one field.
const MOST_MESSAGES: usize = 20;

impl FieldErrors {
    pub fn one(field: impl Into<String>, message: impl Into<String>) -> Self {
        let mut errors = Self::default();
        errors.add(field, message);
        errors
    }

    /// What comes after very many is left out: whoever sends it learns no more from it.
    pub fn add(&mut self, field: impl Into<String>, message: impl Into<String>) {
        let field = field.into();
        match self.places.get(&field) {
            Some(place) => {
                let messages = &mut self.in_order[*place].1;
                if messages.len() < MOST_MESSAGES {
                    messages.push(message.into());
                }
            }
            None if self.in_order.len() < MOST_FIELDS => {
                self.places.insert(field.clone(), self.in_order.len());
                self.in_order.push((field, vec![message.into()]));
            }
            None => {}
        }
    }

    pub fn has(&self, field: &str) -> bool {
        self.places.contains_key(field)
    }

    pub fn is_empty(&self) -> bool {
        self.in_order.is_empty()
    }

    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&str, &[String])> {
        self.in_order.iter().map(|(field, messages)| (field.as_str(), messages.as_slice()))
    }

    /// `Ok` when nothing is wrong.
    pub fn into_result(self) -> Result<(), Self> {
        if self.is_empty() { Ok(()) } else { Err(self) }
    }
}

/// One sentence for a person at a terminal or in a report.
impl std::fmt::Display for FieldErrors {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for (i, (field, messages)) in self.iter().enumerate() {
            let separator = if i == 0 { "" } else { "; " };
            write!(f, "{separator}{field} {}", messages.join(", "))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_stay_in_the_order_in_which_they_were_found() {
        let mut errors = FieldErrors::one("z", "first");
        errors.add("a", "second");
        errors.add("z", "third");
        assert_eq!(errors.to_string(), "z first, third; a second");
        assert!(errors.has("a") && !errors.has("b"));
        let mut same = FieldErrors::one("z", "first");
        same.add("z", "third");
        same.add("a", "second");
        assert_eq!(same, errors);
    }

    #[test]
    fn there_is_an_end_to_what_is_told() {
        let mut errors = FieldErrors::default();
        for i in 0..10_000 {
            errors.add(format!("field {i}"), "is invalid");
            errors.add("field 0", "is invalid");
        }
        assert_eq!(errors.iter().len(), MOST_FIELDS);
        assert_eq!(errors.iter().next().unwrap().1.len(), MOST_MESSAGES);
    }
}
