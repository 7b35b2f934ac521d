//! A circuit breaker in front of the store of shared counters: after a failure, one request at a time tries it again, with backoff.

use std::sync::atomic::{AtomicI64, AtomicU32, Ordering};

/// The time until the first retry, and the longest one, in microseconds.
const FIRST: i64 = 250_000;
const LONGEST: i64 = 5_000_000;

/// Times are in microseconds of the monotonic clock.
#[derive(Default)]
pub struct Circuit {
    /// When to try again; 0 while the store answers.
    retry_at: AtomicI64,
    failures: AtomicU32,
}

impl Circuit {
    /// Until when not to ask.
    pub fn open_until(&self, now: i64) -> Option<i64> {
        Some(self.retry_at.load(Ordering::Relaxed)).filter(|at| *at > now)
    }

    /// May this request ask the store? When a retry is due, one may.
    pub fn admits(&self, now: i64) -> bool {
        let at = self.retry_at.load(Ordering::Relaxed);
        if at == 0 {
            return true;
        }
        let next = now.saturating_add(self.backoff()).max(1);
        at <= now && self.retry_at.compare_exchange(at, next, Ordering::Relaxed, Ordering::Relaxed).is_ok()
    }

    /// The store has failed. Returns true if it had answered before.
    pub fn open(&self, now: i64) -> bool {
        let next = now.saturating_add(self.backoff()).max(1);
        self.failures.fetch_add(1, Ordering::Relaxed);
        self.retry_at.swap(next, Ordering::Relaxed) == 0
    }

    /// The store has answered. Returns true if it had failed before.
    pub fn close(&self) -> bool {
        if self.retry_at.load(Ordering::Relaxed) == 0 {
            return false;
        }
        self.failures.store(0, Ordering::Relaxed);
        self.retry_at.swap(0, Ordering::Relaxed) != 0
    }

    fn backoff(&self) -> i64 {
        let doublings = self.failures.load(Ordering::Relaxed).min(10);
        (FIRST << doublings).min(LONGEST)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn after_a_failure_one_request_tries_again_and_waits_longer_each_time() {
        let circuit = Circuit::default();
        assert!(circuit.admits(0) && circuit.admits(0));
        assert!(circuit.open(0) && !circuit.open(0));
        let circuit = Circuit::default();
        let mut now = 0;
        let mut waits = Vec::new();
        for _ in 0..8 {
            circuit.open(now);
            let until = circuit.open_until(now).unwrap();
            assert!(!circuit.admits(until - 1));
            waits.push(until - now);
            now = until;
            assert_eq!(circuit.open_until(now), None);
            assert!(circuit.admits(now) && !circuit.admits(now), "one at a time");
        }
        assert_eq!(waits[..3], [250_000, 500_000, 1_000_000]);
        assert_eq!(waits[7], LONGEST);
        assert!(circuit.close() && !circuit.close());
        assert!(circuit.admits(now) && circuit.admits(now));
        circuit.open(now);
        assert_eq!(circuit.open_until(now), Some(now + FIRST), "it starts again");
    }
}
