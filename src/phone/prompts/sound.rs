//! Telephone audio: from any WAV, and to a WAV for telephony services.

use std::{sync::Arc, time::Duration};

use bytes::Bytes;
use endonym_media::sound::{self, Limits, Refusal};

use super::RATE;
use crate::phone::wav;

/// Mono, 16-bit, at the sample rate of a phone call.
pub type Sound = Arc<[i16]>;

pub const MAX_DURATION: Duration = Duration::from_secs(60);
pub const MAX_BYTES: usize = 20 << 20;

/// Reads any kind of WAV. The error message is meant to follow the file name.
pub fn read(bytes: &[u8]) -> Result<Sound, String> {
    let limits = Limits { bytes: MAX_BYTES, longest: MAX_DURATION, ..Limits::default() };
    let samples = sound::samples(bytes, RATE, &limits).map_err(|refusal| match refusal {
        Refusal::TooLarge { most } => format!("is larger than {} MiB", most >> 20),
        Refusal::TooLong { longest } => format!("is longer than {} seconds", longest.as_secs()),
        Refusal::NotSound => "is not audio: a WAV is required".to_owned(),
        Refusal::Damaged => "is damaged, or was cut off".to_owned(),
        Refusal::Unusual => "has a sample rate or a number of channels that cannot be used".to_owned(),
        other @ (Refusal::TooShort { .. } | Refusal::Silent) => format!("cannot be used: {other}"),
    })?;
    // `as` saturates, so overdriven samples are clipped.
    Ok(samples.into_iter().map(|sample| (sample * 32_767.0).round() as i16).collect())
}

/// Concatenates.
pub fn joined(sounds: &[&[i16]]) -> Sound {
    sounds.concat().into()
}

/// A 16-bit WAV.
pub fn wav(samples: &[i16]) -> Bytes {
    wav::write(samples).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_written_wav_can_be_read() {
        let samples: Vec<i16> =
            (0..800).map(|i| (f64::from(i) * 0.3).sin().mul_add(20_000.0, 0.5) as i16).collect();
        let again = read(&wav(&samples)).expect("a sound");
        assert_eq!(again.len(), samples.len());
        let far = again.iter().zip(&samples).map(|(a, b)| a.abs_diff(*b)).max();
        assert!(far <= Some(1), "{far:?}");
    }

    #[test]
    fn errors_say_what_is_wrong() {
        assert_eq!(read(b"hello").unwrap_err(), "is not audio: a WAV is required");
        let whole = wav(&[100; 8_000]);
        assert_eq!(read(&whole[..8_000]).unwrap_err(), "is damaged, or was cut off");
        assert_eq!(read(&wav(&[100; 8_000 * 61])).unwrap_err(), "is longer than 60 seconds");
        assert_eq!(read(&vec![0; MAX_BYTES + 1]).unwrap_err(), "is larger than 20 MiB");
    }
}
