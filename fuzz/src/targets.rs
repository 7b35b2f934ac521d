//! The body of each fuzz target. `media/tests/corpus.rs` includes this file and replays the corpus with it.
//!
//! Panics inside the decoders are not failures: `process` catches them and calls the file damaged. What it cannot catch
//! are hangs, excessive memory use, stack overflows and, in the few unsafe lines that decoders have, out-of-bounds
//! access; those the fuzzer and its address sanitizer detect.

use endonym_media::{picture, sound};

/// One function for each file in `fuzz_targets` and each folder in `corpus`, with the same name.
pub fn run(target: &str, data: &[u8]) {
    match target {
        "adts" | "mp3" => sound(data, &[(0, b"\xff")]),
        "flac" => sound(data, &[(0, b"fLaC")]),
        "mp4" => sound(data, &[(4, b"ftyp")]),
        "ogg_opus" | "ogg_vorbis" => ogg(data),
        "picture" => picture(data),
        "wav" => sound(data, &[(0, b"RIFF"), (8, b"WAVE")]),
        "webm" => sound(data, &[(0, b"\x1a\x45\xdf\xa3")]),
        _ => panic!("there is no fuzz target {target}"),
    }
}

/// Inserts the magic bytes of a format, so that no time is wasted on files that are rejected at once.
fn forced(data: &[u8], magic: &[(usize, &[u8])]) -> Vec<u8> {
    let mut file = data.to_vec();
    for (at, bytes) in magic {
        if file.len() >= at + bytes.len() {
            file[*at..at + bytes.len()].copy_from_slice(bytes);
        }
    }
    file
}

/// Like `sound`, for Ogg. The decoder discards pages whose checksum is wrong, so this corrects the checksums.
fn ogg(data: &[u8]) {
    let mut file = forced(data, &[(0, b"OggS")]);
    let mut at = 0;
    while let Some(found) = file[at..].windows(4).position(|w| w == b"OggS") {
        at += found;
        let Some(segments) = file.get(at + 26).map(|count| usize::from(*count)) else { break };
        let Some(lengths) = file.get(at + 27..at + 27 + segments) else { break };
        let end = at + 27 + segments + lengths.iter().map(|l| usize::from(*l)).sum::<usize>();
        let Some(page) = file.get_mut(at..end) else { break };
        page[22..26].fill(0);
        let sum = checksum(page);
        page[22..26].copy_from_slice(&sum.to_le_bytes());
        at = end;
    }
    sound(&file, &[]);
}

fn checksum(page: &[u8]) -> u32 {
    page.iter().fold(0, |sum, byte| {
        (0..8).fold(sum ^ u32::from(*byte) << 24, |sum, _| {
            sum << 1 ^ if sum >> 31 == 1 { 0x04c1_1db7 } else { 0 }
        })
    })
}

fn sound(data: &[u8], magic: &[(usize, &[u8])]) {
    let limits = sound::Limits::default();
    let file = forced(data, magic);
    // Encoding is slow and sees only the samples, not the file.
    if !data.len().is_multiple_of(16) {
        drop(sound::only_decode(&file, &limits));
    } else if let Ok(sound) = sound::process(&file, &limits) {
        // The output is longer than the input by two pauses and the last frame.
        assert!(sound.duration < limits.longest + std::time::Duration::from_secs(1));
        assert!(!sound.mp3.is_empty());
    }
}

fn picture(data: &[u8]) {
    drop(picture::process(data, &picture::Limits::default()));
}
