//! The clock that tests can set. Tokens, sessions, jobs and whatever else expires, is due or is retried read it. Sockets, calls
//! in progress and reconnecting use tokio's timers, which tests do not move.
#![allow(clippy::disallowed_methods)]

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use jiff::Timestamp;
use tokio::sync::watch;

use crate::domain::moment::Moment;

/// The system clock, or an adjustable one for tests. Clones share their time.
#[derive(Debug, Clone, Default)]
pub struct Clock {
    offset: Option<Arc<watch::Sender<Offset>>>,
}

/// Offset of an adjustable clock from the system clock.
#[derive(Debug, Clone, Copy, Default)]
struct Offset {
    /// Wall-clock offset in microseconds. Negative if a test set the clock back.
    wall: i64,
    /// Offset of the monotonic clock. It only grows.
    monotonic: Duration,
}

impl Clock {
    pub const fn system() -> Self {
        Self { offset: None }
    }

    /// For tests: runs like the system clock until `advance` or `set` moves it.
    pub fn adjustable() -> Self {
        Self { offset: Some(Arc::new(watch::Sender::default())) }
    }

    pub fn now(&self) -> Moment {
        let system = Moment::from_timestamp(Timestamp::now());
        match &self.offset {
            None => system,
            Some(offset) => Moment::from_micros(system.micros() + offset.borrow().wall),
        }
    }

    /// Monotonic time, for measuring durations.
    pub fn instant(&self) -> Instant {
        match &self.offset {
            None => Instant::now(),
            Some(offset) => Instant::now() + offset.borrow().monotonic,
        }
    }

    pub async fn sleep(&self, time: Duration) {
        let Some(offset) = &self.offset else { return tokio::time::sleep(time).await };
        let mut changes = offset.subscribe();
        let due = self.instant() + time;
        loop {
            let left = due.saturating_duration_since(self.instant());
            if left.is_zero() {
                return;
            }
            tokio::select! {
                () = tokio::time::sleep(left) => {}
                _ = changes.changed() => {}
            }
        }
    }

    /// Moves an adjustable clock forward and wakes every sleeper whose deadline has passed.
    ///
    /// # Panics
    /// Panics on the system clock, which cannot be moved.
    pub fn advance(&self, time: Duration) {
        self.adjust(|offset| {
            offset.wall += i64::try_from(time.as_micros()).unwrap_or(i64::MAX / 2);
            offset.monotonic += time;
        });
    }

    /// Sets the wall-clock time of an adjustable clock, like an administrator correcting the system time. The monotonic clock
    /// does not change, so sleepers keep sleeping.
    ///
    /// # Panics
    /// Panics on the system clock, which cannot be set.
    pub fn set(&self, now: Moment) {
        let by = now.micros() - self.now().micros();
        self.adjust(|offset| offset.wall += by);
    }

    fn adjust(&self, change: impl FnOnce(&mut Offset)) {
        self.offset.as_ref().expect("an adjustable clock").send_modify(change);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOUR: Duration = Duration::from_secs(3_600);

    #[test]
    fn an_adjustable_clock_moves_time_and_durations_together() {
        let clock = Clock::adjustable();
        let (moment, instant) = (clock.now(), clock.instant());
        clock.advance(HOUR);
        assert!(clock.now() >= moment.plus(HOUR) && clock.now() < moment.plus(HOUR * 2));
        assert!(clock.instant() >= instant + HOUR && clock.instant() < instant + HOUR * 2);
    }

    #[test]
    fn the_time_of_day_can_be_set_back_and_durations_never_go_back() {
        let clock = Clock::adjustable();
        let instant = clock.instant();
        clock.set(Moment::from_micros(0));
        assert!(clock.now() < Moment::from_micros(0).plus(HOUR));
        assert!(clock.instant() >= instant && clock.instant() < instant + HOUR);
    }

    #[tokio::test]
    async fn whatever_sleeps_wakes_when_the_clock_has_moved_far_enough() {
        let clock = Clock::adjustable();
        let sleeper = tokio::spawn({
            let clock = clock.clone();
            async move { clock.sleep(HOUR).await }
        });
        tokio::task::yield_now().await;
        clock.advance(HOUR / 2);
        tokio::task::yield_now().await;
        assert!(!sleeper.is_finished(), "only half of it is over");
        clock.advance(HOUR / 2);
        tokio::time::timeout(Duration::from_secs(60), sleeper).await.expect("it wakes").unwrap();
    }
}
