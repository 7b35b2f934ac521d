//! The inputs with which people tell a page about themselves (`templates/name_pages/parts/details.html`).

use crate::{
    app::{name_pages::PublicPage, registrations},
    domain::{
        custom_field::CustomField,
        fault::{Fault, Field},
        field_errors::FieldErrors,
        language::Language,
        page_settings::Asking,
        participant::Participant,
    },
    http::{
        custom_field::{CustomInput, numbered},
        faults::{self, Input},
        form::Form,
    },
    words::Words,
};

/// What a page asks for. What it does not ask for is absent.
#[derive(Default)]
pub struct Inputs {
    pub first_name: Option<TextInput>,
    pub last_name: Option<TextInput>,
    pub phonetic: Option<TextInput>,
    pub custom: Vec<CustomInput>,
    pub notes: Option<TextInput>,
}

#[derive(Default)]
pub struct TextInput {
    pub value: String,
    pub fault: Option<String>,
    /// It is the first one with a fault.
    pub has_focus: bool,
    pub is_required: bool,
}

impl TextInput {
    /// Whether it has a fault, and whether it has the focus.
    fn focus(&mut self) -> (bool, &mut bool) {
        (self.fault.is_some(), &mut self.has_focus)
    }
}

impl Inputs {
    /// Of somebody who registers. `given` is what they have sent, or what the link to the page had.
    pub fn of_new(public: &PublicPage, fields: &[CustomField], given: &Form, faults: &Faults<'_>) -> Self {
        let value = |key: &str| given.get(key).unwrap_or_default().to_owned();
        let mut inputs = Self::asked(public, value, faults).with_sent(public, fields, given, faults);
        // Without a name, nobody can be registered.
        let name = |key: &str, field: &Field| TextInput {
            value: given.get(key).unwrap_or_default().to_owned(),
            fault: faults.of(field, Input::CustomField),
            ..TextInput::default()
        };
        inputs.first_name = Some(name("first_name", &Field::FirstName));
        inputs.last_name = Some(name("last_name", &Field::LastName));
        inputs.focused()
    }

    /// Of somebody who is registered.
    pub fn of_entry(words: Words, public: &PublicPage, fields: &[CustomField], entry: &Participant) -> Self {
        let custom = |field: &CustomField| {
            let value = entry.custom.0.get(&field.id).map(String::as_str);
            CustomInput::stored(words, field, value).asked(public.settings.asked.of(field))
        };
        let value = |key: &str| {
            let value = match key {
                "first_name" => entry.first_name.as_ref(),
                "last_name" => entry.last_name.as_ref(),
                "phonetic" => entry.phonetic.as_ref(),
                "notes" => entry.notes.as_ref(),
                _ => None,
            };
            value.cloned().unwrap_or_default()
        };
        let inputs = Self::of_registered(public, value, &Faults::NONE);
        Self { custom: numbered(fields.iter().map(custom), "field"), ..inputs }
    }

    /// What somebody who is registered has sent, with what is wrong with it.
    pub fn of_rejected(
        public: &PublicPage,
        fields: &[CustomField],
        given: &Form,
        faults: &Faults<'_>,
    ) -> Self {
        let value = |key: &str| given.get(key).unwrap_or_default().to_owned();
        Self::of_registered(public, value, faults).with_sent(public, fields, given, faults).focused()
    }

    fn of_registered(public: &PublicPage, value: impl Fn(&str) -> String, faults: &Faults<'_>) -> Self {
        let mut inputs = Self::asked(public, &value, faults);
        if registrations::changes_names(public) {
            let name = |key: &str, field: &Field| TextInput {
                value: value(key),
                fault: faults.of(field, Input::CustomField),
                ..TextInput::default()
            };
            inputs.first_name = Some(name("first_name", &Field::FirstName));
            inputs.last_name = Some(name("last_name", &Field::LastName));
        }
        inputs
    }

    /// With what was sent for custom fields.
    fn with_sent(
        self,
        public: &PublicPage,
        fields: &[CustomField],
        given: &Form,
        faults: &Faults<'_>,
    ) -> Self {
        let custom = |field: &CustomField| {
            let fault = faults.of(&Field::Custom(field.import_key()), Input::CustomField);
            let input = CustomInput::sent(faults.words, field, given, fault);
            input.asked(public.settings.asked.of(field))
        };
        Self { custom: numbered(fields.iter().map(custom), "field"), ..self }
    }

    /// Everything but the name and custom fields.
    fn asked(public: &PublicPage, value: impl Fn(&str) -> String, faults: &Faults<'_>) -> Self {
        let asked = &public.settings.asked;
        let input = |key: &str, field: &Field, asking: Asking, input: Input| TextInput {
            value: value(key),
            fault: faults.of(field, input),
            has_focus: false,
            is_required: asking.is_required(),
        };
        let text = |key: &str, field: Field, asking: Asking, kind: Input| {
            asking.is_asked().then(|| input(key, &field, asking, kind))
        };
        Self {
            phonetic: text("phonetic", Field::Phonetic, asked.phonetic, Input::Phonetic),
            notes: text("notes", Field::Notes, asked.notes, Input::Notes),
            ..Self::default()
        }
    }

    /// In the order of the page: whether each input has a fault, and whether it has the focus.
    fn all(&mut self) -> impl Iterator<Item = (bool, &mut bool)> {
        let before = [&mut self.first_name, &mut self.last_name, &mut self.phonetic];
        let custom = self.custom.iter_mut().map(|input| (input.fault.is_some(), &mut input.has_focus));
        before
            .into_iter()
            .flatten()
            .map(TextInput::focus)
            .chain(custom)
            .chain(self.notes.iter_mut().map(TextInput::focus))
    }

    /// Focuses the first input with a fault.
    fn focused(mut self) -> Self {
        if let Some((_, has_focus)) = self.all().find(|(has_fault, _)| *has_fault) {
            *has_focus = true;
        }
        self
    }

    pub fn has_focus(&mut self) -> bool {
        self.all().any(|(_, has_focus)| *has_focus)
    }

    /// Is there anything to fill in?
    pub fn is_empty(&self) -> bool {
        let texts = [&self.first_name, &self.last_name, &self.phonetic, &self.notes];
        self.custom.is_empty() && texts.into_iter().all(Option::is_none)
    }

    /// The labels of required inputs that have no value.
    pub fn missing(&self, words: Words) -> Vec<String> {
        let is_missing = |input: &TextInput| input.is_required && input.value.is_empty();
        let text = |input: &Option<TextInput>, id: &str| {
            input.as_ref().filter(|input| is_missing(input)).map(|_| words.text(id))
        };
        let custom = self.custom.iter().filter(|custom| custom.is_required && custom.is_blank());
        let custom = custom.map(|custom| custom.label.clone());
        let phonetic = text(&self.phonetic, "me-phonetic");
        phonetic.into_iter().chain(custom).chain(text(&self.notes, "me-notes")).collect()
    }
}

/// What is wrong with what somebody has sent, if something is.
pub struct Faults<'a> {
    pub words: Words,
    pub errors: Option<&'a FieldErrors>,
}

impl Faults<'_> {
    pub const NONE: Self = Self { words: Words::new(Language::English), errors: None };

    fn of(&self, field: &Field, input: Input) -> Option<String> {
        let fault = self.errors?.of(field).first()?;
        Some(match (field, fault) {
            (Field::FirstName | Field::LastName, Fault::Blank) => self.words.text("page-name-blank"),
            (Field::FirstName, Fault::Closed) => self.words.text("page-archived"),
            _ => faults::fault(self.words, input, fault),
        })
    }
}
