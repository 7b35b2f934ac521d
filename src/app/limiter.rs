//! The rate limit: so many requests in a window, and after that one a second until the window ends.

use std::{
    collections::HashMap,
    hash::{BuildHasher, RandomState},
    net::IpAddr,
    sync::{Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use crate::domain::{
    client_address::network,
    ids::{CourseId, InstitutionId, NamePageId, TokenId},
};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Policy {
    pub ceiling: u32,
    pub window: Duration,
    /// Past the ceiling, a request is accepted when so much time has gone by since the last accepted one.
    pub throttle: Duration,
}

/// Whose requests are counted together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Whose {
    /// In versions 5, 4 and 3.
    Token(TokenId),
    /// In version 2, where the page's code is all that a caller has; 0 for the institution's own code.
    Page { institution: InstitutionId, page: NamePageId },
    /// Of those in version 2 who have no code that we know.
    Address(IpAddr),
    /// Of those in versions 5, 4 and 3 who have no token that we know.
    Failures(IpAddr),
    /// Of those who begin launches.
    Launches(IpAddr),
    /// Launches that have a course's list fetched.
    Course(CourseId),
}

impl Whose {
    /// One client has a whole /64 of IPv6 to choose from, so that counts as one.
    pub fn address(address: IpAddr) -> Self {
        Self::Address(network(address))
    }

    pub fn failures(address: IpAddr) -> Self {
        Self::Failures(network(address))
    }

    pub fn launches(address: IpAddr) -> Self {
        Self::Launches(network(address))
    }
}

/// What is said to the caller, whether accepted or not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Standing {
    pub limit: u32,
    pub remaining: u32,
    pub reset_seconds: u64,
    /// Set when the request is refused: the whole seconds until the next one would be accepted.
    pub retry_after: Option<u64>,
}

#[derive(Debug, Clone, Copy)]
struct Bucket {
    opened: Instant,
    window: Duration,
    count: u32,
    last_accepted: Instant,
}

impl Bucket {
    fn take(&mut self, policy: Policy, now: Instant) -> Standing {
        let standing = self.admit(policy, now);
        if standing.retry_after.is_some() { standing } else { self.count(policy, now) }
    }

    /// Past the ceiling, one is let through in each throttle time. Below it, nothing is counted.
    fn admit(&mut self, policy: Policy, now: Instant) -> Standing {
        if now.duration_since(self.opened) >= policy.window {
            *self = Self { opened: now, window: policy.window, count: 0, last_accepted: now };
        }
        if self.count < policy.ceiling {
            return self.standing(policy, now, None);
        }
        let since = now.duration_since(self.last_accepted);
        if since < policy.throttle {
            let wait = whole_seconds(policy.throttle.saturating_sub(since)).max(1);
            return self.standing(policy, now, Some(wait));
        }
        self.last_accepted = now;
        self.standing(policy, now, None)
    }

    fn count(&mut self, policy: Policy, now: Instant) -> Standing {
        self.count = self.count.saturating_add(1);
        self.last_accepted = now;
        self.standing(policy, now, None)
    }

    fn standing(&self, policy: Policy, now: Instant, retry_after: Option<u64>) -> Standing {
        Standing {
            limit: policy.ceiling,
            remaining: policy.ceiling.saturating_sub(self.count),
            reset_seconds: whole_seconds(policy.window.saturating_sub(now.duration_since(self.opened))),
            retry_after,
        }
    }
}

fn whole_seconds(duration: Duration) -> u64 {
    duration.as_secs() + u64::from(duration.subsec_nanos() > 0)
}

/// Where buckets are kept. One node keeps them in its memory; a store that many nodes share is another variant, with
/// the same two verbs.
enum Buckets {
    Memory(Memory),
}

pub struct Limiter {
    policy: Policy,
    buckets: Buckets,
}

impl Limiter {
    pub fn new(policy: Policy) -> Self {
        Self { policy, buckets: Buckets::Memory(Memory::default()) }
    }

    /// Counts one request. Async, because a shared store is somewhere else.
    pub async fn take(&self, whose: Whose, own_ceiling: Option<u32>, now: Instant) -> Standing {
        let policy = Policy { ceiling: own_ceiling.unwrap_or(self.policy.ceiling), ..self.policy };
        self.take_by(whose, policy, now).await
    }

    /// The same by rules that are not the operator's to choose.
    pub async fn take_by(&self, whose: Whose, policy: Policy, now: Instant) -> Standing {
        match &self.buckets {
            Buckets::Memory(memory) => memory.take(whose, policy, now),
        }
    }

    /// May this be tried? To be asked before something that is counted only when it fails. Past the ceiling, one attempt is
    /// let through in each throttle time.
    pub async fn admit(&self, whose: Whose, now: Instant) -> Standing {
        match &self.buckets {
            Buckets::Memory(memory) => {
                // Whoever has not failed yet is past no limit.
                let policy = Policy { ceiling: self.policy.ceiling.max(1), ..self.policy };
                memory.with(whose, policy, now, Bucket::admit)
            }
        }
    }

    /// Counts an attempt that was admitted and has failed.
    pub async fn count(&self, whose: Whose, now: Instant) -> Standing {
        match &self.buckets {
            Buckets::Memory(memory) => memory.with(whose, self.policy, now, Bucket::count),
        }
    }

    /// Is the ceiling of this window reached?
    pub async fn is_past(&self, whose: Whose, ceiling: u32, now: Instant) -> bool {
        match &self.buckets {
            Buckets::Memory(memory) => memory.is_past(whose, Policy { ceiling, ..self.policy }, now),
        }
    }

    /// Drops buckets whose window is over.
    pub async fn forget(&self, now: Instant) {
        match &self.buckets {
            Buckets::Memory(memory) => memory.forget(now),
        }
    }
}

/// Buckets are spread over shards, so that two busy callers seldom wait for each other.
const SHARDS: usize = 16;

#[derive(Default)]
struct Memory {
    shards: [Mutex<HashMap<Whose, Bucket>>; SHARDS],
    hasher: RandomState,
}

impl Memory {
    fn take(&self, whose: Whose, policy: Policy, now: Instant) -> Standing {
        self.with(whose, policy, now, Bucket::take)
    }

    fn with(
        &self,
        whose: Whose,
        policy: Policy,
        now: Instant,
        what: impl FnOnce(&mut Bucket, Policy, Instant) -> Standing,
    ) -> Standing {
        let mut buckets = self.shard(whose);
        let fresh = || Bucket { opened: now, window: policy.window, count: 0, last_accepted: now };
        what(buckets.entry(whose).or_insert_with(fresh), policy, now)
    }

    fn is_past(&self, whose: Whose, policy: Policy, now: Instant) -> bool {
        self.shard(whose).get(&whose).is_some_and(|bucket| {
            bucket.count >= policy.ceiling && now.duration_since(bucket.opened) < policy.window
        })
    }

    fn shard(&self, whose: Whose) -> MutexGuard<'_, HashMap<Whose, Bucket>> {
        let shard = self.hasher.hash_one(whose) as usize % SHARDS;
        self.shards[shard].lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn forget(&self, now: Instant) {
        for shard in &self.shards {
            let mut buckets = shard.lock().unwrap_or_else(PoisonError::into_inner);
            buckets.retain(|_, bucket| now.duration_since(bucket.opened) < bucket.window);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[allow(clippy::disallowed_methods)]
    fn start() -> Instant {
        Instant::now()
    }

    fn policy(ceiling: u32) -> Policy {
        Policy { ceiling, window: Duration::from_secs(900), throttle: Duration::from_secs(1) }
    }

    #[test]
    fn counts_down_then_throttles_then_opens_again() {
        let (memory, start) = (Memory::default(), start());
        let at = |millis: u64| {
            memory.take(Whose::Token(TokenId::new(7)), policy(3), start + Duration::from_millis(millis))
        };
        assert_eq!(at(0), Standing { limit: 3, remaining: 2, reset_seconds: 900, retry_after: None });
        assert_eq!(at(10), Standing { limit: 3, remaining: 1, reset_seconds: 900, retry_after: None });
        assert_eq!(at(1_500).remaining, 0);
        assert_eq!(at(1_600), Standing { limit: 3, remaining: 0, reset_seconds: 899, retry_after: Some(1) });
        assert_eq!(at(2_400).retry_after, Some(1), "refusals do not push the next acceptance away");
        assert_eq!(at(2_500).retry_after, None, "a second after the last accepted one");
        assert_eq!(at(2_501).retry_after, Some(1));
        assert_eq!(at(899_999).reset_seconds, 1);
        assert_eq!(at(900_000), Standing { limit: 3, remaining: 2, reset_seconds: 900, retry_after: None });
    }

    #[test]
    fn each_token_has_its_own_bucket_and_an_institution_its_own_ceiling() {
        let (memory, start) = (Memory::default(), start());
        assert_eq!(memory.take(Whose::Token(TokenId::new(1)), policy(1), start).retry_after, None);
        assert_eq!(memory.take(Whose::Token(TokenId::new(1)), policy(1), start).retry_after, Some(1));
        assert_eq!(memory.take(Whose::Token(TokenId::new(2)), policy(1), start).retry_after, None);
        assert_eq!(memory.take(Whose::Token(TokenId::new(3)), policy(50), start).remaining, 49);
    }

    #[test]
    fn a_ceiling_of_zero_lets_one_a_second_through() {
        let (memory, start) = (Memory::default(), start());
        assert_eq!(memory.take(Whose::Token(TokenId::new(1)), policy(0), start).retry_after, Some(1));
        assert_eq!(
            memory.take(Whose::Token(TokenId::new(1)), policy(0), start + Duration::from_secs(1)).retry_after,
            None
        );
    }

    #[test]
    fn attempts_are_counted_when_they_fail_and_past_the_ceiling_one_is_let_through_at_a_time() {
        let (memory, start) = (Memory::default(), start());
        let whose = Whose::Token(TokenId::new(7));
        let at = |millis: u64| start + Duration::from_millis(millis);
        let admit = |millis| memory.with(whose, policy(2), at(millis), Bucket::admit).retry_after;
        let fail = |millis| memory.with(whose, policy(2), at(millis), Bucket::count).remaining;
        for _ in 0..10 {
            assert_eq!(admit(0), None, "successes are not counted");
        }
        assert_eq!((fail(0), fail(0)), (1, 0));
        assert!(memory.is_past(whose, policy(2), at(0)));
        assert_eq!((admit(0), admit(999)), (Some(1), Some(1)));
        assert_eq!((admit(1_000), admit(1_000)), (None, Some(1)), "of those who come at once, one");
        assert_eq!(admit(2_000), None);
        assert!(!memory.is_past(whose, policy(2), at(900_000)));
        assert_eq!((admit(900_000), admit(900_000)), (None, None), "a new window");
    }

    #[test]
    fn forgets_windows_that_are_over() {
        let (memory, start) = (Memory::default(), start());
        memory.take(Whose::Token(TokenId::new(1)), policy(1), start);
        memory.forget(start + Duration::from_secs(901));
        assert!(memory.shards.iter().all(|shard| shard.lock().unwrap().is_empty()));
    }

    #[test]
    fn an_address_is_one_client_and_so_is_a_network_of_ipv6() {
        let whose = |text: &str| Whose::address(text.parse().unwrap());
        assert_eq!(whose("2001:db8:1:2::1"), whose("2001:db8:1:2:ffff::9"));
        assert_ne!(whose("2001:db8:1:2::1"), whose("2001:db8:1:3::1"));
        assert_eq!(whose("::ffff:192.0.2.7"), whose("192.0.2.7"));
        assert_ne!(whose("192.0.2.7"), whose("192.0.2.8"));
    }
}
