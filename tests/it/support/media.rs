//! Audio and pictures for tests that are not about decoding.

use std::path::{Path, PathBuf};

use base64::{Engine, prelude::BASE64_STANDARD};
use serde_json::{Value, json};

/// A voice-like sound of this length: a tone of 140 Hz with overtones, swelling and fading.
pub fn wav(seconds: f32) -> Vec<u8> {
    wav_of(seconds, 140.0)
}

pub fn wav_of(seconds: f32, hertz: f32) -> Vec<u8> {
    const RATE: u32 = 16_000;
    let count = (seconds * RATE as f32) as u32;
    let sample = |n: u32| {
        let time = n as f32 / RATE as f32;
        let swell = (time * 4.0 * std::f32::consts::PI).sin().abs().mul_add(0.6, 0.2);
        let voice: f32 = (1..=12)
            .map(|overtone| (time * hertz * overtone as f32 * std::f32::consts::TAU).sin() / overtone as f32)
            .sum();
        (voice * swell * 6_000.0) as i16
    };
    let mut bytes = Vec::new();
    bytes.extend_from_slice(b"RIFF");
    bytes.extend_from_slice(&(36 + count * 2).to_le_bytes());
    bytes.extend_from_slice(b"WAVEfmt \x10\0\0\0\x01\0\x01\0");
    bytes.extend_from_slice(&RATE.to_le_bytes());
    bytes.extend_from_slice(&(RATE * 2).to_le_bytes());
    bytes.extend_from_slice(b"\x02\0\x10\0data");
    bytes.extend_from_slice(&(count * 2).to_le_bytes());
    bytes.extend((0..count).flat_map(|n| sample(n).to_le_bytes()));
    bytes
}

/// The smallest possible picture: one red pixel.
pub fn png() -> Vec<u8> {
    let text = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC";
    BASE64_STANDARD.decode(text).unwrap()
}

/// A file in the format of requests.
pub fn file(bytes: impl AsRef<[u8]>) -> Value {
    json!({ "base64_str": BASE64_STANDARD.encode(bytes) })
}

/// The relative paths of all files below a directory.
pub fn files(folder: &Path) -> Vec<String> {
    fn walk(folder: &Path, into: &mut Vec<PathBuf>) {
        let Ok(entries) = std::fs::read_dir(folder) else { return };
        for entry in entries {
            let path = entry.unwrap().path();
            if path.is_dir() { walk(&path, into) } else { into.push(path) }
        }
    }
    let mut found = Vec::new();
    walk(folder, &mut found);
    let mut names: Vec<String> =
        found.iter().map(|path| path.strip_prefix(folder).unwrap().display().to_string()).collect();
    names.sort();
    names
}
