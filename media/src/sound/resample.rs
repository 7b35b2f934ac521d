//! Resamples a recording to the rate of the encoder.

use super::{Mono, Refusal};
use rubato::{
    Async, FixedAsync, Resampler, SincInterpolationParameters, SincInterpolationType, WindowFunction,
    audioadapter_buffers::direct::SequentialSlice, calculate_cutoff,
};
use std::iter::repeat_n;

/// The length of the filter, in samples of the lower rate.
const FILTER: usize = 256;
const WINDOW: WindowFunction = WindowFunction::BlackmanHarris2;
const CHUNK: usize = 1024;
const MOST_PHASES: u32 = 512;
/// Amounts of silence that are tried before a sound: enough for a whole number of samples to be dropped at usual rates.
const SILENCES: usize = 2_048;

pub fn to(rate: u32, sound: Mono) -> Result<Mono, Refusal> {
    if sound.rate == rate || sound.samples.is_empty() {
        return Ok(Mono { rate, ..sound });
    }
    // Fails only for impossible rates such as zero, which the decoder rejects.
    let samples = resampled(sound, rate).map_err(|()| Refusal::Unusual)?;
    Ok(Mono { rate, samples })
}

fn resampled(Mono { rate: from, mut samples }: Mono, rate: u32) -> Result<Vec<f32>, ()> {
    let ratio = f64::from(rate) / f64::from(from);
    // The resampler rounds it in the same way.
    let length = (FILTER * from.max(rate) as usize).div_ceil(rate as usize).next_multiple_of(8);
    // Not that of the longer filter, which would let pass what is just above half of the lower rate.
    let filter = SincInterpolationParameters::new(length, WINDOW).f_cutoff(calculate_cutoff(FILTER, WINDOW));
    // The filter is computed for as many phases. Usual rates need few, and then each is exact.
    let phases = rate / gcd(rate, from);
    let filter = if phases <= MOST_PHASES {
        filter.oversampling_factor(phases as usize).interpolation(SincInterpolationType::Nearest)
    } else {
        filter.oversampling_factor(MOST_PHASES as usize).interpolation(SincInterpolationType::Linear)
    };
    let phase = 1.0 / f64::from(phases.min(MOST_PHASES));
    let mut resampler =
        Async::<f32>::new_sinc(ratio, 1.0, &filter, CHUNK, 1, FixedAsync::Input).map_err(drop)?;
    // Sample m of its output is the input at (m + delay + 1) / ratio + phase - length / 2, so that the sound would begin too late. With
    // some silence before it, the output begins with samples that are dropped, by as nearly a whole number as is possible.
    let late = (resampler.output_delay() + 1) as f64 / ratio + phase - length as f64 / 2.0;
    let to_drop = |silence: usize| (silence as f64 - late) * ratio;
    let error = |silence: usize| (to_drop(silence) - to_drop(silence).round()).abs();
    let least = late.ceil() as usize;
    let silence = (least..least + SILENCES).min_by(|a, b| error(*a).total_cmp(&error(*b))).unwrap_or(least);
    let wanted = (samples.len() as f64 * ratio).round() as usize;
    samples.splice(..0, repeat_n(0.0, silence));
    let input = SequentialSlice::new(&samples, 1, samples.len()).map_err(drop)?;
    let mut output = resampler.process_all(&input, samples.len(), None).map_err(drop)?.take_data();
    output.drain(..(to_drop(silence).round() as usize).min(output.len()));
    output.truncate(wanted);
    Ok(output)
}

/// The greatest common divisor.
fn gcd(a: u32, b: u32) -> u32 {
    if b == 0 { a } else { gcd(b, a % b) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tone_keeps_its_pitch_its_level_and_its_length() {
        for from in [8_000, 11_025, 16_000, 22_050, 32_000, 37_800, 96_000, 192_000] {
            let step = 2.0 * std::f64::consts::PI * 440.0 / f64::from(from);
            let samples: Vec<f32> = (0..from).map(|i| (f64::from(i) * step).sin() as f32 * 0.5).collect();
            let out = to(48_000, Mono { rate: from, samples }).expect("resampled");
            assert!(out.samples.len().abs_diff(48_000) <= 1, "{from}: {}", out.samples.len());
            // The middle, because the tone starts and stops at the ends. A sine and a cosine represent any phase, so
            // the residual must be zero.
            let part: Vec<f64> = out.samples[12_000..36_000].iter().map(|s| f64::from(*s)).collect();
            let step = std::f64::consts::TAU * 440.0 / 48_000.0;
            let sum = |f: fn(f64) -> f64| {
                part.iter().enumerate().map(|(i, s)| s * f(i as f64 * step)).sum::<f64>() / 12_000.0
            };
            let (sine, cosine) = (sum(f64::sin), sum(f64::cos));
            assert!((sine.hypot(cosine) - 0.5).abs() < 0.001, "{from}: {}", sine.hypot(cosine));
            let left = part
                .iter()
                .enumerate()
                .map(|(i, s)| s - sine * (i as f64 * step).sin() - cosine * (i as f64 * step).cos())
                .fold(0.0_f64, |a, e| a.max(e.abs()));
            assert!(left < 0.001, "{from}: {left}");
        }
    }

    /// Recordings are compared with what was said, and a sample late is a different sound.
    #[test]
    fn a_pulse_stays_in_its_place() {
        for (from, rate) in [
            (8_000, 48_000),
            (16_000, 48_000),
            (22_050, 44_100),
            (32_000, 48_000),
            (96_000, 48_000),
            (192_000, 48_000),
            (48_000, 8_000),
            (44_100, 8_000),
            (11_025, 8_000),
            (47_999, 8_000),
            (47_800, 48_000),
            (47_952, 48_000),
        ] {
            // A pulse that both rates can represent, in the middle of a second.
            let width = f64::from(from) / f64::from(from.min(rate)) * 3.0;
            let pulse = |i: u32| (-((f64::from(i) - f64::from(from / 2)) / width).powi(2) / 2.0).exp() as f32;
            let out =
                to(rate, Mono { rate: from, samples: (0..from).map(pulse).collect() }).expect("resampled");
            let power = |sample: &f32| f64::from(sample * sample);
            let all: f64 = out.samples.iter().map(power).sum();
            let center: f64 =
                out.samples.iter().zip(0_u32..).map(|(s, i)| power(s) * f64::from(i)).sum::<f64>() / all;
            let wanted = f64::from(from / 2) / f64::from(from) * f64::from(rate);
            assert!((center - wanted).abs() < 0.05, "{from} to {rate}: {} samples late", center - wanted);
        }
    }
}
