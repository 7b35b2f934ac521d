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

/// What is wrong with an input.
pub fn fault(words: Words, errors: &FieldErrors, field: &Field) -> Option<String> {
    Some(match errors.of(field).first()? {
        Fault::Setup(SetupFault::Address(why)) => words.one("console-systems-address-refused", "why", why),
        Fault::Setup(SetupFault::ApiRoot) => words.text("console-systems-api-root"),
        Fault::Setup(SetupFault::NotAFrameAncestor) => words.text("console-systems-not-origin"),
        Fault::Setup(SetupFault::BlankOrRepeated) => words.text("console-systems-repeated"),
        Fault::Setup(SetupFault::RenewFirst) => words.text("console-systems-renew-first"),
        Fault::Taken => words.text("console-systems-taken"),
        fault => faults::fault(words, Input::LinkTitle, fault),
    })
}

/// A checkbox.
pub struct Choice {
    pub word: &'static str,
    pub label: &'static str,
    pub is_chosen: bool,
}

/// The checkboxes for those who are listed.
pub struct Roles {
    pub choices: Vec<Choice>,
    pub fault: Option<String>,
}

impl Roles {
    pub fn new(words: Words, chosen: &[Role], errors: &FieldErrors) -> Self {
        let choice = |role: Role| Choice {
            word: role.word(),
            label: role_name(role),
            is_chosen: chosen.contains(&role),
        };
        Self {
            choices: Role::ALL.map(choice).into(),
            fault: errors.has(&Field::Role).then(|| words.text("console-systems-roles-blank")),
        }
    }
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
