//! What a client may ask to have beside the base fields, and the snippets that play a recording.

use crate::{
    app::Links,
    domain::{field_errors::FieldErrors, participant::Participant, text::INVALID},
};

use super::params::Params;

/// What a version knows of these.
#[derive(Debug, Clone, Copy)]
pub struct Dialect {
    pub highest_icon: u64,
    pub legal_embeddables: bool,
}

/// The words of `include`.
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

    /// As it stands in an address.
    pub fn words(self) -> String {
        let all = [
            (self.custom_attributes, "custom_attributes"),
            (self.embeddables, "embeddables"),
            (self.legal_embeddables, "legal_embeddables"),
        ];
        all.iter().filter(|(is_set, _)| *is_set).map(|(_, word)| *word).collect::<Vec<_>>().join(",")
    }
}

/// What the button of a snippet looks like.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Icon {
    pub code: Option<u64>,
    pub image: Option<String>,
}

impl Icon {
    pub fn read(params: &Params, dialect: Dialect, errors: &mut FieldErrors) -> Self {
        let code = match params.whole_number("icon_code") {
            None => None,
            Some(Ok(code)) if code <= dialect.highest_icon => Some(code),
            Some(_) => {
                errors.add("icon_code", "is not included in the list");
                None
            }
        };
        let image = params.text("play_button_img_url").map(|url| url.into_owned());
        let good = image.as_deref().map_or_else(|| params.is_blank("play_button_img_url"), is_web_address);
        if !good {
            errors.add("play_button_img_url", INVALID);
        }
        Self { code, image }
    }
}

fn is_web_address(url: &str) -> bool {
    let lower = url.to_ascii_lowercase();
    let rest = lower.strip_prefix("https://").or_else(|| lower.strip_prefix("http://"));
    rest.is_some_and(|rest| !rest.is_empty() && !rest.starts_with('/'))
        && !url.chars().any(|c| c.is_whitespace() || c.is_control())
}

/// HTML that plays the recording when clicked; `None` without a recording, which clients test for.
pub fn image(
    links: &Links,
    institution: i64,
    person: &Participant,
    icon: &Icon,
    legal: bool,
) -> Option<String> {
    let recording = if legal { person.legal.recording.as_ref() } else { person.recording.as_ref() }?;
    let picture = match &icon.image {
        Some(url) => format!("<img src=\"{}\" alt=\"\" height=\"32\">", escape(url)),
        None => drawing(icon.code.unwrap_or(0)).to_owned(),
    };
    Some(format!(
        "<button type=\"button\" aria-label=\"Play the name of {}\" data-audio=\"{}\" onclick=\"new Audio(this.dataset.audio).play()\" \
         style=\"background:none;border:0;padding:0;cursor:pointer\">{picture}</button>",
        escape(&person.full_name()),
        escape(&links.recording(institution, recording)),
    ))
}

/// An iframe with a player; without a recording its page says so.
pub fn iframe(links: &Links, institution: i64, person: &Participant, icon: &Icon, legal: bool) -> String {
    let mut address = links.player(institution, &person.token);
    let mut separator = '?';
    let mut add = |name: &str, value: &str| {
        address.push_str(&format!("{separator}{name}={}", super::listing::encoded(value)));
        separator = '&';
    };
    if legal {
        add("legal", "1");
    }
    if let Some(code) = icon.code {
        add("icon_code", &code.to_string());
    }
    if let Some(image) = &icon.image {
        add("play_button_img_url", image);
    }
    format!(
        "<iframe src=\"{}\" title=\"Play the name of {}\" width=\"48\" height=\"48\" style=\"border:0\" loading=\"lazy\" allow=\"autoplay\"></iframe>",
        escape(&address),
        escape(&person.full_name()),
    )
}

const fn drawing(code: u64) -> &'static str {
    match code {
        1 => {
            "<svg width=\"32\" height=\"32\" viewBox=\"0 0 32 32\" aria-hidden=\"true\"><path fill=\"currentColor\" d=\"M4 12h6l8-7v22l-8-7H4zM21 10a8 8 0 0 1 0 12l1.500 2a11 11 0 0 0 0-16z\"/></svg>"
        }
        2 | 3 => {
            "<svg width=\"24\" height=\"24\" viewBox=\"0 0 32 32\" aria-hidden=\"true\"><path fill=\"none\" stroke=\"currentColor\" stroke-width=\"2.500\" d=\"M4 12h6l8-7v22l-8-7H4zM22 11a7 7 0 0 1 0 10\"/></svg>"
        }
        _ => {
            "<svg width=\"24\" height=\"24\" viewBox=\"0 0 32 32\" aria-hidden=\"true\"><path fill=\"currentColor\" d=\"M16 2a14 14 0 1 0 0 28 14 14 0 0 0 0-28zm-4 8 11 6-11 6z\"/></svg>"
        }
    }
}

pub fn escape(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\'' => safe.push_str("&#39;"),
            other => safe.push(other),
        }
    }
    safe
}
