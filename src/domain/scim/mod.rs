//! SCIM 2.0 (RFC 7643 and RFC 7644): resources as JSON, their schemas, filters, PATCH, and what follows from them for registrations.
//! What directories really send is in docs/scim.md.

pub mod connection;
pub mod filter;
pub mod group;
pub mod patch;
pub mod plan;
pub mod resource;
pub mod schema;
pub mod user;

pub use connection::Connection;

/// What is wrong with a request, in the words of RFC 7644 (table 9).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FaultKind {
    InvalidFilter,
    TooMany,
    Uniqueness,
    Mutability,
    InvalidSyntax,
    InvalidPath,
    NoTarget,
    InvalidValue,
}

impl FaultKind {
    /// The value of `scimType`.
    pub const fn word(self) -> &'static str {
        match self {
            Self::InvalidFilter => "invalidFilter",
            Self::TooMany => "tooMany",
            Self::Uniqueness => "uniqueness",
            Self::Mutability => "mutability",
            Self::InvalidSyntax => "invalidSyntax",
            Self::InvalidPath => "invalidPath",
            Self::NoTarget => "noTarget",
            Self::InvalidValue => "invalidValue",
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    pub kind: FaultKind,
    /// For whoever reads the log of the directory.
    pub detail: String,
}

impl Fault {
    pub fn new(kind: FaultKind, detail: impl Into<String>) -> Self {
        Self { kind, detail: detail.into() }
    }

    pub fn value(detail: impl Into<String>) -> Self {
        Self::new(FaultKind::InvalidValue, detail)
    }

    pub fn syntax(detail: impl Into<String>) -> Self {
        Self::new(FaultKind::InvalidSyntax, detail)
    }
}

impl std::fmt::Display for Fault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {}", self.kind.word(), self.detail)
    }
}
