//! Output for phones (mono, 8 kHz), compared with the output of ffmpeg and sox.

use super::studio::{ffmpeg, path, shell};
use endonym_media::sound::{Limits, Refusal, samples};
use std::{fs, time::Duration};

const RATE: u32 = 8_000;

fn telephone(bytes: &[u8]) -> Result<Vec<f32>, Refusal> {
    samples(bytes, RATE, &Limits { longest: Duration::from_secs(60), ..Limits::default() })
}

fn root_mean_square(samples: &[f32]) -> f64 {
    (samples.iter().map(|s| f64::from(s * s)).sum::<f64>() / samples.len() as f64).sqrt()
}

/// The correlation of two signals: 1 if they are equal.
fn correlation(one: &[f32], other: &[f32]) -> f64 {
    let product: f64 = one.iter().zip(other).map(|(a, b)| f64::from(a * b)).sum();
    let count = one.len().min(other.len());
    product / count as f64 / (root_mean_square(&one[..count]) * root_mean_square(&other[..count]))
}

#[test]
fn wav_of_every_kind_sounds_the_same() {
    let raw = ffmpeg("-ar 8000 -ac 1 -f f32le -c:a pcm_f32le pipe:", "telephone.raw");
    let expected: Vec<f32> =
        raw.chunks_exact(4).map(|b| f32::from_le_bytes(b.try_into().expect("four bytes"))).collect();
    for (name, arguments) in [
        ("u8.wav", "-c:a pcm_u8 -ar 22050"),
        ("s16.wav", "-c:a pcm_s16le -ar 44100 -af pan=stereo|c0=c0|c1=c0"),
        ("s24.wav", "-c:a pcm_s24le -ar 96000"),
        ("s32.wav", "-c:a pcm_s32le -ar 48000"),
        ("f32.wav", "-c:a pcm_f32le -ar 48000 -af pan=stereo|c0=c0|c1=c0"),
        ("f64.wav", "-c:a pcm_f64le -ar 192000"),
        ("alaw.wav", "-c:a pcm_alaw -ar 8000"),
        ("mulaw.wav", "-c:a pcm_mulaw -ar 8000"),
        ("mulaw-stereo.wav", "-c:a pcm_mulaw -ar 16000 -af pan=stereo|c0=c0|c1=c0"),
        ("11025.wav", "-ar 11025"),
        ("47999.wav", "-ar 47999"),
    ] {
        let bytes = ffmpeg(arguments, &format!("telephone-{name}"));
        let heard = telephone(&bytes).unwrap_or_else(|refusal| panic!("{name}: {refusal}"));
        assert!(heard.len().abs_diff(expected.len()) <= 8, "{name}: {} to {}", heard.len(), expected.len());
        // Two resamplers may differ by a fraction of a sample.
        let alike = correlation(&heard, &expected);
        assert!(alike > 0.999, "{name}: {alike}");
        let louder = root_mean_square(&heard) / root_mean_square(&expected);
        assert!((0.97..1.03).contains(&louder), "{name}: {louder}");
    }
}

#[test]
fn what_a_phone_cannot_carry_is_gone() {
    let level = |hz: u32| {
        let file = path(&format!("telephone-{hz}.wav"));
        shell(&format!("sox -D -n -r 48000 -b 24 {file} synth 1 sine {hz} gain -6"));
        let heard = telephone(&fs::read(&file).expect("the file that was just written")).expect("samples");
        // The middle only: the tone starts and stops at the ends.
        20.0 * root_mean_square(&heard[2_000..6_000]).log10()
    };
    let carried = level(1_000);
    assert!((carried - level(3_000)).abs() < 0.5, "{carried} dB");
    for hz in [4_150, 4_500, 5_000, 7_000, 9_000, 15_000] {
        assert!(level(hz) < carried - 60.0, "{hz} Hz: {} dB", level(hz));
    }
}

#[test]
fn too_much_is_refused_and_a_short_or_silent_sound_is_not() {
    let sound = |effects: &str, name: &str| {
        let file = path(&format!("telephone-{name}.wav"));
        shell(&format!("sox -D -n -r 8000 -b 16 {file} {effects}"));
        telephone(&fs::read(&file).expect("the file that was just written"))
    };
    let too_long = Refusal::TooLong { longest: Duration::from_secs(60) };
    assert_eq!(sound("synth 61 sine 300", "long"), Err(too_long));
    assert_eq!(sound("synth 0.1 sine 300", "short").map(|s| s.len()), Ok(800));
    assert_eq!(sound("synth 2 sine 300 vol 0", "silent").map(|s| s.len()), Ok(16_000));
    assert_eq!(telephone(b"RIFF\0\0\0\0WAVE"), Err(Refusal::Damaged));
    assert_eq!(telephone(b"not a sound"), Err(Refusal::NotSound));
    let large = vec![0; Limits::default().bytes + 1];
    assert_eq!(telephone(&large), Err(Refusal::TooLarge { most: Limits::default().bytes }));
}
