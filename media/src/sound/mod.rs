//! Audio: any format that a browser, phone or studio records becomes one kind of MP3. `process` is the whole
//! pipeline, top to bottom; each step has its own file.

mod clean;
mod container;
mod decode;
mod filterbank;
mod join;
mod level;
mod limiter;
mod loudness;
mod mp3;
mod opus;
mod quantize;
mod resample;
mod trim;
mod waveform;

pub use join::{frames, joinable, pause};
use std::{fmt, panic, time::Duration};

/// Limits of accepted recordings.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    pub bytes: usize,
    /// Before trimming.
    pub longest: Duration,
    /// After trimming.
    pub shortest: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self { bytes: 16 << 20, longest: Duration::from_secs(30), shortest: Duration::from_millis(300) }
    }
}

/// The number of values in a waveform.
pub const PEAKS: usize = 64;

/// A processed recording: mono MP3, trimmed and normalized.
#[derive(Debug, Clone)]
pub struct Sound {
    pub mp3: Vec<u8>,
    pub duration: Duration,
    /// The waveform, 0 to 255, in order of time.
    pub peaks: [u8; PEAKS],
}

/// Why a recording is rejected. `Display` is a sentence for the client.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Refusal {
    NotSound,
    /// Shorter than its header announces, or more than a tenth of it cannot be decoded.
    Damaged,
    /// A sample rate or channel count that no speech recorder uses.
    Unusual,
    TooLarge {
        most: usize,
    },
    TooLong {
        longest: Duration,
    },
    TooShort {
        shortest: Duration,
    },
    Silent,
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotSound => {
                f.write_str("this is not audio that we can read; send WAV, MP3, M4A, AAC, Ogg, WebM or FLAC")
            }
            Self::Damaged => {
                f.write_str("the recording is damaged or was cut off on the way; record it or send it again")
            }
            Self::Unusual => f.write_str(
                "the recording has a sample rate or a number of channels that we cannot use; send mono or stereo at \
                 8 to 192 kHz",
            ),
            Self::TooLarge { most } => {
                write!(f, "the recording is larger than {} MiB; send a smaller file", *most as f64 / 1_048_576.0)
            }
            Self::TooLong { longest } => {
                write!(f, "the recording is longer than {} seconds; say only the name", longest.as_secs_f64())
            }
            Self::TooShort { shortest } => write!(
                f,
                "the recording holds less than {} seconds of sound; say the whole name",
                shortest.as_secs_f64()
            ),
            Self::Silent => f.write_str("the recording is silent; check the microphone and record it again"),
        }
    }
}

impl std::error::Error for Refusal {}

/// Mono samples between -1 and 1, on their way through the pipeline.
struct Mono {
    rate: u32,
    samples: Vec<f32>,
}

/// Any supported format to a mono MP3: rumble removed, a short pause at both ends, normalized loudness.
pub fn process(bytes: &[u8], limits: &Limits) -> Result<Sound, Refusal> {
    if bytes.len() > limits.bytes {
        return Err(Refusal::TooLarge { most: limits.bytes });
    }
    // The decoders are third-party code that parses untrusted input. If one panics, the file counts as damaged and
    // the thread survives; nothing that the closure touches outlives it.
    panic::catch_unwind(|| chain(bytes, limits)).unwrap_or(Err(Refusal::Damaged))
}

/// Decodes any supported format to mono samples between -1 and 1 at this rate, without trimming, normalization or a
/// minimum length. Resampling removes frequencies that the rate cannot represent.
pub fn samples(bytes: &[u8], rate: u32, limits: &Limits) -> Result<Vec<f32>, Refusal> {
    if bytes.len() > limits.bytes {
        return Err(Refusal::TooLarge { most: limits.bytes });
    }
    let read = || resample::to(rate, decode::decode(bytes, limits.longest)?);
    let mono = panic::catch_unwind(read).unwrap_or(Err(Refusal::Damaged))?;
    Ok(mono.samples)
}

/// The half that parses untrusted input. The fuzzer runs twenty times as many files if it mostly skips the other
/// half, which sees only samples.
#[doc(hidden)]
pub fn only_decode(bytes: &[u8], limits: &Limits) -> Result<usize, Refusal> {
    let decoded = panic::catch_unwind(|| decode::decode(bytes, limits.longest));
    decoded.unwrap_or(Err(Refusal::Damaged)).map(|recording| recording.samples.len())
}

fn chain(bytes: &[u8], limits: &Limits) -> Result<Sound, Refusal> {
    let recording = decode::decode(bytes, limits.longest)?;
    let clean = clean::without_rumble(recording);
    let rate = mp3::rate_for(clean.rate);
    let trimmed = trim::trim(&clean, limits.shortest, trim::Pauses::with_encoder_delay(mp3::delay(rate)))?;
    let voice = resample::to(rate, trimmed)?;
    let (mp3, heard) = level::to_mp3(&voice)?;
    Ok(Sound {
        duration: Duration::from_secs_f64(heard.len() as f64 / f64::from(rate)),
        peaks: waveform::peaks(&heard),
        mp3,
    })
}
