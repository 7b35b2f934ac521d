//! Integration into learning systems by LTI 1.3: keys, logins, launches, sessions, and dynamic registration of platforms.

pub mod courses;
pub mod deep_links;
pub mod entrance;
pub mod keys;
pub mod launches;
pub mod logins;
pub mod registrations;
pub mod sessions;
pub mod windows;

use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};

use super::Error;
use crate::{
    domain::{digest, field_errors::FieldErrors, ids::ToolConsumerId, lti, tool_consumer::ToolConsumer},
    jwt::token as jwt,
};

/// Why a request is refused. Each is shown as a page with one sentence, and logged.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Refusal {
    /// A required parameter is missing or too long.
    Incomplete(&'static str),
    UnknownPlatform,
    Disabled,
    /// The issuer of the registration is neither proven nor confirmed.
    Unconfirmed,
    /// The target link is not on this server.
    ForeignTarget,
    /// The state is unknown or was used before.
    UnknownState,
    Late,
    /// The browser sent no cookie, or that of another login. Contains the URL to restart the login, or an empty string if
    /// it was not stored.
    OtherBrowser(String),
    /// The platform returned an error.
    Platform(PlatformError),
    /// The platform's keys could not be fetched.
    NoKeys(String),
    Token(jwt::Fault),
    Claims(lti::Fault),
    NoCourse,
    /// None of the person's roles gives access: for example, they neither teach nor learn in the course.
    NoPart,
    /// A teacher who previews the course as a student.
    Preview,
    /// A student without a user id.
    Anonymous,
    /// The session does not exist, has expired, or belongs to somebody else.
    NoSession,
    UnknownInvite,
    Registration(RegistrationFault),
    /// Rate limit of logins from one address.
    TooMany,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RegistrationFault {
    /// The platform could not be reached, or its response violates the standard. Contains the HTTP client's message.
    Platform(String),
    /// The platform's configuration is invalid.
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

/// An error reported by the platform. Untrusted: anybody can forge it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlatformError {
    /// The error code, for the log.
    pub word: Option<String>,
    /// The description, shown only to the person in the browser; never logged.
    pub said: String,
}

impl std::fmt::Display for Refusal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Incomplete(what) => write!(f, "{what} is missing or too long"),
            Self::UnknownPlatform => f.write_str("the platform is not registered"),
            Self::Disabled => f.write_str("the tool consumer is disabled"),
            Self::Unconfirmed => f.write_str("the issuer is neither proven nor confirmed"),
            Self::ForeignTarget => f.write_str("the target is not an address of ours"),
            Self::UnknownState => f.write_str("the state is not known, or used"),
            Self::Late => f.write_str("the state has expired"),
            Self::OtherBrowser(_) => f.write_str("the state is not this browser's"),
            Self::Platform(PlatformError { word: Some(word), .. }) => write!(f, "the platform said: {word}"),
            Self::Platform(PlatformError { word: None, .. }) => f.write_str("the platform said no"),
            Self::NoKeys(why) => write!(f, "the platform's keys cannot be fetched: {why}"),
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

/// The errors of launches and their pages.
#[derive(Debug)]
pub enum Fault {
    Refused {
        why: Refusal,
        /// The origins that may embed the error page (`frame-ancestors`).
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
    /// Lets the platform's pages embed the error page, because otherwise the frame would stay empty.
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
    /// Builds the error, with a page that the platform's pages may embed.
    fn to(self, consumer: &ToolConsumer) -> Fault {
        Fault::Refused { why: self, frames: frames(consumer) }
    }
}

/// Returns the origins whose pages may embed ours (`frame-ancestors`).
pub fn frames(consumer: &ToolConsumer) -> Vec<String> {
    consumer.lti.as_ref().map(|lti| lti.frame_ancestors.clone()).unwrap_or_default()
}

/// Refuses a platform through which nobody may come in now.
fn check_open(consumer: &ToolConsumer) -> Result<()> {
    if !consumer.enabled {
        return Err(Refusal::Disabled.to(consumer));
    }
    if consumer.is_unconfirmed() { Err(Refusal::Unconfirmed.to(consumer)) } else { Ok(()) }
}

/// Identifies a platform's user without storing their id.
fn user_digest(consumer: ToolConsumerId, user_id: &str) -> String {
    digest::hex(&digest::of(&format!("{consumer} {user_id}")))
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
            let said =
                PlatformError { word: word.map(str::to_owned), said: "Ana is not enrolled".to_owned() };
            Refusal::Platform(said).to_string()
        };
        assert_eq!(said(Some("login_required")), "the platform said: login_required");
        assert_eq!(said(None), "the platform said no");
    }
}
