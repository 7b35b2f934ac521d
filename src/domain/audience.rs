//! Who may hear a person's name: chosen by the person, within what the institution permits.

/// | | badge and its vCard | without a credential (`app/public_view.rs`) | API with a token, and its embeds | audio link |
/// |---|---|---|---|---|
/// | `Public` | open | heard | shown | works |
/// | `Institution` | asks to sign in | not heard | shown | works: it is unguessable, and clients play it. One that was public is renewed |
/// | `Paused` | there is none | not heard | no recording | dead; the recording is kept |
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Audience {
    #[default]
    Public,
    Institution,
    Paused,
}

impl Audience {
    pub const ALL: [Self; 3] = [Self::Public, Self::Institution, Self::Paused];

    /// The value in the database and on the command line.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Public => "public",
            Self::Institution => "institution",
            Self::Paused => "paused",
        }
    }

    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|audience| audience.word() == word.trim())
    }

    /// Of several audiences of one person, the one with the highest holds.
    pub const fn strictness(self) -> u8 {
        match self {
            Self::Public => 0,
            Self::Institution => 1,
            Self::Paused => 2,
        }
    }

    /// May an institution make it the default? Nobody records to be heard by nobody.
    pub const fn can_be_default(self) -> bool {
        !matches!(self, Self::Paused)
    }
}

/// The audiences that an institution permits. Pausing is always permitted: nobody has to be heard.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Permitted {
    public: bool,
    institution: bool,
}

impl Default for Permitted {
    fn default() -> Self {
        Self { public: true, institution: true }
    }
}

impl Permitted {
    /// Parses words separated by commas. `None` for an unknown word, or if nobody could be heard.
    pub fn parse(words: &str) -> Option<Self> {
        let mut permitted = Self { public: false, institution: false };
        for word in words.split(',').filter(|word| !word.trim().is_empty()) {
            match Audience::parse(word)? {
                Audience::Public => permitted.public = true,
                Audience::Institution => permitted.institution = true,
                Audience::Paused => {}
            }
        }
        (permitted.public || permitted.institution).then_some(permitted)
    }

    pub fn words(self) -> String {
        let words: Vec<&str> = self.audiences().map(Audience::word).collect();
        words.join(",")
    }

    pub fn audiences(self) -> impl Iterator<Item = Audience> {
        Audience::ALL.into_iter().filter(move |audience| self.includes(*audience))
    }

    pub const fn includes(self, audience: Audience) -> bool {
        match audience {
            Audience::Public => self.public,
            Audience::Institution => self.institution,
            Audience::Paused => true,
        }
    }

    /// What a person's audience amounts to: an institution that permits less than they once chose narrows it.
    pub const fn narrow(self, chosen: Audience) -> Audience {
        match chosen {
            Audience::Public if !self.public => Audience::Institution,
            chosen => chosen,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_institution_permits_what_it_names_and_always_pausing() {
        let permitted = Permitted::parse("institution, paused").unwrap();
        assert_eq!(permitted.words(), "institution,paused");
        assert_eq!(permitted.narrow(Audience::Public), Audience::Institution);
        assert_eq!(permitted.narrow(Audience::Paused), Audience::Paused);
        assert_eq!(Permitted::parse("public").unwrap().words(), "public,paused");
        assert_eq!(Permitted::default().words(), "public,institution,paused");
        for wrong in ["", "paused", "everybody", "public,x"] {
            assert_eq!(Permitted::parse(wrong), None, "{wrong}");
        }
    }
}
