//! A text-to-speech command: text on standard input, a WAV on standard output. It speaks names of institutions that
//! have no audio file.

use std::{
    collections::HashMap,
    process::Stdio,
    sync::{Arc, Mutex as Lock, PoisonError},
    time::Duration,
};

use tokio::{
    io::{AsyncRead, AsyncReadExt, AsyncWriteExt},
    process::Command,
    sync::Mutex,
    time::{Instant, timeout},
};

use super::sound::{self, Sound};
use crate::tasks;

const TIMEOUT: Duration = Duration::from_secs(10);
/// After a failure, the same text is not tried again for this long.
const RETRY_AFTER: Duration = Duration::from_secs(60);
/// How much of its standard error is reported.
const MAX_STDERR: u64 = 2_000;

pub struct Voice {
    words: Vec<String>,
    timeout: Duration,
    cache: Lock<HashMap<Text, Arc<Mutex<Cached>>>>,
}

/// A language and a text.
type Text = (String, String);

#[derive(Default)]
struct Cached {
    sound: Option<Sound>,
    failed: Option<Instant>,
}

impl Voice {
    /// The command is split at spaces and not passed to a shell.
    pub fn new(command: &str) -> Option<Self> {
        let words: Vec<String> = command.split_whitespace().map(str::to_owned).collect();
        (!words.is_empty()).then(|| Self { words, timeout: TIMEOUT, cache: Lock::default() })
    }

    #[cfg(test)]
    pub fn with_timeout(self, timeout: Duration) -> Self {
        Self { timeout, ..self }
    }

    /// Synthesizes the text; `None` if the command fails, which is logged. Concurrent calls share one run.
    pub async fn say(&self, language: &str, text: &str) -> Option<Sound> {
        let entry = {
            let mut all = self.cache.lock().unwrap_or_else(PoisonError::into_inner);
            all.entry((language.to_owned(), text.to_owned())).or_default().clone()
        };
        let mut entry = entry.lock().await;
        if entry.sound.is_none() && entry.failed.is_none_or(|at| at.elapsed() > RETRY_AFTER) {
            match self.run(language, text).await {
                Ok(sound) => entry.sound = Some(sound),
                Err(why) => {
                    tracing::warn!("{why}; the name of an institution is omitted");
                    entry.failed = Some(Instant::now());
                }
            }
        }
        entry.sound.clone()
    }

    /// Runs the command. The error is a sentence.
    pub async fn run(&self, language: &str, text: &str) -> Result<Sound, String> {
        let named = |why: &str| format!("the voice command `{}` {why}", self.words[0]);
        let wav = match timeout(self.timeout, self.output(language, text)).await {
            Ok(spoken) => spoken.map_err(|why| named(&why))?,
            Err(_) => {
                return Err(named(&format!("took longer than {} seconds", self.timeout.as_secs_f64())));
            }
        };
        let sound = tasks::spawn_blocking(move || sound::read(&wav)).await;
        let sound = sound.unwrap_or_else(|_| Err("cannot be read".to_owned()));
        let sound = sound.map_err(|why| named(&format!("writes something that {why}")))?;
        if sound.is_empty() { Err(named("wrote an empty WAV")) } else { Ok(sound) }
    }

    async fn output(&self, language: &str, text: &str) -> Result<Vec<u8>, String> {
        let words: Vec<String> = self.words.iter().map(|word| word.replace("{language}", language)).collect();
        let mut command = Command::new(&words[0]);
        command.args(&words[1..]).kill_on_drop(true);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        // Our environment may contain passwords and is not passed on.
        for (name, _) in
            std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("ENDONYM_"))
        {
            command.env_remove(name);
        }
        let mut child = command.spawn().map_err(|error| format!("cannot be run: {error}"))?;
        let (stdin, stdout, stderr) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let write = async {
            if let Some(mut stdin) = stdin {
                // It may close its input early.
                let _ = stdin.write_all(text.as_bytes()).await;
            }
        };
        let most = sound::MAX_BYTES as u64 + 1;
        let ((), wav, complaint) = tokio::join!(write, read(stdout, most), read(stderr, MAX_STDERR));
        if wav.len() as u64 == most {
            return Err(format!("writes more than {} MiB", sound::MAX_BYTES >> 20));
        }
        let status = child.wait().await.map_err(|error| format!("cannot be waited for: {error}"))?;
        if !status.success() {
            let complaint = String::from_utf8_lossy(&complaint);
            return Err(format!(
                "failed with {status}: {}",
                complaint.lines().next().unwrap_or("it does not say why")
            ));
        }
        Ok(wav)
    }
}

/// Reads up to `most` bytes and drains the rest, because a closed pipe would kill the program.
async fn read(from: Option<impl AsyncRead + Unpin>, most: u64) -> Vec<u8> {
    let mut read = Vec::new();
    if let Some(mut from) = from {
        // What arrived before an error is used.
        let _ = (&mut from).take(most).read_to_end(&mut read).await;
        let _ = tokio::io::copy(&mut from, &mut tokio::io::sink()).await;
    }
    read
}
