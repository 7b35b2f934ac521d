//! URLs of this site in responses.

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
        format!("{}/audio/{}/recording_{}.mp3", self.base, institution, recording.hex)
    }

    /// The thumbnail has the same URL with `_128` before the extension.
    pub fn photo(&self, institution: InstitutionId, hex: &str) -> String {
        format!("{}/photos/{institution}/photo_{hex}.jpg", self.base)
    }

    pub fn name_badge(&self, institution: InstitutionId, token: &str) -> String {
        format!("{}/badges/{}/{token}", self.base, institution)
    }

    /// The registration token in a badge link.
    pub fn token_of_badge(link: &str) -> &str {
        link.rsplit('/').next().unwrap_or(link)
    }

    pub fn player(&self, institution: InstitutionId, token: &str) -> String {
        format!("{}/players/{}/{token}", self.base, institution)
    }
}
