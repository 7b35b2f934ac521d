//! What people have entered for custom fields, before the fields are known.

use super::{CustomField, is_import_key};
use crate::domain::{
    fault::Field,
    field_errors::FieldErrors,
    participant::{CustomValues, Given, Source},
};

/// The values of all inputs, by the name of the input, which is the field's key in requests.
#[derive(Debug, Clone, Default)]
pub struct Answers(Vec<(String, Vec<String>)>);

impl Answers {
    pub fn read(source: &impl Source) -> Self {
        let keys = source.custom().into_iter().map(|(key, _)| key).filter(|key| is_import_key(key));
        Self(
            keys.map(|key| {
                let entered = source.texts(&key);
                (key, entered)
            })
            .collect(),
        )
    }

    /// The values of one field.
    pub fn of(&self, field: &CustomField) -> &[String] {
        let found = self.0.iter().find(|(key, _)| field.has_import_key(key));
        found.map_or(&[], |(_, entered)| entered.as_slice())
    }

    /// The values of these fields, as drafts have them. Other fields are ignored. `current` are the stored values.
    pub fn given(
        &self,
        fields: &[CustomField],
        current: &CustomValues,
        errors: &mut FieldErrors,
    ) -> Vec<(String, Given<String>)> {
        let mut given = Vec::new();
        for field in fields {
            let stored = current.0.get(&field.id).map(String::as_str);
            match field.read(self.of(field), stored) {
                Ok(Given::Absent) => {}
                Ok(value) => given.push((field.import_key(), value)),
                Err(fault) => errors.add(Field::Custom(field.import_key()), fault),
            }
        }
        given
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::domain::{custom_field::FieldKind, fault::Fault, ids::CustomFieldId, participant::Raw};

    struct Sent(Vec<(&'static str, &'static str)>);

    impl Source for Sent {
        fn get(&self, _: &str) -> Raw<'_> {
            Raw::Absent
        }

        fn custom(&self) -> Vec<(String, Raw<'_>)> {
            let mut keys: Vec<&str> = self.0.iter().map(|(key, _)| *key).collect();
            keys.dedup();
            keys.into_iter().map(|key| (key.to_owned(), Raw::Null)).collect()
        }

        fn texts(&self, key: &str) -> Vec<String> {
            let own = self.0.iter().filter(|(name, _)| *name == key);
            own.map(|(_, value)| (*value).to_owned()).collect()
        }
    }

    #[test]
    fn each_field_reads_its_own_inputs_and_others_are_ignored() {
        let field = |id, name: &str, kind| CustomField {
            id: CustomFieldId::new(id),
            name: name.to_owned(),
            kind,
            options: vec!["Alto".to_owned(), "Bass".to_owned()],
            ..CustomField::default()
        };
        let fields = [field(1, "voices", FieldKind::Choices), field(2, "seat", FieldKind::Choice)];
        let sent = Sent(vec![
            ("custom_seat", "Alto"),
            ("custom_voices", ""),
            ("custom_voices", "Bass"),
            ("custom_voices", "Alto"),
            ("custom_degree", "PhD"),
        ]);
        let answers = Answers::read(&sent);
        let mut errors = FieldErrors::default();
        let given = answers.given(&fields, &CustomValues::default(), &mut errors);
        let set = |text: &str| Given::Set(text.to_owned());
        let wanted =
            [("custom_voices".to_owned(), set("Alto; Bass")), ("custom_seat".to_owned(), set("Alto"))];
        assert_eq!((given.as_slice(), errors.is_empty()), (&wanted[..], true));
        let wrong = Answers::read(&Sent(vec![("custom_seat", "Tenor")]));
        let stored = CustomValues(BTreeMap::from([(CustomFieldId::new(2), "Tenor".to_owned())]));
        assert_eq!(wrong.given(&fields, &stored, &mut errors).len(), 1);
        assert!(wrong.given(&fields, &CustomValues::default(), &mut errors).is_empty());
        assert_eq!(errors, FieldErrors::one(Field::Custom("custom_seat".to_owned()), Fault::NotIncluded));
    }
}
