//! How fast bulk messages are handed to the mail server.

use std::{
    sync::{Mutex, PoisonError},
    time::{Duration, Instant},
};

use crate::clock::Clock;

/// Spaces messages evenly, in sum of all workers of a process.
#[derive(Debug, Default)]
pub struct Pace {
    interval: Duration,
    /// When the next message may be sent.
    next: Mutex<Option<Instant>>,
}

impl Pace {
    pub fn new(per_minute: u32) -> Self {
        Self { interval: Duration::from_secs(60) / per_minute.max(1), next: Mutex::default() }
    }

    /// Waits for the caller's turn. A turn that is not used is lost.
    pub async fn turn(&self, clock: &Clock) {
        let wait = self.reserve(clock.instant());
        if !wait.is_zero() {
            clock.sleep(wait).await;
        }
    }

    /// Reserves the next turn. Returns the time until then.
    fn reserve(&self, now: Instant) -> Duration {
        let mut next = self.next.lock().unwrap_or_else(PoisonError::into_inner);
        let turn = next.map_or(now, |next| next.max(now));
        *next = Some(turn + self.interval);
        turn.saturating_duration_since(now)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn turns_are_spaced_evenly_and_idle_time_is_not_saved_up() {
        let (pace, start) = (Pace::new(600), Clock::system().instant());
        let tenth = Duration::from_millis(100);
        assert_eq!([0, 1, 2].map(|_| pace.reserve(start)), [Duration::ZERO, tenth, 2 * tenth]);
        let later = start + Duration::from_secs(60);
        assert_eq!([0, 1].map(|_| pace.reserve(later)), [Duration::ZERO, tenth]);
        assert_eq!(Pace::new(1).interval, Duration::from_secs(60));
        assert_eq!(Pace::new(0).interval, Duration::from_secs(60));
    }
}
