//! Living inside a learning system by LTI 1.3: keys, launches, what they lead to, and how platforms register.

pub mod courses;
pub mod deep_links;
pub mod keys;
pub mod launches;
pub mod logins;
pub mod registrations;
pub mod sessions;

use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};

use super::{App, Error};
use crate::{
    domain::{field_errors::FieldErrors, ids::ToolConsumerId, lti, token, tool_consumer::ToolConsumer},
    lms::launch_token,
};

/// Why somebody does not get in. Each is a page with a sentence, and a line in the log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Refusal {
    /// Something that must be there is not, or is too long.
    Incomplete(&'static str),
    UnknownPlatform,
    Disabled,
    /// The link leads to an address that is not ours.
    ForeignTarget,
    /// Never begun, or used already.
    UnknownState,
    Late,
    /// The browser did not bring its cookie, or another one's. With the query to begin anew, or blank when it is not kept.
    OtherBrowser(String),
    /// The platform itself said no.
    PlatformSaid(Said),
    /// The platform's keys cannot be had.
    NoKeys(String),
    Token(launch_token::Fault),
    Claims(lti::Fault),
    NoCourse,
    /// They neither teach nor learn here.
    NoPart,
    /// Whoever teaches here looks at the course as a student does.
    Preview,
    /// A student whose platform does not say who they are.
    Anonymous,
    /// What was launched is over, or somebody else's.
    NoSession,
    UnknownInvite,
    Registration(RegistrationFault),
    /// Of logins, from one address.
    TooMany,
}

/// Why a platform could not be registered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RegistrationFault {
    /// It cannot be reached, or it does not answer as the standard says: the client's own words.
    Platform(String),
    /// What it says of itself cannot be used.
    Invalid(FieldErrors),
}

impl std::fmt::Display for RegistrationFault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Platform(why) => f.write_str(why),
            Self::Invalid(errors) => errors.fmt(f),
        }
    }
}

/// A platform's own words, which anybody can make up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Said {
    /// Its one word for it, for the log.
    pub word: Option<String>,
    /// For whoever is there to read it, and nobody else.
    pub said: String,
}

impl std::fmt::Display for Refusal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Incomplete(what) => write!(f, "{what} is missing or too long"),
            Self::UnknownPlatform => f.write_str("the platform is not registered"),
            Self::Disabled => f.write_str("the tool consumer is disabled"),
            Self::ForeignTarget => f.write_str("the target is not an address of ours"),
            Self::UnknownState => f.write_str("the state is not known, or used"),
            Self::Late => f.write_str("the state has expired"),
            Self::OtherBrowser(_) => f.write_str("the state is not this browser's"),
            Self::PlatformSaid(Said { word: Some(word), .. }) => write!(f, "the platform said: {word}"),
            Self::PlatformSaid(Said { word: None, .. }) => f.write_str("the platform said no"),
            Self::NoKeys(why) => write!(f, "the platform's keys cannot be had: {why}"),
            Self::Token(fault) => write!(f, "the token: {fault}"),
            Self::Claims(fault) => write!(f, "the token: {fault}"),
            Self::NoCourse => f.write_str("no course is named"),
            Self::NoPart => f.write_str("no role that has a page"),
            Self::Preview => f.write_str("a preview as a student"),
            Self::Anonymous => f.write_str("a student without an id"),
            Self::NoSession => f.write_str("no session, or another browser's"),
            Self::UnknownInvite => f.write_str("the invitation is not known, used or too old"),
            Self::Registration(why) => write!(f, "the registration: {why}"),
            Self::TooMany => f.write_str("too many logins from one address"),
        }
    }
}

/// What a launch and its pages may end with.
#[derive(Debug)]
pub enum Fault {
    Refused {
        why: Refusal,
        /// The origins that may show the page that says so.
        frames: Vec<String>,
    },
    Trouble {
        error: Error,
        frames: Vec<String>,
    },
}

impl<E: Into<Error>> From<E> for Fault {
    fn from(error: E) -> Self {
        Self::Trouble { error: error.into(), frames: Vec::new() }
    }
}

impl Fault {
    /// Told inside the platform's own pages, too: a frame that stays empty tells nobody anything.
    pub fn inside(mut self, consumer: &ToolConsumer) -> Self {
        let (Self::Refused { frames: known, .. } | Self::Trouble { frames: known, .. }) = &mut self;
        if known.is_empty() {
            *known = frames(consumer);
        }
        self
    }
}

impl From<Refusal> for Fault {
    fn from(why: Refusal) -> Self {
        Self::Refused { why, frames: Vec::new() }
    }
}

pub type Result<T, E = Fault> = std::result::Result<T, E>;

impl Refusal {
    /// Told inside the platform's own pages.
    fn to(self, consumer: &ToolConsumer) -> Fault {
        Fault::Refused { why: self, frames: frames(consumer) }
    }
}

/// The origins that may show our pages inside theirs.
pub fn frames(consumer: &ToolConsumer) -> Vec<String> {
    consumer.lti.as_ref().map(|lti| lti.frame_ancestors.clone()).unwrap_or_default()
}

/// Where launches come to.
pub fn launch_url(app: &App) -> String {
    format!("{}/lti/launch", app.links.base())
}

/// What is kept of who launched.
fn user_digest(consumer: ToolConsumerId, user_id: &str) -> String {
    token::hex(&token::digest(&format!("{consumer} {user_id}")))
}

fn query(pairs: &[(&str, &str)]) -> String {
    let one = |(key, value): &(&str, &str)| format!("{key}={}", utf8_percent_encode(value, NON_ALPHANUMERIC));
    pairs.iter().map(one).collect::<Vec<_>>().join("&")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_platform_explains_is_not_for_the_log() {
        let said = |word: Option<&str>| {
            let said = Said { word: word.map(str::to_owned), said: "Ana is not enrolled".to_owned() };
            Refusal::PlatformSaid(said).to_string()
        };
        assert_eq!(said(Some("login_required")), "the platform said: login_required");
        assert_eq!(said(None), "the platform said no");
    }
}
