//! The operator's audio files: `LANGUAGE/invite.wav` and so on, and `LANGUAGE/institutions/SLUG.wav`. Files are read
//! again when they have changed.

use std::{
    collections::HashMap,
    fs,
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError},
    time::SystemTime,
};

use super::sound::{self, Sound};
use crate::domain::{conversation::Prompt, institution::parse_language, name_page::slug_fault};

pub struct Folder {
    path: PathBuf,
    /// Cached audio with the modification time and size of its file. `None` for unusable files.
    known: Mutex<HashMap<PathBuf, (Stamp, Option<Sound>)>>,
}

type Stamp = (Option<SystemTime>, u64);

impl Folder {
    pub fn open(path: PathBuf) -> Result<Self, String> {
        let folder = Self { path, known: Mutex::default() };
        folder.entries(&folder.path)?;
        Ok(folder)
    }

    /// Languages that have a folder here.
    pub fn languages(&self) -> Vec<String> {
        let entries = self.entries(&self.path).unwrap_or_default();
        entries
            .into_iter()
            .filter(|(_, path)| path.is_dir())
            .filter_map(|(name, _)| parse_language(&name))
            .collect()
    }

    /// Reads every file and reports those that are unusable.
    pub fn check(&self) -> Result<(), String> {
        for language in self.languages() {
            let folder = self.path.join(language);
            for (name, path) in self.entries(&folder)? {
                let known = name.strip_suffix(".wav").is_some_and(is_prompt);
                if known {
                    self.read(&path)?;
                } else if name == "institutions" {
                    self.check_institutions(&path)?;
                } else if name.ends_with(".wav") {
                    return Err(format!("{} is never used: {}", path.display(), names()));
                }
            }
        }
        Ok(())
    }

    fn check_institutions(&self, folder: &Path) -> Result<(), String> {
        for (name, path) in self.entries(folder)? {
            match name.strip_suffix(".wav") {
                Some(slug) if slug_fault(slug).is_some() => {
                    return Err(format!("{} is never used: `{slug}` is not a valid slug", path.display()));
                }
                Some(_) => drop(self.read(&path)?),
                None => {}
            }
        }
        Ok(())
    }

    pub fn has(&self, language: &str, prompt: Prompt) -> bool {
        self.path_of(language, prompt).is_some_and(|path| path.is_file())
    }

    pub fn sound(&self, language: &str, prompt: Prompt) -> Option<Sound> {
        self.now(&self.path_of(language, prompt)?)
    }

    pub fn institution(&self, language: &str, slug: &str) -> Option<Sound> {
        // Both may come from a forged URL.
        let language = parse_language(language)?;
        slug_fault(slug).is_none().then_some(())?;
        self.now(&self.path.join(language).join("institutions").join(format!("{slug}.wav")))
    }

    fn path_of(&self, language: &str, prompt: Prompt) -> Option<PathBuf> {
        Some(self.path.join(parse_language(language)?).join(format!("{}.wav", prompt.file())))
    }

    /// The current audio of the file, or `None`; logged the first time that it is unusable.
    fn now(&self, path: &Path) -> Option<Sound> {
        let stamp = stamp(path)?;
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, sound)) = known.get(path).filter(|(of, _)| *of == stamp) {
            return sound.clone();
        }
        let sound = self.read(path);
        if let Err(why) = &sound {
            tracing::warn!("{why}; using the built-in prompt");
        }
        let sound = sound.ok();
        known.insert(path.to_owned(), (stamp, sound.clone()));
        sound
    }

    fn read(&self, path: &Path) -> Result<Sound, String> {
        let fault = |why: &dyn std::fmt::Display| format!("{} {why}", path.display());
        // Rejects devices and pipes, and files that are too large.
        let about = fs::metadata(path).map_err(|error| fault(&format!("cannot be read: {error}")))?;
        if !about.is_file() {
            return Err(fault(&"is not a file"));
        }
        if about.len() > sound::MAX_BYTES as u64 {
            return Err(fault(&format!("is larger than {} MiB", sound::MAX_BYTES >> 20)));
        }
        let bytes = fs::read(path).map_err(|error| fault(&format!("cannot be read: {error}")))?;
        sound::read(&bytes).map_err(|why| fault(&why))
    }

    /// Names and paths of a folder's entries in order, without hidden ones.
    fn entries(&self, folder: &Path) -> Result<Vec<(String, PathBuf)>, String> {
        let failed = |error| format!("the folder of prompts {} cannot be read: {error}", folder.display());
        let mut found = Vec::new();
        for entry in fs::read_dir(folder).map_err(failed)? {
            let path = entry.map_err(failed)?.path();
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            if !name.starts_with('.') {
                found.push((name, path));
            }
        }
        found.sort();
        Ok(found)
    }
}

fn stamp(path: &Path) -> Option<Stamp> {
    let about = fs::metadata(path).ok()?;
    Some((about.modified().ok(), about.len()))
}

fn is_prompt(name: &str) -> bool {
    Prompt::ALL.into_iter().any(|prompt| prompt.file() == name)
}

fn names() -> String {
    let names: Vec<_> = Prompt::ALL.into_iter().map(|prompt| format!("{}.wav", prompt.file())).collect();
    format!("the known names are {}", names.join(", "))
}
