//! Optional parts of a record (`include`), and the HTML snippets that play a recording.

use std::sync::LazyLock;

use crate::{
    app::Links,
    domain::{
        fault::{Fault, Field},
        field_errors::FieldErrors,
        ids::InstitutionId,
        participant::Participant,
    },
};

use super::{
    html::escape,
    params::{self, Params},
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

/// The click handler: formatted in its file, on one line here.
static ON_CLICK: LazyLock<String> = LazyLock::new(|| {
    include_str!("../../assets/snippet.js").lines().filter(|line| !line.starts_with("//")).collect()
});

/// A link handles the Enter key itself.
const ON_SPACE: &str = "if(event.key==' '){event.preventDefault();this.click()}";
/// Pages often remove focus outlines, which keyboard users need.
const ON_FOCUS: &str = "this.style.outline=this.matches(':focus-visible')?'2px solid':''";
const ON_BLUR: &str = "this.style.outline=''";

// Styles are inline, because the surrounding page is unknown. The color is the player's, with contrast to white and
// black.
const LINK_STYLE: &str = "display:inline-block;padding:4px;line-height:0;vertical-align:middle;color:#1a8a72";
/// Resets what the page sets for images.
const PICTURE_STYLE: &str = "all:unset;display:block";

/// If the image fails to load, shows a symbol instead of a broken image.
const IMAGE_FALLBACK: &str = "onerror=\"var s=document.createElement('span');s.textContent=this.alt;\
                               s.style.cssText=this.style.cssText;this.replaceWith(s)\"";

/// The accessible name of the button: the preferred name or the legal name. The API is in English; pages have their own words.
fn label(person: &Participant, legal: bool) -> String {
    let name = spoken_name(person, legal);
    if legal { format!("Play the legal name of {name}") } else { format!("Play the name of {name}") }
}

/// The name in a recording, as far as it is known in writing.
pub fn spoken_name(person: &Participant, legal: bool) -> String {
    let written = if legal { person.legal.full_name() } else { String::new() };
    if written.is_empty() { person.full_name() } else { written }
}

/// HTML that plays the recording on click; `None` without a recording, which clients check for. It is a link to the
/// player without element ids, so that a page can contain any number of them. Where the page's CSP allows it, a click
/// handler plays the recording in place.
pub fn image(
    links: &Links,
    institution: InstitutionId,
    person: &Participant,
    icon: &Icon,
    legal: bool,
) -> Option<String> {
    let recording = if legal { person.legal.recording.as_ref() } else { person.recording.as_ref() }?;
    let picture = match &icon.image {
        Some(url) => format!(
            "<img src=\"{}\" alt=\"▶\" {IMAGE_FALLBACK} style=\"{PICTURE_STYLE};height:32px;min-width:24px;\
             font:24px/32px sans-serif;text-align:center\">",
            escape(url)
        ),
        None => drawn(icon.drawing()),
    };
    Some(format!(
        "<a href=\"{}{}\" target=\"_blank\" aria-label=\"{}\" onclick=\"{}\" onkeydown=\"{ON_SPACE}\" \
         onfocus=\"{ON_FOCUS}\" onblur=\"{ON_BLUR}\" style=\"{LINK_STYLE}\">{picture}\
         <audio preload=\"none\" src=\"{}\"></audio></a>",
        escape(&links.player(institution, &person.token)),
        if legal { "?legal=1" } else { "" },
        escape(&label(person, legal)),
        *ON_CLICK,
        escape(&links.recording(institution, recording)),
    ))
}

fn drawn(Drawing { size, lines, idle, .. }: Drawing) -> String {
    let (ink, plain) = if lines {
        (
            "fill:none;stroke:currentColor;stroke-width:2.5;stroke-linejoin:round;stroke-linecap:round",
            " fill=\"none\" stroke=\"currentColor\"",
        )
    } else {
        ("fill:currentColor", "")
    };
    // The attributes serve pages whose CSP blocks inline styles.
    format!(
        "<svg viewBox=\"0 0 32 32\" width=\"{size}\" height=\"{size}\"{plain} style=\"{PICTURE_STYLE};width:{size}px;height:{size}px;{ink}\"><path d=\"{idle}\"/></svg>"
    )
}

/// An iframe with a player. Without a recording, the player page says so.
pub fn iframe(
    links: &Links,
    institution: InstitutionId,
    person: &Participant,
    icon: &Icon,
    legal: bool,
) -> String {
    let mut address = links.player(institution, &person.token);
    let mut separator = '?';
    let mut add = |name: &str, value: &str| {
        address.push_str(&format!("{separator}{name}={}", params::encoded(value)));
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
    // The color scheme must match the page in the frame; otherwise browsers paint a background.
    format!(
        "<iframe src=\"{}\" title=\"{}\" width=\"48\" height=\"48\" style=\"border:0;vertical-align:middle;color-scheme:light\" \
         loading=\"lazy\" allow=\"autoplay\"></iframe>",
        escape(&address),
        escape(&label(person, legal)),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_snippet_runs_fits_into_attributes_as_it_is() {
        for code in [&ON_CLICK, ON_SPACE, ON_FOCUS, ON_BLUR] {
            assert!(!code.contains(['"', '&', '<', '>', '\n']), "{code}");
            assert!(!code.contains("//"), "a comment would swallow what follows: {code}");
        }
    }
}
