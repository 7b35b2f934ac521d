//! Sound: whatever a browser, a phone or a studio records in, one kind of MP3 out.

use std::{fmt, time::Duration};

/// What is taken at all.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    pub bytes: usize,
    /// As it comes.
    pub longest: Duration,
    /// After trimming.
    pub shortest: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self { bytes: 16 << 20, longest: Duration::from_secs(30), shortest: Duration::from_millis(300) }
    }
}

/// How many numbers a waveform has.
pub const PEAKS: usize = 64;

/// A recording as it is played: mono MP3, trimmed and levelled.
#[derive(Debug, Clone)]
pub struct Sound {
    pub mp3: Vec<u8>,
    pub duration: Duration,
    /// The waveform, 0 to 255, in order of time.
    pub peaks: [u8; PEAKS],
}

/// Why a recording is not taken. `Display` is a sentence for the person who sent it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Refusal {
    NotSound,
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotSound => f.write_str("this is not audio that we can read"),
        }
    }
}

pub fn process(_bytes: &[u8], _limits: &Limits) -> Result<Sound, Refusal> {
    Err(Refusal::NotSound)
}
