//! Custom fields: attributes that an institution defines for its people.

mod answers;
mod kind;

pub use answers::Answers;
pub use kind::{FieldKind, LONGEST_OPTION, MOST_OPTIONS, NO, SEPARATOR, YES, parse_options, parts};

use super::{
    fault::SetupFault, ids::CustomFieldId, page_settings::Asking, participant::TEXT_FIELDS, text::longest,
};

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CustomField {
    pub id: CustomFieldId,
    /// The key in responses.
    pub name: String,
    pub label: String,
    /// People may change it in their own entries.
    pub editable: bool,
    /// Which input pages show. Clients of the API write any text.
    pub kind: FieldKind,
    /// What can be chosen, for the kinds that have options.
    pub options: Vec<String>,
    /// How name pages ask for it, unless they say otherwise.
    pub asked: Asking,
    /// Badges show it, which anybody may read who has their address. They always show pronouns.
    pub on_badge: bool,
    /// The order on pages: 0 for all until somebody changes it.
    pub place: i64,
}

const IMPORT_PREFIX: &str = "custom_";

/// Sorts fields as pages show them: in the order that the institution has chosen, or pronouns first and then by name. The API sorts
/// by name.
pub fn sort_for_pages(fields: &mut [CustomField]) {
    fields.sort_by(|one, other| {
        let key = |field: &CustomField| (field.place, !field.is_pronouns());
        key(one).cmp(&key(other)).then_with(|| one.name.cmp(&other.name))
    });
}

impl CustomField {
    /// The key in requests and in the header row of import files.
    pub fn import_key(&self) -> String {
        import_key(&self.name)
    }

    pub fn is_pronouns(&self) -> bool {
        is_pronouns(&self.name)
    }

    pub fn has_import_key(&self, key: &str) -> bool {
        key.strip_prefix(IMPORT_PREFIX).is_some_and(|name| name == self.name)
    }
}

/// Pronouns are a custom field like others, but pages show them first.
pub fn is_pronouns(name: &str) -> bool {
    name.contains("pronoun")
}

/// Whether a key of a form may be that of a custom field.
pub fn is_import_key(key: &str) -> bool {
    key.starts_with(IMPORT_PREFIX)
}

/// The name in a key with the prefix.
pub fn name_of_import_key(key: &str) -> Option<&str> {
    key.strip_prefix(IMPORT_PREFIX)
}

pub fn import_key(name: &str) -> String {
    format!("{IMPORT_PREFIX}{name}")
}

/// The built-in keys of a participant in any API version, besides those of `TEXT_FIELDS`. A custom field must not shadow one.
const OTHER_KEYS: &[&str] = &[
    "id",
    "token",
    "tokens",
    "uid",
    "middle_name",
    "email",
    "recording_url",
    "recording_link",
    "recording_id",
    "recording_date",
    "recorded_at",
    "custom_objects",
    "custom_objects_recorded_date",
    "custom_fields",
    "event_title",
    "event_slug",
    "event_access_code",
    "event_code",
    "photo",
    "avatar",
    "pronunciation",
    "name_badge_link",
    "name_page_id",
    "phone_number",
    "phonetic_spelling",
    "embed_image",
    "embed_iframe",
    "created_at",
    "updated_at",
];

/// Validates a field's name.
pub fn name_fault(name: &str) -> Option<SetupFault> {
    let letters_ok = name.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_');
    let starts_ok = name.bytes().next().is_some_and(|b| b.is_ascii_lowercase());
    if !letters_ok || !starts_ok || name.len() > longest::SLUG {
        return Some(SetupFault::NotAFieldName);
    }
    let is_text = TEXT_FIELDS.iter().any(|field| field.key == name);
    if is_text || OTHER_KEYS.contains(&name) || name.starts_with("legal_") {
        return Some(SetupFault::ReservedFieldName(name.to_owned()));
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn import_keys_carry_the_prefix() {
        let field = CustomField {
            id: CustomFieldId::new(1),
            name: "gender_pronouns".into(),
            label: "Pronouns".into(),
            ..CustomField::default()
        };
        assert!(field.is_pronouns());
        assert_eq!(field.import_key(), "custom_gender_pronouns");
        assert!(field.has_import_key("custom_gender_pronouns"));
        assert!(!field.has_import_key("gender_pronouns"));
    }

    #[test]
    fn pages_show_pronouns_first_until_somebody_chooses_an_order() {
        let field = |name: &str, place| CustomField { name: name.into(), place, ..CustomField::default() };
        let names = |mut fields: Vec<CustomField>| {
            sort_for_pages(&mut fields);
            fields.into_iter().map(|field| field.name).collect::<Vec<_>>()
        };
        let all = vec![field("degree", 0), field("major", 0), field("pronouns", 0)];
        assert_eq!(names(all), ["pronouns", "degree", "major"]);
        let chosen = vec![field("degree", 2), field("major", 1), field("pronouns", 3)];
        assert_eq!(names(chosen), ["major", "degree", "pronouns"]);
    }

    #[test]
    fn names_that_would_hide_a_field_are_refused() {
        assert_eq!(name_fault("gender_pronouns"), None);
        for name in ["", "Pronouns", "2nd", "_x", "a b", "é", "email", "legal_first_name", "custom_objects"]
        {
            assert!(name_fault(name).is_some(), "{name}");
        }
        for field in &TEXT_FIELDS {
            assert!(name_fault(field.key).is_some(), "{}", field.key);
        }
    }
}
