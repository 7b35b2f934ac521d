//! Finished answers to lookups and short lists, kept until the database changes. Directories ask for the same few people
//! again and again, and pollers for the same page of a list; such an answer costs neither a query nor serialization.

use std::{
    collections::HashMap,
    hash::{BuildHasher, RandomState},
    sync::{Mutex, MutexGuard, PoisonError},
};

use bytes::Bytes;

use super::limiter::LimitKey;
use crate::{
    domain::ids::{InstitutionId, TokenId},
    store::DataVersion,
};

/// Memory for all answers together.
const MAX_BYTES: usize = 32 * 1024 * 1024;
const SHARDS: usize = 16;
/// Enough for 100 people with embeds. Larger answers are not kept: they would displace too many small ones.
pub const MAX_ANSWER_BYTES: usize = 128 * 1024;
/// Roughly what an entry costs besides its texts.
const ENTRY_BYTES: usize = 240;

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

#[derive(Default)]
struct Shard {
    version: Option<DataVersion>,
    answers: HashMap<Question, Answer>,
    bytes: usize,
}

impl Shard {
    fn clear(&mut self) {
        self.answers.clear();
        self.bytes = 0;
    }
}

#[derive(Default)]
pub struct Answers {
    shards: [Mutex<Shard>; SHARDS],
    hasher: RandomState,
}

impl Answers {
    /// The answer to this question, if nothing was written since it was made.
    pub fn get(&self, version: DataVersion, question: &Question) -> Option<Answer> {
        let shard = self.shard(question);
        if shard.version == Some(version) { shard.answers.get(question).cloned() } else { None }
    }

    /// An answer of at most `MAX_ANSWER_BYTES`. `version` was read before the database was.
    pub fn keep(&self, version: DataVersion, question: Question, answer: Answer) {
        let bytes = ENTRY_BYTES + question.target.len() + answer.body.len();
        let mut shard = self.shard(&question);
        if shard.version > Some(version) {
            return;
        }
        if shard.version < Some(version) || shard.bytes + bytes > MAX_BYTES / SHARDS {
            shard.clear();
            shard.version = Some(version);
        }
        // Two requests may have made the same answer at once.
        if shard.answers.insert(question, answer).is_none() {
            shard.bytes += bytes;
        }
    }

    fn shard(&self, question: &Question) -> MutexGuard<'_, Shard> {
        // The high bits: the map uses the low ones of its own hash.
        let number = (self.hasher.hash_one(question) >> 32) as usize % SHARDS;
        self.shards[number].lock().unwrap_or_else(PoisonError::into_inner)
    }
}
