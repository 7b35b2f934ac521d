//! What people agree to before they record their name.

use std::collections::BTreeMap;

use super::{
    fault::Fault,
    ids::{InstitutionId, ParticipantId},
    language::Language,
    moment::Moment,
    session::PersonId,
    text::{self, Lines},
};

/// The version of the text that comes with the software (`data-consent-…` in `words/`). A test fails if the text changes and
/// this does not.
pub const BUILT_IN: &str = "endonym-1";

/// The longest text of an institution, in characters.
pub const LONGEST: usize = 20_000;

/// A version of the text that people are shown before they record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConsentText {
    pub version: String,
    /// The institution's own texts by language tag. Empty: the text that comes with the software.
    pub texts: BTreeMap<String, String>,
}

impl ConsentText {
    pub fn built_in() -> Self {
        Self { version: BUILT_IN.to_owned(), texts: BTreeMap::new() }
    }

    pub fn is_built_in(&self) -> bool {
        self.texts.is_empty()
    }

    /// The institution's own text for a reader: in their language, else in the institution's, in English, or in any. `None` if
    /// the text is the built-in one, which is in every language.
    pub fn own(&self, reader: Language, institution: Language) -> Option<(Language, &str)> {
        let preferred = [reader, institution, Language::English].into_iter().chain(Language::ALL);
        let mut found =
            preferred.filter_map(|language| Some((language, self.texts.get(language.tag())?.as_str())));
        found.next()
    }
}

/// The paragraphs of an institution's text, which are separated by blank lines.
pub fn paragraphs(text: &str) -> Vec<String> {
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    let paragraphs = lines.split(|line| line.is_empty()).filter(|lines| !lines.is_empty());
    paragraphs.map(|lines| lines.join("\n")).collect()
}

/// What is wrong with a text of an institution, if something is.
pub fn text_fault(given: &str) -> Option<Fault> {
    if text::is_invisible(given) {
        return Some(Fault::Blank);
    }
    text::fault(given, LONGEST, Lines::Many)
}

/// Who agrees: a person, or the owner of a registration without an email.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Giver {
    Person(PersonId),
    Registration(InstitutionId, ParticipantId),
}

/// How somebody is known who agrees for a person.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Via {
    /// The person has signed in.
    SignIn,
    /// They have the person's personal link, which managers have, too. When the person signs in, they are asked again.
    Invitation,
}

impl Via {
    /// The word in the database, in the audit log and on the command line. `None` for what needs no mention.
    pub const fn word(self) -> Option<&'static str> {
        match self {
            Self::SignIn => None,
            Self::Invitation => Some("invitation"),
        }
    }

    pub fn parse(word: Option<&str>) -> Option<Self> {
        [Self::SignIn, Self::Invitation].into_iter().find(|one| one.word() == word)
    }
}

/// A consent that was given, and may have been withdrawn since.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Consent {
    pub version: String,
    /// The language that the text was shown in.
    pub language: Language,
    pub consented_at: Moment,
    pub via: Via,
    pub withdrawn_at: Option<Moment>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_shown_in_the_best_language_that_it_has() {
        let texts = [("de", "Hallo"), ("fr", "Bonjour")];
        let texts = texts.into_iter().map(|(tag, text)| (tag.to_owned(), text.to_owned())).collect();
        let text = ConsentText { version: "3".to_owned(), texts };
        let shown = |reader, institution| text.own(reader, institution).unwrap();
        assert_eq!(shown(Language::French, Language::German), (Language::French, "Bonjour"));
        assert_eq!(shown(Language::Arabic, Language::German), (Language::German, "Hallo"));
        assert_eq!(shown(Language::Arabic, Language::English), (Language::French, "Bonjour"));
        assert_eq!(ConsentText::built_in().own(Language::French, Language::French), None);
    }

    #[test]
    fn blank_lines_separate_paragraphs() {
        let text = "\n  One line\r\nand another \n \n\n\nSecond\n";
        assert_eq!(paragraphs(text), ["One line\nand another", "Second"]);
        assert_eq!(paragraphs(" \n"), [""; 0]);
    }
}
