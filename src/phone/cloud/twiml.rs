//! TwiML documents. A document depends only on the step, so repeated requests get the same one.

use std::fmt::Write;

use crate::domain::{
    conversation::{
        MAX_SECONDS, MENU_WAIT_SECONDS, Prompt, SILENCE_AFTER_SPEECH_SECONDS, SILENCE_SECONDS, Step, TAKES,
    },
    ids::AttemptId,
};

/// The callback URLs of one attempt.
#[derive(Debug, Clone)]
pub struct Addresses {
    base: String,
    attempt: AttemptId,
}

impl Addresses {
    /// The base has no trailing slash.
    pub fn new(base: &str, attempt: AttemptId) -> Self {
        Self { base: base.trim_end_matches('/').to_owned(), attempt }
    }

    /// Requested when this step is over. Step 0 is over when the call is answered.
    pub fn step(&self, number: i64) -> String {
        format!("{}/phone/attempts/{}/steps/{number}", self.base, self.attempt)
    }

    /// Requested if nothing was recorded in this step.
    pub fn silence(&self, number: i64) -> String {
        format!("{}/silence", self.step(number))
    }

    /// Receives status changes of the call.
    pub fn status(&self) -> String {
        format!("{}/phone/attempts/{}/status", self.base, self.attempt)
    }

    /// Receives the status of a recording.
    pub fn recording(&self) -> String {
        format!("{}/phone/attempts/{}/recording", self.base, self.attempt)
    }

    /// The URL of a take. The vendor stores it, but may require credentials to play it, which must not be in a
    /// document.
    pub fn take(&self, recording: &str) -> String {
        format!("{}/phone/attempts/{}/takes/{recording}.wav", self.base, self.attempt)
    }

    /// The URL of a prompt.
    pub fn prompt(&self, language: &str, prompt: Prompt) -> String {
        format!("{}/phone/prompts/{language}/{}.wav", self.base, prompt.file())
    }

    /// The URL of the institution's spoken name, if there is a file or speech synthesis.
    pub fn name(&self, language: &str, slug: &str) -> String {
        format!("{}/phone/prompts/{language}/institutions/{slug}.wav", self.base)
    }
}

/// How the caller is announced.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Name {
    /// The URL of an audio file.
    Played(String),
    /// Spoken by the vendor's voice.
    Said(String),
}

/// Everything that a document depends on.
#[derive(Debug, Clone)]
pub struct Scene {
    pub addresses: Addresses,
    pub language: String,
    pub institution: Name,
    pub step: Step,
    pub number: i64,
    /// The vendor's id of the last recording.
    pub take: Option<String>,
}

/// Hangs up without a word.
pub fn hang_up() -> String {
    document(|xml| xml.empty("Hangup", &[]))
}

/// Says a sentence with the vendor's voice and hangs up.
pub fn say(text: &str) -> String {
    document(|xml| {
        xml.text("Say", &[], text);
        xml.empty("Hangup", &[]);
    })
}

impl Scene {
    pub fn document(&self) -> String {
        document(|xml| match self.step {
            Step::Invite { .. } => self.menu(xml, |xml| {
                self.play(xml, Prompt::ThisIs);
                match &self.institution {
                    Name::Played(address) => xml.text("Play", &[], address),
                    Name::Said(name) => match voice_language(&self.language) {
                        Some(language) => xml.text("Say", &[("language", language)], name),
                        None => xml.text("Say", &[], name),
                    },
                }
                self.play(xml, Prompt::Invite);
            }),
            Step::Record { .. } => self.record(xml),
            Step::Review { take, .. } => self.menu(xml, |xml| {
                if let Some(recording) = &self.take {
                    self.play(xml, Prompt::YouSaid);
                    xml.text("Play", &[], &self.addresses.take(recording));
                }
                self.play(xml, if take < TAKES { Prompt::Review } else { Prompt::LastReview });
            }),
            Step::Over { end } => {
                if let Some(farewell) = end.farewell() {
                    self.play(xml, farewell);
                }
                xml.empty("Hangup", &[]);
            }
        })
    }

    fn play(&self, xml: &mut Xml, prompt: Prompt) {
        xml.text("Play", &[], &self.addresses.prompt(&self.language, prompt));
    }

    /// Keys are accepted while the menu is played. A timeout is reported as well; vendors that do not report it
    /// continue with the redirect after the menu, which is the same request without a key.
    fn menu(&self, xml: &mut Xml, said: impl FnOnce(&mut Xml)) {
        let attributes = [
            ("input", "dtmf"),
            ("numDigits", "1"),
            ("timeout", &MENU_WAIT_SECONDS.to_string()),
            ("finishOnKey", ""),
            ("actionOnEmptyResult", "true"),
            ("action", &self.addresses.step(self.number)),
            ("method", "POST"),
        ];
        xml.within("Gather", &attributes, said);
        xml.text("Redirect", &[("method", "POST")], &self.addresses.step(self.number));
    }

    /// The vendor has one silence timeout for before and after speech, and we want two. An empty recording continues
    /// with the next verb, so a second recording without a tone follows and waits for the rest of the time. The
    /// timeout is 2 s after the last word for people who speak at once, 3 s for those who hesitate, and 5 s without
    /// any speech. To count as empty, the recording must be trimmed; our own pipeline would trim it anyway.
    fn record(&self, xml: &mut Xml) {
        self.play(xml, Prompt::SayYourName);
        let first = SILENCE_AFTER_SPEECH_SECONDS;
        for (silence, tone) in [(first, "true"), (SILENCE_SECONDS - first, "false")] {
            let attributes = [
                ("action", self.addresses.step(self.number)),
                ("method", "POST".to_owned()),
                ("timeout", silence.to_string()),
                ("finishOnKey", "#".to_owned()),
                ("maxLength", MAX_SECONDS.to_string()),
                ("playBeep", tone.to_owned()),
                ("trim", "trim-silence".to_owned()),
                ("recordingStatusCallback", self.addresses.recording()),
                ("recordingStatusCallbackMethod", "POST".to_owned()),
                ("recordingStatusCallbackEvent", "completed absent".to_owned()),
            ];
            xml.empty("Record", &attributes.each_ref().map(|(name, value)| (*name, value.as_str())));
        }
        xml.text("Redirect", &[("method", "POST")], &self.addresses.silence(self.number));
    }
}

/// The vendor's code of a language, if its voice supports it. Others use the default voice.
fn voice_language(language: &str) -> Option<&'static str> {
    const KNOWN: [(&str, &str); 8] = [
        ("en", "en-US"),
        ("es", "es-ES"),
        ("fr", "fr-FR"),
        ("de", "de-DE"),
        ("it", "it-IT"),
        ("pt", "pt-BR"),
        ("nl", "nl-NL"),
        ("pl", "pl-PL"),
    ];
    let both = |known: &&(&str, &'static str)| known.1.eq_ignore_ascii_case(language);
    let short = language.split(['-', '_']).next().unwrap_or_default();
    let alone = |known: &&(&str, &str)| known.0.eq_ignore_ascii_case(short);
    KNOWN.iter().find(both).or_else(|| KNOWN.iter().find(alone)).map(|known| known.1)
}

/// An XML writer.
struct Xml(String);

fn document(write: impl FnOnce(&mut Xml)) -> String {
    let mut xml = Xml("<?xml version=\"1.0\" encoding=\"UTF-8\"?>".to_owned());
    xml.within("Response", &[], write);
    xml.0
}

impl Xml {
    fn open(&mut self, name: &str, attributes: &[(&str, &str)]) {
        let _ = write!(self.0, "<{name}");
        for (attribute, value) in attributes {
            let _ = write!(self.0, " {attribute}=\"{}\"", Escaped(value));
        }
    }

    fn empty(&mut self, name: &str, attributes: &[(&str, &str)]) {
        self.open(name, attributes);
        self.0.push_str("/>");
    }

    fn text(&mut self, name: &str, attributes: &[(&str, &str)], text: &str) {
        self.open(name, attributes);
        let _ = write!(self.0, ">{}</{name}>", Escaped(text));
    }

    fn within(&mut self, name: &str, attributes: &[(&str, &str)], write: impl FnOnce(&mut Self)) {
        self.open(name, attributes);
        self.0.push('>');
        write(self);
        let _ = write!(self.0, "</{name}>");
    }
}

/// Escapes text for elements and attributes. Characters that XML cannot represent are dropped.
struct Escaped<'a>(&'a str);

impl std::fmt::Display for Escaped<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for c in self.0.chars() {
            match c {
                '&' => f.write_str("&amp;")?,
                '<' => f.write_str("&lt;")?,
                '>' => f.write_str("&gt;")?,
                '"' => f.write_str("&quot;")?,
                '\t' | '\n' | '\r' => f.write_char(' ')?,
                c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => {}
                c => f.write_char(c)?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::conversation::End;

    fn scene(step: Step) -> Scene {
        Scene {
            addresses: Addresses::new("https://names.example.edu/", AttemptId::new(7)),
            language: "en".into(),
            institution: Name::Said("Smith & \"Sons\" <College>\u{0}".into()),
            step,
            number: 3,
            take: Some("RE1".into()),
        }
    }

    #[test]
    fn names_and_addresses_are_escaped() {
        let document = scene(Step::START).document();
        assert!(document.contains(">Smith &amp; &quot;Sons&quot; &lt;College&gt;</Say>"), "{document}");
        let mut review = scene(Step::Review { take: 1, said: 1 });
        review.addresses = Addresses::new("https://names.example.edu/a&b", AttemptId::new(7));
        let play = "<Play>https://names.example.edu/a&amp;b/phone/attempts/7/takes/RE1.wav</Play>";
        assert!(review.document().contains(play), "{}", review.document());
    }

    #[test]
    fn the_silence_timeout_is_five_seconds_in_total_and_two_after_speech() {
        let document = scene(Step::Record { take: 1 }).document();
        let times: Vec<&str> =
            document.split(" timeout=\"").skip(1).filter_map(|rest| rest.split('"').next()).collect();
        assert_eq!(times, ["2", "3"]);
        let behind = document.rsplit("<Record").next().unwrap();
        assert!(behind.contains("https://names.example.edu/phone/attempts/7/steps/3/silence</Redirect>"));
    }

    #[test]
    fn a_menu_without_a_key_is_reported_by_every_vendor() {
        for step in [Step::START, Step::Review { take: 1, said: 1 }] {
            let document = scene(step).document();
            let behind = "</Gather><Redirect method=\"POST\">https://names.example.edu/phone/attempts/7/steps/3</Redirect>";
            assert!(document.ends_with(&format!("{behind}</Response>")), "{document}");
            assert!(document.contains("action=\"https://names.example.edu/phone/attempts/7/steps/3\""));
        }
    }

    #[test]
    fn the_last_take_cannot_be_repeated() {
        assert!(scene(Step::Review { take: 2, said: 1 }).document().contains("/review.wav"));
        assert!(scene(Step::Review { take: 3, said: 1 }).document().contains("/last-review.wav"));
    }

    #[test]
    fn the_end_is_a_farewell_and_then_nothing() {
        let kept = scene(Step::Over { end: End::Kept }).document();
        assert!(kept.ends_with("/thank-you.wav</Play><Hangup/></Response>"), "{kept}");
        assert_eq!(hang_up(), "<?xml version=\"1.0\" encoding=\"UTF-8\"?><Response><Hangup/></Response>");
        assert_eq!(scene(Step::Over { end: End::HungUp }).document(), hang_up());
    }

    #[test]
    fn languages_use_the_codes_of_the_vendor() {
        let called = ["en", "EN-gb", "fr", "fr-FR", "pt_BR", "vi", ""].map(voice_language);
        let wanted = [Some("en-US"), Some("en-US"), Some("fr-FR"), Some("fr-FR"), Some("pt-BR"), None, None];
        assert_eq!(called, wanted);
    }
}
