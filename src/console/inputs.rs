//! Inputs of forms with which members set something up, and what is wrong with them (`templates/console/parts/inputs.html`).

use crate::{
    domain::{
        fault::{Fault, Field, SetupFault},
        field_errors::FieldErrors,
        page_settings::Asking,
    },
    words::Words,
};

/// A text, with what is wrong with it.
#[derive(Default)]
pub struct Input {
    pub value: String,
    pub fault: Option<String>,
    /// What somebody else has stored in the meantime, if it differs: a sentence, as HTML.
    pub now: Option<String>,
}

/// One of several choices, like an option of a menu or a radio button.
pub struct Choice {
    pub word: &'static str,
    pub label: String,
    pub is_chosen: bool,
}

/// A group of choices.
pub struct Choices {
    pub all: Vec<Choice>,
    /// See `Input::now`.
    pub now: Option<String>,
}

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
        let (_, found) = self.errors?.iter().find(|(name, _)| *name == field)?;
        found.first().map(|fault| sentence(self.words, fault))
    }

    /// An input with this value.
    pub fn input(self, field: &Field, value: String) -> Input {
        Input { value, fault: self.of(field), now: None }
    }
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

/// Choices, one of which is made. `now` is what is stored, if somebody else has changed that.
pub fn chosen(words: Words, all: Labels, typed: &str, now: Option<&str>) -> Choices {
    let label = |wanted: &str| all.iter().find(|(word, _)| *word == wanted).map(|(_, id)| words.text(id));
    let now = now.filter(|now| *now != typed).and_then(label).map(|now| said(words, &now));
    let choice = |(word, id): (&'static str, &'static str)| Choice {
        word,
        label: words.text(id),
        is_chosen: word == typed,
    };
    Choices { all: all.iter().copied().map(choice).collect(), now }
}

/// Has somebody else changed what the form is about?
pub fn is_outdated(errors: &FieldErrors) -> bool {
    errors.has(&Field::Version)
}

fn sentence(words: Words, fault: &Fault) -> String {
    match fault {
        Fault::Blank => words.text("me-fault-blank"),
        Fault::TooLong { most } => words.one("me-fault-long", "most", *most as u64),
        Fault::ControlCharacter => words.text("me-fault-characters"),
        Fault::TooManyEntries { most } => words.one("console-set-fault-many", "most", *most as u64),
        Fault::Taken => words.text("console-set-fault-taken"),
        Fault::NotFound => words.text("console-set-fault-page"),
        Fault::Setup(fault) => setup(words, fault),
        _ => words.text("shared-unreadable"),
    }
}

fn setup(words: Words, fault: &SetupFault) -> String {
    match fault {
        SetupFault::JustTaken => words.text("console-set-fault-taken"),
        SetupFault::NotASlug => words.text("console-set-fault-slug"),
        SetupFault::NotACode => words.text("console-set-fault-code"),
        SetupFault::NotAFieldName => words.text("console-set-fault-field-name"),
        SetupFault::ReservedFieldName(name) => words.one("console-set-fault-reserved", "name", name),
        SetupFault::NotADate(_) => words.text("console-set-fault-date"),
        SetupFault::NotAClosingTime(_) => words.text("console-set-fault-closing"),
        SetupFault::DateNeeded => words.text("console-set-fault-date-needed"),
        SetupFault::NotADomain(given) => words.one("console-set-fault-domain", "domain", given),
        SetupFault::PageDomainsNeeded => words.text("console-set-fault-domains-needed"),
        SetupFault::OutOfRange { least, most } => {
            words.with("console-set-fault-range", &[("least", (*least).into()), ("most", (*most).into())])
        }
        SetupFault::OptionsNeeded => words.text("console-set-fault-options"),
        SetupFault::NotAnOption(given) => words.one("console-set-fault-option", "option", given),
        SetupFault::Archived => words.text("console-page-archived-note"),
        _ => words.text("shared-unreadable"),
    }
}
