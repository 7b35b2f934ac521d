//! Voice activity detection by level, relative to the line noise.

use std::collections::VecDeque;

use super::live::Frame;

/// Below this level nobody speaks, however quiet the line is.
const QUIETEST_SPEECH: f32 = -47.0;
/// Above this level somebody speaks, however noisy the line is.
const LOUDEST_NOISE: f32 = -20.0;
/// Speech is this much louder than the noise.
const ABOVE_NOISE: f32 = 8.0;
/// The noise level is estimated over this many frames: two seconds.
const NOISE_FRAMES: usize = 100;
/// Anything shorter is a click: 80 ms.
const SPEECH_FRAMES: u8 = 4;

/// Level in dBFS.
pub fn level(samples: &[i16]) -> f32 {
    let power: f64 = samples.iter().map(|sample| f64::from(*sample) * f64::from(*sample)).sum();
    let mean = power / samples.len().max(1) as f64;
    (10.0 * (mean / (32_768.0 * 32_768.0)).max(1e-12).log10()) as f32
}

/// Estimates the noise level of the line.
#[derive(Debug, Default)]
pub struct Noise {
    levels: VecDeque<f32>,
}

impl Noise {
    pub fn hear(&mut self, frame: &Frame) {
        if self.levels.len() == NOISE_FRAMES {
            self.levels.pop_front();
        }
        self.levels.push_back(level(frame));
    }

    /// A low percentile of the level: it includes pauses between words, but not words.
    fn floor(&self) -> f32 {
        let mut levels: Vec<f32> = self.levels.iter().copied().collect();
        levels.sort_by(f32::total_cmp);
        levels.get(levels.len() / 5).copied().unwrap_or(f32::NEG_INFINITY)
    }

    pub fn detector(&self) -> Detector {
        Detector { noise: self.floor(), loud_frames: 0, spoken: false }
    }
}

/// Detects speech in one recording. The noise level is that from before it, or less: a long name is not noise.
#[derive(Debug)]
pub struct Detector {
    noise: f32,
    loud_frames: u8,
    spoken: bool,
}

impl Detector {
    /// Is this frame part of speech?
    pub fn hear(&mut self, frame: &Frame) -> bool {
        let level = level(frame);
        self.noise = self.noise.min(level.max(QUIETEST_SPEECH - ABOVE_NOISE));
        let threshold = (self.noise + ABOVE_NOISE).clamp(QUIETEST_SPEECH, LOUDEST_NOISE);
        if level > threshold {
            self.loud_frames = (self.loud_frames + 1).min(SPEECH_FRAMES);
        } else {
            self.loud_frames = self.loud_frames.saturating_sub(1);
        }
        self.spoken |= self.loud_frames == SPEECH_FRAMES;
        level > threshold && self.loud_frames * 2 >= SPEECH_FRAMES
    }

    /// Was there any speech?
    pub fn spoken(&self) -> bool {
        self.spoken
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::phone::live::FRAME;

    /// Noise of a given level, deterministic.
    struct Hiss(u64);

    impl Hiss {
        fn frame(&mut self, level: f32) -> Frame {
            // Uniform between -a and a: its mean square is a²/3.
            let amplitude = 32_768.0 * 10_f32.powf(level / 20.0) * 3_f32.sqrt();
            std::array::from_fn(|_| {
                self.0 =
                    self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                let even = (self.0 >> 40) as f32 / (1_u64 << 24) as f32 * 2.0 - 1.0;
                (even * amplitude) as i16
            })
        }
    }

    fn is_speech(before: &[f32], levels: &[f32]) -> bool {
        let (mut hiss, mut noise) = (Hiss(7), Noise::default());
        for level in before {
            noise.hear(&hiss.frame(*level));
        }
        let mut detector = noise.detector();
        for level in levels {
            detector.hear(&hiss.frame(*level));
        }
        detector.spoken()
    }

    #[test]
    fn a_level_is_what_it_says() {
        assert!((level(&[16_384; FRAME]) + 6.02).abs() < 0.01);
        assert!(level(&[0; FRAME]) < -100.0);
        assert!((level(&Hiss(1).frame(-40.0)) + 40.0).abs() < 1.0);
    }

    #[test]
    fn quiet_people_are_heard_and_the_hiss_of_a_line_is_not() {
        let hiss = [-55.0; 100];
        assert!(!is_speech(&hiss, &[-55.0; 250]));
        assert!(!is_speech(&[], &[-55.0; 250]), "not even when the line was never heard before");
        let quiet = [-55.0, -40.0, -40.0, -40.0, -40.0, -40.0, -55.0];
        assert!(is_speech(&hiss, &quiet));
        assert!(is_speech(&[-90.0; 100], &quiet));
    }

    #[test]
    fn a_noisy_line_is_not_speech_but_speech_on_it_is() {
        let noisy = [-38.0; 100];
        assert!(!is_speech(&noisy, &[-38.0; 250]));
        assert!(is_speech(&noisy, &[-25.0; 20]));
    }

    #[test]
    fn clicks_are_not_speech() {
        assert!(!is_speech(&[-70.0; 100], &[-70.0, -20.0, -70.0, -70.0, -20.0, -70.0, -70.0, -20.0, -20.0]));
    }

    #[test]
    fn somebody_who_speaks_all_the_time_before_is_still_heard() {
        let talking: Vec<f32> = (0..100).map(|at| if at % 10 < 7 { -25.0 } else { -60.0 }).collect();
        assert!(is_speech(&talking, &[-25.0; 20]));
    }
}
