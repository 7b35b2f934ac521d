//! The prompts of a call as audio: built-in, or replaced by the operator.

mod folder;
mod shipped;
mod sound;
mod voice;

use std::{collections::HashMap, fmt, path::PathBuf, sync::Arc};

use bytes::Bytes;

use self::{folder::Folder, sound::Sound, voice::Voice};
use crate::domain::{conversation::Prompt, institution::parse_language};
use crate::tasks;

/// Sample rate of telephone audio.
pub const RATE: u32 = 8_000;

/// The fallback language, which is always complete.
const FALLBACK_LANGUAGE: &str = "en";

/// A pause of a quarter of a second after the institution's name.
const SHORT_PAUSE: [i16; RATE as usize / 4] = [0; RATE as usize / 4];

/// The audio of one call, in its language and with the institution's name.
#[derive(Clone, Default)]
pub struct Script {
    sounds: HashMap<Prompt, Arc<[i16]>>,
    /// "This is" and the name, or a greeting without a name.
    greeting: Arc<[i16]>,
}

impl Script {
    pub fn new(greeting: Arc<[i16]>, sounds: HashMap<Prompt, Arc<[i16]>>) -> Self {
        Self { sounds, greeting }
    }

    pub fn sound(&self, prompt: Prompt) -> Arc<[i16]> {
        self.sounds.get(&prompt).cloned().unwrap_or_default()
    }

    pub fn greeting(&self) -> Arc<[i16]> {
        self.greeting.clone()
    }
}

/// Omits the samples.
impl fmt::Debug for Script {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Script").field("sounds", &self.sounds.len()).finish_non_exhaustive()
    }
}

/// All prompts.
///
/// A language is resolved from narrow to wide: `es-MX` if the operator has it, else `es`; in each, the operator's
/// file wins over the built-in one.
#[derive(Clone)]
pub struct Prompts(Arc<Inner>);

struct Inner {
    folder: Option<Folder>,
    /// The default for institutions without a language.
    language: String,
    voice: Option<Voice>,
}

impl fmt::Debug for Prompts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Prompts").field("language", &self.0.language).finish_non_exhaustive()
    }
}

/// Built-in prompts in English.
impl Default for Prompts {
    fn default() -> Self {
        Self(Arc::new(Inner { folder: None, language: FALLBACK_LANGUAGE.to_owned(), voice: None }))
    }
}

impl Prompts {
    /// With an operator's folder, the default language and a text-to-speech command. Every file is read, so that
    /// errors are reported before any call; the error is a sentence.
    pub fn open(folder: Option<PathBuf>, language: &str, voice: Option<String>) -> Result<Self, String> {
        let language = parse_language(language).ok_or_else(|| {
            format!("the language of calls must be a code like fr or es-MX, not `{language}`")
        })?;
        let folder = folder.map(Folder::open).transpose()?;
        let voice = voice.as_deref().and_then(Voice::new);
        let prompts = Self(Arc::new(Inner { folder, language: language.clone(), voice }));
        if let Some(folder) = &prompts.0.folder {
            folder.check()?;
            for language in folder.languages() {
                let missing: Vec<_> =
                    prompts.missing(&language).map(|prompt| format!("{}.wav", prompt.file())).collect();
                if !missing.is_empty() {
                    return Err(format!(
                        "the folder of prompts for `{language}` lacks {}: we have none in that language",
                        missing.join(", ")
                    ));
                }
            }
        }
        if prompts.speaks(&language) {
            return Ok(prompts);
        }
        Err(format!(
            "nothing can be said in `{language}`: there is {}; others need a folder of prompts",
            prompts.languages().join(", ")
        ))
    }

    /// Languages for which every prompt exists.
    pub fn languages(&self) -> Vec<String> {
        let own = self.0.folder.iter().flat_map(Folder::languages).filter(|language| self.speaks(language));
        let mut all: Vec<String> = shipped::LANGUAGES.into_iter().map(str::to_owned).chain(own).collect();
        all.sort();
        all.dedup();
        all
    }

    /// For operators: which prompts replace the built-in ones, per language.
    pub fn about(&self) -> Vec<String> {
        let Some(folder) = &self.0.folder else { return Vec::new() };
        let about = folder.languages().into_iter().map(|language| {
            let own: Vec<_> =
                Prompt::ALL.into_iter().filter(|p| folder.has(&language, *p)).map(Prompt::file).collect();
            let rest = wider(&language).nth(1).map_or("ours".to_owned(), |wide| format!("those of `{wide}`"));
            match own.len() {
                0 => format!("in `{language}` {rest} are said"),
                all if all == Prompt::ALL.len() => format!("in `{language}` your files are said"),
                _ => format!(
                    "in `{language}` your files are said for {}, and {rest} for the rest",
                    own.join(", ")
                ),
            }
        });
        about.collect()
    }

    /// Runs the text-to-speech command once; the error is a sentence. Succeeds if no command is configured.
    pub async fn check_voice(&self) -> Result<(), String> {
        match &self.0.voice {
            Some(voice) => voice.run(&self.0.language, "Endonym").await.map(drop),
            None => Ok(()),
        }
    }

    /// All audio of one call. If the name has to be synthesized first, this takes up to ten seconds.
    pub async fn script(&self, language: Option<&str>, slug: &str, name: &str) -> Script {
        let language = self.language(language);
        let greeting = self.greeting(&language, slug, name).await;
        let this = self.clone();
        // Files are checked, and read again if they have changed.
        let sounds = tasks::spawn_blocking(move || {
            Prompt::ALL.into_iter().map(|prompt| (prompt, this.sound(&language, prompt))).collect()
        });
        Script::new(greeting, sounds.await.unwrap_or_default())
    }

    /// A WAV (8 kHz, 16-bit) for a telephony service: a prompt by file name, or `institutions/SLUG` if there is a
    /// file.
    pub fn wav(&self, language: Option<&str>, file: &str) -> Option<Bytes> {
        let language = self.language(language);
        let sound = match file.strip_prefix("institutions/") {
            Some(slug) => self.institution_file(&language, slug)?,
            None => self.sound(&language, Prompt::ALL.into_iter().find(|prompt| prompt.file() == file)?),
        };
        Some(sound::wav(&sound))
    }

    /// The institution's name from its file or from speech synthesis, which may take a while the first time.
    pub async fn institution_wav(&self, language: Option<&str>, slug: &str, name: &str) -> Option<Bytes> {
        let language = self.language(language);
        Some(sound::wav(&self.institution(&language, slug, name).await?))
    }

    async fn greeting(&self, language: &str, slug: &str, name: &str) -> Sound {
        match self.institution(language, slug, name).await {
            Some(name) => sound::joined(&[&self.sound(language, Prompt::ThisIs), &name, &SHORT_PAUSE]),
            None => self.sound(language, Prompt::AnInstitution),
        }
    }

    async fn institution(&self, language: &str, slug: &str, name: &str) -> Option<Sound> {
        let (this, of, called) = (self.clone(), language.to_owned(), slug.to_owned());
        let file = tasks::spawn_blocking(move || this.institution_file(&of, &called));
        if let Ok(Some(sound)) = file.await {
            return Some(sound);
        }
        self.0.voice.as_ref()?.say(language, name).await
    }

    fn institution_file(&self, language: &str, slug: &str) -> Option<Sound> {
        let folder = self.0.folder.as_ref()?;
        wider(language).find_map(|language| folder.institution(language, slug))
    }

    /// The requested language if it is complete, or else the default.
    pub fn language(&self, wanted: Option<&str>) -> String {
        match wanted.filter(|wanted| **wanted != self.0.language) {
            Some(wanted) if self.speaks(wanted) => wanted.to_owned(),
            Some(wanted) => {
                tracing::warn!(
                    language = wanted,
                    instead = self.0.language,
                    "prompts are incomplete in this language"
                );
                self.0.language.clone()
            }
            None => self.0.language.clone(),
        }
    }

    /// Does every prompt exist in this language?
    pub fn speaks(&self, language: &str) -> bool {
        parse_language(language).is_some_and(|language| self.missing(&language).next().is_none())
    }

    /// Prompts for which there is neither an operator's file nor a built-in one.
    fn missing(&self, language: &str) -> impl Iterator<Item = Prompt> {
        Prompt::ALL.into_iter().filter(|prompt| {
            !wider(language).any(|language| {
                let own = self.0.folder.as_ref().is_some_and(|folder| folder.has(language, *prompt));
                own || shipped::LANGUAGES.contains(&language)
            })
        })
    }

    /// The prompt in this language. If an operator's file has been removed or damaged and there is no built-in one,
    /// another language is better than silence.
    fn sound(&self, language: &str, prompt: Prompt) -> Sound {
        let recorded = |language: &str| {
            wider(language).find_map(|language| {
                let own = self.0.folder.as_ref().and_then(|folder| folder.sound(language, prompt));
                own.or_else(|| shipped::sound(language, prompt))
            })
        };
        recorded(language).unwrap_or_else(|| {
            tracing::warn!(language, prompt = prompt.file(), "playing a prompt in another language");
            recorded(&self.0.language)
                .or_else(|| shipped::sound(FALLBACK_LANGUAGE, prompt))
                .unwrap_or_default()
        })
    }
}

/// `zh-Hant-TW`, `zh-Hant`, `zh`.
fn wider(language: &str) -> impl Iterator<Item = &str> {
    std::iter::successors(Some(language), |language| language.rsplit_once('-').map(|(wide, _)| wide))
}

#[cfg(test)]
mod tests;
