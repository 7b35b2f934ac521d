//! What can go wrong, as meanings. The API versions and the command line match them exhaustively; see docs/errors.md for pages.

use crate::{
    blobs,
    domain::{
        access::{Action, TokenScope},
        fault::{Fault, Field},
        field_errors::FieldErrors,
    },
    lms, store,
};

pub type Result<T, E = Error> = std::result::Result<T, E>;

#[derive(Debug)]
pub enum Error {
    /// No token, or none that we know.
    Unauthorized,
    /// Too many requests from one address brought no token that we know; another is accepted after so many seconds.
    TooManyFailures {
        retry_after: u64,
    },
    /// The token is good, but not for this.
    Forbidden(Forbidden),
    /// There is no such thing, or it belongs to somebody else: callers cannot tell, and must not.
    Missing(Missing),
    Invalid(FieldErrors),
    /// Somebody who is being called, or will be, cannot be deleted.
    PendingCalls,
    /// Its operator has switched it off.
    ToolConsumerDisabled,
    /// One synchronisation of a course at a time.
    CourseSynchronizing,
    /// A learning system did not give what was asked of it.
    LearningSystem(lms::Error),
    /// More work is waiting than we take on: the same request will work in a moment.
    Busy,
    /// So many exports of the institution wait to be built already.
    TooManyExports {
        most: u32,
    },
    /// As many long answers as we send at once are under way: the same request will work when one of them has ended.
    TooManyStreams,
    /// The same request may work later.
    Unavailable(String),
    /// A fault of ours: logged, never shown.
    Internal(String),
}

/// What a token lacks. Its own institution's things only: those of others are missing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Forbidden {
    Scope {
        has: TokenScope,
        needs: Action,
    },
    /// The token is limited to other name pages.
    NamePage,
    /// The export has people of other name pages.
    Export,
}

impl std::fmt::Display for Forbidden {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Scope { has, needs } => write!(
                f,
                "Forbidden: this request needs an access token with the scope `{}`, and this one has `{}`",
                needs.word(),
                has.word()
            ),
            Self::NamePage => f.write_str("Forbidden: this access token is limited to other name pages"),
            Self::Export => {
                f.write_str("Forbidden: this export includes name pages outside this access token's limit")
            }
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Missing {
    Institution,
    NamePage,
    Participant,
    Recording,
    Token,
    CustomField,
    Export,
    Job,
    Call,
    ToolConsumer,
    Course,
}

/// In the contract's words, wherever it is told.
pub const PENDING_CALLS: &str = "Participant has pending calls";
pub const TOOL_CONSUMER_DISABLED: &str = "API integration for tool consumer is disabled";
pub const COURSE_SYNCHRONIZING: &str = "Course is synchronizing now";

impl Error {
    pub fn invalid(field: Field, fault: impl Into<Fault>) -> Self {
        Self::Invalid(FieldErrors::one(field, fault))
    }
}

impl From<store::Error> for Error {
    fn from(error: store::Error) -> Self {
        match error {
            store::Error::Unavailable(_) => Self::Unavailable(error.to_string()),
            store::Error::Conflict | store::Error::Broken(_) => Self::Internal(error.to_string()),
        }
    }
}

impl From<blobs::Error> for Error {
    fn from(error: blobs::Error) -> Self {
        Self::Unavailable(error.to_string())
    }
}

impl From<lms::Error> for Error {
    fn from(error: lms::Error) -> Self {
        Self::LearningSystem(error)
    }
}

impl From<FieldErrors> for Error {
    fn from(errors: FieldErrors) -> Self {
        Self::Invalid(errors)
    }
}

/// The command line's words.
impl std::fmt::Display for Error {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Unauthorized => f.write_str("not authorized"),
            Self::TooManyFailures { .. } => f.write_str("too many failed authentications"),
            Self::Forbidden(why) => why.fmt(f),
            Self::Missing(what) => write!(f, "there is no such {what}"),
            Self::Invalid(errors) => errors.fmt(f),
            Self::PendingCalls => f.write_str(PENDING_CALLS),
            Self::ToolConsumerDisabled => f.write_str(TOOL_CONSUMER_DISABLED),
            Self::CourseSynchronizing => f.write_str(COURSE_SYNCHRONIZING),
            Self::LearningSystem(why) => why.fmt(f),
            Self::TooManyStreams => {
                f.write_str("too many long answers are being sent; please try again later")
            }
            Self::Busy => f.write_str("too much is waiting to be processed; please try again in a moment"),
            Self::TooManyExports { most } => write!(f, "{most} exports are waiting to be built already"),
            Self::Unavailable(why) | Self::Internal(why) => f.write_str(why),
        }
    }
}

impl std::fmt::Display for Missing {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Institution => "institution",
            Self::NamePage => "name page",
            Self::Participant => "participant",
            Self::Recording => "recording",
            Self::Token => "token",
            Self::CustomField => "custom field",
            Self::Export => "export",
            Self::Job => "job",
            Self::Call => "call",
            Self::ToolConsumer => "tool consumer",
            Self::Course => "course",
        })
    }
}

impl std::error::Error for Error {}
