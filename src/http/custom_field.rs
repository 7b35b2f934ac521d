//! The input of a custom field on any page (`templates/parts/custom_field.html`). What it sends is read by
//! `domain::custom_field::Answers`.

use crate::{
    domain::{
        custom_field::{CustomField, FieldKind, NO, YES, parts},
        page_settings::Asking,
        participant::Source,
    },
    http::form::Form,
    words::Words,
};

pub struct CustomInput {
    /// Unique on the page (`numbered`).
    pub id: String,
    /// The field's key in requests.
    pub name: String,
    pub label: String,
    kind: FieldKind,
    /// Of a text; with choices, all that are chosen.
    pub value: String,
    pub choices: Vec<Choice>,
    pub is_required: bool,
    /// Optional inputs are marked on pages that have required ones.
    pub is_marked_optional: bool,
    pub fault: Option<String>,
    /// It is the first one with a fault.
    pub has_focus: bool,
}

pub struct Choice {
    pub value: String,
    pub label: String,
    pub is_chosen: bool,
}

impl CustomInput {
    /// With the stored value.
    pub fn stored(words: Words, field: &CustomField, value: Option<&str>) -> Self {
        let value = value.unwrap_or_default();
        let chosen: Vec<String> = match field.kind {
            FieldKind::Choices => parts(value).map(str::to_owned).collect(),
            _ => Some(value.to_owned()).filter(|value| !value.is_empty()).into_iter().collect(),
        };
        Self::new(words, field, value, &chosen)
    }

    /// With what was sent, and the sentence that says what is wrong with it.
    pub fn sent(words: Words, field: &CustomField, form: &Form, fault: Option<String>) -> Self {
        let key = field.import_key();
        let sent: Vec<String> =
            Source::texts(form, &key).into_iter().filter(|value| !value.is_empty()).collect();
        let value = sent.first().map_or("", String::as_str);
        Self { fault, ..Self::new(words, field, value, &sent) }
    }

    fn new(words: Words, field: &CustomField, value: &str, chosen: &[String]) -> Self {
        Self {
            id: String::new(),
            name: field.import_key(),
            label: field.label.clone(),
            kind: field.kind,
            value: value.to_owned(),
            choices: choices(words, field, chosen),
            is_required: false,
            is_marked_optional: false,
            fault: None,
            has_focus: false,
        }
    }

    /// On a page that says how it asks for the field.
    pub fn asked(self, asking: Asking) -> Self {
        Self { is_required: asking.is_required(), is_marked_optional: !asking.is_required(), ..self }
    }

    /// Nothing is entered.
    pub fn is_blank(&self) -> bool {
        self.value.is_empty() && !self.choices.iter().any(|choice| choice.is_chosen)
    }

    pub fn is_long(&self) -> bool {
        self.kind == FieldKind::LongText
    }

    pub fn is_one_choice(&self) -> bool {
        matches!(self.kind, FieldKind::Choice | FieldKind::YesNo)
    }

    pub fn is_several_choices(&self) -> bool {
        self.kind == FieldKind::Choices
    }
}

/// Gives the inputs of a form their ids: `field-1`, `field-2`, ….
pub fn numbered(inputs: impl Iterator<Item = CustomInput>, prefix: &str) -> Vec<CustomInput> {
    let with_id =
        |(number, input): (usize, CustomInput)| CustomInput { id: format!("{prefix}-{number}"), ..input };
    (1..).zip(inputs).map(with_id).collect()
}

/// The options, and what else is chosen: a value that an API client has written is not lost when the form is saved.
fn choices(words: Words, field: &CustomField, chosen: &[String]) -> Vec<Choice> {
    let options: Vec<(String, String)> = match field.kind {
        FieldKind::Text | FieldKind::LongText => return Vec::new(),
        FieldKind::YesNo => [YES, NO].map(|value| (value.to_owned(), shown(words, field, value))).to_vec(),
        FieldKind::Choice | FieldKind::Choices => {
            field.options.iter().map(|option| (option.clone(), option.clone())).collect()
        }
    };
    let is_option = |value: &String| options.iter().any(|(option, _)| option == value);
    let others: Vec<(String, String)> =
        chosen.iter().filter(|value| !is_option(value)).map(|value| (value.clone(), value.clone())).collect();
    let choice = |(value, label): (String, String)| {
        let is_chosen = chosen.contains(&value);
        Choice { value, label, is_chosen }
    };
    options.into_iter().chain(others).map(choice).collect()
}

/// A value as people read it.
pub fn shown(words: Words, field: &CustomField, value: &str) -> String {
    match (field.kind, value) {
        (FieldKind::YesNo, YES) => words.text("profile-field-yes"),
        (FieldKind::YesNo, NO) => words.text("profile-field-no"),
        _ => value.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::language::Language;

    const WORDS: Words = Words::new(Language::English);

    fn field(kind: FieldKind) -> CustomField {
        let options = vec!["Alto".to_owned(), "Bass".to_owned()];
        CustomField { name: "voice".to_owned(), kind, options, ..CustomField::default() }
    }

    fn chosen(input: &CustomInput) -> Vec<(&str, bool)> {
        input.choices.iter().map(|choice| (choice.value.as_str(), choice.is_chosen)).collect()
    }

    #[test]
    fn a_value_that_is_no_option_is_offered_so_that_it_stays() {
        let one = CustomInput::stored(WORDS, &field(FieldKind::Choice), Some("Tenor"));
        assert_eq!(chosen(&one), [("Alto", false), ("Bass", false), ("Tenor", true)]);
        let several = CustomInput::stored(WORDS, &field(FieldKind::Choices), Some("Bass; Tenor"));
        assert_eq!(chosen(&several), [("Alto", false), ("Bass", true), ("Tenor", true)]);
        let answer = CustomInput::stored(WORDS, &field(FieldKind::YesNo), Some("yes"));
        assert_eq!(chosen(&answer), [("yes", true), ("no", false)]);
        let text = CustomInput::stored(WORDS, &field(FieldKind::Text), Some("she/her"));
        assert_eq!((text.value.as_str(), text.choices.len()), ("she/her", 0));
    }

    #[test]
    fn what_was_sent_stays() {
        let form = Form::from_query("custom_voice=&custom_voice=Bass&custom_voice=x");
        let sent = CustomInput::sent(WORDS, &field(FieldKind::Choices), &form, Some("no".to_owned()));
        assert_eq!(chosen(&sent), [("Alto", false), ("Bass", true), ("x", true)]);
        assert!(!sent.is_blank() && sent.fault.is_some());
        let nothing = Form::from_query("custom_voice=");
        assert!(CustomInput::sent(WORDS, &field(FieldKind::Choices), &nothing, None).is_blank());
    }
}
