//! Inputs of forms: what was typed, and what is wrong with it (`templates/console/parts/input.html`).

use crate::domain::token::{digest, hex};

pub struct Input {
    /// The name in the form, and the id on the page.
    pub name: &'static str,
    pub label: String,
    pub hint: Option<String>,
    pub fault: Option<String>,
    pub value: String,
    pub shape: Shape,
}

pub enum Shape {
    /// In any script.
    Line,
    /// A URL, a color or another code, written from left to right.
    Code,
    Secret,
    File,
    Lines,
    /// Lines that are written from left to right.
    CodeLines,
    Menu(Vec<Choice>),
    Tick,
}

/// An entry of a menu.
pub struct Choice {
    pub value: String,
    pub label: String,
}

impl Input {
    pub fn menu(&self) -> Option<&[Choice]> {
        match &self.shape {
            Shape::Menu(choices) => Some(choices),
            _ => None,
        }
    }

    pub fn is_tick(&self) -> bool {
        matches!(self.shape, Shape::Tick)
    }

    pub fn is_area(&self) -> bool {
        matches!(self.shape, Shape::Lines | Shape::CodeLines)
    }

    pub fn is_file(&self) -> bool {
        matches!(self.shape, Shape::File)
    }

    pub fn is_secret(&self) -> bool {
        matches!(self.shape, Shape::Secret)
    }

    pub fn is_ticked(&self) -> bool {
        !self.value.is_empty()
    }

    pub fn is_chosen(&self, choice: &Choice) -> bool {
        self.value == choice.value
    }

    pub fn direction(&self) -> &'static str {
        match self.shape {
            Shape::Code | Shape::CodeLines | Shape::Secret => "ltr",
            Shape::Line | Shape::Lines | Shape::File | Shape::Menu(_) | Shape::Tick => "auto",
        }
    }

    /// The ids of its hint and of its fault, separated by a space.
    pub fn described_by(&self) -> String {
        let hint = self.hint.as_ref().map(|_| format!("{}-hint", self.name));
        let fault = self.fault.as_ref().map(|_| format!("{}-fault", self.name));
        hint.into_iter().chain(fault).collect::<Vec<_>>().join(" ")
    }
}

/// Identifies the values that a form was made with. If somebody else has saved others meanwhile, it is another one.
pub fn version<'a>(values: impl IntoIterator<Item = &'a str>) -> String {
    let all: Vec<&str> = values.into_iter().collect();
    hex(&digest(&all.join("\u{1f}"))).chars().take(16).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_value_is_another_version() {
        assert_eq!(version(["a", "b"]), version(["a", "b"]));
        assert_ne!(version(["a", "b"]), version(["a", "c"]));
        assert_ne!(version(["a", "b"]), version(["ab", ""]));
    }

    #[test]
    fn an_input_is_described_by_its_hint_and_its_fault() {
        let mut input = Input {
            name: "accent",
            label: String::new(),
            hint: None,
            fault: None,
            value: String::new(),
            shape: Shape::Code,
        };
        assert_eq!(input.described_by(), "");
        input.fault = Some("wrong".to_owned());
        assert_eq!(input.described_by(), "accent-fault");
        input.hint = Some("like this".to_owned());
        assert_eq!(input.described_by(), "accent-hint accent-fault");
    }
}
