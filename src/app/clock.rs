//! The one place that reads the clock.
#![allow(clippy::disallowed_methods)]

use std::time::Instant;

use jiff::Timestamp;

use crate::domain::moment::Moment;

#[derive(Debug, Clone, Copy, Default)]
pub struct Clock;

impl Clock {
    pub fn now(self) -> Moment {
        Moment::from_timestamp(Timestamp::now())
    }

    /// For measuring how long something takes; it never goes back.
    pub fn instant(self) -> Instant {
        Instant::now()
    }
}
