//! Counters of a single process, in its memory.

use std::{
    collections::HashMap,
    hash::{BuildHasher, RandomState},
    sync::{Mutex, MutexGuard, PoisonError},
};

use super::LimitKey;
use crate::domain::rate_limit::{Counter, Policy, Quota};

/// Sharded to reduce lock contention.
pub const SHARDS: usize = 16;

struct Bucket {
    counter: Counter,
    window: i64,
}

#[derive(Default)]
pub struct Memory {
    shards: [Mutex<HashMap<LimitKey, Bucket>>; SHARDS],
    hasher: RandomState,
}

impl Memory {
    /// Times are in microseconds of the monotonic clock.
    pub fn with(
        &self,
        key: LimitKey,
        policy: Policy,
        now: i64,
        what: impl FnOnce(&mut Counter, Policy, i64) -> Quota,
    ) -> Quota {
        let mut buckets = self.shard(key);
        let bucket = buckets.entry(key).or_insert_with(|| Bucket { counter: Counter::new(now), window: 0 });
        bucket.window = policy.window_micros();
        what(&mut bucket.counter, policy, now)
    }

    /// Has this key reached the ceiling in the current window?
    pub fn is_past(&self, key: LimitKey, policy: Policy, now: i64) -> bool {
        self.shard(key).get(&key).is_some_and(|bucket| {
            let counter = &bucket.counter;
            counter.used >= i64::from(policy.ceiling) && counter.is_current(now, policy.window_micros())
        })
    }

    fn shard(&self, key: LimitKey) -> MutexGuard<'_, HashMap<LimitKey, Bucket>> {
        let shard = self.hasher.hash_one(key) as usize % SHARDS;
        self.shards[shard].lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn remove_expired(&self, now: i64) {
        for shard in &self.shards {
            let mut buckets = shard.lock().unwrap_or_else(PoisonError::into_inner);
            buckets.retain(|_, bucket| bucket.counter.is_current(now, bucket.window));
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::domain::ids::TokenId;

    fn policy(ceiling: u32) -> Policy {
        Policy { ceiling, window: Duration::from_secs(900), throttle: Duration::from_secs(1) }
    }

    fn token(id: i64) -> LimitKey {
        LimitKey::Token(TokenId::new(id))
    }

    #[test]
    fn each_token_has_its_own_bucket_and_an_institution_its_own_ceiling() {
        let memory = Memory::default();
        let take = |id, ceiling| memory.with(token(id), policy(ceiling), 0, Counter::take);
        assert_eq!(take(1, 1).retry_after, None);
        assert_eq!(take(1, 1).retry_after, Some(1));
        assert_eq!(take(2, 1).retry_after, None);
        assert_eq!(take(3, 50).remaining, 49);
    }

    #[test]
    fn what_is_past_the_ceiling_is_known_until_the_window_ends() {
        let memory = Memory::default();
        assert!(!memory.is_past(token(1), policy(1), 0));
        memory.with(token(1), policy(1), 0, Counter::take);
        assert!(memory.is_past(token(1), policy(1), 899_999_999));
        assert!(!memory.is_past(token(1), policy(2), 0));
        assert!(!memory.is_past(token(1), policy(1), 900_000_000));
    }

    #[test]
    fn forgets_windows_that_are_over() {
        let memory = Memory::default();
        memory.with(token(1), policy(1), 0, Counter::take);
        memory.remove_expired(899_999_999);
        assert!(memory.shards.iter().any(|shard| !shard.lock().unwrap().is_empty()));
        memory.remove_expired(900_000_000);
        assert!(memory.shards.iter().all(|shard| shard.lock().unwrap().is_empty()));
    }
}
