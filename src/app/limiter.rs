//! Rate limiting: a fixed number of requests per window, then one per second until the window ends.

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
    /// Above the ceiling, the minimum interval between accepted requests.
    pub throttle: Duration,
}

/// The key under which requests are counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum LimitKey {
    /// Versions 5, 4 and 3.
    Token(TokenId),
    /// Version 2, where callers have only the code of a page; 0 is the institution's own code.
    Page { institution: InstitutionId, page: NamePageId },
    /// Version 2 requests with an unknown code.
    Address(IpAddr),
    /// Requests of versions 5, 4 and 3 with an unknown token.
    Failures(IpAddr),
    /// LTI launches.
    Launches(IpAddr),
    /// Requests for sign-in mails.
    SignIns(IpAddr),
    /// Sign-ins that start at an institution's provider.
    Sso(IpAddr),
    /// Complaints about recordings.
    Reports(IpAddr),
    /// Requests for a recording by listeners.
    Asks(IpAddr),
    /// The same on one page, by visitors without a session.
    PageAsks { institution: InstitutionId, page: NamePageId },
    /// Launches that trigger a roster fetch of a course.
    Course(CourseId),
}

impl LimitKey {
    /// A client usually controls a whole IPv6 /64, so it counts as one address.
    pub fn address(address: IpAddr) -> Self {
        Self::Address(network(address))
    }

    pub fn failures(address: IpAddr) -> Self {
        Self::Failures(network(address))
    }

    pub fn launches(address: IpAddr) -> Self {
        Self::Launches(network(address))
    }

    pub fn sign_ins(address: IpAddr) -> Self {
        Self::SignIns(network(address))
    }

    pub fn sso(address: IpAddr) -> Self {
        Self::Sso(network(address))
    }

    pub fn reports(address: IpAddr) -> Self {
        Self::Reports(network(address))
    }

    pub fn asks(address: IpAddr) -> Self {
        Self::Asks(network(address))
    }
}

/// The state of a limit after a request, accepted or not, as reported in headers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Quota {
    pub limit: u32,
    pub remaining: u32,
    pub reset_seconds: u64,
    /// Set if the request is refused: whole seconds until the next one would be accepted.
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
    fn take(&mut self, policy: Policy, now: Instant) -> Quota {
        let quota = self.admit(policy, now);
        if quota.retry_after.is_some() { quota } else { self.count(policy, now) }
    }

    /// Above the ceiling, accepts one request per throttle interval. Does not count the request.
    fn admit(&mut self, policy: Policy, now: Instant) -> Quota {
        if now.duration_since(self.opened) >= policy.window {
            *self = Self { opened: now, window: policy.window, count: 0, last_accepted: now };
        }
        if self.count < policy.ceiling {
            return self.quota(policy, now, None);
        }
        let since = now.duration_since(self.last_accepted);
        if since < policy.throttle {
            let wait = whole_seconds(policy.throttle.saturating_sub(since)).max(1);
            return self.quota(policy, now, Some(wait));
        }
        self.last_accepted = now;
        self.quota(policy, now, None)
    }

    fn count(&mut self, policy: Policy, now: Instant) -> Quota {
        self.count = self.count.saturating_add(1);
        self.last_accepted = now;
        self.quota(policy, now, None)
    }

    fn quota(&self, policy: Policy, now: Instant, retry_after: Option<u64>) -> Quota {
        Quota {
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

/// The bucket storage. A node keeps buckets in memory; a store shared by several nodes would be another variant.
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

    /// Counts one request. Async, so that a shared store can be added.
    pub async fn take(&self, key: LimitKey, own_ceiling: Option<u32>, now: Instant) -> Quota {
        let policy = Policy { ceiling: own_ceiling.unwrap_or(self.policy.ceiling), ..self.policy };
        self.take_with_policy(key, policy, now).await
    }

    /// Like `take`, with a policy that operators cannot configure.
    pub async fn take_with_policy(&self, key: LimitKey, policy: Policy, now: Instant) -> Quota {
        match &self.buckets {
            Buckets::Memory(memory) => memory.take(key, policy, now),
        }
    }

    /// Checks an attempt that is counted only if it fails. Above the ceiling, accepts one attempt per throttle
    /// interval.
    pub async fn admit(&self, key: LimitKey, now: Instant) -> Quota {
        match &self.buckets {
            Buckets::Memory(memory) => {
                // A client without failures is never over the limit.
                let policy = Policy { ceiling: self.policy.ceiling.max(1), ..self.policy };
                memory.with(key, policy, now, Bucket::admit)
            }
        }
    }

    /// Counts an admitted attempt that failed.
    pub async fn count(&self, key: LimitKey, now: Instant) -> Quota {
        match &self.buckets {
            Buckets::Memory(memory) => memory.with(key, self.policy, now, Bucket::count),
        }
    }

    /// Has this key reached the ceiling in the current window?
    pub async fn is_past(&self, key: LimitKey, ceiling: u32, now: Instant) -> bool {
        match &self.buckets {
            Buckets::Memory(memory) => memory.is_past(key, Policy { ceiling, ..self.policy }, now),
        }
    }

    /// Drops expired buckets.
    pub async fn remove_expired(&self, now: Instant) {
        match &self.buckets {
            Buckets::Memory(memory) => memory.remove_expired(now),
        }
    }
}

/// Sharded to reduce lock contention.
const SHARDS: usize = 16;

#[derive(Default)]
struct Memory {
    shards: [Mutex<HashMap<LimitKey, Bucket>>; SHARDS],
    hasher: RandomState,
}

impl Memory {
    fn take(&self, key: LimitKey, policy: Policy, now: Instant) -> Quota {
        self.with(key, policy, now, Bucket::take)
    }

    fn with(
        &self,
        key: LimitKey,
        policy: Policy,
        now: Instant,
        what: impl FnOnce(&mut Bucket, Policy, Instant) -> Quota,
    ) -> Quota {
        let mut buckets = self.shard(key);
        let fresh = || Bucket { opened: now, window: policy.window, count: 0, last_accepted: now };
        what(buckets.entry(key).or_insert_with(fresh), policy, now)
    }

    fn is_past(&self, key: LimitKey, policy: Policy, now: Instant) -> bool {
        self.shard(key).get(&key).is_some_and(|bucket| {
            bucket.count >= policy.ceiling && now.duration_since(bucket.opened) < policy.window
        })
    }

    fn shard(&self, key: LimitKey) -> MutexGuard<'_, HashMap<LimitKey, Bucket>> {
        let shard = self.hasher.hash_one(key) as usize % SHARDS;
        self.shards[shard].lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn remove_expired(&self, now: Instant) {
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
            memory.take(LimitKey::Token(TokenId::new(7)), policy(3), start + Duration::from_millis(millis))
        };
        assert_eq!(at(0), Quota { limit: 3, remaining: 2, reset_seconds: 900, retry_after: None });
        assert_eq!(at(10), Quota { limit: 3, remaining: 1, reset_seconds: 900, retry_after: None });
        assert_eq!(at(1_500).remaining, 0);
        assert_eq!(at(1_600), Quota { limit: 3, remaining: 0, reset_seconds: 899, retry_after: Some(1) });
        assert_eq!(at(2_400).retry_after, Some(1), "refusals do not push the next acceptance away");
        assert_eq!(at(2_500).retry_after, None, "a second after the last accepted one");
        assert_eq!(at(2_501).retry_after, Some(1));
        assert_eq!(at(899_999).reset_seconds, 1);
        assert_eq!(at(900_000), Quota { limit: 3, remaining: 2, reset_seconds: 900, retry_after: None });
    }

    #[test]
    fn each_token_has_its_own_bucket_and_an_institution_its_own_ceiling() {
        let (memory, start) = (Memory::default(), start());
        assert_eq!(memory.take(LimitKey::Token(TokenId::new(1)), policy(1), start).retry_after, None);
        assert_eq!(memory.take(LimitKey::Token(TokenId::new(1)), policy(1), start).retry_after, Some(1));
        assert_eq!(memory.take(LimitKey::Token(TokenId::new(2)), policy(1), start).retry_after, None);
        assert_eq!(memory.take(LimitKey::Token(TokenId::new(3)), policy(50), start).remaining, 49);
    }

    #[test]
    fn a_ceiling_of_zero_lets_one_a_second_through() {
        let (memory, start) = (Memory::default(), start());
        assert_eq!(memory.take(LimitKey::Token(TokenId::new(1)), policy(0), start).retry_after, Some(1));
        assert_eq!(
            memory
                .take(LimitKey::Token(TokenId::new(1)), policy(0), start + Duration::from_secs(1))
                .retry_after,
            None
        );
    }

    #[test]
    fn attempts_are_counted_when_they_fail_and_past_the_ceiling_one_is_let_through_at_a_time() {
        let (memory, start) = (Memory::default(), start());
        let key = LimitKey::Token(TokenId::new(7));
        let at = |millis: u64| start + Duration::from_millis(millis);
        let admit = |millis| memory.with(key, policy(2), at(millis), Bucket::admit).retry_after;
        let fail = |millis| memory.with(key, policy(2), at(millis), Bucket::count).remaining;
        for _ in 0..10 {
            assert_eq!(admit(0), None, "successes are not counted");
        }
        assert_eq!((fail(0), fail(0)), (1, 0));
        assert!(memory.is_past(key, policy(2), at(0)));
        assert_eq!((admit(0), admit(999)), (Some(1), Some(1)));
        assert_eq!((admit(1_000), admit(1_000)), (None, Some(1)), "of those who come at once, one");
        assert_eq!(admit(2_000), None);
        assert!(!memory.is_past(key, policy(2), at(900_000)));
        assert_eq!((admit(900_000), admit(900_000)), (None, None), "a new window");
    }

    #[test]
    fn forgets_windows_that_are_over() {
        let (memory, start) = (Memory::default(), start());
        memory.take(LimitKey::Token(TokenId::new(1)), policy(1), start);
        memory.remove_expired(start + Duration::from_secs(901));
        assert!(memory.shards.iter().all(|shard| shard.lock().unwrap().is_empty()));
    }

    #[test]
    fn an_address_is_one_client_and_so_is_a_network_of_ipv6() {
        let key = |text: &str| LimitKey::address(text.parse().unwrap());
        assert_eq!(key("2001:db8:1:2::1"), key("2001:db8:1:2:ffff::9"));
        assert_ne!(key("2001:db8:1:2::1"), key("2001:db8:1:3::1"));
        assert_eq!(key("::ffff:192.0.2.7"), key("192.0.2.7"));
        assert_ne!(key("192.0.2.7"), key("192.0.2.8"));
    }
}
