//! A person as a visitor, and the session that proves who they are.

use std::time::Duration;

use super::{
    ids::{InstitutionId, SsoConnectionId},
    moment::Moment,
};

/// Dangerous acts, and files with the data of people, need somebody who has proven this recently who they are.
pub const FRESH: Duration = Duration::from_secs(600);

/// A person: an email in an institution. The same email in two institutions is two persons.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct PersonId {
    pub institution: InstitutionId,
    /// Canonical form, as in `Email::key`.
    pub email_key: String,
}

/// How a person proved who they are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum How {
    /// A mailed link or code.
    Mail,
    /// A link that the operator printed.
    Link,
    /// A QR code shown in another session of theirs.
    Handover,
    /// The institution's OpenID provider.
    Oidc,
    /// A header of a trusted reverse proxy.
    Proxy,
    /// The personal link of an invitation, which was mailed or handed out.
    Invitation,
}

impl How {
    const ALL: [Self; 6] =
        [Self::Mail, Self::Link, Self::Handover, Self::Oidc, Self::Proxy, Self::Invitation];

    /// Has the person proven who they are when the session is opened? A provider or a proxy may have recognized them by a session of
    /// days ago, and whoever holds a QR code or an invitation proves nothing.
    pub const fn proves_at_opening(self) -> bool {
        match self {
            Self::Mail | Self::Link => true,
            Self::Handover | Self::Oidc | Self::Proxy | Self::Invitation => false,
        }
    }

    /// The value in the database.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Mail => "mail",
            Self::Link => "link",
            Self::Handover => "handover",
            Self::Oidc => "oidc",
            Self::Proxy => "proxy",
            Self::Invitation => "invitation",
        }
    }

    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|how| how.word() == word)
    }

    /// Does it prove less than control of the mailbox or of an account? Whoever holds the device with a QR code or a forwarded
    /// invitation may record, hear the recording and agree to the text about recordings, and nothing else.
    pub const fn is_restricted(self) -> bool {
        match self {
            Self::Handover | Self::Invitation => true,
            Self::Mail | Self::Link | Self::Oidc | Self::Proxy => false,
        }
    }
}

/// What signing out at the OpenID provider needs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProviderSession {
    pub connection: SsoConnectionId,
    /// Encrypted, as stored.
    pub sealed_id_token: Option<String>,
}

#[derive(Debug, Clone)]
pub struct Session {
    pub person: PersonId,
    pub how: How,
    pub created_at: Moment,
    pub last_used_at: Moment,
    pub expires_at: Moment,
    /// When the person has proven who they are. `None` if nobody can tell.
    pub authenticated_at: Option<Moment>,
    /// Has the institution itself said who this is? Its proxy does, and a provider with accounts of its people alone.
    pub is_vouched: bool,
}

impl Session {
    /// Has the person proven who they are just now?
    pub fn is_fresh(&self, now: Moment) -> bool {
        self.authenticated_at.is_some_and(|at| now <= at.plus(FRESH))
    }
}
