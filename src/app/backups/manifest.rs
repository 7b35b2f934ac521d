//! The metadata of a backup: `manifest.json`, and `SHA256SUMS` with one line per file, which `sha256sum --check` can
//! verify too.

use std::{
    fs::{self, File},
    io::{self, BufRead, BufReader, BufWriter, Read, Write},
    path::{Component, Path, PathBuf},
};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::{BLOBS, FILES, ProgressFn, Result, cannot, new_file};
use crate::{
    app::Error,
    blobs::Key,
    domain::digest::hex,
    store::{folder::DATABASE, migrations},
};

const MANIFEST: &str = "manifest.json";
/// The first file that a backup creates.
pub const LIST: &str = "SHA256SUMS";
/// The version of the folder layout.
const FORMAT: u32 = 1;

#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Manifest {
    pub format: u32,
    /// The version that created the backup.
    pub endonym: String,
    pub database: String,
    pub migration: i64,
    pub taken_at: String,
    pub files: u64,
    pub bytes: u64,
    /// SHA-256 of the list of files.
    pub list: String,
    /// Blobs that the database references, but that did not exist.
    pub missing: Vec<String>,
    /// The id of the key for stored secrets, if there was one.
    #[serde(default)]
    pub key: Option<String>,
    /// Was it noted? Not by older versions.
    #[serde(default)]
    pub notes_key: bool,
    /// Does the backup contain that key?
    #[serde(default)]
    pub with_secrets: bool,
}

/// The list of files while it is being written.
pub struct List {
    path: PathBuf,
    file: BufWriter<File>,
    digest: Sha256,
    pub files: u64,
    bytes: u64,
}

pub struct Entry {
    /// Relative to the backup.
    pub path: String,
    pub digest: String,
    pub bytes: u64,
}

impl List {
    pub fn new(folder: &Path) -> Result<Self> {
        let path = folder.join(LIST);
        let file = BufWriter::new(new_file(&path)?);
        Ok(Self { path, file, digest: Sha256::new(), files: 0, bytes: 0 })
    }

    pub fn add(&mut self, entry: &Entry) -> Result<()> {
        let line = format!("{}  {}\n", entry.digest, entry.path);
        self.digest.update(&line);
        self.files += 1;
        self.bytes += entry.bytes;
        self.file.write_all(line.as_bytes()).map_err(|e| cannot("write", &self.path, &e))
    }

    pub fn end(
        mut self,
        migration: i64,
        taken_at: String,
        missing: Vec<String>,
        kept: KeyKept,
    ) -> Result<Manifest> {
        self.file.flush().map_err(|e| cannot("write", &self.path, &e))?;
        Ok(Manifest {
            format: FORMAT,
            endonym: env!("CARGO_PKG_VERSION").to_owned(),
            database: "SQLite".to_owned(),
            migration,
            taken_at,
            files: self.files,
            bytes: self.bytes,
            list: hex(&self.digest.finalize()),
            missing,
            key: kept.key,
            notes_key: true,
            with_secrets: kept.with_secrets,
        })
    }
}

/// The key for stored secrets, and whether the backup contains it.
pub struct KeyKept {
    pub key: Option<String>,
    pub with_secrets: bool,
}

impl Manifest {
    /// Writes the manifest atomically.
    pub fn write(&self, folder: &Path) -> Result<()> {
        let (unfinished, path) = (folder.join(".manifest.json"), folder.join(MANIFEST));
        let mut file = new_file(&unfinished)?;
        let written = serde_json::to_vec_pretty(self)
            .map_err(io::Error::from)
            .and_then(|text| file.write_all(&text))
            .and_then(|()| file.sync_all())
            .and_then(|()| fs::rename(&unfinished, &path))
            .and_then(|()| File::open(folder)?.sync_all());
        written.map_err(|e| cannot("write", &path, &e))
    }

    /// Reads the manifest of a backup that this version can restore.
    pub fn read(folder: &Path) -> Result<Self> {
        let path = folder.join(MANIFEST);
        let text = match fs::read(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Err(Error::Unavailable(format!(
                    "{} has no {MANIFEST}: it is not a complete backup",
                    folder.display()
                )));
            }
            other => other.map_err(|e| cannot("read", &path, &e))?,
        };
        // A newer manifest may have other fields, so the format is checked first.
        let found: serde_json::Value = serde_json::from_slice(&text).map_err(|e| damaged(&path, &e))?;
        if found["format"].as_u64().is_some_and(|format| format > u64::from(FORMAT)) {
            return Err(newer(found["endonym"].as_str().unwrap_or("a newer version")));
        }
        let manifest: Self = serde_json::from_value(found).map_err(|e| damaged(&path, &e))?;
        if manifest.migration > migrations::NEWEST {
            return Err(newer(&manifest.endonym));
        }
        Ok(manifest)
    }

    /// Verifies the checksums of all files.
    pub fn verify(&self, folder: &Path, progress: ProgressFn<'_>) -> Result<()> {
        let (mut files, mut bytes) = (0, 0);
        for entry in self.entries(folder)? {
            let (path, digest) = entry?;
            let file = folder.join(&path);
            let found = digest_of(&file).map_err(|e| cannot("read", &file, &e))?;
            if found.0 != digest {
                return Err(Error::Unavailable(format!(
                    "{} is damaged: its checksum does not match",
                    file.display()
                )));
            }
            files += 1;
            bytes += found.1;
            progress("checking the backup", files);
        }
        if (files, bytes) == (self.files, self.bytes) {
            Ok(())
        } else {
            Err(damaged(&folder.join(LIST), &"its number of files does not match the manifest"))
        }
    }

    /// The path and checksum of each file. The list itself is verified against the manifest first.
    pub fn entries(&self, folder: &Path) -> Result<impl Iterator<Item = Result<(String, String)>>> {
        let path = folder.join(LIST);
        let (digest, _) = digest_of(&path).map_err(|e| cannot("read", &path, &e))?;
        if digest != self.list {
            return Err(damaged(&path, &"its checksum does not match the manifest"));
        }
        let lines = BufReader::new(File::open(&path).map_err(|e| cannot("read", &path, &e))?).lines();
        Ok(lines.map(move |line| {
            let line = line.map_err(|e| cannot("read", &path, &e))?;
            let (digest, name) =
                line.split_once("  ").ok_or_else(|| damaged(&path, &"a line is incomplete"))?;
            if !is_safe_path(name) {
                return Err(damaged(&path, &format!("`{name}` is not a valid path in a backup")));
            }
            Ok((name.to_owned(), digest.to_owned()))
        }))
    }
}

/// Rejects paths that leave the folder.
fn is_safe_path(name: &str) -> bool {
    let plain = Path::new(name).components().all(|part| matches!(part, Component::Normal(_)));
    plain
        && match name.split_once('/') {
            None => name == DATABASE,
            Some((BLOBS, path)) => Key::parse(path).is_some(),
            Some((FILES, _)) => true,
            Some(_) => false,
        }
}

pub fn digest_of(path: &Path) -> io::Result<(String, u64)> {
    let mut file = File::open(path)?;
    let (mut digest, mut bytes) = (Sha256::new(), 0);
    let mut buffer = vec![0; 256 * 1024];
    loop {
        let read = file.read(&mut buffer)?;
        if read == 0 {
            return Ok((hex(&digest.finalize()), bytes));
        }
        digest.update(&buffer[..read]);
        bytes += read as u64;
    }
}

fn damaged(path: &Path, why: &dyn std::fmt::Display) -> Error {
    Error::Unavailable(format!("{} is damaged: {why}", path.display()))
}

fn newer(version: &str) -> Error {
    Error::Unavailable(format!(
        "the backup was made by endonym {version}, which is newer: restore it with that version"
    ))
}
