//! Speech for calls, and comparison of what arrived.

use std::{path::Path, process::Command};

use crate::support::correlation::best;

pub const RATE: usize = 8_000;

fn run(program: &str, arguments: &[&str]) {
    let done = Command::new(program).args(arguments).output();
    let done = done.unwrap_or_else(|error| panic!("`{program}` is needed for this test: {error}"));
    assert!(done.status.success(), "{program}: {}", String::from_utf8_lossy(&done.stderr));
}

pub fn silence(file: &Path, seconds: usize) {
    write(file, &vec![0; seconds * RATE]);
}

/// Speech at the rate of a phone, without silence before and after.
pub fn speech(words: &str, folder: &Path) -> Vec<i16> {
    let (made, file) = (folder.join("made.wav"), folder.join("speech.wav"));
    let (made, file) = (made.to_str().unwrap(), file.to_str().unwrap());
    run("espeak-ng", &["-v", "en", "-s", "140", "-w", made, words]);
    let trim = ["silence", "1", "0.01", "0.5%", "reverse", "silence", "1", "0.01", "0.5%", "reverse"];
    let mut arguments = vec![made, "-r", "8000", "-c", "1", "-b", "16", file, "gain", "-n", "-6"];
    arguments.extend(trim);
    run("sox", &arguments);
    read(&std::fs::read(file).unwrap())
}

/// A file for a phone: this much silence, the words, and a long silence.
pub fn spoken(words: &[i16], silence_before: f32, file: &Path) {
    let before = vec![0; (silence_before * RATE as f32) as usize];
    write(file, &[&before[..], words, &vec![0; 60 * RATE]].concat());
}

fn write(file: &Path, samples: &[i16]) {
    let bytes = u32::try_from(samples.len() * 2).unwrap();
    let mut wav = Vec::new();
    wav.extend_from_slice(b"RIFF");
    wav.extend_from_slice(&(bytes + 36).to_le_bytes());
    wav.extend_from_slice(b"WAVEfmt \x10\0\0\0\x01\0\x01\0\x40\x1f\0\0\x80\x3e\0\0\x02\0\x10\0data");
    wav.extend_from_slice(&bytes.to_le_bytes());
    wav.extend(samples.iter().flat_map(|sample| sample.to_le_bytes()));
    std::fs::write(file, wav).unwrap();
}

/// The samples of a WAV file with 16 bits, one channel, 8 kHz.
pub fn read(wav: &[u8]) -> Vec<i16> {
    assert_eq!(&wav[..4], b"RIFF");
    assert_eq!(&wav[20..28], b"\x01\0\x01\0\x40\x1f\0\0", "PCM, one channel, 8 kHz");
    assert_eq!(&wav[34..36], b"\x10\0", "16 bits");
    let data = wav.windows(4).position(|word| word == b"data").unwrap() + 8;
    wav[data..].chunks_exact(2).map(|pair| i16::from_le_bytes([pair[0], pair[1]])).collect()
}

/// How similar the received audio is to the original.
#[derive(Debug)]
pub struct Likeness {
    /// The correlation of the aligned signals: 1 if equal.
    pub correlation: f32,
    /// The gain, in dB.
    pub louder: f32,
    /// How much longer the speech is, in seconds.
    pub longer: f32,
}

impl Likeness {
    pub fn expect_the_same(&self) {
        assert!(self.correlation > 0.9, "{self:?}");
        assert!(self.louder.abs() < 1.5, "{self:?}");
        assert!(self.longer.abs() < 0.2, "{self:?}");
    }
}

pub fn compare(said: &[i16], heard: &[i16]) -> Likeness {
    assert!(heard.len() >= said.len(), "only {} samples of {} have come", heard.len(), said.len());
    // A coarse search first, in a quarter of the samples.
    let fewer = |samples: &[i16]| -> Vec<f32> {
        samples.chunks_exact(4).map(|four| four.iter().map(|sample| f32::from(*sample)).sum()).collect()
    };
    let (few_said, few_heard) = (fewer(said), fewer(heard));
    let (rough, _) = best(&few_said, &few_heard, 0..=few_heard.len() - few_said.len());
    let rough = rough * 4;
    let exact = |samples: &[i16]| -> Vec<f32> { samples.iter().map(|sample| f32::from(*sample)).collect() };
    let (said, heard) = (exact(said), exact(heard));
    let last = heard.len() - said.len();
    let (at, correlation) = best(&said, &heard, rough.saturating_sub(8).min(last)..=(rough + 8).min(last));
    let aligned = &heard[at..at + said.len()];
    let power = |samples: &[f32]| samples.iter().map(|sample| sample * sample).sum::<f32>();
    Likeness {
        correlation,
        louder: 10.0 * (power(aligned) / power(&said)).log10(),
        longer: spoken_seconds(&heard) - spoken_seconds(&said),
    }
}

/// From the first sound to the last one.
fn spoken_seconds(samples: &[f32]) -> f32 {
    let loud = |sample: &f32| sample.abs() > 300.0;
    let first = samples.iter().position(loud).unwrap_or(0);
    let last = samples.iter().rposition(loud).unwrap_or(0);
    (last - first) as f32 / RATE as f32
}
