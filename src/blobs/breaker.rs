//! A circuit breaker: after several failures in a row, operations are refused at once instead of waiting for a server that does
//! not respond. Fewer are enough if each has made its caller wait. After a pause, one operation is let through as a probe, and its
//! outcome decides. Without I/O and without a clock.

use std::time::{Duration, Instant};

/// Consecutive failures that open the circuit.
const THRESHOLD: u32 = 5;
/// Operations in a row without any response that open it.
const TIMEOUTS: u32 = 2;
/// How long an open circuit refuses everything before it lets a probe through.
pub const PAUSE: Duration = Duration::from_secs(5);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    /// Everything is let through.
    Closed,
    /// Everything is refused.
    Open,
    /// One probe is under way; everything else is refused.
    HalfOpen,
}

impl State {
    pub const ALL: [Self; 3] = [Self::Closed, Self::Open, Self::HalfOpen];

    /// The name in metrics.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Closed => "closed",
            Self::Open => "open",
            Self::HalfOpen => "half_open",
        }
    }
}

/// What an operation says about the server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// It has responded, if only to refuse.
    Answered,
    /// It is unavailable.
    Failed,
    /// It has not responded in time.
    TimedOut,
    /// Nothing: the caller did not wait for the response.
    Unknown,
}

/// Permission for one operation. Outcomes of operations that began before the latest change of state are ignored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Permit {
    generation: u64,
}

#[derive(Debug)]
pub struct Breaker {
    state: State,
    /// Consecutive failures while closed.
    failures: u32,
    /// Those of them that have timed out.
    timeouts: u32,
    /// When an open circuit lets a probe through.
    probe_at: Option<Instant>,
    /// Changes with each change of state.
    generation: u64,
}

impl Breaker {
    pub const fn new() -> Self {
        Self { state: State::Closed, failures: 0, timeouts: 0, probe_at: None, generation: 0 }
    }

    pub const fn state(&self) -> State {
        self.state
    }

    /// Would an operation be let through?
    pub fn is_passable(&self, now: Instant) -> bool {
        match self.state {
            State::Closed => true,
            State::Open => self.probe_at.is_none_or(|at| at <= now),
            State::HalfOpen => false,
        }
    }

    /// Lets an operation through, or refuses it. Its outcome must be recorded.
    pub fn admit(&mut self, now: Instant) -> Option<Permit> {
        if !self.is_passable(now) {
            return None;
        }
        if self.state == State::Open {
            self.enter(State::HalfOpen);
        }
        Some(Permit { generation: self.generation })
    }

    pub fn record(&mut self, permit: Permit, outcome: Outcome, now: Instant) {
        if permit.generation != self.generation {
            return;
        }
        match (self.state, outcome) {
            (State::Closed, Outcome::Answered) => (self.failures, self.timeouts) = (0, 0),
            (State::Closed, Outcome::Failed | Outcome::TimedOut) => {
                self.failures += 1;
                self.timeouts += u32::from(outcome == Outcome::TimedOut);
                if self.failures >= THRESHOLD || self.timeouts >= TIMEOUTS {
                    self.open(now + PAUSE);
                }
            }
            (State::HalfOpen, Outcome::Answered) => self.enter(State::Closed),
            (State::HalfOpen, Outcome::Failed | Outcome::TimedOut) => self.open(now + PAUSE),
            // The next operation is the probe.
            (State::HalfOpen, Outcome::Unknown) => self.open(now),
            (State::Closed, Outcome::Unknown) | (State::Open, _) => {}
        }
    }

    fn open(&mut self, probe_at: Instant) {
        self.enter(State::Open);
        self.probe_at = Some(probe_at);
    }

    fn enter(&mut self, state: State) {
        self.state = state;
        (self.failures, self.timeouts) = (0, 0);
        self.probe_at = None;
        self.generation += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::Clock;

    fn record(breaker: &mut Breaker, outcome: Outcome, now: Instant) {
        let permit = breaker.admit(now).expect("it is let through");
        breaker.record(permit, outcome, now);
    }

    fn fail(breaker: &mut Breaker, times: u32, now: Instant) {
        for _ in 0..times {
            record(breaker, Outcome::Failed, now);
        }
    }

    #[test]
    fn it_opens_after_failures_in_a_row_and_not_before() {
        let (mut breaker, now) = (Breaker::new(), Clock::system().instant());
        fail(&mut breaker, THRESHOLD - 1, now);
        let permit = breaker.admit(now).unwrap();
        breaker.record(permit, Outcome::Answered, now);
        fail(&mut breaker, THRESHOLD - 1, now);
        assert_eq!(breaker.state(), State::Closed, "an answer in between starts the count again");
        fail(&mut breaker, 1, now);
        assert_eq!(breaker.state(), State::Open);
        assert_eq!(breaker.admit(now), None);
        assert!(!breaker.is_passable(now + PAUSE - Duration::from_millis(1)));
    }

    #[test]
    fn two_timeouts_in_a_row_open_it() {
        let (mut breaker, now) = (Breaker::new(), Clock::system().instant());
        record(&mut breaker, Outcome::TimedOut, now);
        record(&mut breaker, Outcome::Answered, now);
        record(&mut breaker, Outcome::TimedOut, now);
        assert_eq!(breaker.state(), State::Closed, "an answer in between starts the count again");
        fail(&mut breaker, 1, now);
        assert_eq!(breaker.state(), State::Closed, "a failure is not a timeout");
        record(&mut breaker, Outcome::TimedOut, now);
        assert_eq!(breaker.state(), State::Open);
    }

    #[test]
    fn after_the_pause_one_probe_decides() {
        let (mut breaker, start) = (Breaker::new(), Clock::system().instant());
        fail(&mut breaker, THRESHOLD, start);
        let later = start + PAUSE;
        assert!(breaker.is_passable(later));
        let probe = breaker.admit(later).expect("a probe is let through");
        assert_eq!((breaker.state(), breaker.admit(later)), (State::HalfOpen, None), "only one");
        breaker.record(probe, Outcome::Failed, later);
        assert_eq!((breaker.state(), breaker.admit(later)), (State::Open, None), "another pause");
        let probe = breaker.admit(later + PAUSE).expect("another probe");
        breaker.record(probe, Outcome::Answered, later + PAUSE);
        assert_eq!(breaker.state(), State::Closed);
        fail(&mut breaker, THRESHOLD - 1, later + PAUSE);
        assert_eq!(breaker.state(), State::Closed, "earlier failures do not count");
    }

    #[test]
    fn a_probe_that_nobody_waited_for_is_followed_by_another_at_once() {
        let (mut breaker, start) = (Breaker::new(), Clock::system().instant());
        fail(&mut breaker, THRESHOLD, start);
        let later = start + PAUSE;
        let probe = breaker.admit(later).unwrap();
        breaker.record(probe, Outcome::Unknown, later);
        assert_eq!(breaker.state(), State::Open);
        assert!(breaker.admit(later).is_some());
    }

    #[test]
    fn operations_that_began_before_a_change_of_state_decide_nothing() {
        let (mut breaker, start) = (Breaker::new(), Clock::system().instant());
        let old = breaker.admit(start).unwrap();
        fail(&mut breaker, THRESHOLD, start);
        breaker.record(old, Outcome::Answered, start);
        assert_eq!(breaker.state(), State::Open, "an answer to an old operation does not close it");
        let probe = breaker.admit(start + PAUSE).unwrap();
        breaker.record(old, Outcome::Failed, start + PAUSE);
        assert_eq!(breaker.state(), State::HalfOpen, "nor does its failure end the probe");
        breaker.record(probe, Outcome::Answered, start + PAUSE);
        assert_eq!(breaker.state(), State::Closed);
        breaker.record(probe, Outcome::Failed, start + PAUSE);
        fail(&mut breaker, THRESHOLD - 1, start + PAUSE);
        assert_eq!(breaker.state(), State::Closed);
    }
}
