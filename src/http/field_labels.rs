//! What the fields of a participant are called on pages.

/// The id of a field's label in the catalogs, by the field's key in requests and import files.
pub fn label_id(key: &str) -> &'static str {
    match key {
        "email" => "import-field-email",
        "first_name" => "import-field-first-name",
        "last_name" => "import-field-last-name",
        "institution_id" => "import-field-id",
        "phonetic" => "import-field-phonetic",
        "notes" => "import-field-notes",
        "phone_number" => "import-field-phone",
        "legal_first_name" => "import-field-legal-first-name",
        "legal_last_name" => "import-field-legal-last-name",
        "legal_middle_name" => "import-field-legal-middle-name",
        "legal_phonetic" => "import-field-legal-phonetic",
        "legal_notes" => "import-field-legal-notes",
        "directory_hold" => "import-field-directory-hold",
        "recording" => "import-field-recording",
        _ => OTHER,
    }
}

const OTHER: &str = "import-field-other";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::participant::TEXT_FIELDS;

    #[test]
    fn every_text_field_has_a_label() {
        for field in &TEXT_FIELDS {
            assert_ne!(label_id(field.key), OTHER, "{}", field.key);
        }
    }
}
