//! A spoken name, and how much of it is in a recording.

use std::{
    path::{Path, PathBuf},
    process::Command,
};

use endonym_media::sound::Limits;

use super::correlation::{best, correlation};

/// Of all samples here.
const RATE: usize = 16_000;
/// Pauses in the file around the name, in seconds.
const PAUSE: &str = "0.5";
/// Pieces of this length are aligned separately: a browser on a busy machine inserts or loses a few milliseconds, which shift
/// the rest.
const PIECE: usize = RATE / 5;
/// The furthest that a piece is shifted.
const SHIFT: usize = RATE / 25;
const FRAME: usize = RATE / 100;

/// A name, spoken by espeak-ng.
pub struct Clip {
    /// A WAV file at 48 kHz, with a pause before and after the name.
    pub file: PathBuf,
    /// The name without the pauses.
    name: Sound,
    folder: tempfile::TempDir,
}

impl Clip {
    pub fn of(name: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
        let (spoken, trimmed, padded) = (path("spoken.wav"), path("trimmed.wav"), path("padded.wav"));
        run("espeak-ng", &["-v", "en", "-s", "140", "-w", &spoken, name]);
        let trim = "silence 1 0.01 0.5% reverse silence 1 0.01 0.5% reverse gain -n -6";
        let arguments = [
            &["-V1", &spoken, "-r", "48000", "-b", "16", &trimmed],
            &trim.split(' ').collect::<Vec<_>>()[..],
        ];
        run("sox", &arguments.concat());
        run("sox", &["-V1", &trimmed, &padded, "pad", PAUSE, PAUSE]);
        let name = Sound::read(Path::new(&trimmed));
        Self { file: padded.into(), name, folder }
    }

    /// What a stored recording has kept of the name.
    pub fn compare(&self, recording: &[u8]) -> Figures {
        let file = self.folder.path().join("recording");
        std::fs::write(&file, recording).unwrap();
        compare(&self.name, &Sound::read(&file))
    }
}

#[derive(Debug, Clone, Copy)]
pub struct Figures {
    /// Of the waveforms between 250 and 1,200 Hz, aligned piece by piece: 1 is identical.
    pub correlation: f32,
    /// The recording's pitch over the clip's: the median over voiced frames.
    pub pitch: f32,
    /// Integrated loudness in LUFS, by ffmpeg.
    pub loudness: f32,
    /// Seconds that are missing at the beginning and at the end of the name.
    pub lost_before: f32,
    pub lost_after: f32,
    /// How far the pieces have moved relative to each other, in seconds.
    pub jitter: f32,
}

impl Figures {
    /// Is this what the server should store of a name that was spoken into a browser?
    pub fn is_the_name(&self) -> bool {
        self.correlation > 0.85
            && (self.pitch - 1.0).abs() < 0.005
            && (self.loudness + 16.0).abs() < 1.0
            && self.lost_before < 0.02
            && self.lost_after < 0.02
    }
}

fn run(program: &str, arguments: &[&str]) -> (Vec<u8>, String) {
    let done = Command::new(program).args(arguments).output();
    let done = done.unwrap_or_else(|error| panic!("`{program}` is needed for this test: {error}"));
    let said = String::from_utf8_lossy(&done.stderr).into_owned();
    assert!(done.status.success(), "{program}: {said}");
    (done.stdout, said)
}

struct Sound {
    /// Samples between -1 and 1.
    samples: Vec<f32>,
    /// The same within a band in which waveforms can be compared: below it, the server's filter against rumble shifts the phase,
    /// which nobody hears; above it, so does a delay of half a sample.
    band: Vec<f32>,
    /// In LUFS.
    loudness: f32,
}

impl Sound {
    fn read(file: &Path) -> Self {
        let decode = |filter: &str| -> (Vec<f32>, String) {
            let input = ["-hide_banner", "-nostats", "-i", file.to_str().unwrap(), "-af", filter];
            let output = ["-f", "f32le", "-ac", "1", "-ar", "16000", "pipe:"];
            let (raw, said) = run("ffmpeg", &[&input[..], &output].concat());
            (raw.as_chunks().0.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect(), said)
        };
        let (samples, said) = decode("ebur128=framelog=verbose");
        let (band, _) = decode("highpass=f=250,lowpass=f=1200");
        let summary = said.rsplit("Summary:").next().unwrap();
        let loudness = summary.split_once("I:").and_then(|(_, rest)| rest.split_whitespace().next());
        Self { samples, band, loudness: loudness.unwrap().parse().unwrap() }
    }
}

/// A piece of the name, and where it begins in the recording.
struct Piece {
    length: usize,
    at: usize,
    score: f32,
}

fn compare(name: &Sound, recording: &Sound) -> Figures {
    // Room for parts of the name that are missing.
    let room = vec![0.0; name.band.len()];
    let heard = [&room[..], &recording.band, &room].concat();
    let start = align(&name.band, &heard);
    let pieces: Vec<Piece> = name
        .band
        .chunks(PIECE)
        .enumerate()
        .map(|(index, piece)| {
            let (expected, last) = (start + index * PIECE, heard.len() - piece.len());
            let places = expected.saturating_sub(SHIFT).min(last)..=(expected + SHIFT).min(last);
            let (at, score) = best(piece, &heard, places);
            // What is too weak in this band correlates with anything.
            let at = if score > 0.5 { at } else { expected.min(last) };
            Piece { length: piece.len(), at, score }
        })
        .collect();
    let aligned = |heard: &[f32]| -> Vec<f32> {
        pieces.iter().flat_map(|piece| &heard[piece.at..piece.at + piece.length]).copied().collect()
    };
    let band = aligned(&heard);
    let samples = aligned(&[&room[..], &recording.samples, &room].concat());
    let shifts = pieces.iter().enumerate().filter(|(_, piece)| piece.score > 0.5);
    let shifts: Vec<usize> = shifts.map(|(index, piece)| piece.at - index * PIECE).collect();
    let jitter = shifts.iter().max().unwrap_or(&0) - shifts.iter().min().unwrap_or(&0);
    Figures {
        correlation: correlation(&name.band, &band),
        pitch: pitch_ratio(&name.band, &band),
        loudness: recording.loudness,
        lost_before: lost(&name.samples, &samples, false),
        lost_after: lost(&name.samples, &samples, true),
        jitter: jitter as f32 / RATE as f32,
    }
}

/// Where the name begins: first roughly, in an eighth of the samples.
fn align(name: &[f32], heard: &[f32]) -> usize {
    let fewer =
        |samples: &[f32]| -> Vec<f32> { samples.chunks_exact(8).map(|eight| eight.iter().sum()).collect() };
    let (few_name, few_heard) = (fewer(name), fewer(heard));
    let (rough, _) = best(&few_name, &few_heard, 0..=few_heard.len() - few_name.len());
    let last = heard.len() - name.len();
    best(name, heard, (rough * 8).saturating_sub(16).min(last)..=(rough * 8 + 16).min(last)).0
}

/// Seconds from one end of the name in which the recording has next to nothing of it.
fn lost(name: &[f32], aligned: &[f32], from_end: bool) -> f32 {
    let power = |samples: &[f32]| samples.iter().map(|sample| sample * sample).sum::<f32>();
    let gain = power(aligned) / power(name);
    let loudest = name.chunks(FRAME).map(power).fold(0.0, f32::max);
    let frames = name.chunks(FRAME).zip(aligned.chunks(FRAME));
    // Frames of the name that can be heard, up to the first that is there: at least a hundredth of its power.
    let is_lost = |(said, kept): &(&[f32], &[f32])| {
        power(said) < loudest * 1e-4 || power(kept) < power(said) * gain * 0.01
    };
    let audible = |(said, _): &(&[f32], &[f32])| power(said) >= loudest * 1e-4;
    let frames: Vec<_> = if from_end { frames.rev().collect() } else { frames.collect() };
    let count = frames.into_iter().take_while(is_lost).filter(audible).count();
    (count * FRAME) as f32 / RATE as f32
}

/// The median over frames of 40 ms that are voiced in both.
fn pitch_ratio(name: &[f32], aligned: &[f32]) -> f32 {
    let frames = name.chunks_exact(FRAME * 4).zip(aligned.chunks_exact(FRAME * 4));
    let ratios = frames.filter_map(|(said, kept)| Some(period(said)? / period(kept)?));
    let mut ratios: Vec<f32> = ratios.filter(|ratio| (0.8..1.25).contains(ratio)).collect();
    ratios.sort_by(f32::total_cmp);
    ratios.get(ratios.len() / 2).copied().unwrap_or(f32::NAN)
}

/// The period of a voice between 70 and 400 Hz, in samples; `None` if the frame is not voiced.
fn period(frame: &[f32]) -> Option<f32> {
    let score = |lag: usize| correlation(&frame[lag..], &frame[..frame.len() - lag]);
    let scored = (RATE / 400..=RATE / 70).map(|lag| (lag, score(lag)));
    let (best, at) = scored.max_by(|one, other| one.1.total_cmp(&other.1))?;
    let [before, after] = [score(best - 1), score(best + 1)];
    // The top of a parabola through the three.
    let offset = 0.5 * (before - after) / (before - 2.0 * at + after);
    (at > 0.8 && before < at && after < at).then_some(best as f32 + offset)
}

/// A recording made from a clip with `sox`, as a WAV file.
#[cfg(test)]
fn changed(clip: &Clip, effects: &str) -> Vec<u8> {
    let to = clip.folder.path().join("changed.wav");
    let arguments = ["-V1", clip.file.to_str().unwrap(), to.to_str().unwrap()];
    run("sox", &[&arguments[..], &effects.split(' ').collect::<Vec<_>>()].concat());
    std::fs::read(to).unwrap()
}

#[test]
fn the_figures_tell_a_good_recording_from_a_bad_one() {
    let clip = Clip::of("Siobhan Gallagher");
    let stored =
        endonym_media::sound::process(&std::fs::read(&clip.file).unwrap(), &Limits::default()).unwrap();
    let own = clip.compare(&stored.mp3);
    assert!(own.is_the_name(), "{own:?}");
    let same = clip.compare(&changed(&clip, "gain -3"));
    assert!(same.correlation > 0.99 && (same.pitch - 1.0).abs() < 0.001, "{same:?}");
    assert!(same.lost_before + same.lost_after + same.jitter < 0.001, "{same:?}");
    let quieter = clip.compare(&changed(&clip, "gain -9"));
    assert!((same.loudness - quieter.loudness - 6.0).abs() < 0.2, "{same:?} {quieter:?}");
    let faster = clip.compare(&changed(&clip, "speed 1.01"));
    assert!((faster.pitch - 1.01).abs() < 0.002, "{faster:?}");
    let cut = clip.compare(&changed(&clip, "trim 0.6"));
    assert!((cut.lost_before - 0.1).abs() < 0.03 && cut.lost_after < 0.001, "{cut:?}");
    let cut = clip.compare(&changed(&clip, "reverse trim 0.6 reverse"));
    assert!((cut.lost_after - 0.1).abs() < 0.03 && cut.lost_before < 0.001, "{cut:?}");
    let another = clip.compare(&std::fs::read(&Clip::of("Bartholomew Wu").file).unwrap());
    assert!(another.correlation < 0.7, "{another:?}");
}
