//! A command that speaks: a text on its standard input, a WAV on its standard output. It says the names of institutions
//! that there is no file for.

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

const PATIENCE: Duration = Duration::from_secs(10);
/// After a failure nobody waits for the same again, for so long.
const PAUSE: Duration = Duration::from_secs(60);
/// Of what it complains about, so much is of interest.
const COMPLAINT: u64 = 2_000;

pub struct Voice {
    words: Vec<String>,
    patience: Duration,
    said: Lock<HashMap<Text, Arc<Mutex<Said>>>>,
}

/// A language, and what is said in it.
type Text = (String, String);

#[derive(Default)]
struct Said {
    sound: Option<Sound>,
    failed: Option<Instant>,
}

impl Voice {
    /// Words are what blanks are between; no shell reads them.
    pub fn new(command: &str) -> Option<Self> {
        let words: Vec<String> = command.split_whitespace().map(str::to_owned).collect();
        (!words.is_empty()).then(|| Self { words, patience: PATIENCE, said: Lock::default() })
    }

    #[cfg(test)]
    pub fn patient_for(self, patience: Duration) -> Self {
        Self { patience, ..self }
    }

    /// The text as sound; nothing, with a word in the log, when the command fails. Many may ask at once: it runs once.
    pub async fn say(&self, language: &str, text: &str) -> Option<Sound> {
        let said = {
            let mut all = self.said.lock().unwrap_or_else(PoisonError::into_inner);
            all.entry((language.to_owned(), text.to_owned())).or_default().clone()
        };
        let mut said = said.lock().await;
        if said.sound.is_none() && said.failed.is_none_or(|at| at.elapsed() > PAUSE) {
            match self.run(language, text).await {
                Ok(sound) => said.sound = Some(sound),
                Err(why) => {
                    tracing::warn!("{why}; the name of an institution is not said");
                    said.failed = Some(Instant::now());
                }
            }
        }
        said.sound.clone()
    }

    /// Runs it. What is wrong is said as a sentence.
    pub async fn run(&self, language: &str, text: &str) -> Result<Sound, String> {
        let named = |why: &str| format!("the voice command `{}` {why}", self.words[0]);
        let wav = match timeout(self.patience, self.output(language, text)).await {
            Ok(spoken) => spoken.map_err(|why| named(&why))?,
            Err(_) => {
                return Err(named(&format!("took longer than {} seconds", self.patience.as_secs_f64())));
            }
        };
        let sound = tokio::task::spawn_blocking(move || sound::read(&wav)).await;
        let sound = sound.unwrap_or_else(|_| Err("cannot be read".to_owned()));
        let sound = sound.map_err(|why| named(&format!("writes something that {why}")))?;
        if sound.is_empty() { Err(named("writes a WAV without sound")) } else { Ok(sound) }
    }

    async fn output(&self, language: &str, text: &str) -> Result<Vec<u8>, String> {
        let words: Vec<String> = self.words.iter().map(|word| word.replace("{language}", language)).collect();
        let mut command = Command::new(&words[0]);
        command.args(&words[1..]).kill_on_drop(true);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        // Our settings may hold passwords, and are none of its business.
        for (name, _) in
            std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("ENDONYM_"))
        {
            command.env_remove(name);
        }
        let mut child = command.spawn().map_err(|error| format!("cannot be run: {error}"))?;
        let (stdin, stdout, stderr) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let write = async {
            if let Some(mut stdin) = stdin {
                // It may have heard enough, and closed its ears.
                let _ = stdin.write_all(text.as_bytes()).await;
            }
        };
        let most = sound::LARGEST as u64 + 1;
        let ((), wav, complaint) = tokio::join!(write, read(stdout, most), read(stderr, COMPLAINT));
        if wav.len() as u64 == most {
            return Err(format!("writes more than {} MiB", sound::LARGEST >> 20));
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

/// So much of what it writes; the rest is read all the same, because a program that nobody listens to is ended.
async fn read(from: Option<impl AsyncRead + Unpin>, most: u64) -> Vec<u8> {
    let mut read = Vec::new();
    if let Some(mut from) = from {
        // What came before an error is judged like anything else.
        let _ = (&mut from).take(most).read_to_end(&mut read).await;
        let _ = tokio::io::copy(&mut from, &mut tokio::io::sink()).await;
    }
    read
}
