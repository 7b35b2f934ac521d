//! An operator's own sounds: `LANGUAGE/invite.wav` and so on, and `LANGUAGE/institutions/SLUG.wav`. Each is read again when
//! it has changed.

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
    /// What was read, and of which time and length. `None` for what could not be used.
    known: Mutex<HashMap<PathBuf, (Stamp, Option<Sound>)>>,
}

type Stamp = (Option<SystemTime>, u64);

impl Folder {
    pub fn open(path: PathBuf) -> Result<Self, String> {
        let folder = Self { path, known: Mutex::default() };
        folder.entries(&folder.path)?;
        Ok(folder)
    }

    /// The languages that have a folder here.
    pub fn languages(&self) -> Vec<String> {
        let entries = self.entries(&self.path).unwrap_or_default();
        entries
            .into_iter()
            .filter(|(_, path)| path.is_dir())
            .filter_map(|(name, _)| parse_language(&name))
            .collect()
    }

    /// Says which files cannot be used, by reading each.
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
                    return Err(format!("{} is never said: {}", path.display(), names()));
                }
            }
        }
        Ok(())
    }

    fn check_institutions(&self, folder: &Path) -> Result<(), String> {
        for (name, path) in self.entries(folder)? {
            match name.strip_suffix(".wav") {
                Some(slug) if slug_fault(slug).is_some() => {
                    return Err(format!(
                        "{} is never said: no institution is called `{slug}`",
                        path.display()
                    ));
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
        // Both may come from an address that somebody has made up.
        let language = parse_language(language)?;
        slug_fault(slug).is_none().then_some(())?;
        self.now(&self.path.join(language).join("institutions").join(format!("{slug}.wav")))
    }

    fn path_of(&self, language: &str, prompt: Prompt) -> Option<PathBuf> {
        Some(self.path.join(parse_language(language)?).join(format!("{}.wav", prompt.file())))
    }

    /// What the file says now, or nothing, with a word in the log the first time that it cannot be used.
    fn now(&self, path: &Path) -> Option<Sound> {
        let stamp = stamp(path)?;
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, sound)) = known.get(path).filter(|(of, _)| *of == stamp) {
            return sound.clone();
        }
        let sound = self.read(path);
        if let Err(why) = &sound {
            tracing::warn!("{why}; ours is said instead");
        }
        let sound = sound.ok();
        known.insert(path.to_owned(), (stamp, sound.clone()));
        sound
    }

    fn read(&self, path: &Path) -> Result<Sound, String> {
        let fault = |why: &dyn std::fmt::Display| format!("{} {why}", path.display());
        // Not what never ends, and not more than is of use.
        let about = fs::metadata(path).map_err(|error| fault(&format!("cannot be read: {error}")))?;
        if !about.is_file() {
            return Err(fault(&"is not a file"));
        }
        if about.len() > sound::LARGEST as u64 {
            return Err(fault(&format!("is larger than {} MiB", sound::LARGEST >> 20)));
        }
        let bytes = fs::read(path).map_err(|error| fault(&format!("cannot be read: {error}")))?;
        sound::read(&bytes).map_err(|why| fault(&why))
    }

    /// Names and paths of what is in a folder, in order; what begins with a dot is not ours to look at.
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
    format!("the names that we know are {}", names.join(", "))
}
