//! OpenID Connect from the client's side (relying party): discovery, the authorization code flow with PKCE, and signing out at the
//! provider. All requests go through `Outbound`, which enforces the allowed addresses. Which claims are accepted is decided in
//! `domain::sso`.

mod discovery;
mod flow;

pub use discovery::{Provider, Providers, discover, keys};
pub use flow::{Authorization, Client, Tokens, authorization_url, redeem, sign_out_url, user_info};

use crate::outbound;

/// Messages are for operators. They contain no credentials, and at most the origin of a URL.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// The provider is unreachable or broken. A retry may help.
    #[error("{0}")]
    Unavailable(String),
    /// The connection or the provider is misconfigured: the operator must act.
    #[error("{0}")]
    Setup(String),
    /// The provider does not accept the code. Starting again may help.
    #[error("{0}")]
    Refused(String),
}

pub type Result<T, E = Error> = std::result::Result<T, E>;

impl From<outbound::Error> for Error {
    fn from(error: outbound::Error) -> Self {
        match error {
            outbound::Error::Unavailable(why) => Self::Unavailable(why),
            outbound::Error::Refused(why) | outbound::Error::Denied(why) => Self::Setup(why),
            outbound::Error::Missing => {
                Self::Setup("one of the provider's addresses does not exist (404)".to_owned())
            }
        }
    }
}
