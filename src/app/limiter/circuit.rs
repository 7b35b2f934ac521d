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

/// May a request ask the store?
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Admission {
    No,
    /// The store answers.
    Closed,
    /// As the only one, to find out whether the store answers again.
    Retry,
}

impl Circuit {
    /// Until when not to ask.
    pub fn open_until(&self, now: i64) -> Option<i64> {
        Some(self.retry_at.load(Ordering::Relaxed)).filter(|at| *at > now)
    }

    /// When a retry is due, one request may ask.
    pub fn admit(&self, now: i64) -> Admission {
        let at = self.retry_at.load(Ordering::Relaxed);
        if at == 0 {
            return Admission::Closed;
        }
        let is_first = || {
            let next = self.next(now);
            self.retry_at.compare_exchange(at, next, Ordering::Relaxed, Ordering::Relaxed).is_ok()
        };
        if at <= now && is_first() { Admission::Retry } else { Admission::No }
    }

    /// The store has failed. Returns true if it had answered before. Requests that were under way when it failed count as one failure.
    pub fn open(&self, now: i64, admission: Admission) -> bool {
        let next = self.next(now);
        let had_answered = if admission == Admission::Retry {
            self.retry_at.swap(next, Ordering::Relaxed) == 0
        } else {
            let opened = self.retry_at.compare_exchange(0, next, Ordering::Relaxed, Ordering::Relaxed);
            if opened.is_err() {
                return false;
            }
            true
        };
        self.failures.fetch_add(1, Ordering::Relaxed);
        had_answered
    }

    /// The store has answered. Returns true if it had failed before.
    pub fn close(&self) -> bool {
        if self.retry_at.load(Ordering::Relaxed) == 0 {
            return false;
        }
        self.failures.store(0, Ordering::Relaxed);
        self.retry_at.swap(0, Ordering::Relaxed) != 0
    }

    /// The time of the next retry.
    fn next(&self, now: i64) -> i64 {
        let doublings = self.failures.load(Ordering::Relaxed).min(10);
        now.saturating_add((FIRST << doublings).min(LONGEST)).max(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Admission::{Closed, No, Retry};

    #[test]
    fn after_a_failure_one_request_tries_again_and_waits_longer_each_time() {
        let circuit = Circuit::default();
        let (mut now, mut admission, mut waits) = (0, circuit.admit(0), Vec::new());
        assert_eq!((admission, circuit.admit(0)), (Closed, Closed));
        for _ in 0..8 {
            assert_eq!(circuit.open(now, admission), now == 0);
            let until = circuit.open_until(now).unwrap();
            assert_eq!(circuit.admit(until - 1), No);
            waits.push(until - now);
            now = until;
            assert_eq!(circuit.open_until(now), None);
            admission = circuit.admit(now);
            assert_eq!((admission, circuit.admit(now)), (Retry, No), "one at a time");
        }
        assert_eq!(waits[..3], [250_000, 500_000, 1_000_000]);
        assert_eq!(waits[7], LONGEST);
        assert!(circuit.close() && !circuit.close());
        assert_eq!((circuit.admit(now), circuit.admit(now)), (Closed, Closed));
        circuit.open(now, Closed);
        assert_eq!(circuit.open_until(now), Some(now + FIRST), "it starts again");
    }

    #[test]
    fn requests_that_fail_together_count_as_one_failure() {
        let circuit = Circuit::default();
        let opened = (0..20).filter(|_| circuit.open(0, Closed)).count();
        assert_eq!(opened, 1);
        assert_eq!(circuit.open_until(0), Some(FIRST));
        assert_eq!(circuit.admit(FIRST), Retry);
        circuit.open(FIRST, Retry);
        assert_eq!(circuit.open_until(FIRST), Some(FIRST + 2 * FIRST));
    }
}
