//! URLs of this site in responses.

pub mod secret;

use std::sync::Arc;

use crate::domain::{ids::InstitutionId, participant::Recording};

#[derive(Debug, Clone)]
pub struct Links {
    base: Arc<str>,
}

impl Links {
    pub fn new(base_url: &str) -> Self {
        Self { base: base_url.trim_end_matches('/').into() }
    }

    pub fn base(&self) -> &str {
        &self.base
    }

    /// No query and no credentials: the link is enough to play it.
    pub fn recording(&self, institution: InstitutionId, recording: &Recording) -> String {
        format!("{}{}{}", self.recordings(institution), recording.hex, Self::RECORDING_END)
    }

    /// What precedes the id in the URLs of all recordings.
    pub fn recordings(&self, institution: InstitutionId) -> String {
        format!("{}/audio/{institution}/recording_", self.base)
    }

    /// What follows the id.
    pub const RECORDING_END: &'static str = ".mp3";

    /// The thumbnail has the same URL with `_128` before the extension.
    pub fn photo(&self, institution: InstitutionId, hex: &str) -> String {
        format!("{}{hex}{}", self.photos(institution), Self::PHOTO_END)
    }

    /// What precedes the id in the URLs of all photos.
    pub fn photos(&self, institution: InstitutionId) -> String {
        format!("{}/photos/{institution}/photo_", self.base)
    }

    /// What follows the id.
    pub const PHOTO_END: &'static str = ".jpg";

    pub fn name_badge(&self, institution: InstitutionId, token: &str) -> String {
        format!("{}{token}", self.name_badges(institution))
    }

    /// What precedes the token in the URLs of all badges.
    pub fn name_badges(&self, institution: InstitutionId) -> String {
        format!("{}/badges/{institution}/", self.base)
    }

    /// The registration token in a badge link.
    pub fn token_of_badge(link: &str) -> &str {
        link.rsplit('/').next().unwrap_or(link)
    }

    /// What precedes the name of a registration (`secret`) in the URLs of all players, or its token where there is no credential.
    pub fn players(&self, institution: InstitutionId) -> String {
        format!("{}/players/{institution}/", self.base)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::moment::Moment;

    #[test]
    fn urls_have_the_institution_and_the_id() {
        let (links, institution) = (Links::new("https://names.example.edu/x/"), InstitutionId::new(7));
        let recording = Recording { hex: "ab12".to_owned(), recorded_at: Moment::from_micros(1) };
        for (url, path) in [
            (links.recording(institution, &recording), "/audio/7/recording_ab12.mp3"),
            (links.photo(institution, "ab12"), "/photos/7/photo_ab12.jpg"),
            (links.name_badge(institution, "ab12"), "/badges/7/ab12"),
            (links.players(institution) + "ab12", "/players/7/ab12"),
        ] {
            assert_eq!(url, format!("https://names.example.edu/x{path}"));
        }
    }
}
