//! The HTML snippets that play a recording.

use std::{borrow::Cow, sync::LazyLock};

use super::{Drawing, Icon, spoken_name};
use crate::{
    app::{
        Links,
        links::secret::{LinkSecret, Purpose},
    },
    domain::{ids::InstitutionId, participant::Participant},
    http::{
        html::escape,
        json::{Escaped, Object, Text},
        params,
    },
};

/// The click handler: formatted in its file, on one line here.
static ON_CLICK: LazyLock<String> = LazyLock::new(|| {
    include_str!("../../../assets/snippet.js").lines().filter(|line| !line.starts_with("//")).collect()
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

/// What a link does and how it looks, between its label and its picture.
static LINK: LazyLock<Escaped> = LazyLock::new(|| {
    Escaped::new(&format!(
        "\" onclick=\"{}\" onkeydown=\"{ON_SPACE}\" onfocus=\"{ON_FOCUS}\" onblur=\"{ON_BLUR}\" style=\"{LINK_STYLE}\">",
        *ON_CLICK
    ))
});
static LINK_END: LazyLock<Escaped> =
    LazyLock::new(|| Escaped::new(&format!("{}\"></audio></a>", Links::RECORDING_END)));
/// The color scheme must match the page in the frame; otherwise browsers paint a background.
static FRAME_END: LazyLock<Escaped> = LazyLock::new(|| {
    Escaped::new(
        "\" width=\"48\" height=\"48\" style=\"border:0;vertical-align:middle;color-scheme:light\" loading=\"lazy\" \
         allow=\"autoplay\"></iframe>",
    )
});

/// How the player of a registration is addressed.
#[derive(Debug, Clone)]
pub enum Players {
    /// By a name that only this server can make: for clients with a token. It plays whatever they may hear.
    Secret(LinkSecret),
    /// By the public token: where there is no credential. It plays what its owner made public.
    Public,
}

impl Players {
    fn name<'a>(&self, person: &'a Participant) -> Cow<'a, str> {
        match self {
            Self::Secret(secret) => Cow::Owned(secret.name(Purpose::Player, person.id)),
            Self::Public => Cow::Borrowed(&person.token),
        }
    }
}

/// Writes the snippets of a response's records. They differ only in a link, a name and a recording; the rest is rendered
/// once.
#[derive(Debug)]
pub struct Snippets {
    /// Do they play the legal names?
    legal: bool,
    players: Players,
    link: Escaped,
    link_label: Escaped,
    picture: Escaped,
    frame: Escaped,
    frame_label: Escaped,
}

impl Snippets {
    pub fn new(
        links: &Links,
        institution: InstitutionId,
        players: Players,
        icon: &Icon,
        legal: bool,
    ) -> Self {
        let address = escape(&links.players(institution));
        // The API is in English; pages have their own words.
        let label = if legal { "Play the legal name of " } else { "Play the name of " };
        let query = if legal { "?legal=1" } else { "" };
        Self {
            legal,
            players,
            link: Escaped::new(&format!("<a href=\"{address}")),
            link_label: Escaped::new(&format!("{query}\" target=\"_blank\" aria-label=\"{label}")),
            picture: Escaped::new(&format!(
                "{}<audio preload=\"none\" src=\"{}",
                picture(icon),
                escape(&links.recordings(institution))
            )),
            frame: Escaped::new(&format!("<iframe src=\"{address}")),
            frame_label: Escaped::new(&format!("{}\" title=\"{label}", escape(&player_query(icon, legal)))),
        }
    }

    /// HTML that plays the recording on click; null without a recording, which clients check for. It is a link to the
    /// player without element ids, so that a page can contain any number of them. Where the page's CSP allows it, a click
    /// handler plays the recording in place.
    pub fn write_image(&self, key: &'static str, person: &Participant, object: &mut Object<'_>) {
        let recording = if self.legal { &person.legal.recording } else { &person.recording };
        let Some(recording) = recording else { return object.null(key) };
        object.text_of(key, |text| {
            text.add_escaped(&self.link);
            text.add_to_html(&self.players.name(person));
            text.add_escaped(&self.link_label);
            self.add_name(person, text);
            text.add_escaped(&LINK);
            text.add_escaped(&self.picture);
            text.add_to_html(&recording.hex);
            text.add_escaped(&LINK_END);
        });
    }

    /// An iframe with a player. Without a recording, the player page says so.
    pub fn write_iframe(&self, key: &'static str, person: &Participant, object: &mut Object<'_>) {
        object.text_of(key, |text| {
            text.add_escaped(&self.frame);
            text.add_to_html(&self.players.name(person));
            text.add_escaped(&self.frame_label);
            self.add_name(person, text);
            text.add_escaped(&FRAME_END);
        });
    }

    /// The accessible name of the button ends with the preferred name or the legal name.
    fn add_name(&self, person: &Participant, text: &mut Text<'_>) {
        if self.legal {
            return text.add_to_html(&spoken_name(person, true));
        }
        // As `spoken_name`, without a copy.
        let names = [&person.first_name, &person.last_name];
        for (n, name) in names.into_iter().flatten().enumerate() {
            if n > 0 {
                text.add(" ");
            }
            text.add_to_html(name);
        }
    }
}

fn picture(icon: &Icon) -> String {
    match &icon.image {
        Some(url) => format!(
            "<img src=\"{}\" alt=\"▶\" {IMAGE_FALLBACK} style=\"{PICTURE_STYLE};height:32px;min-width:24px;\
             font:24px/32px sans-serif;text-align:center\">",
            escape(url)
        ),
        None => drawn(icon.drawing()),
    }
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

/// The query of a player in an iframe.
fn player_query(icon: &Icon, legal: bool) -> String {
    let mut query = String::new();
    let mut add = |name: &str, value: &str| {
        let separator = if query.is_empty() { '?' } else { '&' };
        query.push_str(&format!("{separator}{name}={}", params::encoded(value)));
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
    query
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{ids::ParticipantId, moment::Moment, participant::Recording};

    #[test]
    fn what_a_snippet_runs_fits_into_attributes_as_it_is() {
        for code in [&ON_CLICK, ON_SPACE, ON_FOCUS, ON_BLUR] {
            assert!(!code.contains(['"', '&', '<', '>', '\n']), "{code}");
            assert!(!code.contains("//"), "a comment would swallow what follows: {code}");
        }
    }

    fn label(person: &Participant, legal: bool) -> String {
        let name = spoken_name(person, legal);
        if legal { format!("Play the legal name of {name}") } else { format!("Play the name of {name}") }
    }

    /// `write_image`, rendered from beginning to end.
    fn image(links: &Links, person: &Participant, icon: &Icon, legal: bool) -> Option<String> {
        let institution = InstitutionId::new(7);
        let recording = if legal { person.legal.recording.as_ref() } else { person.recording.as_ref() }?;
        Some(format!(
            "<a href=\"{}{}\" target=\"_blank\" aria-label=\"{}\" onclick=\"{}\" onkeydown=\"{ON_SPACE}\" \
             onfocus=\"{ON_FOCUS}\" onblur=\"{ON_BLUR}\" style=\"{LINK_STYLE}\">{}\
             <audio preload=\"none\" src=\"{}\"></audio></a>",
            escape(&format!("{}{}", links.players(institution), person.token)),
            if legal { "?legal=1" } else { "" },
            escape(&label(person, legal)),
            *ON_CLICK,
            picture(icon),
            escape(&links.recording(institution, recording)),
        ))
    }

    /// `write_iframe`, rendered from beginning to end.
    fn iframe(links: &Links, person: &Participant, icon: &Icon, legal: bool) -> String {
        let mut address = format!("{}{}", links.players(InstitutionId::new(7)), person.token);
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
        format!(
            "<iframe src=\"{}\" title=\"{}\" width=\"48\" height=\"48\" style=\"border:0;vertical-align:middle;color-scheme:light\" \
             loading=\"lazy\" allow=\"autoplay\"></iframe>",
            escape(&address),
            escape(&label(person, legal)),
        )
    }

    fn recording(hex: &str) -> Recording {
        Recording { hex: hex.to_owned(), recorded_at: Moment::from_micros(1) }
    }

    fn people() -> Vec<Participant> {
        let new = |token: &str| Participant::new(ParticipantId::new(1), 1, token.to_owned());
        let name = |name: &str| Some(name.to_owned());
        let nobody = new("0123456789abcdef0123456789abcdef");
        let mut people = vec![nobody.clone()];
        for (first, last) in [
            (name("Ana"), name("Lima")),
            (name("Ana"), None),
            (None, name("Lima")),
            (name(""), name("Lima")),
            (name("\"Bob\" <b>&'c'\\\n"), name("Réne 用户 😀")),
        ] {
            let mut person = Participant { first_name: first, last_name: last, ..nobody.clone() };
            people.push(person.clone());
            person.recording = Some(recording("ab12"));
            people.push(person.clone());
            person.legal.recording = Some(recording("<cd34>"));
            people.push(person.clone());
            person.legal.middle_name = name("O'Neil");
            people.push(person.clone());
            person.token = "\"<token>&\\".to_owned();
            people.push(person);
        }
        people
    }

    #[test]
    fn parts_that_are_rendered_once_make_the_same_snippets() {
        let image_url = Some("https://x.org/a b\"&'<>\\用.png".to_owned());
        let icons = (0..=3)
            .map(Some)
            .chain([None])
            .flat_map(|code| [None, image_url.clone()].map(|image| Icon { code, image }));
        let bases = ["https://names.example.edu", "http://127.0.0.1:8080/a&b\"c'"].map(Links::new);
        for icon in icons {
            for (links, legal) in bases.iter().flat_map(|links| [(links, false), (links, true)]) {
                let snippets = Snippets::new(links, InstitutionId::new(7), Players::Public, &icon, legal);
                for person in people() {
                    let mut out = Vec::new();
                    Object::write(&mut out, |object| {
                        snippets.write_image("image", &person, object);
                        snippets.write_iframe("iframe", &person, object);
                    });
                    let image = serde_json::to_string(&image(links, &person, &icon, legal)).unwrap();
                    let iframe = serde_json::to_string(&iframe(links, &person, &icon, legal)).unwrap();
                    let wanted = format!("{{\"image\":{image},\"iframe\":{iframe}}}");
                    assert_eq!(String::from_utf8(out).unwrap(), wanted);
                }
            }
        }
    }
}
