//! Finished answers to lookups and short lists, kept until the database changes. Directories ask for the same few people
//! again and again, and pollers for the same page of a list; such an answer costs neither a query nor serialization.

use bytes::Bytes;

use super::{kept::Kept, limiter::LimitKey};
use crate::domain::ids::{InstitutionId, TokenId};

/// Memory for all answers together.
pub const MAX_BYTES: usize = 32 * 1024 * 1024;
/// Enough for 100 people with embeds. Larger answers are not kept: they would displace too many small ones.
pub const MAX_ANSWER_BYTES: usize = 128 * 1024;

pub type Answers = Kept<Question, Answer>;

/// Everything that an answer depends on besides the database.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Question {
    pub asker: Asker,
    /// Path and query, as sent.
    pub target: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Asker {
    /// Tokens may reach different pages.
    Token(InstitutionId, TokenId),
    /// Version 2: whoever knows the code, which is part of the target.
    Anyone,
}

#[derive(Debug, Clone)]
pub struct Answer {
    pub body: Bytes,
    /// The `Link` header with the successor of an old version.
    pub link: Option<Bytes>,
    /// Version 2: how its requests are counted, which the database says too.
    pub limit: Option<(LimitKey, Option<u32>)>,
}
