//! The text that people agree to before they record (`templates/parts/consent.html`).

use crate::{
    app::consents::ConsentState,
    domain::{consent::paragraphs, institution::Institution, language::Language},
    words::Words,
};

/// A text as it is shown to a reader.
pub struct ShownText {
    pub version: String,
    pub language: Language,
    pub paragraphs: Vec<String>,
}

impl ShownText {
    pub fn new(state: &ConsentState, words: Words, institution: &str) -> Self {
        let version = state.text.version.clone();
        match state.text.own(words.language(), state.language) {
            Some((language, text)) => Self { version, language, paragraphs: paragraphs(text) },
            None => Self { version, language: words.language(), paragraphs: built_in(words, institution) },
        }
    }
}

/// The text that comes with the software, for an institution without one of its own.
pub fn built_in(words: Words, institution: &str) -> Vec<String> {
    vec![
        words.one("data-consent-purpose", "institution", institution),
        words.text("data-consent-choice"),
        words.text("data-consent-never"),
    ]
}

/// The form with which a person agrees.
pub struct ConsentPanel {
    /// Where the form is posted.
    pub action: String,
    pub csrf: String,
    pub text: ShownText,
    /// Why a recording was rejected.
    pub fault: Option<String>,
}

/// What a person has agreed to (`templates/parts/agreed_text.html`).
pub struct Agreed {
    /// The date, such as 2026-11-16.
    pub date: String,
    pub text: ShownText,
}

/// The form with which a person agrees, or what they have agreed to. `action` and `csrf` are those of the form; `fault` says why a
/// recording was rejected.
pub fn shown(
    state: &ConsentState,
    words: Words,
    institution: &Institution,
    (action, csrf): (String, &str),
    fault: Option<String>,
) -> (Option<ConsentPanel>, Option<Agreed>) {
    let text = ShownText::new(state, words, &institution.name);
    match &state.given {
        Some(given) => {
            let date = given.consented_at.shown_in(&institution.time_zone).chars().take(10).collect();
            (None, Some(Agreed { date, text }))
        }
        None => (Some(ConsentPanel { action, csrf: csrf.to_owned(), text, fault }), None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{consent, digest};

    #[test]
    fn another_text_needs_another_version() {
        let text: String =
            Language::ALL.into_iter().flat_map(|language| built_in(Words::new(language), "X")).collect();
        let digest = digest::hex(&digest::of(&text));
        assert_eq!(
            (consent::BUILT_IN, &digest[..16]),
            ("endonym-1", "c86156a052cf35a0"),
            "if the meaning has changed, change `BUILT_IN`, so that people are asked again; then this line"
        );
    }
}
