//! Errors of use cases, by meaning. The API versions and the command line match them exhaustively; for web pages, see
//! docs/errors.md.

use crate::{
    blobs,
    domain::{
        access::InsufficientScope,
        fault::{Fault, Field},
        field_errors::FieldErrors,
        idempotency::KeyFault,
        scim,
    },
    lms, store,
};

pub type Result<T, E = Error> = std::result::Result<T, E>;

#[derive(Debug)]
pub enum Error {
    /// The token is missing or unknown.
    Unauthorized,
    /// Too many requests from one address without a valid token; retry after this many seconds.
    TooManyFailures {
        retry_after: u64,
    },
    /// The actor is authenticated but may not do this.
    Forbidden(Forbidden),
    /// Not found, or owned by another tenant: callers must not be able to tell the difference.
    Missing(Missing),
    Invalid(FieldErrors),
    /// A participant with pending calls cannot be deleted.
    PendingCalls,
    /// The operator disabled the tool consumer.
    ToolConsumerDisabled,
    /// Another synchronization of the course is in progress.
    CourseSynchronizing,
    /// A request to a learning system failed.
    LearningSystem(lms::Error),
    /// Too much work is queued. Retry shortly.
    Busy,
    /// A write would reference files that are not stored: it was rolled back, and is retried with them (`own_recordings::Attempts`). No use
    /// case returns it.
    FilesNeeded,
    /// The institution already has the maximum number of exports waiting to be built.
    TooManyPendingExports {
        most: u32,
    },
    /// The maximum number of concurrent streamed responses is reached. Retrying succeeds once one of them ends.
    TooManyStreams,
    /// The `Idempotency-Key` of the request.
    IdempotencyKey(KeyFault),
    /// A request of a directory is wrong, or in conflict with what there is.
    Scim(scim::Fault),
    /// A temporary failure. A retry may succeed.
    Unavailable(String),
    /// A bug or inconsistent data on our side: logged, never shown to clients.
    Internal(String),
}

/// What the actor lacks. Used only for resources of the actor's own institution; those of others are `Missing`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Forbidden {
    Scope(InsufficientScope),
    /// The actor may not administer the institution, or the installation.
    Administration,
    /// The actor administers the institution, but only owners may do this.
    Ownership,
    /// The token is limited to other name pages.
    NamePage,
    /// The export includes people of name pages outside the token's limit.
    Export,
    /// The session was handed over from another device, and cannot be handed over again.
    Handover,
}

impl std::fmt::Display for Forbidden {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Scope(InsufficientScope { has, needs }) => write!(
                f,
                "Forbidden: this request needs an access token with the scope `{}`, and this one has `{}`",
                needs.word(),
                has.word()
            ),
            Self::Administration => f.write_str("Forbidden: this is reserved for administrators"),
            Self::Ownership => f.write_str("Forbidden: this is reserved for owners of the institution"),
            Self::NamePage => f.write_str("Forbidden: this access token is limited to other name pages"),
            Self::Export => {
                f.write_str("Forbidden: this export includes name pages outside this access token's limit")
            }
            Self::Handover => {
                f.write_str("Forbidden: this session was handed over and cannot be handed over again")
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
    SsoConnection,
    Invitation,
    Member,
    ScimConnection,
    ScimUser,
    ScimGroup,
}

/// These texts are fixed by the API contract.
pub const PENDING_CALLS: &str = "Participant has pending calls";
pub const TOOL_CONSUMER_DISABLED: &str = "API integration for tool consumer is disabled";
pub const COURSE_SYNCHRONIZING: &str = "Course is synchronizing now";

impl Error {
    /// Whether a write that ended so has certainly changed nothing, so that the files which it has stored can be removed. After other errors, the
    /// commit may have happened although its response was lost, and a row without its file would be a dead link: the sweep decides, by the
    /// database.
    pub(super) const fn is_rolled_back(&self) -> bool {
        matches!(
            self,
            Self::FilesNeeded | Self::Invalid(_) | Self::Missing(_) | Self::IdempotencyKey(_) | Self::Scim(_)
        )
    }

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

impl From<InsufficientScope> for Error {
    fn from(lack: InsufficientScope) -> Self {
        Self::Forbidden(Forbidden::Scope(lack))
    }
}

impl From<scim::Fault> for Error {
    fn from(fault: scim::Fault) -> Self {
        Self::Scim(fault)
    }
}

impl From<FieldErrors> for Error {
    fn from(errors: FieldErrors) -> Self {
        Self::Invalid(errors)
    }
}

/// The texts for the command line.
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
            Self::FilesNeeded | Self::Busy => {
                f.write_str("too much is waiting to be processed; please try again in a moment")
            }
            Self::TooManyPendingExports { most } => {
                write!(f, "{most} exports are waiting to be built already")
            }
            Self::IdempotencyKey(_) => f.write_str("the idempotency key cannot be used"),
            Self::Scim(fault) => fault.fmt(f),
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
            Self::SsoConnection => "single sign-on connection",
            Self::Invitation => "invitation",
            Self::Member => "member",
            Self::ScimConnection => "SCIM connection",
            Self::ScimUser => "user",
            Self::ScimGroup => "group",
        })
    }
}

impl std::error::Error for Error {}
