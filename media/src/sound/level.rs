//! Normalizes every recording to the same loudness.

use super::{
    Mono, Refusal, decode,
    limiter::{self, Limiter},
    loudness::Meter,
    mp3,
};
use std::time::Duration;

/// Integrated loudness per ITU BS.1770, in LUFS, of one channel.
const LOUDNESS: f64 = -16.0;
/// The tolerance before another attempt.
const TOLERANCE: f64 = 0.05;
const MAX_ADJUSTMENTS: usize = 12;
/// The maximum number of encodings, until the decoded result fits.
const MAX_ENCODINGS: usize = 4;
/// How much loudness the last attempt may give up to stay below the ceiling.
const MAX_SHORTFALL: f64 = 0.5;

/// The maximum true peak of the decoded result, in dBTP.
const CEILING: f64 = -1.0;
/// The typical overshoot of MP3 peaks, in dB.
const OVERSHOOT: f64 = 0.3;

/// The recording as MP3, and the samples that it decodes to.
pub fn to_mp3(voice: &Mono) -> Result<(Vec<u8>, Vec<f32>), Refusal> {
    let mut laid = mp3::laid_out(&voice.samples);
    // The meter gates below -70 LUFS. A very quiet recording would be measured by its loud moments only.
    let loudest = laid.iter().fold(f32::MIN_POSITIVE, |a, s| a.max(s.abs()));
    laid.iter_mut().for_each(|s| *s /= loudest);

    let limiter = Limiter::new(&laid, voice.rate);
    let meter = Meter::new(&laid, voice.rate);
    let (mut aim, mut ceiling) = (LOUDNESS, CEILING - OVERSHOOT);
    let mut attempt = 1;
    loop {
        let gains = gains(&meter, &limiter, aim, factor(ceiling));
        let file = mp3::encode(&limiter::apply(&gains, &laid), voice.rate)?;
        // The overshoot is known only after encoding, so decode and measure.
        let heard = decode::decode(&file, Duration::MAX)?.samples;
        // (The loudness changes only by a few hundredths.)
        let over = decibels(limiter::true_peak(&heard)) - CEILING;
        if over <= 0.0 || attempt == MAX_ENCODINGS {
            return Ok((file, heard));
        }
        attempt += 1;
        // Half of what is removed from a sharp peak comes back as coding noise.
        ceiling -= 1.7 * over + 0.1;
        if attempt == MAX_ENCODINGS {
            aim -= over.min(MAX_SHORTFALL);
        }
    }
}

/// Gains that reach the target loudness, as far as the ceiling allows.
///
/// The limiter reduces the loudness, so a single gain does not reach the target: measure and retry with the
/// difference.
fn gains(meter: &Meter, limiter: &Limiter, aim: f64, ceiling: f32) -> Vec<f32> {
    let mut gain = factor(aim - meter.loudness());
    let mut adjustments = 0;
    loop {
        let (gains, limited) = limiter.gains(gain, ceiling);
        let missing = aim - meter.loudness_at(&gains);
        adjustments += 1;
        if !limited || missing.abs() < TOLERANCE || adjustments == MAX_ADJUSTMENTS {
            return gains;
        }
        gain *= factor(missing);
    }
}

fn factor(decibels: f64) -> f32 {
    10.0_f64.powf(decibels / 20.0) as f32
}

fn decibels(factor: f32) -> f64 {
    20.0 * f64::from(factor.max(f32::MIN_POSITIVE)).log10()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Syllables of a voice, with a click every `every` samples.
    fn voice(gain: f32, every: usize) -> Mono {
        let samples = (0..96_000_usize)
            .map(|i| {
                let t = i as f32 / 48_000.0;
                let syllable = (t * 12.0).sin().max(0.0);
                let tone: f32 = (1..12).map(|h| (t * 900.0 * h as f32).sin() / h as f32).sum();
                gain * (0.2 * syllable * tone + if i % every == 5_000 { 1.0 } else { 0.0 })
            })
            .collect();
        Mono { rate: 48_000, samples }
    }

    #[test]
    fn the_same_loudness_whatever_came_and_never_above_the_ceiling() {
        for (gain, every) in
            [(1.0, usize::MAX), (0.004, usize::MAX), (6.0, usize::MAX), (1.0, 24_000), (0.1, 9_000)]
        {
            let (_, heard) = to_mp3(&voice(gain, every)).expect("encoded");
            let loudness = Meter::new(&heard, 48_000).loudness();
            assert!((loudness - LOUDNESS).abs() < MAX_SHORTFALL + 0.1, "{gain} {every}: {loudness} LUFS");
            let peak = decibels(limiter::true_peak(&heard));
            assert!(peak <= CEILING, "{gain} {every}: {peak} dBTP");
        }
    }

    #[test]
    fn gives_up_on_what_cannot_be_that_loud() {
        // A single click: to be as loud as speech it would have to exceed the ceiling by far.
        let mut samples = vec![0.0; 48_000];
        samples[20_000] = 1.0;
        let (_, heard) = to_mp3(&Mono { rate: 48_000, samples }).expect("encoded");
        assert!(decibels(limiter::true_peak(&heard)) < 0.0);
    }
}
