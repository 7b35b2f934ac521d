//! Validation errors by field, in the order in which they were found.

use std::collections::HashMap;

use super::fault::{Fault, Field};

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FieldErrors {
    in_order: Vec<(Field, Vec<Fault>)>,
    /// Index into `in_order`: a request may have a thousand fields.
    places: HashMap<Field, usize>,
}

/// More than a participant has built-in and custom fields.
const MAX_FIELDS: usize = 1_100;
/// Per field.
const MAX_FAULTS: usize = 20;

impl FieldErrors {
    pub fn one(field: Field, fault: impl Into<Fault>) -> Self {
        let mut errors = Self::default();
        errors.add(field, fault);
        errors
    }

    /// Errors beyond the limits are dropped: they would tell the client nothing new.
    pub fn add(&mut self, field: Field, fault: impl Into<Fault>) {
        match self.places.get(&field) {
            Some(place) => {
                let faults = &mut self.in_order[*place].1;
                if faults.len() < MAX_FAULTS {
                    faults.push(fault.into());
                }
            }
            None if self.in_order.len() < MAX_FIELDS => {
                self.places.insert(field.clone(), self.in_order.len());
                self.in_order.push((field, vec![fault.into()]));
            }
            None => {}
        }
    }

    pub fn has(&self, field: &Field) -> bool {
        self.places.contains_key(field)
    }

    /// What is wrong with a field; empty if nothing is.
    pub fn of(&self, field: &Field) -> &[Fault] {
        match self.places.get(field) {
            Some(place) => &self.in_order[*place].1,
            None => &[],
        }
    }

    /// All that is wrong with a field, in sentences.
    pub fn said(&self, field: &Field, sentence: impl Fn(&Fault) -> String) -> Option<String> {
        let sentences: Vec<String> = self.of(field).iter().map(sentence).collect();
        (!sentences.is_empty()).then(|| sentences.join(" "))
    }

    pub fn is_empty(&self) -> bool {
        self.in_order.is_empty()
    }

    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&Field, &[Fault])> {
        self.in_order.iter().map(|(field, faults)| (field, faults.as_slice()))
    }

    /// Drops the errors of all other fields.
    pub fn retain(&mut self, keep: impl Fn(&Field) -> bool) {
        self.in_order.retain(|(field, _)| keep(field));
        self.places = self.in_order.iter().enumerate().map(|(at, (field, _))| (field.clone(), at)).collect();
    }

    /// `Ok` if there are no errors.
    pub fn into_result(self) -> Result<(), Self> {
        if self.is_empty() { Ok(()) } else { Err(self) }
    }
}

/// One line for an operator.
impl std::fmt::Display for FieldErrors {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for (i, (field, faults)) in self.iter().enumerate() {
            let separator = if i == 0 { "" } else { "; " };
            write!(f, "{separator}{}", field.name())?;
            for (j, fault) in faults.iter().enumerate() {
                write!(f, "{}{fault}", if j == 0 { " " } else { ", " })?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_stay_in_the_order_in_which_they_were_found() {
        let mut errors = FieldErrors::one(Field::Notes, Fault::Blank);
        errors.add(Field::Email, Fault::Taken);
        errors.add(Field::Notes, Fault::Invalid);
        assert_eq!(errors.to_string(), "notes can't be blank, is invalid; email has already been taken");
        assert!(errors.has(&Field::Email) && !errors.has(&Field::Phonetic));
        assert_eq!(errors.of(&Field::Notes), [Fault::Blank, Fault::Invalid]);
        assert!(errors.of(&Field::Phonetic).is_empty());
        let said = |field: Field| errors.said(&field, |fault| format!("It {fault}."));
        assert_eq!(said(Field::Notes).as_deref(), Some("It can't be blank. It is invalid."));
        assert_eq!(said(Field::Phonetic), None);
        let mut same = FieldErrors::one(Field::Notes, Fault::Blank);
        same.add(Field::Notes, Fault::Invalid);
        same.add(Field::Email, Fault::Taken);
        assert_eq!(same, errors);
    }

    #[test]
    fn a_custom_key_with_the_name_of_a_field_is_that_field() {
        let mut errors = FieldErrors::one(Field::Email, Fault::Blank);
        assert!(errors.has(&Field::Custom("email".to_owned())));
        errors.add(Field::Custom("email".to_owned()), Fault::Invalid);
        assert_eq!(errors.iter().len(), 1);
    }

    #[test]
    fn the_faults_of_other_fields_can_be_dropped() {
        let mut errors = FieldErrors::one(Field::Email, Fault::Blank);
        errors.add(Field::Notes, Fault::Invalid);
        errors.retain(|field| matches!(field, Field::Notes));
        assert_eq!(errors, FieldErrors::one(Field::Notes, Fault::Invalid));
        assert!(!errors.has(&Field::Email));
        errors.add(Field::Notes, Fault::Blank);
        assert_eq!(errors.to_string(), "notes is invalid, can't be blank");
    }

    #[test]
    fn fields_and_faults_are_capped() {
        let mut errors = FieldErrors::default();
        for i in 0..10_000 {
            errors.add(Field::Custom(format!("field {i}")), Fault::Invalid);
            errors.add(Field::Custom("field 0".to_owned()), Fault::Invalid);
        }
        assert_eq!(errors.iter().len(), MAX_FIELDS);
        assert_eq!(errors.iter().next().unwrap().1.len(), MAX_FAULTS);
    }
}
