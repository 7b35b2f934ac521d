//! The built-in prompts. `assets/prompts` contains the texts and the script that generates the audio.

use std::{collections::HashMap, sync::LazyLock};

use super::sound::{self, Sound};
use crate::domain::conversation::Prompt;

pub const LANGUAGES: [&str; 4] = ["de", "en", "es", "fr"];

/// The files of a prompt in all languages, in their order.
macro_rules! files {
    ($file:literal) => {
        [
            include_bytes!(concat!("../../../assets/prompts/de/", $file, ".wav")).as_slice(),
            include_bytes!(concat!("../../../assets/prompts/en/", $file, ".wav")).as_slice(),
            include_bytes!(concat!("../../../assets/prompts/es/", $file, ".wav")).as_slice(),
            include_bytes!(concat!("../../../assets/prompts/fr/", $file, ".wav")).as_slice(),
        ]
    };
}

const fn files(prompt: Prompt) -> [&'static [u8]; LANGUAGES.len()] {
    match prompt {
        Prompt::ThisIs => files!("this-is"),
        Prompt::AnInstitution => files!("an-institution"),
        Prompt::Invite => files!("invite"),
        Prompt::SayYourName => files!("say-your-name"),
        // The tone has no language.
        Prompt::Tone => [include_bytes!("../../../assets/prompts/tone.wav").as_slice(); LANGUAGES.len()],
        Prompt::YouSaid => files!("you-said"),
        Prompt::Review => files!("review"),
        Prompt::LastReview => files!("last-review"),
        Prompt::ThankYou => files!("thank-you"),
        Prompt::Goodbye => files!("goodbye"),
        Prompt::OptedOut => files!("opted-out"),
    }
}

/// All prompts, decoded on first use. A test decodes each of them.
static SOUNDS: LazyLock<HashMap<(&'static str, Prompt), Sound>> = LazyLock::new(|| {
    let all = Prompt::ALL.into_iter().flat_map(|prompt| {
        LANGUAGES.into_iter().zip(files(prompt)).map(move |(language, file)| (language, prompt, file))
    });
    all.filter_map(|(language, prompt, file)| Some(((language, prompt), sound::read(file).ok()?))).collect()
});

pub fn sound(language: &str, prompt: Prompt) -> Option<Sound> {
    let language = LANGUAGES.into_iter().find(|known| *known == language)?;
    SOUNDS.get(&(language, prompt)).cloned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::phone::prompts::RATE;

    #[test]
    fn everything_can_be_heard_in_every_language() {
        let mut bytes = 0;
        for prompt in Prompt::ALL {
            bytes += files(prompt).iter().map(|file| file.len()).sum::<usize>();
            for language in LANGUAGES {
                let what = format!("{language}/{}", prompt.file());
                let sound = sound(language, prompt).unwrap_or_else(|| panic!("{what} is a sound"));
                let seconds = sound.len() as f64 / f64::from(RATE);
                assert!((0.4..=10.0).contains(&seconds), "{what}: {seconds} s");
                let peak = sound.iter().map(|sample| sample.unsigned_abs()).max().expect("samples");
                // Loud enough, but below clipping.
                assert!((6_000..=25_000).contains(&peak), "{what}: {peak}");
            }
        }
        assert!(bytes < 1_300_000, "{bytes} bytes in every program");
    }

    #[test]
    fn the_texts_stand_beside_the_sounds() {
        for language in LANGUAGES {
            let path = format!("{}/assets/prompts/{language}.txt", env!("CARGO_MANIFEST_DIR"));
            let texts = std::fs::read_to_string(&path).expect("a file of texts");
            let named: Vec<_> =
                texts.lines().filter_map(|line| line.split_once(": ")).map(|(name, _)| name).collect();
            let spoken = Prompt::ALL.into_iter().filter(|prompt| *prompt != Prompt::Tone);
            for prompt in spoken {
                assert!(named.contains(&prompt.file()), "{path} has no {}", prompt.file());
            }
        }
    }
}
