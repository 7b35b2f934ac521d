//! Runs the code of the fuzz targets on their corpus and on damaged copies of it: a decoder that hangs or uses too much
//! memory fails here, without libFuzzer. Add files on which `fuzz/run` has failed to the corpus.

#[path = "../../fuzz/src/targets.rs"]
mod targets;

use std::{
    fs,
    path::{Path, PathBuf},
    sync::mpsc,
    thread,
    time::Duration,
};

/// Damaged copies of each file.
const COPIES: u64 = 60;
/// The limits of `fuzz/run`.
const MAX_TIME: Duration = Duration::from_secs(10);
const MOST_MEMORY_KIB: u64 = 1024 * 1024;

#[test]
fn no_file_of_the_corpus_whole_cut_or_damaged_takes_too_long_or_too_much_memory() {
    let fuzz = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fuzz");
    let targets: Vec<String> =
        names(&fuzz.join("fuzz_targets")).map(|name| name.replace(".rs", "")).collect();
    assert!(!targets.is_empty());
    for target in targets {
        let folder = fuzz.join("corpus").join(&target);
        for file in names(&folder) {
            replay(&target, &folder.join(file));
        }
    }
    let peak = peak_memory_kib();
    assert!(peak < MOST_MEMORY_KIB, "{peak} KiB");
}

/// In a separate thread, so that a hang is a failure.
fn replay(target: &str, path: &Path) {
    let bytes = fs::read(path).unwrap();
    let (done, finished) = mpsc::channel();
    let (of, copies) = (target.to_owned(), copies(&bytes));
    let total = copies.len();
    let replaying = thread::spawn(move || {
        for copy in copies {
            targets::run(&of, &copy);
            done.send(()).unwrap();
        }
    });
    for number in 0..total {
        let at = format!("copy {number} of {}", path.display());
        match finished.recv_timeout(MAX_TIME) {
            Ok(()) => {}
            Err(mpsc::RecvTimeoutError::Timeout) => panic!("{at} takes longer than {MAX_TIME:?}"),
            Err(mpsc::RecvTimeoutError::Disconnected) => panic!("{at} breaks what the fuzz target asserts"),
        }
    }
    replaying.join().unwrap();
}

/// The file itself, truncated copies, and copies with a few bytes changed; the same in every run.
fn copies(bytes: &[u8]) -> Vec<Vec<u8>> {
    let cut = (1..16).map(|sixteenths| bytes[..bytes.len() * sixteenths / 16].to_vec());
    let damaged = (1..=COPIES).map(|seed| {
        let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let mut copy = bytes.to_vec();
        for _ in 0..=random.below(8) {
            // Half of the damage is in the header, which controls how the rest is read.
            let reach = if random.below(2) == 0 { bytes.len().min(256) } else { bytes.len() };
            let at = random.below(reach);
            copy[at] = [0, 0x7f, 0x80, 0xff, copy[at] ^ 1 << random.below(8)][random.below(5)];
        }
        copy
    });
    std::iter::once(bytes.to_vec()).chain(cut).chain(damaged).collect()
}

/// Xorshift: the same numbers on every machine.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % limit as u64) as usize
    }
}

fn names(folder: &Path) -> impl Iterator<Item = String> {
    let entries = fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    assert!(!paths.is_empty(), "{} is empty", folder.display());
    paths.sort();
    paths.into_iter().map(|path| path.file_name().unwrap().to_str().unwrap().to_owned())
}

fn peak_memory_kib() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    line.trim().trim_end_matches(" kB").parse().unwrap()
}
