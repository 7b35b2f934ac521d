//! Finished answers to lookups and short lists, kept until the database changes. Directories ask for the same few people
//! again and again, and pollers for the same page of a list; such an answer costs neither a query nor serialization.
//!
//! An answer is kept when its question is asked for the second time: most questions of a nightly synchronization are asked once,
//! and would displace those that are asked all day.

use std::sync::Arc;

use bytes::Bytes;

use super::limiter::LimitKey;
use crate::{
    domain::ids::{InstitutionId, TokenId},
    store::kept::Kept,
};

/// Memory for all answers together.
pub const MAX_BYTES: usize = 32 * 1024 * 1024;
/// Enough for 100 people with embeds. Larger answers are not kept: they would displace too many small ones.
pub const MAX_ANSWER_BYTES: usize = 128 * 1024;

pub type Answers = Kept<KeptQuestion, Answer>;

/// Everything that an answer depends on besides the database.
#[derive(Debug, Clone, Copy, Hash)]
pub struct Question<'a> {
    pub asker: Asker,
    /// Path and query, as sent.
    pub target: &'a str,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Asker {
    /// Tokens may reach different pages.
    Token(InstitutionId, TokenId),
    /// Version 2: whoever knows the code, which is part of the target.
    Anyone,
}

/// A `Question` of its own.
pub struct KeptQuestion {
    asker: Asker,
    target: Box<str>,
}

impl From<Question<'_>> for KeptQuestion {
    fn from(Question { asker, target }: Question<'_>) -> Self {
        Self { asker, target: target.into() }
    }
}

impl PartialEq<KeptQuestion> for Question<'_> {
    fn eq(&self, kept: &KeptQuestion) -> bool {
        self.asker == kept.asker && *self.target == *kept.target
    }
}

#[derive(Debug, Clone)]
pub struct Answer {
    pub body: Bytes,
    /// The `Link` header with the successor of an old version.
    pub link: Option<Bytes>,
    /// Version 2: how its requests are counted, which the database says too.
    pub limit: Option<(LimitKey, Option<u32>)>,
    /// The route that was matched, for logs and metrics.
    pub route: Arc<str>,
}
