//! Why an outbound request failed.

/// Messages contain no credentials, and at most the origin of a URL.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// The address is not permitted. The message says why.
    #[error("{0}")]
    Refused(String),
    /// Unreachable, rate limited, or broken. A retry may help.
    #[error("{0}")]
    Unavailable(String),
    /// Our credentials were rejected, or lack the permission.
    #[error("{0}")]
    Denied(String),
    /// The resource does not exist.
    #[error("it is not there")]
    Missing,
}

pub type Result<T, E = Error> = std::result::Result<T, E>;

impl Error {
    /// A retry may help.
    pub(super) const fn is_transient(&self) -> bool {
        matches!(self, Self::Unavailable(_))
    }
}
