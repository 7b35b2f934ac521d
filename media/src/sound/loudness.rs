//! Integrated loudness of one channel per ITU BS.1770-4 and EBU R 128.
//!
//! Not from a crate, because the limiter tries many gains: after weighting once, measuring with another gain is
//! almost free. Tests compare it with `ebur128`.

use std::f64::consts::PI;

/// The absolute gate of the meter.
pub const SILENCE_GATE: f64 = -70.0;

/// Samples that are measured together and share a gain.
pub const STRIDE: usize = 16;

/// A block of 400 ms starts every 100 ms.
const STEPS: usize = 4;

pub struct Meter {
    /// The weighted power of each stride.
    power: Vec<f32>,
    /// Samples in 100 ms.
    step: usize,
    /// Strides repeat after this many: audio shorter than a block is measured as if it were looped.
    once: usize,
}

impl Meter {
    pub fn new(samples: &[f32], rate: u32) -> Self {
        let step = (rate as usize / 10).max(STRIDE);
        let mut weighting = Weighting::new(f64::from(rate));
        let mut weighted =
            |stride: &[f32]| stride.iter().map(|s| weighting.next(f64::from(*s)).powi(2)).sum::<f64>() as f32;
        let mut power: Vec<f32> = samples.chunks(STRIDE).map(&mut weighted).collect();
        let once = power.len();
        while !samples.is_empty() && power.len() * STRIDE < STEPS * step {
            power.extend(samples.chunks(STRIDE).map(&mut weighted));
        }
        Self { power, step, once }
    }

    /// In LUFS.
    pub fn loudness(&self) -> f64 {
        self.measure(|_, power| power)
    }

    /// As if each stride were multiplied by its own gain. This differs slightly from weighting the result, but gains
    /// that change over milliseconds change too slowly to make a difference of 0.1 LU.
    pub fn loudness_at(&self, gains: &[f32]) -> f64 {
        self.measure(|stride, power| power * gains[stride % self.once].powi(2))
    }

    fn measure(&self, power: impl Fn(usize, f32) -> f32) -> f64 {
        let steps = self.power.len() * STRIDE / self.step;
        let steps: Vec<f64> = (0..steps)
            .map(|step| {
                let (from, to) = (step * self.step / STRIDE, (step + 1) * self.step / STRIDE);
                (from..to).map(|stride| f64::from(power(stride, self.power[stride]))).sum()
            })
            .collect();
        let blocks: Vec<f64> =
            steps.windows(STEPS).map(|w| w.iter().sum::<f64>() / (STEPS * self.step) as f64).collect();
        let mean_above = |threshold: f64| {
            let loud: Vec<f64> = blocks.iter().copied().filter(|b| decibels(*b) > threshold).collect();
            if loud.is_empty() {
                SILENCE_GATE
            } else {
                decibels(loud.iter().sum::<f64>() / loud.len() as f64)
            }
        };
        // The relative gate: excludes silence and pauses, 10 LU below the rest.
        mean_above(mean_above(SILENCE_GATE) - 10.0)
    }
}

fn decibels(power: f64) -> f64 {
    -0.691 + 10.0 * power.max(1e-30).log10()
}

/// K-weighting: a shelving filter for the head, then a high-pass.
struct Weighting([Biquad; 2]);

struct Biquad {
    b: [f64; 3],
    a: [f64; 2],
    z: [f64; 2],
}

impl Weighting {
    /// The standard gives coefficients for 48 kHz; these are the underlying analog filters, as in libebur128.
    fn new(rate: f64) -> Self {
        let (k, q) = ((PI * 1_681.974_450_955_533 / rate).tan(), 0.707_175_236_955_419_6);
        let high = 10.0_f64.powf(3.999_843_853_973_347 / 20.0);
        let band = high.powf(0.499_666_774_154_541_6);
        let a0 = 1.0 + k / q + k * k;
        let shelf = Biquad {
            b: [
                (high + band * k / q + k * k) / a0,
                2.0 * (k * k - high) / a0,
                (high - band * k / q + k * k) / a0,
            ],
            a: [2.0 * (k * k - 1.0) / a0, (1.0 - k / q + k * k) / a0],
            z: [0.0; 2],
        };
        let (k, q) = ((PI * 38.135_470_876_024_44 / rate).tan(), 0.500_327_037_323_877_3);
        let a0 = 1.0 + k / q + k * k;
        let high_pass = Biquad {
            b: [1.0, -2.0, 1.0],
            a: [2.0 * (k * k - 1.0) / a0, (1.0 - k / q + k * k) / a0],
            z: [0.0; 2],
        };
        Self([shelf, high_pass])
    }

    #[inline]
    fn next(&mut self, sample: f64) -> f64 {
        let [shelf, high_pass] = &mut self.0;
        high_pass.next(shelf.next(sample))
    }
}

impl Biquad {
    #[inline]
    fn next(&mut self, x: f64) -> f64 {
        let y = self.b[0] * x + self.z[0];
        self.z[0] = self.b[1] * x - self.a[0] * y + self.z[1];
        self.z[1] = self.b[2] * x - self.a[1] * y;
        y
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ebur128::{EbuR128, Mode};

    /// Speech-like audio: harmonic syllables and pauses.
    pub fn babble(rate: u32, seconds: f64) -> Vec<f32> {
        (0..(seconds * f64::from(rate)) as usize)
            .map(|i| {
                let t = i as f64 / f64::from(rate);
                let syllable = (2.0 * PI * 1.7 * t).sin().max(0.0) * if t % 2.0 < 1.4 { 1.0 } else { 0.001 };
                let voice: f64 =
                    (1..20).map(|h| (2.0 * PI * 120.0 * f64::from(h) * t).sin() / f64::from(h)).sum();
                (0.2 * syllable * voice) as f32
            })
            .collect()
    }

    #[test]
    fn agrees_with_ebur128() {
        for rate in [44_100, 48_000] {
            for (seconds, gain) in [(0.45, 1.0), (1.0, 0.5), (3.3, 0.01), (8.0, 1.5)] {
                let samples: Vec<f32> = babble(rate, seconds).iter().map(|s| s * gain).collect();
                let mut theirs = EbuR128::new(1, rate, Mode::I).expect("a meter");
                theirs.add_frames_f32(&samples).expect("measured");
                let theirs = theirs.loudness_global().expect("a loudness");
                let ours = Meter::new(&samples, rate).loudness();
                assert!((ours - theirs).abs() < 0.01, "{rate} {seconds} s: {ours} {theirs}");
            }
        }
    }

    #[test]
    fn a_full_scale_sine_is_minus_three() {
        // The standard's own example, at 997 Hz.
        let sine: Vec<f32> =
            (0..48_000).map(|i| (f64::from(i) * 2.0 * PI * 997.0 / 48_000.0).sin() as f32).collect();
        assert!((Meter::new(&sine, 48_000).loudness() + 3.01).abs() < 0.02);
        // The same loudness if it is shorter than a block.
        assert!((Meter::new(&sine[..9_600], 48_000).loudness() + 3.01).abs() < 0.1);
        assert_eq!(Meter::new(&[0.0; 48_000], 48_000).loudness(), SILENCE_GATE);
        assert_eq!(Meter::new(&[], 48_000).loudness(), SILENCE_GATE);
    }

    #[test]
    fn gains_count() {
        let samples = babble(48_000, 2.0);
        let meter = Meter::new(&samples, 48_000);
        let halved = meter.loudness_at(&vec![0.5; samples.len() / STRIDE]);
        assert!((meter.loudness() - halved - 6.02).abs() < 0.05);
        let short = Meter::new(&samples[..9_600], 48_000);
        assert!((short.loudness() - short.loudness_at(&[0.5; 600]) - 6.02).abs() < 0.05);
    }
}
