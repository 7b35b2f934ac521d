//! What is kept of a recording or a picture besides its bytes, and how they come in.

use base64::{
    Engine,
    alphabet::STANDARD,
    engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig},
};

use endonym_media::{picture, sound};

use super::{fault::Field, moment::Moment};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// How somebody says the name they go by.
    Recording,
    /// How somebody says the name that papers say.
    LegalRecording,
    Photo,
}

impl Kind {
    pub const ALL: [Self; 3] = [Self::Recording, Self::LegalRecording, Self::Photo];

    /// As the database has it.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Recording => "recording",
            Self::LegalRecording => "legal_recording",
            Self::Photo => "photo",
        }
    }

    /// The field that brings it.
    pub const fn field(self) -> Field {
        match self {
            Self::Recording => Field::Recording,
            Self::LegalRecording => Field::LegalRecording,
            Self::Photo => Field::Photo,
        }
    }

    pub const fn is_sound(self) -> bool {
        !matches!(self, Self::Photo)
    }
}

/// Where a recording came from, which decides whether what its owner records later takes its place. Pictures and recordings
/// of legal names are always given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// An API client or an import gave it to one registration.
    Given,
    /// The person made it, for all of their registrations.
    Shared,
    /// The person made it for this registration alone.
    Page,
    /// A copy of what another registration of the person was given, where they had recorded nothing themselves.
    Copied,
}

impl Origin {
    const ALL: [Self; 4] = [Self::Given, Self::Shared, Self::Page, Self::Copied];

    /// As the database has it.
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

    /// Does what the person records elsewhere take its place?
    pub const fn gives_way(self) -> bool {
        matches!(self, Self::Shared | Self::Copied)
    }
}

/// One recording or picture.
#[derive(Debug, Clone)]
pub struct Media {
    /// 128 bits of chance: it is in the link, and the link needs no credentials.
    pub hex: String,
    pub kind: Kind,
    /// Of the file that is served.
    pub bytes: u64,
    /// Recordings have them.
    pub waveform: Option<Waveform>,
    /// Is what was sent kept beside it?
    pub original: bool,
    pub origin: Origin,
    pub created_at: Moment,
}

/// How long a recording is and what it looks like.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Waveform {
    pub duration_ms: u64,
    /// 0 to 255, in order of time.
    pub peaks: Vec<u8>,
}

/// Something that came in and that nobody has looked at yet.
#[derive(Clone, PartialEq, Eq)]
pub enum Incoming {
    /// Inside a JSON text.
    Base64(String),
    /// From a file.
    Bytes(Vec<u8>),
    /// A value that cannot hold a file at all.
    Unreadable,
}

impl std::fmt::Debug for Incoming {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Incoming(…)")
    }
}

/// Why a recording or a picture is refused. `Display` is the contract's English.
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

/// Padding may be missing.
const BASE64: GeneralPurpose = GeneralPurpose::new(
    &STANDARD,
    GeneralPurposeConfig::new()
        .with_decode_padding_mode(DecodePaddingMode::Indifferent)
        .with_decode_allow_trailing_bits(true),
);

impl Incoming {
    pub fn into_bytes(self) -> Result<Vec<u8>, MediaFault> {
        let mut text = match self {
            Self::Bytes(bytes) => return Ok(bytes),
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

/// Lower-case hex of the length that ours has; anything else cannot be a link of ours.
pub fn is_hex(text: &str) -> bool {
    text.len() == 32 && text.bytes().all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b))
}
