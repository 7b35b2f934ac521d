//! Record ids. Each kind is a newtype, so that a page's id cannot be passed as a person's, nor any of them as the tenant's
//! id that a query must be limited to. Integers become ids at the boundaries: `store` reads them from rows, `app::Ids`
//! generates them, and the interfaces parse them.

use std::{fmt, num::ParseIntError, str::FromStr};

use serde::{Deserialize, Serialize};

/// Any kind of id, for generic code that reads, writes or generates them.
pub trait Id: Copy + From<i64> + Into<i64> {}

macro_rules! ids {
    ($($(#[$about:meta])* $name:ident,)+) => {$(
        $(#[$about])*
        #[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(i64);

        impl $name {
            pub const fn new(number: i64) -> Self {
                Self(number)
            }

            pub const fn get(self) -> i64 {
                self.0
            }
        }

        impl From<i64> for $name {
            fn from(number: i64) -> Self {
                Self(number)
            }
        }

        impl From<$name> for i64 {
            fn from(id: $name) -> Self {
                id.0
            }
        }

        impl FromStr for $name {
            type Err = ParseIntError;

            fn from_str(text: &str) -> Result<Self, ParseIntError> {
                text.parse().map(Self)
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }

        impl Id for $name {}
    )+};
}

ids! {
    InstitutionId,
    NamePageId,
    /// Unique within its institution; also the position in the institution's roll.
    ParticipantId,
    CustomFieldId,
    TokenId,
    ToolConsumerId,
    CourseId,
    CallId,
    /// An attempt at a call.
    AttemptId,
    ExportId,
    JobId,
    /// A message in the outbox.
    MessageId,
    SignInRequestId,
    SignInLinkId,
    SsoConnectionId,
    InvitationId,
    /// A case of moderation.
    ModerationId,
    ImportId,
    /// An entry of the audit log.
    AuditId,
}
