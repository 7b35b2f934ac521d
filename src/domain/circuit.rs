//! A circuit breaker: after several failures in a row, operations on a server are refused at once instead of waiting for it. After a
//! pause, one operation is let through as a probe, and its outcome decides. Times are in microseconds of one monotonic clock.

use std::time::Duration;

/// When a circuit opens, and for how long.
#[derive(Debug, Clone, Copy)]
pub struct Rules {
    /// Consecutive failures that open it.
    pub failures: u32,
    /// Consecutive operations without a response that open it: each has made its caller wait.
    pub timeouts: u32,
    /// How long an open circuit refuses everything before it lets a probe through. Twice as long after each probe that fails.
    pub pause: Duration,
    pub longest_pause: Duration,
    /// Without an outcome of the probe for so long, there is another. Outcomes are always recorded, unless there is a fault.
    pub longest_probe: Duration,
}

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

/// Permission for one operation. Outcomes of operations that began before the latest change of state are ignored: requests that fail
/// together are one failure, and an old answer does not close the circuit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Permit {
    generation: u64,
}

/// The moves:
///
/// | | closed | open | half-open |
/// |---|---|---|---|
/// | an operation begins | it is let through | it is refused | it is refused |
/// | one begins after the pause, or after `longest_probe` | | it is the probe; half-open | it is the probe; half-open |
/// | answered | the counts start again | | closed |
/// | failed | counts; open after `failures` | | open, with a longer pause |
/// | timed out | counts; open after `timeouts` | | open, with a longer pause |
/// | unknown | | | open, without a pause: the next operation is the probe |
#[derive(Debug)]
pub struct Circuit {
    rules: Rules,
    state: State,
    /// Consecutive failures while closed.
    failures: u32,
    /// Those of them that have timed out.
    timeouts: u32,
    /// Consecutive probes that have failed.
    failed_probes: u32,
    /// Until when everything is refused. `None` while closed.
    until: Option<i64>,
    /// Changes with each change of state, and with each probe.
    generation: u64,
}

impl Circuit {
    pub const fn new(rules: Rules) -> Self {
        Self {
            rules,
            state: State::Closed,
            failures: 0,
            timeouts: 0,
            failed_probes: 0,
            until: None,
            generation: 0,
        }
    }

    pub const fn state(&self) -> State {
        self.state
    }

    /// Until when operations are refused, if they are.
    pub fn open_until(&self, now: i64) -> Option<i64> {
        self.until.filter(|until| *until > now)
    }

    /// Lets an operation through, or refuses it. Its outcome must be recorded.
    pub fn admit(&mut self, now: i64) -> Option<Permit> {
        if self.open_until(now).is_some() {
            return None;
        }
        if self.state != State::Closed {
            self.enter(State::HalfOpen, Some(after(now, self.rules.longest_probe)));
        }
        Some(Permit { generation: self.generation })
    }

    pub fn record(&mut self, permit: Permit, outcome: Outcome, now: i64) {
        if permit.generation != self.generation {
            return;
        }
        match (self.state, outcome) {
            (State::Closed, Outcome::Answered) => (self.failures, self.timeouts) = (0, 0),
            (State::Closed, Outcome::Failed | Outcome::TimedOut) => {
                self.failures += 1;
                self.timeouts += u32::from(outcome == Outcome::TimedOut);
                if self.failures >= self.rules.failures || self.timeouts >= self.rules.timeouts {
                    self.open(after(now, self.pause()));
                }
            }
            (State::HalfOpen, Outcome::Answered) => {
                self.failed_probes = 0;
                self.enter(State::Closed, None);
            }
            (State::HalfOpen, Outcome::Failed | Outcome::TimedOut) => {
                self.failed_probes += 1;
                self.open(after(now, self.pause()));
            }
            (State::HalfOpen, Outcome::Unknown) => self.open(now),
            (State::Closed, Outcome::Unknown) | (State::Open, _) => {}
        }
    }

    fn pause(&self) -> Duration {
        let times = 1_u32 << self.failed_probes.min(16);
        self.rules.pause.saturating_mul(times).min(self.rules.longest_pause)
    }

    fn open(&mut self, until: i64) {
        self.enter(State::Open, Some(until));
    }

    fn enter(&mut self, state: State, until: Option<i64>) {
        (self.state, self.until) = (state, until);
        (self.failures, self.timeouts) = (0, 0);
        self.generation += 1;
    }
}

fn after(now: i64, time: Duration) -> i64 {
    now.saturating_add(i64::try_from(time.as_micros()).unwrap_or(i64::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;
    use Outcome::{Answered, Failed, TimedOut, Unknown};
    use State::{Closed, HalfOpen, Open};

    const SECOND: i64 = 1_000_000;
    const RULES: Rules = Rules {
        failures: 5,
        timeouts: 2,
        pause: Duration::from_secs(1),
        longest_pause: Duration::from_secs(5),
        longest_probe: Duration::from_secs(10),
    };

    /// Lets an operation through and records its outcome.
    fn run(circuit: &mut Circuit, outcome: Outcome, now: i64) {
        let permit = circuit.admit(now).expect("it is let through");
        circuit.record(permit, outcome, now);
    }

    fn fail(circuit: &mut Circuit, times: u32, now: i64) {
        for _ in 0..times {
            run(circuit, Failed, now);
        }
    }

    /// A circuit in this state at the time 0, and the permit of the last operation.
    fn circuit_in(state: State) -> (Circuit, Permit) {
        let mut circuit = Circuit::new(RULES);
        let mut permit = circuit.admit(-SECOND).unwrap();
        if state != Closed {
            circuit.record(permit, TimedOut, -SECOND);
            circuit.record(permit, TimedOut, -SECOND);
        }
        if state == HalfOpen {
            permit = circuit.admit(0).unwrap();
        }
        assert_eq!(circuit.state(), state);
        (circuit, permit)
    }

    #[test]
    fn each_outcome_in_each_state_leads_where_the_table_says() {
        for (state, outcome, after) in [
            (Closed, Answered, Closed),
            (Closed, Failed, Closed),
            (Closed, TimedOut, Closed),
            (Closed, Unknown, Closed),
            (Open, Answered, Open),
            (Open, Failed, Open),
            (Open, TimedOut, Open),
            (Open, Unknown, Open),
            (HalfOpen, Answered, Closed),
            (HalfOpen, Failed, Open),
            (HalfOpen, TimedOut, Open),
            (HalfOpen, Unknown, Open),
        ] {
            let (mut circuit, permit) = circuit_in(state);
            circuit.record(permit, outcome, 0);
            assert_eq!(circuit.state(), after, "{state:?} {outcome:?}");
            let is_refused = circuit.admit(0).is_none();
            let pauses = state == HalfOpen && matches!(outcome, Failed | TimedOut);
            // The pause of the circuit that is open has just ended.
            assert_eq!(is_refused, pauses, "{state:?} {outcome:?}");
        }
    }

    #[test]
    fn each_state_lets_through_what_the_table_says() {
        let later = SECOND * 10;
        for (state, now, is_let_through, after) in [
            (Closed, -1, true, Closed),
            (Closed, later, true, Closed),
            (Open, -1, false, Open),
            (Open, 0, true, HalfOpen),
            (HalfOpen, later - 1, false, HalfOpen),
            (HalfOpen, later, true, HalfOpen),
        ] {
            let (mut circuit, before) = circuit_in(state);
            let permit = circuit.admit(now);
            assert_eq!((permit.is_some(), circuit.state()), (is_let_through, after), "{state:?} {now}");
            let is_probe = permit.is_some_and(|permit| permit != before);
            assert_eq!(is_probe, is_let_through && state != Closed, "{state:?} {now}");
        }
    }

    #[test]
    fn it_opens_after_failures_in_a_row_and_not_before() {
        let mut circuit = Circuit::new(RULES);
        fail(&mut circuit, RULES.failures - 1, 0);
        run(&mut circuit, Answered, 0);
        fail(&mut circuit, RULES.failures - 1, 0);
        assert_eq!(circuit.state(), Closed, "an answer in between starts the count again");
        fail(&mut circuit, 1, 0);
        assert_eq!((circuit.state(), circuit.open_until(0)), (Open, Some(SECOND)));
        assert_eq!(circuit.open_until(SECOND), None);
    }

    #[test]
    fn two_timeouts_in_a_row_open_it() {
        let mut circuit = Circuit::new(RULES);
        for outcome in [TimedOut, Answered, TimedOut] {
            run(&mut circuit, outcome, 0);
        }
        assert_eq!(circuit.state(), Closed, "an answer in between starts the count again");
        fail(&mut circuit, 1, 0);
        assert_eq!(circuit.state(), Closed, "a failure is not a timeout");
        run(&mut circuit, TimedOut, 0);
        assert_eq!(circuit.state(), Open);
    }

    #[test]
    fn the_pause_doubles_with_each_probe_that_fails_and_starts_again_after_an_answer() {
        let mut circuit = Circuit::new(RULES);
        fail(&mut circuit, RULES.failures, 0);
        let (mut now, mut pauses) = (0, Vec::new());
        for _ in 0..5 {
            let until = circuit.open_until(now).unwrap();
            pauses.push((until - now) / SECOND);
            now = until;
            fail(&mut circuit, 1, now);
        }
        assert_eq!(pauses, [1, 2, 4, 5, 5]);
        now = circuit.open_until(now).unwrap();
        run(&mut circuit, Answered, now);
        fail(&mut circuit, RULES.failures - 1, now);
        assert_eq!(circuit.state(), Closed, "earlier failures do not count");
        fail(&mut circuit, 1, now);
        assert_eq!(circuit.open_until(now), Some(now + SECOND));
    }

    #[test]
    fn operations_that_began_before_a_change_of_state_decide_nothing() {
        let mut circuit = Circuit::new(RULES);
        let old = circuit.admit(0).unwrap();
        fail(&mut circuit, RULES.failures, 0);
        circuit.record(old, Answered, 0);
        assert_eq!(circuit.state(), Open, "an answer to an old operation does not close it");
        let lost = circuit.admit(SECOND).unwrap();
        circuit.record(old, Failed, SECOND);
        assert_eq!(circuit.state(), HalfOpen, "nor does its failure end the probe");
        let now = SECOND * 11;
        let probe = circuit.admit(now).unwrap();
        circuit.record(lost, Failed, now);
        assert_eq!(circuit.state(), HalfOpen, "nor that of a probe that took too long");
        circuit.record(probe, Answered, now);
        assert_eq!(circuit.state(), Closed);
        circuit.record(probe, Failed, now);
        fail(&mut circuit, RULES.failures - 1, now);
        assert_eq!(circuit.state(), Closed);
    }

    #[test]
    fn requests_that_fail_together_count_as_one_failure() {
        let mut circuit = Circuit::new(Rules { failures: 1, ..RULES });
        let permits: Vec<Permit> = (0..20).map(|_| circuit.admit(0).unwrap()).collect();
        for permit in permits {
            circuit.record(permit, Failed, 0);
        }
        assert_eq!(circuit.open_until(0), Some(SECOND));
        fail(&mut circuit, 1, SECOND);
        assert_eq!(circuit.open_until(SECOND), Some(SECOND * 3));
    }
}
