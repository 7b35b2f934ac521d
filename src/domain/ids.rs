//! The ids of records. Each kind has a type of its own, so that a page's id is never taken for a person's, nor any of
//! them for the institution's that a query must be limited to. Numbers become ids where they enter: `store` reads them
//! from rows, `app::Ids` makes them, faces parse them.

use std::{fmt, num::ParseIntError, str::FromStr};

use serde::{Deserialize, Serialize};

/// An id of any kind, for code that reads, writes or makes them all alike.
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
    /// Unique within its institution: also the place in the institution's roll.
    ParticipantId,
    CustomFieldId,
    TokenId,
    ToolConsumerId,
    CourseId,
    CallId,
    /// An attempt of a call.
    AttemptId,
    ExportId,
    JobId,
}
