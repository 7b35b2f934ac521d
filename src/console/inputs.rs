//! Inputs of forms: what was typed, what is wrong with it, and what somebody else has stored meanwhile
//! (`templates/console/parts/input.html`).

use std::borrow::Cow;

use askama::Template;

use super::faults;
use crate::{
    domain::{fault::Field, field_errors::FieldErrors, page_settings::Asking},
    http::form::Form,
    words::Words,
};

#[derive(Default, Template)]
#[template(path = "console/parts/input.html")]
pub struct Input {
    /// The name in the form, and the id on the page.
    pub name: Cow<'static, str>,
    pub label: String,
    pub hint: Option<String>,
    pub fault: Option<String>,
    pub value: String,
    pub shape: Shape,
    /// What somebody else has stored in the meantime, if it differs: a sentence, as HTML.
    pub now: Option<String>,
    /// It gets the focus if something is wrong with it. For the first input of a form.
    pub is_first: bool,
}

#[derive(Default)]
pub enum Shape {
    /// In any script.
    #[default]
    Line,
    /// A URL, a color or another code, written from left to right.
    Code,
    /// A code, with values and labels that the browser suggests.
    Suggested(Vec<(String, String)>),
    Secret,
    Date,
    DateTime,
    Number,
    File,
    Lines,
    /// Lines that are written from left to right.
    CodeLines,
    Menu(Vec<Choice>),
    Radios(Vec<Choice>),
    Tick,
}

/// An entry of a menu, or a radio button.
pub struct Choice {
    pub word: &'static str,
    pub label: String,
}

impl Input {
    pub fn new(
        name: impl Into<Cow<'static, str>>,
        label: String,
        shape: Shape,
        value: impl Into<String>,
    ) -> Self {
        Self { name: name.into(), label, shape, value: value.into(), ..Self::default() }
    }

    /// Itself, for templates. `{{ input|safe }}` would also take a text, and not escape it.
    pub fn shown(&self) -> &Self {
        self
    }

    pub fn hint(self, hint: String) -> Self {
        Self { hint: Some(hint), ..self }
    }

    pub fn fault(self, fault: Option<String>) -> Self {
        Self { fault, ..self }
    }

    pub fn now(self, now: Option<String>) -> Self {
        Self { now, ..self }
    }

    pub fn is_tick(&self) -> bool {
        matches!(self.shape, Shape::Tick)
    }

    pub fn is_radios(&self) -> bool {
        matches!(self.shape, Shape::Radios(_))
    }

    pub fn is_menu(&self) -> bool {
        matches!(self.shape, Shape::Menu(_))
    }

    pub fn is_file(&self) -> bool {
        matches!(self.shape, Shape::File)
    }

    /// An input of several lines has this many.
    pub fn rows(&self) -> Option<u8> {
        match self.shape {
            Shape::Lines => Some(6),
            Shape::CodeLines => Some(4),
            _ => None,
        }
    }

    pub fn choices(&self) -> &[Choice] {
        match &self.shape {
            Shape::Menu(choices) | Shape::Radios(choices) => choices,
            _ => &[],
        }
    }

    pub fn suggestions(&self) -> &[(String, String)] {
        match &self.shape {
            Shape::Suggested(all) => all,
            _ => &[],
        }
    }

    pub fn is_ticked(&self) -> bool {
        !self.value.is_empty()
    }

    pub fn is_chosen(&self, choice: &Choice) -> bool {
        self.value == choice.word
    }

    /// The attribute `type` of an input with one line.
    pub fn line_type(&self) -> &'static str {
        match self.shape {
            Shape::Secret => "password",
            Shape::Date => "date",
            Shape::DateTime => "datetime-local",
            Shape::Number => "number",
            _ => "text",
        }
    }

    /// It is neither capitalized nor checked for spelling.
    pub fn is_code(&self) -> bool {
        matches!(self.shape, Shape::Code | Shape::CodeLines | Shape::Suggested(_) | Shape::Secret)
    }

    pub fn direction(&self) -> &'static str {
        match self.shape {
            Shape::Code
            | Shape::CodeLines
            | Shape::Suggested(_)
            | Shape::Secret
            | Shape::Date
            | Shape::DateTime
            | Shape::Number => "ltr",
            Shape::Line | Shape::Lines | Shape::File | Shape::Menu(_) | Shape::Radios(_) | Shape::Tick => {
                "auto"
            }
        }
    }

    /// The ids of what describes it, separated by spaces.
    pub fn described_by(&self) -> String {
        let parts =
            [("hint", self.hint.is_some()), ("fault", self.fault.is_some()), ("now", self.now.is_some())];
        let parts = parts.into_iter().filter(|(_, is_there)| *is_there);
        parts.map(|(part, _)| format!("{}-{part}", self.name)).collect::<Vec<_>>().join(" ")
    }
}

/// The name of an input, and the ids of its label and of its hint.
pub type Texts = (&'static str, &'static str, &'static str);

/// The words of choices, each with the id of its label.
pub type Labels = Vec<(&'static str, &'static str)>;

/// The word for a custom field that a page asks for as the field itself says.
pub const BY_DEFAULT: &str = "default";

/// What is wrong with a form, if something is.
#[derive(Clone, Copy)]
pub struct Faults<'a> {
    pub words: Words,
    pub errors: Option<&'a FieldErrors>,
}

impl Faults<'_> {
    pub fn of(self, field: &Field) -> Option<String> {
        self.errors?.of(field).first().map(|fault| faults::sentence(self.words, fault))
    }

    /// An input with this value.
    pub fn input(
        self,
        field: &Field,
        (name, label, hint): Texts,
        shape: Shape,
        value: impl Into<String>,
    ) -> Input {
        let words = self.words;
        Input::new(name, words.text(label), shape, value).hint(words.text(hint)).fault(self.of(field))
    }
}

/// The input into which something is typed before that is deleted: its name, and the id of the sentence if it is something else.
pub type Confirmation = (&'static str, &'static str);

pub const TYPED: Confirmation = ("typed", "console-set-fault-typed");
pub const TYPED_NAME: Confirmation = ("typed_name", "console-settings-delete-fault");

/// What was typed, if it is not what is to be deleted.
pub fn mistyped<'a>(form: &'a Form, (name, _): Confirmation, wanted: &str) -> Option<&'a str> {
    let typed = form.get(name).unwrap_or_default();
    (typed.trim() != wanted.trim()).then_some(typed)
}

/// What has to be typed before something is deleted, or `wrong` was typed instead (`mistyped`).
pub fn confirmation(
    words: Words,
    (name, fault): Confirmation,
    label: String,
    shape: Shape,
    wrong: Option<&str>,
) -> Input {
    let fault = wrong.map(|_| words.text(fault));
    Input { is_first: true, ..Input::new(name, label, shape, wrong.unwrap_or_default()).fault(fault) }
}

/// How a field can be asked for: words, and the ids of their labels.
pub fn askings() -> Labels {
    let label = |asking: Asking| match asking {
        Asking::Off => "console-asked-off",
        Asking::Optional => "console-asked-optional",
        Asking::Required => "console-asked-required",
    };
    Asking::ALL.into_iter().map(|asking| (asking.word(), label(asking))).collect()
}

/// The sentence about a value that somebody else has stored, as HTML.
pub fn said(words: Words, value: &str) -> String {
    match value {
        "" => words.html("console-set-now-nothing", &[]),
        value => words.one_html("console-set-now", "value", value),
    }
}

/// The label of a choice.
pub fn label_of(words: Words, all: &[(&str, &str)], wanted: &str) -> Option<String> {
    all.iter().find(|(word, _)| *word == wanted).map(|(_, id)| words.text(id))
}

/// A menu or radio buttons, one of which is chosen (`Shape::Menu`, `Shape::Radios`). `now` is what is stored, if somebody else has
/// changed that.
pub fn chosen(
    words: Words,
    (name, label): (impl Into<Cow<'static, str>>, String),
    shape: fn(Vec<Choice>) -> Shape,
    all: Labels,
    typed: &str,
    now: Option<&str>,
) -> Input {
    let now = now.filter(|now| *now != typed).and_then(|now| label_of(words, &all, now));
    let choices = all.into_iter().map(|(word, id)| Choice { word, label: words.text(id) });
    Input::new(name, label, shape(choices.collect()), typed).now(now.map(|now| said(words, &now)))
}

/// The version that a form is based on. A form without one is based on nothing that there is.
pub fn base(form: &Form) -> Option<String> {
    Some(form.get("version").unwrap_or_default().to_owned())
}

/// The version in a form, which may have been sent with these errors. A mistake keeps that of the form, whose sender does not know yet that
/// there is a newer one: with that, the next attempt would replace what somebody else has saved.
pub fn shown_version(sent: Option<(&Form, &FieldErrors)>, newest: String) -> String {
    match sent {
        Some((form, errors)) if !is_outdated(errors) => form.get("version").unwrap_or_default().to_owned(),
        _ => newest,
    }
}

/// Has somebody else changed what the form is about?
pub fn is_outdated(errors: &FieldErrors) -> bool {
    errors.has(&Field::Version)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_input_is_described_by_its_hint_its_fault_and_what_is_stored() {
        let input = Input::new("accent", String::new(), Shape::Code, "");
        assert_eq!(input.described_by(), "");
        let input = input.fault(Some("wrong".to_owned()));
        assert_eq!(input.described_by(), "accent-fault");
        let input = input.hint("like this".to_owned());
        assert_eq!(input.described_by(), "accent-hint accent-fault");
        let input = input.now(Some("stored".to_owned()));
        assert_eq!(input.described_by(), "accent-hint accent-fault accent-now");
    }
}
