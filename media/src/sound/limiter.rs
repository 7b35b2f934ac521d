//! A true-peak limiter: peaks between samples count too, because a DAC reproduces them.

use super::loudness::STRIDE;
use std::f32::consts::PI;

/// Interpolated positions between two samples.
const PHASES: usize = 3;
/// Filter taps on each side. With 8, a full-scale tone is measured within 0.1 dB up to 18 kHz.
const TAPS_PER_SIDE: usize = 8;
const TAPS: usize = 2 * TAPS_PER_SIDE;

/// A limiter that measures peaks once and can then evaluate many gains cheaply.
pub struct Limiter {
    /// The highest peak of each stride.
    peaks: Vec<f32>,
    /// Lookahead in strides.
    ahead: usize,
    /// The fraction of the way back to 1 that the gain recovers per stride.
    recovery: f32,
}

impl Limiter {
    pub fn new(samples: &[f32], rate: u32) -> Self {
        let strides = rate as f32 / STRIDE as f32;
        Self {
            peaks: peaks(samples).chunks(STRIDE).map(highest).collect(),
            ahead: (strides * 0.003).max(1.0) as usize,
            recovery: 1.0 - (-1.0 / (0.06 * strides)).exp(),
        }
    }

    /// The gain at the start of each stride (plus one at the end of the last): the given gain, or less where the
    /// ceiling requires it. Also returns whether anything was limited.
    pub fn gains(&self, gain: f32, ceiling: f32) -> (Vec<f32>, bool) {
        if highest(&self.peaks) * gain <= ceiling {
            return (vec![gain; self.peaks.len() + 1], false);
        }
        let allowed: Vec<f32> =
            self.peaks.iter().map(|p| (ceiling / (p * gain).max(f32::MIN_POSITIVE)).min(1.0)).collect();
        // A linear ramp stays below the limit if both ends do; so each stride also considers its neighbors.
        let lowest = |i: usize| {
            let near = &allowed[i.saturating_sub(1)..(i + self.ahead + 1).min(allowed.len())];
            near.iter().fold(1.0_f32, |a, b| a.min(*b))
        };
        // Instant attack (smoothed below), slow release.
        let mut now = 1.0_f32;
        let held: Vec<f32> = (0..=allowed.len())
            .map(|i| {
                now = lowest(i).min(now + (1.0 - now) * self.recovery);
                now
            })
            .collect();
        // The mean over the lookahead: each stride in it includes the peak, so the mean does too.
        let gains = (0..held.len()).map(|i| {
            let seen = &held[i.saturating_sub(self.ahead - 1)..=i];
            gain * seen.iter().sum::<f32>() / seen.len() as f32
        });
        (gains.collect(), true)
    }
}

/// Applies gains with linear interpolation between strides.
pub fn apply(gains: &[f32], samples: &[f32]) -> Vec<f32> {
    let mut louder = samples.to_vec();
    for (stride, ends) in louder.chunks_mut(STRIDE).zip(gains.windows(2)) {
        let slope = (ends[1] - ends[0]) / STRIDE as f32;
        for (i, sample) in stride.iter_mut().enumerate() {
            *sample *= ends[0] + slope * i as f32;
        }
    }
    louder
}

/// The highest true peak.
pub fn true_peak(samples: &[f32]) -> f32 {
    highest(&peaks(samples))
}

fn highest(peaks: &[f32]) -> f32 {
    peaks.iter().fold(0.0, |a, b| a.max(*b))
}

/// For each sample, the maximum of the curve up to the next sample.
fn peaks(samples: &[f32]) -> Vec<f32> {
    const BLOCK: usize = 256;
    let filters: [[f32; TAPS]; PHASES] =
        std::array::from_fn(|p| filter((p + 1) as f32 / (PHASES + 1) as f32));
    let mut padded = vec![0.0; TAPS_PER_SIDE - 1];
    padded.extend_from_slice(samples);
    padded.resize(padded.len() + TAPS_PER_SIDE, 0.0);

    let mut peaks: Vec<f32> = samples.iter().map(|s| s.abs()).collect();
    // In quiet parts nothing between the samples comes near the highest peak, which is all that matters.
    let quiet = 0.25 * highest(&peaks);
    for (block, peaks) in peaks.chunks_mut(BLOCK).enumerate() {
        let start = block * BLOCK;
        if highest(peaks) < quiet {
            continue;
        }
        for taps in &filters {
            let mut between = [0.0_f32; BLOCK];
            let between = &mut between[..peaks.len()];
            for (tap, weight) in taps.iter().enumerate() {
                let shifted = &padded[start + tap..][..between.len()];
                for (sum, sample) in between.iter_mut().zip(shifted) {
                    *sum += weight * sample;
                }
            }
            for (peak, value) in peaks.iter_mut().zip(between.iter()) {
                *peak = peak.max(value.abs());
            }
        }
    }
    peaks
}

/// A windowed sinc for position `at` between two samples.
fn filter(at: f32) -> [f32; TAPS] {
    let taps: [f32; TAPS] = std::array::from_fn(|i| {
        let x = i as f32 - (TAPS_PER_SIDE as f32 - 1.0) - at;
        let window = (PI * x / (2.0 * TAPS_PER_SIDE as f32)).cos().powi(2);
        (PI * x).sin() / (PI * x) * window
    });
    let sum: f32 = taps.iter().sum();
    taps.map(|t| t / sum)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_peak_between_the_samples_is_seen() {
        // A quarter of the sample rate, with samples beside the peaks: 3 dB more than any sample shows.
        let tone: Vec<f32> = (0..4800).map(|i| (PI / 2.0 * i as f32 + PI / 4.0).sin() * 0.5).collect();
        let samples = tone.iter().fold(0.0_f32, |a, s| a.max(s.abs()));
        assert!((samples - 0.3536).abs() < 0.001);
        let middle = highest(&peaks(&tone)[100..4700]);
        assert!((middle - 0.5).abs() < 0.005, "{middle}");
    }

    #[test]
    fn nothing_passes_the_ceiling_and_nothing_else_changes() {
        let burst: Vec<f32> = (0..48_000)
            .map(|i| (i as f32 * 0.05).sin() * if (20_000..20_200).contains(&i) { 1.0 } else { 0.1 })
            .collect();
        let limiter = Limiter::new(&burst, 48_000);
        let (gains, limited) = limiter.gains(4.0, 0.8);
        let held = apply(&gains, &burst);
        assert!(limited);
        assert!(true_peak(&held) <= 0.8 * 1.005, "{}", true_peak(&held));
        // Nearly all of the headroom is used.
        assert!(true_peak(&held) >= 0.8 * 0.95, "{}", true_peak(&held));
        assert!((held[10_000] - burst[10_000] * 4.0).abs() < 1e-4);
        assert!((held[47_000] - burst[47_000] * 4.0).abs() < 1e-2);
        assert!(gains.windows(2).all(|g| (g[0] - g[1]).abs() < 0.5), "no jumps");
        let (same, limited) = limiter.gains(0.5, 0.8);
        assert!(!limited);
        assert_eq!(apply(&same, &burst)[20_100], burst[20_100] * 0.5);
    }
}
