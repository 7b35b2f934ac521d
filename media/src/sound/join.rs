//! Recordings one after the other in one MP3, with a pause between them.
//!
//! Each frame of our encoder stands alone (it has no bit reservoir), so frames of several files can follow each other. Their length
//! headers are left out, because players would stop after the first recording. The sample rate must be the same everywhere: players
//! give up when it changes. So recordings at another rate are encoded again.

use super::{Limits, Refusal, mp3, samples};
use std::{sync::OnceLock, time::Duration};

/// Most recordings have this rate: browsers and telephones lead to it.
const RATE: u32 = 48_000;

/// The header of a frame, empty side information, and the name of the length header: the same in all files at this rate.
const BEGINNING: usize = 25;

/// A second, in whole frames, as a file.
fn silence() -> &'static [u8] {
    static SILENCE: OnceLock<Vec<u8>> = OnceLock::new();
    SILENCE.get_or_init(|| {
        let samples = vec![0.0; (RATE as usize).next_multiple_of(mp3::FRAME)];
        // Fails only for rates that MP3 does not have.
        mp3::encode(&samples, RATE).unwrap_or_default()
    })
}

/// The pause between two recordings.
pub fn pause() -> &'static [u8] {
    frames(silence()).unwrap_or_default()
}

/// What of a file can be joined with others. `None` if it is not of our encoder, or has another rate; then `joinable` makes one.
pub fn frames(file: &[u8]) -> Option<&[u8]> {
    let beginning = silence().get(..BEGINNING)?;
    if file.starts_with(beginning) { file.get(mp3::header_length(RATE)..) } else { None }
}

/// Encodes a recording so that it can be joined with others, whatever its format is. Its loudness stays as it is.
pub fn joinable(recording: &[u8]) -> Result<Vec<u8>, Refusal> {
    let limits = Limits { longest: Duration::MAX, ..Limits::default() };
    let voice = samples(recording, RATE, &limits)?;
    mp3::encode(&mp3::laid_out(&voice), RATE)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sound::decode;

    fn tone(hertz: f64, rate: u32) -> Vec<u8> {
        let step = std::f64::consts::TAU * hertz / f64::from(rate);
        let samples: Vec<f32> = (0..rate / 2).map(|i| (f64::from(i) * step).sin() as f32 * 0.3).collect();
        mp3::encode(&mp3::laid_out(&samples), rate).expect("encoded")
    }

    fn heard(file: &[u8]) -> Vec<f32> {
        let heard = decode::decode(file, Duration::MAX).expect("decoded");
        assert_eq!(heard.rate, RATE);
        heard.samples
    }

    #[test]
    fn what_is_joined_is_heard_as_it_was_with_silence_between() {
        let (one, other) = (tone(300.0, RATE), tone(500.0, RATE));
        let parts = [frames(&one).expect("frames"), pause(), frames(&other).expect("frames")];
        let whole = heard(&parts.concat());
        let (one, other) = (heard(&one), heard(&other));
        let pause = pause().len() / mp3::header_length(RATE) * mp3::FRAME;
        assert!((0..mp3::FRAME).contains(&(pause - RATE as usize)), "a second, in whole frames");
        assert_eq!(whole.len(), one.len() + pause + other.len());
        let difference = |part: &[f32], alone: &[f32]| {
            part.iter().zip(alone).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max)
        };
        assert!(difference(&whole, &one) < 1e-4);
        assert!(difference(&whole[one.len() + pause..], &other) < 1e-4);
        // Behind the end of the first recording, whose last frame fades into the next one.
        let silent = &whole[one.len() + mp3::FRAME..][..pause - mp3::FRAME];
        assert!(silent.iter().all(|sample| sample.abs() < 1e-4));
    }

    #[test]
    fn a_recording_at_another_rate_is_encoded_again_and_keeps_its_length_and_level() {
        let file = tone(300.0, 44_100);
        assert!(frames(&file).is_none());
        let joinable = joinable(&file).expect("joinable");
        let (again, alone) = (
            heard(frames(&joinable).expect("frames")),
            decode::decode(&file, Duration::MAX).expect("decoded"),
        );
        let (again_lasts, lasted) =
            (again.len() as f64 / f64::from(RATE), alone.samples.len() as f64 / f64::from(alone.rate));
        assert!((0.0..0.05).contains(&(again_lasts - lasted)), "{again_lasts} {lasted}");
        let energy = |samples: &[f32], rate: u32| {
            samples.iter().map(|s| f64::from(s * s)).sum::<f64>() / f64::from(rate)
        };
        let ratio = energy(&again, RATE) / energy(&alone.samples, alone.rate);
        assert!((0.97..1.03).contains(&ratio), "{ratio}");
    }

    #[test]
    fn nothing_else_has_frames() {
        assert!(frames(b"").is_none() && frames(b"ID3\x04").is_none() && frames(&[0xff; 400]).is_none());
        assert!(joinable(b"not a recording").is_err());
    }
}
