//! Sound as a phone plays it: from any file, and to a WAV for a cloud.

use std::{sync::Arc, time::Duration};

use bytes::Bytes;
use endonym_media::sound::{self, Limits, Refusal};

use super::RATE;
use crate::phone::wav;

/// One channel of 16 bits, so many samples in a second as a phone call has.
pub type Sound = Arc<[i16]>;

pub const LONGEST: Duration = Duration::from_secs(60);
pub const LARGEST: usize = 20 << 20;

/// Reads a WAV of any kind. What is wrong is said so that it can follow the name of the file.
pub fn read(bytes: &[u8]) -> Result<Sound, String> {
    let limits = Limits { bytes: LARGEST, longest: LONGEST, ..Limits::default() };
    let samples = sound::samples(bytes, RATE, &limits).map_err(|refusal| match refusal {
        Refusal::TooLarge { most } => format!("is larger than {} MiB", most >> 20),
        Refusal::TooLong { longest } => format!("is longer than {} seconds", longest.as_secs()),
        Refusal::NotSound => "is not a sound: a WAV is wanted".to_owned(),
        Refusal::Damaged => "is damaged, or was cut off".to_owned(),
        Refusal::Unusual => "has a sample rate or a number of channels that cannot be used".to_owned(),
        other @ (Refusal::TooShort { .. } | Refusal::Silent) => format!("cannot be used: {other}"),
    })?;
    // What is louder than there is room for stays as loud as it can be; `as` does no worse.
    Ok(samples.into_iter().map(|sample| (sample * 32_767.0).round() as i16).collect())
}

/// One after the other.
pub fn joined(sounds: &[&[i16]]) -> Sound {
    sounds.concat().into()
}

/// A WAV of 16 bits.
pub fn wav(samples: &[i16]) -> Bytes {
    wav::write(samples).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_again() {
        let samples: Vec<i16> =
            (0..800).map(|i| (f64::from(i) * 0.3).sin().mul_add(20_000.0, 0.5) as i16).collect();
        let again = read(&wav(&samples)).expect("a sound");
        assert_eq!(again.len(), samples.len());
        let far = again.iter().zip(&samples).map(|(a, b)| a.abs_diff(*b)).max();
        assert!(far <= Some(1), "{far:?}");
    }

    #[test]
    fn what_is_wrong_is_said() {
        assert_eq!(read(b"hello").unwrap_err(), "is not a sound: a WAV is wanted");
        let whole = wav(&[100; 8_000]);
        assert_eq!(read(&whole[..8_000]).unwrap_err(), "is damaged, or was cut off");
        assert_eq!(read(&wav(&[100; 8_000 * 61])).unwrap_err(), "is longer than 60 seconds");
        assert_eq!(read(&vec![0; LARGEST + 1]).unwrap_err(), "is larger than 20 MiB");
    }
}
