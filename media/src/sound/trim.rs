//! Voice detection and trimming: cuts the silence around the voice, except for a short pause.

use super::{Mono, Refusal, clean};
use std::{ops::Range, time::Duration};

/// -50 dBFS: anything below is silence.
const SILENCE: f32 = 0.003_162_278;

/// Levels are measured every 5 ms over 10 ms.
const STEPS_PER_SECOND: u32 = 200;

/// The pauses before and after the voice.
pub struct Pauses {
    before: f64,
    after: f64,
}

impl Pauses {
    /// In seconds. The middle of the required 0.1 to 0.25 s, because the result depends on the measurement: a coarser
    /// one finds a soft onset later, and MP3 smears a hard one forward by up to 20 ms.
    const TARGET: f64 = 0.165;

    /// Pauses of which the encoder adds a part itself, in seconds.
    pub fn with_encoder_delay(encoder: f64) -> Self {
        Self { before: Self::TARGET - encoder, after: Self::TARGET }
    }
}

pub fn trim(sound: &Mono, shortest: Duration, breath: Pauses) -> Result<Mono, Refusal> {
    let too_short = Refusal::TooShort { shortest };
    let heard = clean::without_hum(sound);
    if heard.is_empty() {
        return Err(too_short);
    }
    if heard.iter().all(|s| s.abs() <= SILENCE) {
        return Err(Refusal::Silent);
    }

    let step = (sound.rate / STEPS_PER_SECOND).max(1) as usize;
    let levels = levels(&heard, step);
    let scene = Levels::of(&levels);
    let voice = scene.voice(&levels);
    // A tolerance of one step, the resolution of the edges.
    let length = (voice.len() + 1) as f64 / f64::from(STEPS_PER_SECOND);
    if length < shortest.as_secs_f64() {
        return Err(too_short);
    }
    let voice = voice.start * step..(voice.end * step).min(sound.samples.len());
    Ok(Mono { rate: sound.rate, samples: cut(sound, voice, &breath, scene.attenuation()) })
}

/// In dB, for each step.
fn levels(samples: &[f32], step: usize) -> Vec<f32> {
    let power: Vec<f32> =
        samples.chunks(step).map(|c| c.iter().map(|s| s * s).sum::<f32>() / step as f32).collect();
    (0..power.len())
        .map(|i| 10.0 * ((power[i] + power[(i + 1).min(power.len() - 1)]) / 2.0).max(1e-15).log10())
        .collect()
}

/// The levels of the voice and of the background.
struct Levels {
    voice: f32,
    noise: f32,
}

impl Levels {
    fn of(levels: &[f32]) -> Self {
        let mut sorted: Vec<f32> = levels.to_vec();
        sorted.sort_by(f32::total_cmp);
        // The voice level: reached for a tenth of a second in total, however long the silence around it. A click is
        // shorter.
        let voice = sorted[sorted.len() - 1 - (sorted.len() / 2).min(STEPS_PER_SECOND as usize / 10)];
        // The noise level: the 10th percentile. Digital silence is padding, not noise.
        let real = &sorted[sorted.partition_point(|l| *l < -95.0).min(sorted.len() - 1)..];
        Self { voice, noise: real[real.len() / 10] }
    }

    /// The steps from the start of the voice to its end.
    ///
    /// Found from the inside out: first what is certainly voice, then outwards while the level exceeds the noise, so
    /// that a soft "h" or "f" at the start and the end of an "s" are kept.
    fn voice(&self, levels: &[f32]) -> Range<usize> {
        let surely = (self.voice - 32.0).max(self.noise + 10.0).min(self.voice - 10.0);
        let barely = (self.voice - 46.0).max(self.noise + 4.0).min(surely);

        let runs = runs(levels, surely);
        // A mouse click far from the voice is not voice. A "t" after its closure is close enough.
        let is_voice = |run: &&Run| run.active >= 6;
        let first = runs.iter().find(is_voice).or(runs.first());
        let last = runs.iter().rfind(is_voice).or(runs.last());
        let (Some(first), Some(last)) = (first, last) else { return 0..levels.len() };

        let goes_on = |step: &usize| levels[*step] > barely;
        let before = (first.steps.start.saturating_sub(50)..first.steps.start).rev();
        let after = last.steps.end..(last.steps.end + 80).min(levels.len());
        let start = reach(before, goes_on).unwrap_or(first.steps.start);
        let end = reach(after, goes_on).map_or(last.steps.end, |last| last + 1);
        start..end
    }

    /// The attenuation of the noise in the pauses (a factor). Normalizing a quiet recording in a loud room amplifies
    /// the room too, and the pause would not be silent. A quiet room needs none.
    fn attenuation(&self) -> f32 {
        let decibels = (self.noise - self.voice + 60.0).clamp(0.0, 36.0);
        10.0_f32.powf(-decibels / 20.0)
    }
}

/// Steps above the threshold, with gaps of up to 150 ms.
struct Run {
    steps: Range<usize>,
    /// Without the gaps.
    active: usize,
}

fn runs(levels: &[f32], threshold: f32) -> Vec<Run> {
    let mut runs: Vec<Run> = Vec::new();
    for (step, _) in levels.iter().enumerate().filter(|(_, level)| **level > threshold) {
        match runs.last_mut() {
            Some(run) if step <= run.steps.end + 30 => {
                run.steps.end = step + 1;
                run.active += 1;
            }
            _ => runs.push(Run { steps: step..step + 1, active: 1 }),
        }
    }
    runs
}

/// The last step that it extends to, with gaps of up to 40 ms.
fn reach(steps: impl Iterator<Item = usize>, goes_on: impl Fn(&usize) -> bool) -> Option<usize> {
    let mut reached = None;
    let mut gap = 0;
    for step in steps {
        if goes_on(&step) {
            reached = Some(step);
            gap = 0;
        } else {
            gap += 1;
            if gap > 8 {
                break;
            }
        }
    }
    reached
}

/// The voice with its pauses. If the recording is too short before or after the voice, silence is added.
fn cut(sound: &Mono, voice: Range<usize>, breath: &Pauses, attenuation: f32) -> Vec<f32> {
    let samples = |seconds: f64| (seconds * f64::from(sound.rate)).round().max(0.0) as usize;
    let (before, after) = (samples(breath.before), samples(breath.after));
    let from = voice.start.saturating_sub(before);
    let to = (voice.end + after).min(sound.samples.len());

    let mut kept = vec![0.0; before - (voice.start - from)];
    let begins = kept.len();
    kept.extend_from_slice(&sound.samples[from..to]);
    let ends = kept.len();
    kept.resize(begins + (voice.end - from) + after, 0.0);

    let voice = begins + (voice.start - from)..begins + (voice.end - from);
    attenuate_outside(&mut kept, voice, attenuation, samples(0.04));
    fade(&mut kept[begins..ends], samples(0.01).min((ends - begins) / 2));
    kept
}

/// Attenuates everything outside of the voice, with a smooth transition.
fn attenuate_outside(samples: &mut [f32], voice: Range<usize>, attenuation: f32, slope: usize) {
    if attenuation >= 1.0 {
        return;
    }
    let gain =
        |distance: usize| attenuation + (1.0 - attenuation) * ease(1.0 - distance as f32 / slope as f32);
    for (i, sample) in samples[..voice.start].iter_mut().rev().enumerate() {
        *sample *= gain(i);
    }
    for (i, sample) in samples[voice.end..].iter_mut().enumerate() {
        *sample *= gain(i);
    }
}

fn fade(samples: &mut [f32], length: usize) {
    let count = samples.len();
    for i in 0..length {
        let gain = ease(i as f32 / length as f32);
        samples[i] *= gain;
        samples[count - 1 - i] *= gain;
    }
}

/// A smooth step from 0 to 1.
fn ease(x: f32) -> f32 {
    let x = x.clamp(0.0, 1.0);
    x * x * (3.0 - 2.0 * x)
}

#[cfg(test)]
mod tests {
    use super::*;

    const RATE: u32 = 16_000;
    const SHORTEST: Duration = Duration::from_millis(300);

    /// Tones with a duration in seconds and a level in dB, one after the other.
    fn scene(parts: &[(f64, f32)], noise: f32) -> Mono {
        let mut samples = Vec::new();
        let mut random = 1_u32;
        for (seconds, level) in parts {
            let peak = if *level < -150.0 { 0.0 } else { 10.0_f32.powf(level / 20.0) };
            for _ in 0..(seconds * f64::from(RATE)) as usize {
                random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                let hiss = (random >> 8) as f32 / 8_388_608.0 - 1.0;
                let tone = (samples.len() as f32 * 0.2).sin() * peak;
                samples.push(tone + hiss * 10.0_f32.powf(noise / 20.0));
            }
        }
        Mono { rate: RATE, samples }
    }

    fn trimmed(sound: &Mono) -> Mono {
        trim(sound, SHORTEST, Pauses::with_encoder_delay(0.0)).expect("a voice")
    }

    /// Seconds before the first and after the last sample above a level in dB.
    fn breaths(sound: &Mono, level: f32) -> (f64, f64) {
        let loud = |s: &f32| s.abs() > 10.0_f32.powf(level / 20.0);
        let first = sound.samples.iter().position(loud).expect("sound");
        let last = sound.samples.iter().rposition(loud).expect("sound");
        let seconds = |count: usize| count as f64 / f64::from(RATE);
        (seconds(first), seconds(sound.samples.len() - 1 - last))
    }

    #[test]
    fn leaves_a_breath_at_both_ends_whatever_was_there() {
        for (before, after) in [(2.0, 1.0), (0.0, 0.0), (0.05, 3.0), (0.12, 0.0)] {
            for noise in [-200.0, -75.0, -60.0, -45.0] {
                let sound = trimmed(&scene(&[(before, -200.0), (0.8, -12.0), (after, -200.0)], noise));
                let (first, last) = breaths(&sound, -40.0);
                assert!((0.13..0.2).contains(&first), "{before} {noise}: {first} before");
                assert!((0.13..0.2).contains(&last), "{after} {noise}: {last} after");
            }
        }
    }

    #[test]
    fn keeps_a_soft_consonant_and_drops_a_click() {
        let soft = trimmed(&scene(
            &[(1.0, -200.0), (0.12, -45.0), (0.5, -10.0), (0.2, -50.0), (1.0, -200.0)],
            -80.0,
        ));
        let length = soft.samples.len() as f64 / f64::from(RATE);
        assert!((1.1..1.2).contains(&length), "{length}");
        let click = trimmed(&scene(
            &[
                (0.3, -200.0),
                (0.01, -6.0),
                (0.9, -200.0),
                (0.5, -20.0),
                (0.9, -200.0),
                (0.01, -6.0),
                (0.2, -200.0),
            ],
            -80.0,
        ));
        let length = click.samples.len() as f64 / f64::from(RATE);
        assert!((0.8..0.9).contains(&length), "{length}");
    }

    #[test]
    fn a_pause_between_two_names_stays() {
        let sound = trimmed(&scene(
            &[(0.5, -200.0), (0.4, -12.0), (0.9, -200.0), (0.4, -12.0), (0.5, -200.0)],
            -70.0,
        ));
        let length = sound.samples.len() as f64 / f64::from(RATE);
        assert!((2.0..2.1).contains(&length), "{length}");
    }

    #[test]
    fn refuses_silence_and_what_is_too_short() {
        let refusal = |parts: &[(f64, f32)], noise| {
            trim(&scene(parts, noise), SHORTEST, Pauses::with_encoder_delay(0.0)).err()
        };
        assert_eq!(refusal(&[(2.0, -200.0)], -200.0), Some(Refusal::Silent));
        assert_eq!(refusal(&[(2.0, -200.0)], -56.0), Some(Refusal::Silent));
        assert_eq!(refusal(&[], -56.0), Some(Refusal::TooShort { shortest: SHORTEST }));
        let short = [(1.0, -200.0), (0.2, -12.0), (1.0, -200.0)];
        assert_eq!(refusal(&short, -80.0), Some(Refusal::TooShort { shortest: SHORTEST }));
        assert_eq!(refusal(&[(1.0, -200.0), (0.32, -12.0), (1.0, -200.0)], -80.0), None);
        assert_eq!(refusal(&[(1.0, -200.0), (0.5, -46.0), (1.0, -200.0)], -80.0), None);
    }
}
