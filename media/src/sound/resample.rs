//! Resamples a recording to the rate of the encoder.

use super::{Mono, Refusal};
use rubato::{
    Async, FixedAsync, Resampler, SincInterpolationParameters, WindowFunction,
    audioadapter_buffers::direct::SequentialSlice,
};

/// The length of the filter, in samples of the lower rate.
const FILTER: usize = 128;
const CHUNK: usize = 1024;

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
    let ratio = f64::from(rate) / f64::from(sound.rate);
    let mut resampler =
        Async::<f32>::new_sinc(ratio, 1.0, &filter, CHUNK, 1, FixedAsync::Input).map_err(drop)?;
    // The resampler starts with the second sample, and cuts off its delay in whole samples. Silence before the sound makes up for both.
    let early = (resampler.output_delay() + 1) as f64 / ratio - length as f64 / 2.0;
    let mut samples = vec![0.0; early.round() as usize];
    samples.extend_from_slice(&sound.samples);
    let input = SequentialSlice::new(&samples, 1, samples.len()).map_err(drop)?;
    let mut output = resampler.process_all(&input, samples.len(), None).map_err(drop)?.take_data();
    output.truncate((sound.samples.len() as f64 * ratio).round() as usize);
    Ok(output)
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
}
