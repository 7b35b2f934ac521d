//! Pictures: JPEG, PNG, WebP and GIF in, a JPEG and its thumbnail out.

use std::fmt;

/// What is taken at all.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    pub bytes: usize,
    pub pixels: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self { bytes: 10 << 20, pixels: 50_000_000 }
    }
}

/// A picture as it is shown: JPEG, upright, without metadata.
#[derive(Debug, Clone)]
pub struct Picture {
    /// Fits in 512 × 512.
    pub large: Vec<u8>,
    /// Fits in 128 × 128.
    pub small: Vec<u8>,
}

/// Why a picture is not taken. `Display` is a sentence for the person who sent it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Refusal {
    NotAPicture,
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotAPicture => f.write_str("this is not a picture that we can read; send a JPEG, PNG, WebP or GIF"),
        }
    }
}

pub fn process(_bytes: &[u8], _limits: &Limits) -> Result<Picture, Refusal> {
    Err(Refusal::NotAPicture)
}
