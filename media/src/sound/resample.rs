//! Resamples a recording to the rate of the encoder.

use super::{Mono, Refusal};
use rubato::{
    Async, FixedAsync, Resampler, SincInterpolationParameters, SincInterpolationType, WindowFunction,
    audioadapter_buffers::direct::SequentialSlice,
};

/// The length of the filter, in samples of the lower rate.
const FILTER: usize = 256;
const CHUNK: usize = 1024;
const MOST_PLACES: u32 = 512;

pub fn to(rate: u32, sound: Mono) -> Result<Mono, Refusal> {
    if sound.rate == rate || sound.samples.is_empty() {
        return Ok(Mono { rate, ..sound });
    }
    // Fails only for impossible rates such as zero, which the decoder rejects.
    let samples = resampled(&sound, rate).map_err(|()| Refusal::Unusual)?;
    Ok(Mono { rate, samples })
}

fn resampled(sound: &Mono, rate: u32) -> Result<Vec<f32>, ()> {
    let length = FILTER * sound.rate.div_ceil(rate) as usize;
    let filter = SincInterpolationParameters::new(length, WindowFunction::BlackmanHarris2);
    // The filter is computed at as many places between two samples. Usual rates need few, and then each is exact.
    let places = rate / greatest_divisor(rate, sound.rate);
    let filter = if places <= MOST_PLACES {
        filter.oversampling_factor(places as usize).interpolation(SincInterpolationType::Nearest)
    } else {
        filter.oversampling_factor(MOST_PLACES as usize).interpolation(SincInterpolationType::Linear)
    };
    let place = 1.0 / f64::from(places.min(MOST_PLACES));
    let ratio = f64::from(rate) / f64::from(sound.rate);
    let mut resampler =
        Async::<f32>::new_sinc(ratio, 1.0, &filter, CHUNK, 1, FixedAsync::Input).map_err(drop)?;
    // The resampler starts with the second sample, its filter is a place late, and its delay is cut off in whole samples. With some silence
    // before the sound, what it returns begins with samples that are to be dropped, by as nearly a whole number as is possible.
    let late = (resampler.output_delay() + 1) as f64 / ratio + place - length as f64 / 2.0;
    let superfluous = |silence: usize| (silence as f64 - late) * ratio;
    let error = |silence: usize| (superfluous(silence) - superfluous(silence).round()).abs();
    let least = late.ceil() as usize;
    let silence = (least..least + 16).min_by(|a, b| error(*a).total_cmp(&error(*b))).unwrap_or(least);
    let mut samples = vec![0.0; silence];
    samples.extend_from_slice(&sound.samples);
    let input = SequentialSlice::new(&samples, 1, samples.len()).map_err(drop)?;
    let mut output = resampler.process_all(&input, samples.len(), None).map_err(drop)?.take_data();
    output.drain(..(superfluous(silence).round() as usize).min(output.len()));
    output.truncate((sound.samples.len() as f64 * ratio).round() as usize);
    Ok(output)
}

/// Euclid's algorithm.
fn greatest_divisor(a: u32, b: u32) -> u32 {
    if b == 0 { a } else { greatest_divisor(b, a % b) }
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
