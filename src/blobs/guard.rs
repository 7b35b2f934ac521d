//! What every operation on an S3 server goes through: a deadline, and a circuit breaker. A server that hangs accepts connections
//! and never responds, so that without them each operation would wait for minutes.

use std::{
    collections::BTreeMap,
    future::Future,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use super::{Error, Result};
use crate::{
    clock::Clock,
    domain::circuit::{Circuit, Outcome, Permit, Rules, State},
    telemetry::metrics,
};

/// How long an open circuit refuses everything before it lets a probe through.
const PAUSE: Duration = Duration::from_secs(5);

/// Failures that are reported quickly cost little. A timeout takes as long as the deadline.
const RULES: Rules = Rules {
    failures: 5,
    timeouts: 2,
    pause: PAUSE,
    longest_pause: PAUSE,
    longest_probe: Duration::from_secs(60),
};

/// An operation that has waited for so long hangs. If its caller stops waiting, it counts as failed: many clients give up before our
/// deadline, and the circuit would never open. If it fails, it counts as timed out.
const HANGS_AFTER: Duration = Duration::from_secs(2);

/// The deadline of an operation of several waits, in deadlines of one.
const TOTAL: u32 = 3;

pub struct Guard {
    clock: Clock,
    timeout: Duration,
    circuit: Mutex<Circuit>,
    /// The times of the circuit are since then.
    started: Instant,
    waiting: Mutex<Waiting>,
}

/// The operations that wait for the server now.
#[derive(Default)]
struct Waiting {
    /// Since when each of them waits, the oldest first.
    since: BTreeMap<u64, Instant>,
    last: u64,
}

impl Guard {
    pub fn new(timeout: Duration, clock: Clock) -> Self {
        show(State::Closed);
        let (started, circuit) = (clock.instant(), Mutex::new(Circuit::new(RULES)));
        Self { clock, timeout, circuit, started, waiting: Mutex::default() }
    }

    /// Runs an operation within the deadline, unless the circuit is open.
    pub async fn run<T>(self: &Arc<Self>, operation: impl Future<Output = Result<T>>) -> Result<T> {
        let mut running = self.admit()?;
        let result = running.wait(operation).await;
        running.end(&result);
        result
    }

    /// Only the deadline: for what does not ask the server.
    pub async fn within_deadline<T>(&self, operation: impl Future<Output = Result<T>>) -> Result<T> {
        match tokio::time::timeout(self.timeout, operation).await {
            Ok(result) => {
                if let Err(Error::Unavailable(_)) = &result {
                    metrics::blobs_failed("unavailable");
                }
                result
            }
            Err(_) => {
                metrics::blobs_failed("timeout");
                Err(Error::Unavailable(format!("no response within {:?}", self.timeout)))
            }
        }
    }

    /// Like `within_deadline`, for an operation of several waits, such as a file of many parts.
    pub async fn within_total_deadline<T>(&self, operation: impl Future<Output = Result<T>>) -> Result<T> {
        let total = self.timeout.saturating_mul(TOTAL);
        tokio::time::timeout(total, operation).await.unwrap_or_else(|_| {
            metrics::blobs_failed("timeout");
            Err(Error::Unavailable(format!("no complete response within {total:?}")))
        })
    }

    /// Is everything let through?
    pub fn is_closed(&self) -> bool {
        self.circuit().state() == State::Closed
    }

    /// Begins an operation of several waits, unless the circuit is open.
    pub fn admit(self: &Arc<Self>) -> Result<Running> {
        let now = self.micros(self.clock.instant());
        match self.change(|circuit| circuit.admit(now)) {
            Some(permit) => {
                let (waiting, waited) = (None, Duration::ZERO);
                Ok(Running { guard: self.clone(), permit, waiting, waited, outcome: Outcome::Unknown })
            }
            None => {
                metrics::blobs_failed("refused");
                let why = "the circuit breaker is open: the object store did not respond";
                Err(Error::Unavailable(why.to_owned()))
            }
        }
    }

    fn record(&self, permit: Permit, outcome: Outcome) {
        let now = self.clock.instant();
        // What hangs at the same time will time out as well. Its caller is not made to wait for that.
        let is_one_of_many = outcome == Outcome::TimedOut && self.is_any_hanging(now);
        let now = self.micros(now);
        self.change(|circuit| {
            circuit.record(permit, outcome, now);
            if is_one_of_many {
                circuit.record(permit, outcome, now);
            }
        });
    }

    fn micros(&self, now: Instant) -> i64 {
        i64::try_from(now.saturating_duration_since(self.started).as_micros()).unwrap_or(i64::MAX)
    }

    fn is_any_hanging(&self, now: Instant) -> bool {
        let oldest = self.waiting().since.first_key_value().map(|(_, since)| *since);
        oldest.is_some_and(|since| now.saturating_duration_since(since) >= self.hangs_after())
    }

    fn hangs_after(&self) -> Duration {
        HANGS_AFTER.min(self.timeout)
    }

    fn start_waiting(&self) -> u64 {
        let now = self.clock.instant();
        let mut waiting = self.waiting();
        waiting.last += 1;
        let number = waiting.last;
        waiting.since.insert(number, now);
        number
    }

    /// How long it has waited.
    fn stop_waiting(&self, number: u64) -> Duration {
        let since = self.waiting().since.remove(&number);
        since.map_or(Duration::ZERO, |since| self.clock.instant().saturating_duration_since(since))
    }

    /// Reports changes of state.
    fn change<T>(&self, change: impl FnOnce(&mut Circuit) -> T) -> T {
        let mut circuit = self.circuit();
        let before = circuit.state();
        let result = change(&mut circuit);
        let after = circuit.state();
        if before != after {
            show(after);
            match after {
                State::Open if before == State::Closed => {
                    tracing::warn!("the object store does not respond: operations on it fail at once");
                }
                State::Closed => tracing::info!("the object store responds again"),
                State::Open | State::HalfOpen => {}
            }
        }
        result
    }

    fn circuit(&self) -> MutexGuard<'_, Circuit> {
        self.circuit.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn waiting(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn show(state: State) {
    for one in State::ALL {
        metrics::blobs_circuit(one.word(), one == state);
    }
}

/// An operation in progress. Its outcome is recorded when it is dropped, also if its caller stops waiting.
pub struct Running {
    guard: Arc<Guard>,
    permit: Permit,
    /// Its number among those that wait for the server. `None` before and after, and while a client reads what has arrived.
    waiting: Option<u64>,
    /// How long the last wait took.
    waited: Duration,
    outcome: Outcome,
}

impl Running {
    /// Waits for the server, within the deadline.
    pub async fn wait<T>(&mut self, operation: impl Future<Output = Result<T>>) -> Result<T> {
        let number = self.guard.start_waiting();
        self.waiting = Some(number);
        let result = self.guard.within_deadline(operation).await;
        self.waiting = None;
        self.waited = self.guard.stop_waiting(number);
        result
    }

    /// A part of the response has arrived. That is enough for a probe: a client may take minutes to read the rest.
    pub fn progress(&self) {
        let now = self.guard.micros(self.guard.clock.instant());
        self.guard.change(|circuit| {
            if circuit.state() == State::HalfOpen {
                circuit.record(self.permit, Outcome::Answered, now);
            }
        });
    }

    /// The operation has ended with this result.
    pub fn end<T>(&mut self, result: &Result<T>) {
        self.outcome = match result {
            Err(Error::Unavailable(_)) if self.waited >= self.guard.hangs_after() => Outcome::TimedOut,
            Err(Error::Unavailable(_)) => Outcome::Failed,
            Ok(_) | Err(Error::Broken(_)) => Outcome::Answered,
        };
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if let Some(number) = self.waiting {
            let waited = self.guard.stop_waiting(number);
            self.outcome =
                if waited >= self.guard.hangs_after() { Outcome::Failed } else { Outcome::Unknown };
        }
        self.guard.record(self.permit, self.outcome);
    }
}

#[cfg(test)]
mod tests {
    use std::future::{pending, ready};

    use super::*;

    const SHORT: Duration = Duration::from_millis(20);

    async fn hang(guard: &Arc<Guard>) -> Error {
        guard.run(pending::<Result<()>>()).await.expect_err("nothing responds")
    }

    async fn open_circuit(guard: &Arc<Guard>) {
        for _ in 0..10 {
            hang(guard).await;
        }
        assert!(!guard.is_closed());
    }

    #[tokio::test]
    async fn what_does_not_respond_fails_in_time_and_then_at_once() {
        let guard = Arc::new(Guard::new(SHORT, Clock::adjustable()));
        assert!(hang(&guard).await.to_string().contains("no response"));
        assert!(guard.is_closed(), "it may have been the operation");
        assert!(hang(&guard).await.to_string().contains("no response"));
        assert!(!guard.is_closed());
        let refused = guard.run(ready(Ok(()))).await.expect_err("it is refused");
        assert!(refused.to_string().contains("circuit breaker"), "{refused}");
    }

    #[tokio::test]
    async fn it_works_again_after_a_probe_that_was_answered() {
        let clock = Clock::adjustable();
        let guard = Arc::new(Guard::new(SHORT, clock.clone()));
        open_circuit(&guard).await;
        clock.advance(PAUSE);
        guard.run(ready(Ok(()))).await.expect("the probe");
        guard.run(ready(Ok(()))).await.expect("everything else");
    }

    #[tokio::test]
    async fn a_refusal_by_the_server_is_an_answer() {
        let guard = Arc::new(Guard::new(SHORT, Clock::adjustable()));
        for _ in 0..20 {
            let denied: Result<()> = Err(Error::Broken("access denied".to_owned()));
            assert!(guard.run(ready(denied)).await.is_err());
        }
        assert!(guard.is_closed());
    }

    #[tokio::test]
    async fn callers_who_give_up_before_the_deadline_open_the_circuit_too() {
        let clock = Clock::adjustable();
        let guard = Arc::new(Guard::new(Duration::from_secs(600), clock.clone()));
        let give_up = async |after: Duration| {
            let mut hanging = Box::pin(hang(&guard));
            assert!(futures_util::poll!(hanging.as_mut()).is_pending());
            clock.advance(after);
            drop(hanging);
        };
        for _ in 0..10 {
            give_up(Duration::from_millis(100)).await;
        }
        assert!(guard.is_closed(), "they left too early to tell");
        for _ in 0..5 {
            give_up(HANGS_AFTER).await;
        }
        assert!(!guard.is_closed());
    }

    #[tokio::test]
    async fn one_timeout_opens_the_circuit_while_another_operation_hangs() {
        let clock = Clock::adjustable();
        let guard = Arc::new(Guard::new(Duration::from_secs(600), clock.clone()));
        let time_out = || {
            let permit = guard.admit().expect("it is let through").permit;
            guard.record(permit, Outcome::TimedOut);
        };
        let mut other = Box::pin(hang(&guard));
        assert!(futures_util::poll!(other.as_mut()).is_pending());
        time_out();
        assert!(guard.is_closed(), "the other one has just begun");
        guard.run(ready(Ok(()))).await.expect("an answer");
        clock.advance(HANGS_AFTER);
        time_out();
        assert!(!guard.is_closed());
    }

    #[tokio::test]
    async fn operations_that_have_ended_do_not_hang() {
        let clock = Clock::adjustable();
        let guard = Arc::new(Guard::new(Duration::from_secs(600), clock.clone()));
        guard.run(ready(Ok(()))).await.expect("an answer");
        let mut abandoned = Box::pin(hang(&guard));
        assert!(futures_util::poll!(abandoned.as_mut()).is_pending());
        drop(abandoned);
        clock.advance(HANGS_AFTER);
        assert!(!guard.is_any_hanging(clock.instant()));
    }

    /// A connection that cannot be made ends with an error, and its caller has waited all the same.
    #[tokio::test]
    async fn a_failure_after_a_long_wait_is_a_timeout() {
        let clock = Clock::adjustable();
        let guard = Arc::new(Guard::new(Duration::from_secs(600), clock.clone()));
        let fail_after = async |time: Duration| {
            let unavailable = async {
                clock.advance(time);
                Err::<(), _>(Error::Unavailable("no connection".to_owned()))
            };
            guard.run(unavailable).await.expect_err("it fails");
        };
        for _ in 0..4 {
            fail_after(Duration::ZERO).await;
        }
        assert!(guard.is_closed(), "quick failures cost little");
        guard.run(ready(Ok(()))).await.expect("an answer");
        for _ in 0..2 {
            fail_after(HANGS_AFTER).await;
        }
        assert!(!guard.is_closed());
    }

    /// It sends the beginning of each response, and nothing more.
    #[tokio::test]
    async fn responses_that_stall_open_the_circuit() {
        let guard = Arc::new(Guard::new(SHORT, Clock::adjustable()));
        for _ in 0..2 {
            let mut running = guard.admit().expect("it is let through");
            running.wait(ready(Ok(()))).await.expect("the beginning");
            running.progress();
            let rest = running.wait(pending::<Result<()>>()).await;
            running.end(&rest);
        }
        assert!(!guard.is_closed());
    }

    #[tokio::test]
    async fn a_response_that_a_client_reads_slowly_is_no_failure_and_a_probe_need_not_be_read_to_its_end() {
        let clock = Clock::adjustable();
        let guard = Arc::new(Guard::new(SHORT, clock.clone()));
        for _ in 0..10 {
            let mut running = guard.admit().expect("it is let through");
            running.wait(ready(Ok(()))).await.expect("the beginning");
            clock.advance(HANGS_AFTER);
            drop(running);
        }
        assert!(guard.is_closed());
        open_circuit(&guard).await;
        clock.advance(PAUSE);
        let mut probe = guard.admit().expect("a probe");
        probe.wait(ready(Ok(()))).await.expect("the beginning");
        assert!(!guard.is_closed());
        probe.progress();
        assert!(guard.is_closed());
    }

    #[tokio::test]
    async fn parts_that_trickle_in_have_a_deadline_together() {
        let guard = Guard::new(SHORT, Clock::adjustable());
        let late = guard.within_total_deadline(pending::<Result<()>>()).await.expect_err("nothing responds");
        assert!(late.to_string().contains("no complete response"), "{late}");
    }
}
