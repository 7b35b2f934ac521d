//! Optional parts of a record (`include`), and the HTML snippets that play a recording.

mod snippets;

pub use snippets::{Players, Snippets};

use super::params::Params;
use crate::domain::{
    fault::{Fault, Field},
    field_errors::FieldErrors,
    participant::Participant,
};

/// What an API version supports.
#[derive(Debug, Clone, Copy)]
pub struct Dialect {
    pub highest_icon: u64,
    pub legal_embeddables: bool,
}

/// The values of `include`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Include {
    pub custom_attributes: bool,
    pub embeddables: bool,
    pub legal_embeddables: bool,
}

impl Include {
    pub fn read(params: &Params, dialect: Dialect) -> Self {
        let words = params.words("include");
        let has = |word: &str| words.iter().any(|given| given == word);
        Self {
            custom_attributes: has("custom_attributes"),
            embeddables: has("embeddables"),
            legal_embeddables: dialect.legal_embeddables && has("legal_embeddables"),
        }
    }

    /// As in a query string.
    pub fn words(self) -> String {
        let all = [
            (self.custom_attributes, "custom_attributes"),
            (self.embeddables, "embeddables"),
            (self.legal_embeddables, "legal_embeddables"),
        ];
        all.iter().filter(|(is_set, _)| *is_set).map(|(_, word)| *word).collect::<Vec<_>>().join(",")
    }
}

/// The look of a snippet's button.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Icon {
    pub code: Option<u64>,
    pub image: Option<String>,
}

impl Icon {
    pub fn read(params: &Params, dialect: Dialect, errors: &mut FieldErrors) -> Self {
        let code = Self::read_code(params, "icon_code", dialect.highest_icon, errors);
        Self { code, image: Self::read_image(params, errors) }
    }

    pub fn read_code(
        params: &Params,
        name: &'static str,
        highest: u64,
        errors: &mut FieldErrors,
    ) -> Option<u64> {
        match params.integer(name)? {
            Ok(code) if code <= highest => Some(code),
            _ => {
                errors.add(Field::Parameter(name), Fault::NotIncluded);
                None
            }
        }
    }

    pub fn read_image(params: &Params, errors: &mut FieldErrors) -> Option<String> {
        let image = params.text("play_button_img_url").map(|url| url.into_owned());
        let good = image.as_deref().map_or_else(|| params.is_blank("play_button_img_url"), is_web_address);
        if !good {
            errors.add(Field::Parameter("play_button_img_url"), Fault::Invalid);
        }
        image.filter(|_| good)
    }
}

fn is_web_address(url: &str) -> bool {
    let lower = url.to_ascii_lowercase();
    let rest = lower.strip_prefix("https://").or_else(|| lower.strip_prefix("http://"));
    rest.is_some_and(|rest| !rest.is_empty() && !rest.starts_with('/'))
        && !url.chars().any(|c| c.is_whitespace() || c.is_control())
}

/// A built-in icon on a 32 by 32 grid.
#[derive(Debug, Clone, Copy)]
pub struct Drawing {
    /// Default size in CSS pixels.
    pub size: u8,
    /// Stroked instead of filled?
    pub lines: bool,
    pub idle: &'static str,
    pub playing: &'static str,
}

const PLAY_BUTTON: Drawing = Drawing {
    size: 28,
    lines: false,
    idle: "M16 2a14 14 0 1 0 0 28 14 14 0 0 0 0-28zm-4 7 12 7-12 7z",
    playing: "M16 2a14 14 0 1 0 0 28 14 14 0 0 0 0-28zm-5 9h10v10H11z",
};

const SPEAKER: Drawing = Drawing {
    size: 32,
    lines: false,
    idle: "M3 12h5l8-7v22l-8-7H3zm16.6.4a5 5 0 0 1 0 7.2l1.8 1.8a7.6 7.6 0 0 0 0-10.8zm3.9-3.9a10.6 10.6 0 0 1 0 15l1.8 1.8a13.2 13.2 0 0 0 0-18.6z",
    playing: "M3 12h5l8-7v22l-8-7H3zm17 0h8v8h-8z",
};

const SECOND_SPEAKER: Drawing = Drawing {
    size: 24,
    lines: true,
    idle: "M4 12h5l7-7v22l-7-7H4zm17-1a7 7 0 0 1 0 10",
    playing: "M4 12h5l7-7v22l-7-7H4zm17 0h8v8h-8z",
};

impl Icon {
    pub fn drawing(&self) -> Drawing {
        match self.code {
            Some(1) => SPEAKER,
            Some(2 | 3) => SECOND_SPEAKER,
            _ => PLAY_BUTTON,
        }
    }
}

/// The name in a recording, as far as it is known in writing.
pub fn spoken_name(person: &Participant, legal: bool) -> String {
    let written = if legal { person.legal.full_name() } else { String::new() };
    if written.is_empty() { person.full_name() } else { written }
}
