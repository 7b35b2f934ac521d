//! Rate limits: a fixed number of requests in a window, then one per throttle interval until the window ends. A `Counter` counts
//! them. Several nodes share a counter: each leases permits from it and spends them from its own memory (`Share`).

mod share;

pub use share::{Share, Spending};

use std::time::Duration;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Policy {
    pub ceiling: u32,
    pub window: Duration,
    /// Above the ceiling, the minimum interval between accepted requests.
    pub throttle: Duration,
}

/// A lease is at most this part of the ceiling: 20 of 1,000.
const LEASES: i64 = 50;
/// A lease is at most this part of what is left, so that leases shrink to single permits at the end of the ceiling.
pub const LEASES_OF_REST: i64 = 8;

impl Policy {
    pub fn window_micros(self) -> i64 {
        micros(self.window)
    }

    pub fn throttle_micros(self) -> i64 {
        micros(self.throttle)
    }

    /// The size of a lease while much is left.
    pub fn largest_lease(self) -> i64 {
        (i64::from(self.ceiling) / LEASES).max(1)
    }
}

/// A century. Longer times would overflow when they are added.
const LONGEST: i64 = 100 * 366 * 86_400 * 1_000_000;

fn micros(time: Duration) -> i64 {
    i64::try_from(time.as_micros()).unwrap_or(LONGEST).min(LONGEST)
}

fn whole_seconds(micros: i64) -> u64 {
    u64::try_from(micros).unwrap_or(0).div_ceil(1_000_000)
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

/// What has been taken in one window. Times are in microseconds of one clock. This is the reference for the stores that nodes share:
/// the statement in `store/rate_limits.rs` and the script in `store/valkey.rs` do what `claim` does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Counter {
    pub start: i64,
    /// Permits given out. More than the ceiling if requests were accepted at the pace of the throttle.
    pub used: i64,
    /// When a permit was last given out; at first, when the window was opened.
    pub last: i64,
}

/// What a node asks of a counter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Claim {
    pub policy: Policy,
    pub now: i64,
    /// The start of the window as the node knows it. A counter without a current window continues with it.
    pub start: i64,
    /// What the node knows to be used in that window, so that a store that has lost its counters learns it again.
    pub known: i64,
    /// Requests that the node has accepted without a permit, while the store was away.
    pub owed: i64,
    /// The maximum number of permits.
    pub most: i64,
}

impl Claim {
    /// A claim of the only node, for one permit.
    pub const fn single(policy: Policy, now: i64) -> Self {
        Self { policy, now, start: now, known: 0, owed: 0, most: 1 }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Grant {
    pub permits: i64,
    /// The counter after the claim.
    pub counter: Counter,
}

impl Counter {
    pub const fn new(now: i64) -> Self {
        Self { start: now, used: 0, last: now }
    }

    /// The counter that a claim creates where there is none.
    pub const fn continuing(claim: &Claim) -> Self {
        Self { start: claim.start, used: claim.known, last: claim.now }
    }

    /// A window that starts far in the future was opened by a clock that was wrong.
    pub fn is_current(&self, now: i64, window: i64) -> bool {
        self.start.saturating_add(window) > now && self.start < now.saturating_add(window)
    }

    /// Gives out as many permits as the claim may have. Above the ceiling, that is one per throttle interval.
    pub fn claim(&mut self, claim: &Claim) -> Grant {
        let Claim { policy, now, .. } = *claim;
        let window = policy.window_micros();
        if !self.is_current(now, window) {
            let end = self.start.saturating_add(window);
            *self = Self::continuing(claim);
            if end <= now {
                // Windows do not overlap, so a claim from an overlapping one shows that the counter was lost.
                self.start = self.start.max(end);
            }
        } else if claim.known > 0
            && claim.start <= self.start
            && claim.start.saturating_add(window) > self.start
        {
            // The counter may have been lost, and begun again by a node that knew less.
            self.used = if claim.start == self.start {
                self.used.max(claim.known)
            } else {
                self.used.saturating_add(claim.known)
            };
            self.start = claim.start;
        }
        self.used = self.used.saturating_add(claim.owed);
        let left = i64::from(policy.ceiling).saturating_sub(self.used);
        let permits = if left > 0 {
            (left / LEASES_OF_REST).clamp(1, claim.most.max(1))
        } else {
            i64::from(now.saturating_sub(self.last) >= policy.throttle_micros())
        };
        if permits > 0 {
            self.used += permits;
            self.last = now;
        }
        Grant { permits, counter: *self }
    }

    /// Counts one request.
    pub fn take(&mut self, policy: Policy, now: i64) -> Quota {
        let grant = self.claim(&Claim::single(policy, now));
        self.quota(policy, now, grant.permits > 0)
    }

    /// Above the ceiling, accepts one attempt per throttle interval. Does not count it.
    pub fn admit(&mut self, policy: Policy, now: i64) -> Quota {
        if !self.is_current(now, policy.window_micros()) {
            *self = Self::new(now);
        }
        if self.used < i64::from(policy.ceiling) {
            return self.quota(policy, now, true);
        }
        let is_accepted = now.saturating_sub(self.last) >= policy.throttle_micros();
        if is_accepted {
            self.last = now;
        }
        self.quota(policy, now, is_accepted)
    }

    /// Counts an admitted attempt that has failed.
    pub fn count(&mut self, policy: Policy, now: i64) -> Quota {
        self.used = self.used.saturating_add(1);
        self.last = now;
        self.quota(policy, now, true)
    }

    fn quota(&self, policy: Policy, now: i64, is_accepted: bool) -> Quota {
        let wait = policy.throttle_micros().saturating_sub(now.saturating_sub(self.last));
        Quota {
            limit: policy.ceiling,
            remaining: within(policy.ceiling, i64::from(policy.ceiling).saturating_sub(self.used)),
            reset_seconds: whole_seconds(rest_of_window(policy, now, self.start)),
            retry_after: (!is_accepted).then(|| retry_seconds(policy, now, self.start, wait)),
        }
    }
}

fn rest_of_window(policy: Policy, now: i64, start: i64) -> i64 {
    policy.window_micros().saturating_sub(now.saturating_sub(start).max(0))
}

/// When a request is accepted again: after `wait`, or in the next window, whichever comes first.
fn retry_seconds(policy: Policy, now: i64, start: i64, wait: i64) -> u64 {
    whole_seconds(wait.min(rest_of_window(policy, now, start))).max(1)
}

/// The number of requests left, between 0 and the ceiling.
fn within(ceiling: u32, left: i64) -> u32 {
    u32::try_from(left.max(0)).unwrap_or(u32::MAX).min(ceiling)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: i64 = 1_000_000;

    fn policy(ceiling: u32) -> Policy {
        Policy { ceiling, window: Duration::from_secs(900), throttle: Duration::from_secs(1) }
    }

    #[test]
    fn counts_down_then_throttles_then_opens_again() {
        let mut counter = Counter::new(0);
        let mut at = |millis: i64| counter.take(policy(3), millis * 1_000);
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
    fn a_hard_limit_opens_again_with_the_next_window() {
        let hard = Policy { throttle: Duration::from_secs(900), ..policy(2) };
        let mut counter = Counter::new(0);
        let mut at = |second: i64| counter.take(hard, second * SECOND).retry_after;
        assert_eq!((at(0), at(850)), (None, None));
        assert_eq!((at(851), at(899)), (Some(49), Some(1)));
        assert_eq!((at(900), at(901), at(902)), (None, None, Some(898)));
    }

    #[test]
    fn a_ceiling_of_zero_lets_one_a_second_through() {
        let mut counter = Counter::new(0);
        assert_eq!(counter.take(policy(0), 0).retry_after, Some(1));
        assert_eq!(counter.take(policy(0), SECOND).retry_after, None);
        assert_eq!(counter.take(policy(0), SECOND).retry_after, Some(1));
    }

    #[test]
    fn attempts_are_counted_when_they_fail_and_past_the_ceiling_one_is_let_through_at_a_time() {
        let mut counter = Counter::new(0);
        for _ in 0..10 {
            assert_eq!(counter.admit(policy(2), 0).retry_after, None, "successes are not counted");
        }
        assert_eq!((counter.count(policy(2), 0).remaining, counter.count(policy(2), 0).remaining), (1, 0));
        let mut admit = |millis: i64| counter.admit(policy(2), millis * 1_000).retry_after;
        assert_eq!((admit(0), admit(999)), (Some(1), Some(1)));
        assert_eq!((admit(1_000), admit(1_000)), (None, Some(1)), "of those who come at once, one");
        assert_eq!(admit(2_000), None);
        assert_eq!((admit(900_000), admit(900_000)), (None, None), "a new window");
    }

    #[test]
    fn leases_shrink_to_single_permits() {
        let (policy, mut counter, mut sizes) = (policy(1_000), Counter::new(0), Vec::new());
        let most = policy.largest_lease();
        loop {
            let grant = counter.claim(&Claim { most, ..Claim::single(policy, 0) });
            if grant.permits == 0 {
                break;
            }
            sizes.push(grant.permits);
        }
        assert_eq!(sizes.iter().sum::<i64>(), 1_000, "everything is given out");
        assert_eq!(sizes.first(), Some(&20));
        assert!(sizes.is_sorted_by(|one, next| one >= next), "{sizes:?}");
        assert_eq!(&sizes[sizes.len() - 10..], [1; 10], "the last ones are single");
        assert!(sizes.len() < 90, "{} claims", sizes.len());
    }

    #[test]
    fn a_counter_that_was_lost_continues_with_what_the_nodes_know() {
        let claim = |known, owed| Claim { known, owed, start: 5, now: 9, policy: policy(10), most: 1 };
        let mut lost = Counter::continuing(&claim(7, 2));
        assert_eq!(
            lost.claim(&claim(7, 2)),
            Grant { permits: 1, counter: Counter { start: 5, used: 10, last: 9 } }
        );
        // Another node of the same window knows less.
        assert_eq!(lost.claim(&claim(3, 0)).permits, 0);
        let mut lagging = Counter { start: 5, used: 2, last: 5 };
        assert_eq!(lagging.claim(&claim(6, 0)).counter.used, 7);
        // A node that knew nothing has begun a new window.
        let mut begun_again = Counter { start: 6, used: 2, last: 6 };
        assert_eq!(begun_again.claim(&claim(6, 0)).counter, Counter { start: 5, used: 9, last: 9 });
        assert_eq!(begun_again.claim(&claim(6, 0)).counter.used, 10, "it is not added twice");
        let mut other = Counter { start: 6, used: 2, last: 6 };
        assert_eq!(other.claim(&claim(0, 0)).counter, Counter { start: 6, used: 3, last: 9 });
    }

    #[test]
    fn windows_do_not_overlap() {
        let window = 900 * SECOND;
        // The node has known the caller for a second when the last window ends.
        let mut counter = Counter { start: 0, used: 10, last: 0 };
        let claim = Claim { start: window - SECOND, ..Claim::single(policy(10), window) };
        assert_eq!(counter.claim(&claim).counter, Counter { start: window, used: 1, last: window });
        // The clock of another node is behind.
        let late = Claim { start: 0, known: 10, ..Claim::single(policy(10), window - 1) };
        assert_eq!(counter.claim(&late).counter, Counter { start: window, used: 2, last: window - 1 });
    }

    #[test]
    fn a_clock_that_is_behind_stays_in_the_window_and_one_that_was_wrong_starts_a_new_one() {
        let now = 10_000 * SECOND;
        let mut ahead = Counter { start: now + 5 * SECOND, used: 3, last: now };
        let quota = ahead.take(policy(10), now);
        assert_eq!((quota.remaining, quota.reset_seconds), (6, 900));
        let mut wrong = Counter { start: now + 86_400 * SECOND, used: 10, last: now };
        assert_eq!(wrong.take(policy(10), now).remaining, 9);
    }
}
