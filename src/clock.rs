//! The one place that reads the clock, and that waits for time to pass.
#![allow(clippy::disallowed_methods)]

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use jiff::Timestamp;
use tokio::sync::watch;

use crate::domain::moment::Moment;

/// The system's clock, or one that a test moves forward. Clones share their time.
#[derive(Debug, Clone, Default)]
pub struct Clock {
    offset: Option<Arc<watch::Sender<Offset>>>,
}

/// How far an adjustable clock is from the system's.
#[derive(Debug, Clone, Copy, Default)]
struct Offset {
    /// Of the time of day, in microseconds; negative where a test has set it back.
    wall: i64,
    /// Of what measures durations: it only grows.
    monotonic: Duration,
}

impl Clock {
    pub const fn system() -> Self {
        Self { offset: None }
    }

    /// For tests: it runs like the system's clock, and moves when it is told to.
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

    /// For measuring durations; it never goes back.
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

    /// Moves an adjustable clock forward, and wakes everything whose sleep is over by then.
    ///
    /// # Panics
    /// If it is the system's clock, which nobody can move.
    pub fn advance(&self, time: Duration) {
        self.adjust(|offset| {
            offset.wall += i64::try_from(time.as_micros()).unwrap_or(i64::MAX / 2);
            offset.monotonic += time;
        });
    }

    /// Sets the time of day of an adjustable clock, as an administrator corrects a system's: durations do not change, and
    /// nothing that sleeps is woken.
    ///
    /// # Panics
    /// If it is the system's clock, which nobody can set.
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
