//! Why a request did not lead to what was asked for.

/// Sentences hold no credentials, and of an address the origin at most.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// The address is not permitted: what is wrong with it.
    #[error("{0}")]
    Refused(String),
    /// It cannot be reached, asks us to slow down, or is broken: a retry may help.
    #[error("{0}")]
    Unavailable(String),
    /// It does not accept our credentials.
    #[error("{0}")]
    Denied(String),
    #[error("it is not there")]
    Missing,
}

pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Errors of callers that say whether a retry may help.
pub trait Transient: From<Error> {
    fn is_transient(&self) -> bool;
}

impl Transient for Error {
    fn is_transient(&self) -> bool {
        matches!(self, Self::Unavailable(_))
    }
}
