//! Metadata of recordings and pictures, and how uploads are decoded.

use base64::{
    Engine,
    alphabet::STANDARD,
    engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig},
};

use endonym_media::{picture, sound};

use super::{fault::Field, moment::Moment};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// The pronunciation of the preferred name.
    Recording,
    /// The pronunciation of the legal name.
    LegalRecording,
    Photo,
    /// A recording that waits for a manager's approval. Only its owner and managers hear it.
    Held,
    /// A recording that a manager has rejected or removed, and can restore. Nobody else hears it.
    Removed,
}

impl Kind {
    pub const ALL: [Self; 5] =
        [Self::Recording, Self::LegalRecording, Self::Photo, Self::Held, Self::Removed];

    /// What has a public link, and can be given through the API. A participant has at most one of each.
    pub const PUBLIC: [Self; 3] = [Self::Recording, Self::LegalRecording, Self::Photo];

    /// The value in the database.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Recording => "recording",
            Self::LegalRecording => "legal_recording",
            Self::Photo => "photo",
            Self::Held => "held",
            Self::Removed => "removed",
        }
    }

    /// The input field for it.
    pub const fn field(self) -> Field {
        match self {
            Self::Recording | Self::Held | Self::Removed => Field::Recording,
            Self::LegalRecording => Field::LegalRecording,
            Self::Photo => Field::Photo,
        }
    }

    pub const fn is_sound(self) -> bool {
        !matches!(self, Self::Photo)
    }

    /// Whether its link may work.
    pub const fn is_public(self) -> bool {
        matches!(self, Self::Recording | Self::LegalRecording | Self::Photo)
    }
}

/// Where a recording came from, which decides whether its owner's later recordings replace it. Pictures and recordings of
/// legal names are `Given` or `Shared`; the owner's later ones replace them in any case.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// An API client or an import set it on one registration.
    Given,
    /// The person recorded it for all of their registrations.
    Shared,
    /// The person recorded it for this registration only.
    Page,
    /// A copy of a `Given` recording of the person's other registration, made because they had not recorded anything themselves.
    Copied,
}

impl Origin {
    const ALL: [Self; 4] = [Self::Given, Self::Shared, Self::Page, Self::Copied];

    /// The value in the database.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Given => "given",
            Self::Shared => "shared",
            Self::Page => "page",
            Self::Copied => "copied",
        }
    }

    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|origin| origin.word() == word)
    }

    /// Whether a recording that the person makes elsewhere replaces it.
    pub const fn is_replaceable(self) -> bool {
        matches!(self, Self::Shared | Self::Copied)
    }
}

/// One recording or picture.
#[derive(Debug, Clone)]
pub struct Media {
    /// 128 random bits: the link contains them and needs no other credentials.
    pub hex: String,
    pub kind: Kind,
    /// The size of the served file.
    pub bytes: u64,
    /// Set for recordings.
    pub waveform: Option<Waveform>,
    /// Whether the original upload is stored as well.
    pub original: bool,
    pub origin: Origin,
    pub created_at: Moment,
}

/// A recording's duration and peaks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Waveform {
    pub duration_ms: u64,
    /// 0 to 255, in chronological order.
    pub peaks: Vec<u8>,
}

/// An upload that has not been validated yet.
#[derive(Clone, PartialEq, Eq)]
pub enum Incoming {
    /// From a JSON string.
    Base64(String),
    /// From a file.
    Bytes(Vec<u8>),
    /// A picture from a file, of which the square in the center is kept.
    Portrait(Vec<u8>),
    /// A value of the wrong type.
    Unreadable,
}

impl std::fmt::Debug for Incoming {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Incoming(…)")
    }
}

/// Why a recording or a picture is rejected. `Display` is the English text of the API contract.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MediaFault {
    NotAnObject,
    DataUrl,
    NotBase64,
    Sound(sound::Refusal),
    Picture(picture::Refusal),
}

impl std::fmt::Display for MediaFault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::NotAnObject => f.write_str("send an object with the base64 text under `base64_str`"),
            Self::DataUrl => {
                f.write_str("send the base64 text alone, without the `data:…;base64,` in front of it")
            }
            Self::NotBase64 => f.write_str("this is not base64"),
            Self::Sound(refusal) => refusal.fmt(f),
            Self::Picture(refusal) => refusal.fmt(f),
        }
    }
}

/// Padding is optional.
const BASE64: GeneralPurpose = GeneralPurpose::new(
    &STANDARD,
    GeneralPurposeConfig::new()
        .with_decode_padding_mode(DecodePaddingMode::Indifferent)
        .with_decode_allow_trailing_bits(true),
);

impl Incoming {
    pub fn into_bytes(self) -> Result<Vec<u8>, MediaFault> {
        let mut text = match self {
            Self::Bytes(bytes) | Self::Portrait(bytes) => return Ok(bytes),
            Self::Unreadable => return Err(MediaFault::NotAnObject),
            Self::Base64(text) => text.into_bytes(),
        };
        if text.trim_ascii_start().get(..5).is_some_and(|start| start.eq_ignore_ascii_case(b"data:")) {
            return Err(MediaFault::DataUrl);
        }
        text.retain(|byte| !byte.is_ascii_whitespace());
        BASE64.decode(&text).map_err(|_| MediaFault::NotBase64)
    }
}

/// Whether a text has the form of our media ids: 32 lowercase hex digits.
pub fn is_hex(text: &str) -> bool {
    text.len() == 32 && text.bytes().all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b))
}
