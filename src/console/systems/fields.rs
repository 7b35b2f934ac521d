//! Inputs of the forms about learning systems.

use crate::{
    domain::{
        fault::{Fault, Field, SetupFault},
        field_errors::FieldErrors,
        roster::Role,
    },
    http::{
        faults::{self, Input},
        form::Form,
    },
    words::Words,
};

/// An input with one line, or with several (`lines`).
pub struct TextField {
    pub name: &'static str,
    pub label: &'static str,
    pub hint: Option<&'static str>,
    pub value: String,
    /// `text`, `url`, `password` or `lines`.
    pub kind: &'static str,
    pub fault: Option<String>,
    /// What somebody else has entered in the meantime.
    pub theirs: Option<String>,
}

impl TextField {
    pub fn new(name: &'static str, label: &'static str, kind: &'static str, value: String) -> Self {
        Self { name, label, hint: None, value, kind, fault: None, theirs: None }
    }

    pub fn hint(self, hint: &'static str) -> Self {
        Self { hint: Some(hint), ..self }
    }

    pub fn fault(self, words: Words, errors: &FieldErrors, field: &Field) -> Self {
        Self { fault: sentence(words, errors, field), ..self }
    }

    pub fn theirs(self, theirs: Option<String>) -> Self {
        let theirs = theirs.filter(|theirs| *theirs != self.value);
        Self { theirs, ..self }
    }

    pub fn is_described(&self) -> bool {
        self.hint.is_some() || self.fault.is_some() || self.theirs.is_some()
    }

    /// The ids of what describes it.
    pub fn described_by(&self) -> String {
        let parts = [
            ("hint", self.hint.is_some()),
            ("fault", self.fault.is_some()),
            ("theirs", self.theirs.is_some()),
        ];
        let parts = parts.into_iter().filter(|(_, is_there)| *is_there);
        parts.map(|(part, _)| format!("{}-{part}", self.name)).collect::<Vec<_>>().join(" ")
    }
}

/// What is wrong with an input.
fn sentence(words: Words, errors: &FieldErrors, field: &Field) -> Option<String> {
    let (_, found) = errors.iter().find(|(one, _)| *one == field)?;
    Some(match found.first()? {
        Fault::Setup(SetupFault::Address(why)) => words.one("console-systems-address-refused", "why", why),
        Fault::Setup(SetupFault::ApiRoot) => words.text("console-systems-api-root"),
        Fault::Setup(SetupFault::NotAFrameAncestor) => words.text("console-systems-not-origin"),
        Fault::Setup(SetupFault::BlankOrRepeated) => words.text("console-systems-repeated"),
        Fault::Taken => words.text("console-systems-taken"),
        fault => faults::fault(words, Input::LinkTitle, fault),
    })
}

/// A checkbox or an entry of a menu.
pub struct Choice {
    pub word: &'static str,
    pub label: &'static str,
    pub is_chosen: bool,
}

pub fn role_choices(chosen: &[Role]) -> Vec<Choice> {
    let choice =
        |role: Role| Choice { word: role.word(), label: role_name(role), is_chosen: chosen.contains(&role) };
    Role::ALL.map(choice).into()
}

pub fn role_name(role: Role) -> &'static str {
    match role {
        Role::Student => "console-systems-student",
        Role::Teacher => "console-systems-teacher",
        Role::Assistant => "console-systems-assistant",
        Role::Designer => "console-systems-designer",
        Role::Observer => "console-systems-observer",
    }
}

/// The roles that are ticked.
pub fn roles(form: &Form) -> Vec<Role> {
    Role::ALL.into_iter().filter(|role| form.get(&format!("role-{}", role.word())).is_some()).collect()
}

pub fn text(form: &Form, name: &str) -> String {
    form.get(name).unwrap_or_default().trim().to_owned()
}

/// The lines that are not blank.
pub fn lines(text: &str) -> Vec<String> {
    text.lines().map(|line| line.trim().to_owned()).filter(|line| !line.is_empty()).collect()
}
