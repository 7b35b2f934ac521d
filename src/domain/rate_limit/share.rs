//! A node's part of a counter that several nodes share.

use super::{Claim, Grant, Policy, Quota, rest_of_window, retry_seconds, whole_seconds, within};

/// What a permit is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Spending {
    /// A request, which uses up its permit.
    Request,
    /// An attempt, which uses up a permit only if it fails (`Share::count`).
    Attempt,
}

/// What a node has leased from a counter, and what it knows about it. Permits that are not spent by the end of the window are lost.
/// Times are in microseconds of the node's monotonic clock, except those of the store.
///
/// The number of requests left that a node reports is what the store had left when the node last asked, plus what is left of its
/// lease. It never rises within a window.
#[derive(Debug, Clone)]
pub struct Share {
    opened: i64,
    window: i64,
    /// The start of the window by the store's answer; `None` until it has answered in this window.
    start: Option<i64>,
    /// The permits that the store had given out, to all nodes.
    used: i64,
    /// Permits of this node that are left.
    lease: i64,
    /// Requests that were accepted without a permit, and of which the store has not been told.
    owed: i64,
    /// When a request was last accepted, here or, as far as it is known, elsewhere.
    last: i64,
    /// Requests that may still be accepted without the store; `None` until it was away in this window. It never rises, or a store that
    /// comes and goes would raise the sum each time.
    spare: Option<i64>,
    is_away: bool,
    ceiling: u32,
    /// The smallest number of requests left that was reported in this window.
    shown: u32,
}

impl Share {
    pub fn new(policy: Policy, now: i64) -> Self {
        Self {
            opened: now,
            window: policy.window_micros(),
            start: None,
            used: 0,
            lease: 0,
            owed: 0,
            last: now,
            spare: None,
            is_away: false,
            ceiling: policy.ceiling,
            shown: u32::MAX,
        }
    }

    /// Has its window ended?
    pub fn is_over(&self, now: i64) -> bool {
        now.saturating_sub(self.opened) >= self.window
    }

    /// Decides about a request without the store, if that is possible.
    pub fn spend(&mut self, policy: Policy, now: i64, spending: Spending) -> Option<Quota> {
        self.renew(policy, now);
        if self.lease > 0 {
            return Some(self.accept(policy, now, spending));
        }
        let wait = policy.throttle_micros().saturating_sub(now.saturating_sub(self.last));
        (self.is_spent(policy.ceiling) && wait > 0).then(|| self.refuse(policy, now, wait))
    }

    /// What to ask of the store. `wall` is the time now by the clock that nodes have in common.
    pub fn claim(&self, policy: Policy, now: i64, wall: i64, most: i64) -> Claim {
        let (window, age) = (policy.window_micros(), now.saturating_sub(self.opened).max(0));
        let known = self.start.map(|start| (start, self.used));
        // The two clocks may disagree about whether the window has ended.
        let is_current = |start: i64| start.saturating_add(window) > wall;
        let (start, known) =
            known.filter(|(start, _)| is_current(*start)).unwrap_or((wall.saturating_sub(age), 0));
        let start = if is_current(start) { start } else { wall };
        Claim { policy, now: wall, start, known, owed: self.owed, most }
    }

    /// Applies the store's answer, and decides about the request for which it was asked.
    pub fn settle(&mut self, now: i64, claim: &Claim, grant: &Grant, spending: Spending) -> Quota {
        let (policy, Grant { permits, counter }) = (claim.policy, *grant);
        let ago = |time: i64| claim.now.saturating_sub(time).max(0);
        self.window = policy.window_micros();
        // Starts that are closer belong to one window, whose counter was lost (`Counter::claim`).
        let is_new = |start: i64| start.abs_diff(counter.start) >= self.window.unsigned_abs();
        if self.start.is_some_and(is_new) {
            self.shown = u32::MAX;
            self.spare = None;
        }
        self.opened = now.saturating_sub(ago(counter.start).min(self.window));
        self.start = Some(counter.start);
        self.used = counter.used;
        self.lease = self.lease.saturating_add(permits);
        self.owed = self.owed.saturating_sub(claim.owed).max(0);
        self.is_away = false;
        if permits == 0 {
            self.last = now.saturating_sub(ago(counter.last));
            let wait = policy.throttle_micros().saturating_sub(ago(counter.last));
            return self.refuse(policy, now, wait);
        }
        // Above the ceiling, the permit is for this request only.
        let is_above = counter.used > i64::from(policy.ceiling);
        self.accept(policy, now, if is_above { Spending::Request } else { spending })
    }

    /// The store may have applied a claim that it did not answer. What was owed is not owed again, but known to be used: a store
    /// that missed it learns it.
    pub fn assume_told(&mut self, claim: &Claim) {
        self.owed = self.owed.saturating_sub(claim.owed).max(0);
        self.used = self.used.saturating_add(claim.owed);
    }

    /// Decides about a request while the store is away. The node may accept its part of what was left when it last asked, and then
    /// one request per throttle interval of all nodes.
    pub fn without_store(&mut self, policy: Policy, now: i64, nodes: u32, spending: Spending) -> Quota {
        self.renew(policy, now);
        if self.lease > 0 {
            return self.accept(policy, now, spending);
        }
        let nodes = i64::from(nodes.max(1));
        self.is_away = true;
        let spare = self.spare.unwrap_or(i64::MAX).min(self.unleased(policy.ceiling) / nodes);
        let wait =
            policy.throttle_micros().saturating_mul(nodes).saturating_sub(now.saturating_sub(self.last));
        let is_request = spending == Spending::Request;
        self.spare = Some(if is_request { (spare - 1).max(0) } else { spare });
        if spare == 0 && wait > 0 {
            return self.refuse(policy, now, wait);
        }
        self.owed += i64::from(is_request);
        if is_request || spare == 0 {
            self.last = now;
        }
        self.quota(policy, now, None)
    }

    /// Counts an admitted attempt that has failed.
    pub fn count(&mut self, policy: Policy, now: i64) -> Quota {
        if self.lease > 0 {
            self.lease -= 1;
        } else {
            self.owed = self.owed.saturating_add(1);
            self.spare = self.spare.map(|spare| if self.is_away { (spare - 1).max(0) } else { spare });
        }
        self.last = now;
        self.quota(policy, now, None)
    }

    /// Refuses a request for `wait` microseconds, or until the next window.
    pub fn refuse(&mut self, policy: Policy, now: i64, wait: i64) -> Quota {
        let seconds = retry_seconds(policy, now, self.opened, wait);
        self.quota(policy, now, Some(seconds))
    }

    /// Has the ceiling been reached in the current window, as far as this node knows?
    pub fn is_past(&self, ceiling: u32, now: i64) -> bool {
        !self.is_over(now) && self.lease == 0 && self.used.saturating_add(self.owed) >= i64::from(ceiling)
    }

    fn is_spent(&self, ceiling: u32) -> bool {
        self.start.is_some() && self.unleased(ceiling) == 0
    }

    /// What no node has leased, as far as this one knows.
    fn unleased(&self, ceiling: u32) -> i64 {
        i64::from(ceiling).saturating_sub(self.used).saturating_sub(self.owed).max(0)
    }

    /// Begins a new window when the last one has ended.
    fn renew(&mut self, policy: Policy, now: i64) {
        if self.is_over(now) {
            *self = Self::new(policy, now);
        } else if self.ceiling != policy.ceiling {
            self.ceiling = policy.ceiling;
            self.shown = u32::MAX;
            self.spare = None;
        }
    }

    fn accept(&mut self, policy: Policy, now: i64, spending: Spending) -> Quota {
        if spending == Spending::Request {
            self.lease -= 1;
            self.last = now;
        }
        self.quota(policy, now, None)
    }

    fn quota(&mut self, policy: Policy, now: i64, retry_after: Option<u64>) -> Quota {
        let unleased = self.spare.filter(|_| self.is_away).unwrap_or_else(|| self.unleased(policy.ceiling));
        self.shown = self.shown.min(within(policy.ceiling, unleased.saturating_add(self.lease)));
        let reset_seconds = whole_seconds(rest_of_window(policy, now, self.opened));
        Quota { limit: policy.ceiling, remaining: self.shown, reset_seconds, retry_after }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::domain::rate_limit::Counter;

    const SECOND: i64 = 1_000_000;
    const NODES: u32 = 3;

    fn policy(ceiling: u32) -> Policy {
        Policy { ceiling, window: Duration::from_secs(900), throttle: Duration::from_secs(900) }
    }

    /// Nodes with one store.
    struct Scene {
        policy: Policy,
        counter: Option<Counter>,
        /// `None` until the caller's first request there.
        nodes: Vec<Option<Share>>,
        /// How far the wall clock of each node is ahead.
        offsets: [i64; NODES as usize],
        store_is_away: bool,
        claims: u32,
    }

    impl Scene {
        fn new(policy: Policy) -> Self {
            let (nodes, offsets) = (vec![None; NODES as usize], [0; NODES as usize]);
            Self { policy, counter: None, nodes, offsets, store_is_away: false, claims: 0 }
        }

        /// One request at a node.
        fn request(&mut self, node: usize, now: i64) -> Quota {
            let policy = self.policy;
            let share = self.nodes[node].get_or_insert_with(|| Share::new(policy, now));
            if let Some(quota) = share.spend(policy, now, Spending::Request) {
                return quota;
            }
            if self.store_is_away {
                return share.without_store(policy, now, NODES, Spending::Request);
            }
            self.claims += 1;
            let claim = share.claim(policy, now, now + self.offsets[node], policy.largest_lease());
            let counter = self.counter.get_or_insert(Counter::continuing(&claim));
            let grant = counter.claim(&claim);
            share.settle(now, &claim, &grant, Spending::Request)
        }
    }

    /// A small generator with a fixed seed for each run.
    struct Random(u64);

    impl Random {
        fn below(&mut self, limit: u64) -> u64 {
            self.0 ^= self.0 << 13;
            self.0 ^= self.0 >> 7;
            self.0 ^= self.0 << 17;
            self.0 % limit
        }

        fn node(&mut self) -> usize {
            usize::try_from(self.below(u64::from(NODES))).unwrap()
        }
    }

    #[test]
    fn however_requests_are_spread_the_sum_stays_within_the_ceiling_and_nothing_rises() {
        for seed in 1..300 {
            let mut random = Random(seed * 7_919);
            let ceiling = u32::try_from(random.below(1_200)).unwrap();
            let mut scene = Scene::new(policy(ceiling));
            // Up to two seconds.
            scene.offsets = [0; NODES as usize].map(|_| i64::try_from(random.below(2_000_000)).unwrap());
            let (mut accepted, mut shown) = (0, vec![u32::MAX; NODES as usize]);
            for step in 0..i64::from(ceiling) + 200 {
                let node = random.node();
                let quota = scene.request(node, step);
                accepted += u32::from(quota.retry_after.is_none());
                assert!(quota.remaining <= shown[node], "seed {seed}: it rises");
                shown[node] = quota.remaining;
            }
            assert!(accepted <= ceiling, "seed {seed}: {accepted} of {ceiling}");
            assert!(accepted + ceiling / 20 + NODES >= ceiling, "seed {seed}: {accepted} of {ceiling}");
        }
    }

    #[test]
    fn a_refused_request_waits_no_longer_than_the_window() {
        let mut scene = Scene::new(policy(2));
        assert_eq!([0, 1].map(|node| scene.request(node, 0).retry_after), [None, None]);
        for (minute, seconds) in [(0, 900), (5, 600), (14, 60)] {
            for node in 0..2 {
                assert_eq!(
                    scene.request(node, minute * 60 * SECOND).retry_after,
                    Some(seconds),
                    "{minute} {node}"
                );
            }
        }
        assert_eq!(scene.request(0, 900 * SECOND).retry_after, None);
    }

    #[test]
    fn a_store_that_comes_and_goes_and_loses_its_counters_raises_the_sum_by_a_few_leases() {
        for seed in 1..300 {
            let mut random = Random(seed * 104_729);
            let mut scene = Scene::new(policy(1_000));
            let (mut accepted, mut shown, mut outages) = (0, vec![u32::MAX; NODES as usize], 0);
            for step in 0..1_500 {
                if random.below(200) == 0 {
                    scene.store_is_away = !scene.store_is_away;
                    outages += u32::from(scene.store_is_away);
                    // The first time, it crashes.
                    if scene.store_is_away && outages == 1 {
                        scene.counter = None;
                    }
                }
                let node = random.node();
                let quota = scene.request(node, step);
                accepted += u32::from(quota.retry_after.is_none());
                assert!(quota.remaining <= shown[node], "seed {seed}: it rises");
                shown[node] = quota.remaining;
            }
            // A node does not know what the others have leased since it last asked: 20 at a time.
            assert!((1_000..=1_000 + 8 * 20).contains(&accepted), "seed {seed}: {accepted}");
        }
    }

    #[test]
    fn a_store_that_lost_its_counters_learns_them_although_a_new_node_asks_first() {
        for offset in [-5 * SECOND, 0, 5 * SECOND] {
            let mut scene = Scene::new(policy(1_000));
            scene.offsets[2] = offset;
            let (mut accepted, mut shown) = (0, [u32::MAX; NODES as usize]);
            for step in 0..4_000 {
                if step == 600 {
                    scene.counter = None;
                }
                let node = match step {
                    0..600 => step % 2,
                    600..700 => 2,
                    _ => step % 3,
                };
                let quota = scene.request(node, i64::try_from(step).unwrap() * SECOND / 10);
                accepted += u32::from(quota.retry_after.is_none());
                assert!(quota.remaining <= shown[node], "it rises after {step} steps");
                shown[node] = quota.remaining;
            }
            // What the nodes had leased since the others asked is not known.
            assert!((960..=1_060).contains(&accepted), "{offset}: {accepted}");
        }
    }

    #[test]
    fn a_claim_without_an_answer_is_told_once() {
        let policy = policy(300);
        let mut share = Share::new(policy, 0);
        let mut counter = Counter::new(0);
        let mut ask = |share: &mut Share, is_answered: bool| {
            let claim = share.claim(policy, 0, 0, 1);
            let grant = counter.claim(&claim);
            if is_answered {
                share.settle(0, &claim, &grant, Spending::Request);
            } else {
                share.assume_told(&claim);
            }
            counter.used
        };
        assert_eq!(ask(&mut share, true), 1);
        for _ in 0..10 {
            share.without_store(policy, 0, NODES, Spending::Request);
        }
        assert_eq!(ask(&mut share, false), 12, "ten, and a permit that is lost");
        assert_eq!(ask(&mut share, true), 13, "not ten again");
    }

    #[test]
    fn a_single_node_sees_what_it_would_count_itself() {
        for seed in 1..100 {
            let mut random = Random(seed * 6_151);
            let ceiling = 1 + u32::try_from(random.below(60)).unwrap();
            let policy = Policy { throttle: Duration::from_secs(2), ..policy(ceiling) };
            let (mut scene, mut own, mut now) = (Scene::new(policy), None, 0);
            for _ in 0..200 {
                now += i64::try_from(random.below(20)).unwrap() * SECOND;
                let own = own.get_or_insert_with(|| Counter::new(now)).take(policy, now);
                assert_eq!(scene.request(0, now), own, "seed {seed} at {now}");
            }
        }
    }

    #[test]
    fn a_node_with_a_lease_does_not_ask() {
        let mut scene = Scene::new(policy(1_000));
        for step in 0..100 {
            scene.request(0, step);
        }
        assert_eq!(scene.claims, 5);
        for step in 100..3_000 {
            scene.request(0, step);
        }
        assert!(scene.claims < 90, "{}: what is spent is known", scene.claims);
    }

    #[test]
    fn past_the_ceiling_all_nodes_together_pass_one_per_interval() {
        let mut scene = Scene::new(Policy { throttle: Duration::from_secs(1), ..policy(10) });
        let mut accepted = 0;
        // 20 requests a second at each node, for 30 seconds.
        for step in 0..600_i64 {
            for node in 0..NODES as usize {
                accepted += u32::from(scene.request(node, step * SECOND / 20).retry_after.is_none());
            }
        }
        assert!((10 + 25..=10 + 30).contains(&accepted), "{accepted}");
    }

    #[test]
    fn without_a_store_each_node_has_its_part_of_what_was_left() {
        let mut scene = Scene::new(policy(300));
        for step in 0..90 {
            scene.request(usize::try_from(step % 3).unwrap(), step);
        }
        scene.store_is_away = true;
        let mut more = 0;
        for step in 90..900 {
            more += u32::from(scene.request(usize::try_from(step % 3).unwrap(), step).retry_after.is_none());
        }
        assert!((190..=230).contains(&more), "{more}");
        scene.store_is_away = false;
        let owed: i64 = scene.nodes.iter().flatten().map(|share| share.owed).sum();
        assert!(owed > 0);
        for node in 0..3 {
            scene.request(node, 1_000);
        }
        assert!(scene.counter.unwrap().used >= 90 + i64::from(more), "the store learns of all requests");
        // A node that has seen nobody has its part of the whole ceiling.
        let mut fresh = Share::new(policy(300), 0);
        assert_eq!(fresh.without_store(policy(300), 0, NODES, Spending::Request).remaining, 99);
    }

    #[test]
    fn attempts_keep_their_permits_until_they_fail() {
        let policy = Policy { throttle: Duration::from_secs(1), ..policy(2) };
        let (mut share, mut counter) = (Share::new(policy, 0), Counter::new(0));
        let mut admit = |share: &mut Share, now: i64| {
            share.spend(policy, now, Spending::Attempt).unwrap_or_else(|| {
                let claim = share.claim(policy, now, now, 1);
                share.settle(now, &claim, &counter.claim(&claim), Spending::Attempt)
            })
        };
        for left in [1, 0] {
            for _ in 0..10 {
                assert_eq!(admit(&mut share, 0).retry_after, None, "successes are not counted");
            }
            assert_eq!(share.count(policy, 0).remaining, left);
        }
        assert!(share.is_past(2, 0) && !share.is_past(3, 0));
        assert_eq!(admit(&mut share, 0).retry_after, Some(1));
        assert_eq!(admit(&mut share, SECOND).retry_after, None);
        assert_eq!(admit(&mut share, SECOND).retry_after, Some(1), "of those who come at once, one");
        assert!(!share.is_past(2, 900 * SECOND));
        assert_eq!(admit(&mut share, 900 * SECOND).retry_after, None, "a new window");
    }

    #[test]
    fn a_raised_ceiling_is_used_at_once() {
        let mut scene = Scene::new(policy(5));
        for step in 0..10 {
            scene.request(0, step);
        }
        scene.policy = policy(8);
        let left: Vec<u32> = (10..13).map(|step| scene.request(0, step).remaining).collect();
        assert_eq!(left, [2, 1, 0]);
        assert!(scene.request(0, 13).retry_after.is_some());
    }
}
