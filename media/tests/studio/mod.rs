//! Creates recordings and measures them with third-party programs.

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    sync::LazyLock,
};

/// The output directory. Its files stay until the next run, so that you can listen to them.
static FOLDER: LazyLock<PathBuf> = LazyLock::new(|| {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("sound");
    drop(fs::remove_dir_all(&folder));
    fs::create_dir_all(&folder).expect("a folder");
    folder
});

static SPEECH: LazyLock<String> = LazyLock::new(|| {
    let (said, speech) = (path("said.wav"), path("speech.wav"));
    run("espeak-ng", &["-v", "en-us", "-s", "150", "-w", &said, "Hello, my name is Siobhan Fitzgerald."]);
    run("sox", &["-V1", &said, "-r", "48000", &speech, "norm", "-3", "pad", "0.6", "0.8"]);
    speech
});

/// The frequency of the tone at the end of the master.
pub const TONE_HZ: f64 = 311.0;
/// The length without the surrounding silence.
pub const MASTER_SECONDS: f64 = 2.3;

static MASTER: LazyLock<String> = LazyLock::new(|| {
    let (word, tone, master) = (path("word.wav"), path("tone.wav"), path("master.wav"));
    run("sox", &["-V1", &SPEECH, &word, "trim", "0.6", "1.2"]);
    let hz = TONE_HZ.to_string();
    run(
        "sox",
        &[
            "-V1", "-n", "-r", "48000", "-b", "16", &tone, "synth", "0.8", "triangle", &hz, "gain", "-9",
            "fade", "0.01", "0", "0.01",
        ],
    );
    run("sox", &["-V1", &word, &tone, &master, "pad", "0.3@1.2", "pad", "0.7", "0.9"]);
    master
});

/// A sentence surrounded by silence, as WAV at 48 kHz.
pub fn speech() -> &'static str {
    &SPEECH
}

/// Speech, a pause and a tone, surrounded by silence, as WAV at 48 kHz.
pub fn master() -> &'static str {
    &MASTER
}

pub fn path(name: &str) -> String {
    FOLDER.join(name).to_str().expect("a name in Unicode").to_owned()
}

/// Returns the program's standard output and standard error.
pub fn run(program: &str, arguments: &[&str]) -> (Vec<u8>, String) {
    let output =
        Command::new(program).args(arguments).stdin(Stdio::null()).output().unwrap_or_else(|error| {
            panic!("these tests need `{program}` ({error}); `./test` installs it, or apt-get does")
        });
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{program} {arguments:?}: {said}");
    (output.stdout, said)
}

pub fn shell(line: &str) -> Vec<u8> {
    run("bash", &["-o", "pipefail", "-c", line]).0
}

/// Converts the master with ffmpeg and these arguments to a file of this name.
pub fn ffmpeg(arguments: &str, name: &str) -> Vec<u8> {
    let (arguments, to) = match arguments.strip_suffix("pipe:") {
        Some(arguments) => (arguments.trim(), "pipe:".to_owned()),
        None => (arguments, path(name)),
    };
    let line =
        ["-v", "error", "-y", "-i", master()].into_iter().chain(arguments.split(' ')).chain([to.as_str()]);
    let (piped, _) = run("ffmpeg", &line.collect::<Vec<_>>());
    if to == "pipe:" { piped } else { fs::read(Path::new(&to)).expect("the file that was just written") }
}

/// Measurements of an MP3, made with ffmpeg.
pub struct Heard {
    pub loudness: f64,
    pub true_peak: f64,
    pub before: f64,
    pub after: f64,
    /// From ffprobe, if it was run.
    pub duration: Option<f64>,
    pub rate: u32,
    pub mono: bool,
    pub samples: Vec<f32>,
}

pub fn hear(name: &str, mp3: &[u8], exact: bool) -> Heard {
    let file = path(&format!("heard-{}.mp3", name.replace(' ', "-")));
    fs::write(&file, mp3).expect("written");
    let (raw, said) = run(
        "ffmpeg",
        &[
            "-hide_banner",
            "-nostats",
            "-i",
            &file,
            "-af",
            "silencedetect=noise=-48dB:d=0.05,ebur128=peak=true:framelog=verbose",
            "-f",
            "f32le",
            "-c:a",
            "pcm_f32le",
            "pipe:",
        ],
    );
    assert!(!said.contains("rror"), "{name}: {said}");
    let samples: Vec<f32> = raw.as_chunks().0.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect();
    let duration = exact.then(|| ffprobe_duration(&file));
    let stream = said.split_once("Audio: mp3, ").map(|(_, rest)| rest).unwrap_or_default();
    let summary = said.rsplit("Summary:").next().unwrap_or_default();
    let rate = leading_number(stream).unwrap_or_else(|| panic!("{name}: no rate in {said}")) as u32;
    let length = samples.len() as f64 / f64::from(rate);
    // The silence at the start and at the end.
    let begins = number_after(&said, "silence_start: ").is_some_and(|start| start < 0.001);
    let last_start = said.rsplit("silence_start: ").next().and_then(leading_number).unwrap_or(length);
    Heard {
        loudness: number_after(summary, "I:").unwrap_or_else(|| panic!("{name}: no loudness in {said}")),
        true_peak: number_after(summary, "Peak:").unwrap_or_else(|| panic!("{name}: no peak in {said}")),
        before: number_after(&said, "silence_end: ").filter(|_| begins).unwrap_or(0.0),
        after: length - last_start,
        duration,
        rate,
        mono: stream.contains("Hz, mono"),
        samples,
    }
}

fn ffprobe_duration(file: &str) -> f64 {
    let (said, _) =
        run("ffprobe", &["-v", "error", "-show_entries", "format=duration", "-of", "csv=p=0", file]);
    String::from_utf8_lossy(&said)
        .trim()
        .parse()
        .unwrap_or_else(|_| panic!("{file}: no duration from ffprobe"))
}

fn number_after(text: &str, key: &str) -> Option<f64> {
    text.split_once(key).and_then(|(_, rest)| leading_number(rest))
}

fn leading_number(text: &str) -> Option<f64> {
    let text = text.trim_start();
    let end = text.find(|c: char| !c.is_ascii_digit() && !"+-.".contains(c)).unwrap_or(text.len());
    text[..end].parse().ok()
}

impl Heard {
    /// The dominant frequency of the tone at the end, in Hz.
    pub fn pitch(&self) -> f64 {
        let rate = f64::from(self.rate);
        let end = self.samples.len() - (0.35 * rate) as usize;
        let strongest = |seconds: f64, from: f64, step: f64, count: u32| {
            let part = &self.samples[end - (seconds * rate) as usize..end];
            let places =
                (0..count).map(|i| from + step * f64::from(i)).map(|hz| (strength(part, hz / rate), hz));
            places.max_by(|a, b| a.0.total_cmp(&b.0)).expect("places").1
        };
        let roughly = strongest(0.1, 90.0, 5.0, 240);
        strongest(0.3, roughly - 5.0, 0.2, 51)
    }
}

/// The squared magnitude of a frequency, given in cycles per sample, with the Goertzel algorithm.
fn strength(samples: &[f32], frequency: f64) -> f64 {
    let factor = 2.0 * (std::f64::consts::TAU * frequency).cos();
    let (mut last, mut before) = (0.0, 0.0);
    for sample in samples {
        (last, before) = (f64::from(*sample) + factor * last - before, last);
    }
    last * last + before * before - factor * last * before
}
