//! Everything that the public pages say and that depends on something. A message is one value with its arguments, and becomes
//! whole sentences here and nowhere else, so that a catalog of another language can take the place of this file. What never
//! varies stands in the templates. The API reference is in English only: its words are those of the OpenAPI documents.

use axum::http::Method;

use crate::http::html::isolate;

pub enum Message<'a> {
    BadgeTitle {
        name: &'a str,
    },
    /// What other sites show below the title when the page is shared.
    BadgeDescription {
        name: &'a str,
        phonetic: Option<&'a str>,
        is_recorded: bool,
    },
    /// The title of a recording, for programs that read pages.
    RecordingOf {
        name: &'a str,
    },
    SayItLike {
        phonetic: &'a str,
    },
    NoRecording {
        name: &'a str,
        is_legal: bool,
    },
    /// The name of a play button whose recording could not be loaded.
    CannotBePlayed {
        label: &'a str,
    },
    NoSuchName,
    PlayerUnavailable,
}

impl Message<'_> {
    pub fn text(&self) -> String {
        match self {
            Self::BadgeTitle { name } => format!("{name}: how to say it"),
            Self::BadgeDescription { name, phonetic: Some(phonetic), is_recorded: true } => {
                format!("Say it like this: {phonetic}. Hear {name} say it.")
            }
            Self::BadgeDescription { phonetic: Some(phonetic), is_recorded: false, .. } => {
                format!("Say it like this: {phonetic}.")
            }
            Self::BadgeDescription { name, phonetic: None, is_recorded: true } => {
                format!("Hear {name} say it.")
            }
            Self::BadgeDescription { name, phonetic: None, is_recorded: false } => {
                format!("The name badge of {name}.")
            }
            Self::RecordingOf { name } => format!("How {name} is said"),
            Self::SayItLike { phonetic } => format!("Say it like this: {phonetic}"),
            Self::NoRecording { name, is_legal: true } => {
                format!("There is no recording of the legal name of {} yet.", isolate(name))
            }
            Self::NoRecording { name, is_legal: false } => {
                format!("There is no recording of {} yet.", isolate(name))
            }
            Self::CannotBePlayed { label } => format!("{label} (it cannot be played just now)"),
            Self::NoSuchName => "There is no such name here any more.".into(),
            Self::PlayerUnavailable => {
                "The player cannot be shown just now; please try again in a moment.".into()
            }
        }
    }
}

/// What a page says that has nothing but a title and a sentence.
pub enum Notice<'a> {
    Trouble,
    NothingHere,
    NotOffered(&'a Method),
}

impl Notice<'_> {
    pub const fn title(&self) -> &'static str {
        match self {
            Self::Trouble => "Something went wrong",
            Self::NothingHere => "Nothing here",
            Self::NotOffered(_) => "Not offered here",
        }
    }

    pub fn sentence(&self) -> String {
        match self {
            Self::Trouble => {
                "This page could not be made just now. It is not your fault; please try again in a moment."
                    .into()
            }
            Self::NothingHere => {
                "There is nothing at this address. It may have been mistyped, or what was here is gone."
                    .into()
            }
            Self::NotOffered(method) => format!("{method} is not offered at this address."),
        }
    }
}
