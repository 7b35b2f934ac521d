//! The sentences of the badge and the player that depend on something. The sentences themselves are in `words/`. The API reference
//! is in English only: its words are those of the OpenAPI documents.

use crate::{domain::participant::Participant, http::embeds::spoken_name, words::Words};

/// What other sites show below the title of a badge when the page is shared.
pub fn badge_description(words: Words, person: &Participant) -> String {
    let name = person.full_name();
    let name = ("name", name.as_str().into());
    match (person.phonetic.as_deref(), person.recording.is_some()) {
        (Some(phonetic), true) => {
            words.plain("badge-description-both", &[("phonetic", phonetic.into()), name])
        }
        (Some(phonetic), false) => {
            words.plain("badge-description-phonetic", &[("phonetic", phonetic.into())])
        }
        (None, true) => words.plain("badge-description-recorded", &[name]),
        (None, false) => words.plain("badge-description", &[name]),
    }
}

/// The accessible name of a play button, like that of a snippet.
pub fn play(words: Words, person: &Participant, legal: bool) -> String {
    let id = if legal { "badge-play-legal" } else { "badge-play" };
    words.plain(id, &[("name", spoken_name(person, legal).as_str().into())])
}

/// What is wrong with a person's player, and a word for it that fits a small frame.
pub enum Silence<'a> {
    NoRecording { name: &'a str, is_legal: bool },
    NoSuchName,
    Unavailable,
}

impl Silence<'_> {
    pub fn word(&self, words: Words) -> String {
        words.text(match self {
            Self::NoRecording { .. } => "badge-player-none-short",
            Self::NoSuchName => "badge-player-gone-short",
            Self::Unavailable => "badge-player-later-short",
        })
    }

    pub fn sentence(&self, words: Words) -> String {
        match self {
            Self::NoRecording { name, is_legal: true } => words.one("badge-player-none-legal", "name", name),
            Self::NoRecording { name, is_legal: false } => words.one("badge-player-none", "name", name),
            Self::NoSuchName => words.text("badge-player-gone"),
            Self::Unavailable => words.text("badge-player-later"),
        }
    }
}
