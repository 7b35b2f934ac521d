//! Finished answers to lookups and short lists, kept until the database changes. Directories ask for the same few people
//! again and again, and pollers for the same page of a list; such an answer costs neither a query nor serialization.
//!
//! An answer is kept when its question is asked for the second time: most of a nightly synchronization's questions are asked once,
//! and would displace those that are asked all day. When the memory is full, the answers that were not asked for lately go.

use std::{
    collections::HashMap,
    hash::{BuildHasher, RandomState},
    mem,
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
/// A shard has two.
const GENERATION_BYTES: usize = MAX_BYTES / SHARDS / 2;
/// How many questions a shard remembers that were asked once.
const ASKED: usize = 4096;
/// Enough for 100 people with embeds. Larger answers are not kept: they would displace too many small ones.
pub const MAX_ANSWER_BYTES: usize = 128 * 1024;
/// Roughly what an entry costs besides its texts.
const ENTRY_BYTES: usize = 240;

/// Everything that an answer depends on besides the database.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
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

#[derive(Debug, Clone)]
pub struct Answer {
    pub body: Bytes,
    /// The `Link` header with the successor of an old version.
    pub link: Option<Bytes>,
    /// Version 2: how its requests are counted, which the database says too.
    pub limit: Option<(LimitKey, Option<u32>)>,
}

struct Kept {
    asker: Asker,
    target: Box<str>,
    answer: Answer,
}

impl Kept {
    fn bytes(&self) -> usize {
        ENTRY_BYTES + self.target.len() + self.answer.body.len()
    }

    fn is_for(&self, question: Question<'_>) -> bool {
        self.asker == question.asker && *self.target == *question.target
    }
}

/// Answers by the hash of their question.
#[derive(Default)]
struct Generation {
    answers: HashMap<u64, Kept>,
    bytes: usize,
}

#[derive(Default)]
struct Shard {
    version: Option<DataVersion>,
    /// Kept or asked for lately. When it is full, it becomes `older`.
    recent: Generation,
    older: Generation,
    /// The hashes of questions, each at its place, whatever the version.
    asked: Vec<u32>,
}

impl Shard {
    fn get(&mut self, hash: u64, question: Question<'_>) -> Option<Answer> {
        if let Some(kept) = self.recent.answers.get(&hash) {
            return kept.is_for(question).then(|| kept.answer.clone());
        }
        let kept = self.older.answers.remove(&hash)?;
        self.older.bytes -= kept.bytes();
        let answer = kept.is_for(question).then(|| kept.answer.clone());
        self.insert(hash, kept);
        answer
    }

    fn insert(&mut self, hash: u64, kept: Kept) {
        let bytes = kept.bytes();
        if self.recent.bytes + bytes > GENERATION_BYTES {
            self.older = mem::take(&mut self.recent);
        }
        self.recent.bytes += bytes;
        if let Some(before) = self.recent.answers.insert(hash, kept) {
            // Two requests may have made the same answer at once.
            self.recent.bytes -= before.bytes();
        }
    }

    /// Was the question asked before? If so, its answer is worth its memory.
    fn is_asked_again(&mut self, hash: u64) -> bool {
        if self.asked.is_empty() {
            self.asked.resize(ASKED, 0);
        }
        // Neither the bits that choose the shard nor those that choose the place.
        let (place, print) = (hash as usize % ASKED, (hash >> 16) as u32);
        mem::replace(&mut self.asked[place], print) == print
    }
}

#[derive(Default)]
pub struct Answers {
    shards: [Mutex<Shard>; SHARDS],
    hasher: RandomState,
}

impl Answers {
    /// The answer to this question, if nothing was written since it was made.
    pub fn get(&self, version: DataVersion, question: Question<'_>) -> Option<Answer> {
        let hash = self.hasher.hash_one(question);
        let mut shard = self.shard(hash);
        if shard.version == Some(version) { shard.get(hash, question) } else { None }
    }

    /// Whether `keep` is to be called with the answer, because the question was asked before.
    pub fn is_asked_again(&self, question: Question<'_>) -> bool {
        let hash = self.hasher.hash_one(question);
        self.shard(hash).is_asked_again(hash)
    }

    /// An answer of at most `MAX_ANSWER_BYTES`. `version` was read before the database was.
    pub fn keep(&self, version: DataVersion, question: Question<'_>, answer: Answer) {
        let hash = self.hasher.hash_one(question);
        let kept = Kept { asker: question.asker, target: question.target.into(), answer };
        let mut shard = self.shard(hash);
        if shard.version > Some(version) {
            return;
        }
        if shard.version < Some(version) {
            (shard.recent, shard.older) = Default::default();
            shard.version = Some(version);
        }
        shard.insert(hash, kept);
    }

    fn shard(&self, hash: u64) -> MutexGuard<'_, Shard> {
        // The high bits: the maps use the low ones.
        let number = (hash >> 48) as usize % SHARDS;
        self.shards[number].lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn question(target: &str) -> Question<'_> {
        Question { asker: Asker::Anyone, target }
    }

    fn answer(body: impl Into<Bytes>) -> Answer {
        Answer { body: body.into(), link: None, limit: None }
    }

    #[test]
    fn a_question_is_worth_an_answer_when_it_is_asked_again() {
        let answers = Answers::default();
        assert!(!answers.is_asked_again(question("/a")));
        assert!(answers.is_asked_again(question("/a")));
        assert!(!answers.is_asked_again(question("/b")));
        let other = Question { asker: Asker::Token(InstitutionId::new(1), TokenId::new(1)), target: "/a" };
        assert!(!answers.is_asked_again(other));
    }

    #[test]
    fn an_answer_ends_with_its_version() {
        let answers = Answers::default();
        let [first, second] = DataVersion::examples();
        answers.keep(first, question("/a"), answer("1"));
        assert_eq!(answers.get(first, question("/a")).map(|kept| kept.body), Some("1".into()));
        assert!(answers.get(second, question("/a")).is_none());
        answers.keep(second, question("/a"), answer("2"));
        assert!(answers.get(first, question("/a")).is_none());
        // Made before the change, and kept too late.
        answers.keep(first, question("/a"), answer("1"));
        assert_eq!(answers.get(second, question("/a")).map(|kept| kept.body), Some("2".into()));
    }

    #[test]
    fn what_is_asked_for_stays_and_memory_is_bounded() {
        let answers = Answers::default();
        let [version, _] = DataVersion::examples();
        let body = Bytes::from(vec![b'x'; 100_000]);
        answers.keep(version, question("/popular"), answer(body.clone()));
        for number in 0..2_000 {
            answers.keep(version, question(&format!("/{number}")), answer(body.clone()));
            assert!(answers.get(version, question("/popular")).is_some(), "after {number}");
        }
        let kept = |shard: &Mutex<Shard>| {
            let shard = shard.lock().unwrap();
            let all = shard.recent.answers.values().chain(shard.older.answers.values());
            let bytes = all.map(Kept::bytes).sum::<usize>();
            assert_eq!(bytes, shard.recent.bytes + shard.older.bytes);
            bytes
        };
        let bytes: usize = answers.shards.iter().map(kept).sum();
        assert!(bytes <= MAX_BYTES && bytes > MAX_BYTES / 4, "{bytes}");
    }
}
