//! High-pass filter: removes DC offset and low-frequency rumble below the voice.

use super::Mono;
use std::f64::consts::{FRAC_1_SQRT_2, PI};

/// Just below the lowest voices. A deep male voice has its fundamental at 85 Hz.
const RUMBLE_HZ: f64 = 75.0;

/// Mains hum is mostly below this frequency, a voice mostly above.
const HUM_HZ: f64 = 120.0;

/// Fourth-order Butterworth: flat above, 24 dB per octave below, little ringing.
const SECTIONS: [f64; 2] = [0.541_196_1, 1.306_563];

pub fn without_rumble(mut sound: Mono) -> Mono {
    let mean = sound.samples.iter().map(|s| f64::from(*s)).sum::<f64>() / sound.samples.len().max(1) as f64;
    for sample in &mut sound.samples {
        *sample -= mean as f32;
    }
    high_pass(&mut sound.samples, SECTIONS.map(|q| HighPass::new(sound.rate, RUMBLE_HZ, q)), sound.rate);
    sound
}

/// Also removes mains hum, for voice detection; it would sound too thin to listen to.
pub fn without_hum(sound: &Mono) -> Vec<f32> {
    let mut samples = sound.samples.clone();
    high_pass(&mut samples, [HighPass::new(sound.rate, HUM_HZ, FRAC_1_SQRT_2)], sound.rate);
    samples
}

fn high_pass<const N: usize>(samples: &mut [f32], mut sections: [HighPass; N], rate: u32) {
    let mut filter =
        |sample: f32| sections.iter_mut().fold(f64::from(sample), |sample, s| s.next(sample)) as f32;
    // A filter that starts at rest responds to hum or an offset with a thump. It is therefore first run over the
    // mirrored start.
    let settle = samples.len().min(rate as usize / 5);
    let first = samples.first().copied().unwrap_or_default();
    for i in (1..settle).rev() {
        filter(2.0 * first - samples[i]);
    }
    samples.iter_mut().for_each(|sample| *sample = filter(*sample));
}

/// A second-order section (RBJ cookbook), in double precision because 75 Hz is very low relative to 192 kHz.
struct HighPass {
    b0: f64,
    a1: f64,
    a2: f64,
    z1: f64,
    z2: f64,
}

impl HighPass {
    fn new(rate: u32, hz: f64, q: f64) -> Self {
        let w = 2.0 * PI * hz / f64::from(rate);
        let alpha = w.sin() / (2.0 * q);
        let a0 = 1.0 + alpha;
        Self {
            b0: (1.0 + w.cos()) / 2.0 / a0,
            a1: -2.0 * w.cos() / a0,
            a2: (1.0 - alpha) / a0,
            z1: 0.0,
            z2: 0.0,
        }
    }

    #[inline]
    fn next(&mut self, x: f64) -> f64 {
        let y = self.b0 * x + self.z1;
        self.z1 = -2.0 * self.b0 * x - self.a1 * y + self.z2;
        self.z2 = self.b0 * x - self.a2 * y;
        y
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tone(hz: f32, rate: u32, offset: f32) -> Mono {
        let step = 2.0 * std::f32::consts::PI * hz / rate as f32;
        Mono { rate, samples: (0..rate).map(|i| 0.5 * (i as f32 * step).cos() + offset).collect() }
    }

    fn highest(samples: &[f32]) -> f32 {
        samples.iter().fold(0.0, |a, s| a.max(s.abs()))
    }

    #[test]
    fn voice_stays_and_rumble_goes_at_every_rate() {
        for rate in [8_000, 44_100, 48_000, 192_000] {
            let voice = without_rumble(tone(150.0, rate, 0.0));
            assert!((highest(&voice.samples[rate as usize / 2..]) - 0.5).abs() < 0.03, "{rate}");
            let rumble = without_rumble(tone(20.0, rate, 0.0));
            assert!(highest(&rumble.samples[rate as usize / 2..]) < 0.5 * 0.008, "{rate}");
        }
    }

    #[test]
    fn an_offset_leaves_no_thump_at_the_beginning() {
        let sound = without_rumble(tone(20.0, 48_000, 0.4));
        assert!(highest(&sound.samples) < 0.02, "{}", highest(&sound.samples));
        assert!(sound.samples.iter().sum::<f32>().abs() < 0.001 * 48_000.0);
    }
}
