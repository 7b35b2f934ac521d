//! What every operation on an S3 server goes through: a deadline, and a circuit breaker. A server that hangs accepts connections
//! and never responds, so that without them each operation would wait for minutes.

use std::{
    future::Future,
    sync::{Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use super::{
    Error, Result,
    breaker::{Breaker, Outcome, Permit, State},
};
use crate::{clock::Clock, telemetry::metrics};

/// An operation that has waited for so long counts as failed when its caller stops waiting. Many clients give up before our
/// deadline, and the circuit would never open.
const ABANDONED_AFTER: Duration = Duration::from_secs(2);

pub struct Guard {
    clock: Clock,
    timeout: Duration,
    breaker: Mutex<Breaker>,
}

impl Guard {
    pub fn new(timeout: Duration, clock: Clock) -> Self {
        show(State::Closed);
        Self { clock, timeout, breaker: Mutex::new(Breaker::new()) }
    }

    /// Runs an operation within the deadline, unless the circuit is open.
    pub async fn run<T>(&self, operation: impl Future<Output = Result<T>>) -> Result<T> {
        let mut running = self.admit()?;
        let result = self.within_deadline(operation).await;
        running.outcome = Some(match &result {
            Err(Error::Unavailable(_)) => Outcome::Failed,
            Ok(_) | Err(Error::Broken(_)) => Outcome::Answered,
        });
        result
    }

    /// Only the deadline: for the rest of an operation that has begun, and for what does not ask the server.
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

    /// Fails if an operation would be refused now.
    pub fn check(&self) -> Result<()> {
        if self.breaker().is_passable(self.clock.instant()) { Ok(()) } else { Err(refused()) }
    }

    fn admit(&self) -> Result<Running<'_>> {
        let now = self.clock.instant();
        let admitted = self.change(|breaker| breaker.admit(now));
        let permit = admitted.ok_or_else(refused)?;
        Ok(Running { guard: self, permit, started: now, outcome: None })
    }

    fn record(&self, permit: Permit, outcome: Outcome) {
        let now = self.clock.instant();
        self.change(|breaker| breaker.record(permit, outcome, now));
    }

    /// Reports changes of state.
    fn change<T>(&self, change: impl FnOnce(&mut Breaker) -> T) -> T {
        let mut breaker = self.breaker();
        let before = breaker.state();
        let result = change(&mut breaker);
        let after = breaker.state();
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

    fn breaker(&self) -> MutexGuard<'_, Breaker> {
        self.breaker.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn show(state: State) {
    for one in State::ALL {
        metrics::blobs_circuit(one.word(), one == state);
    }
}

fn refused() -> Error {
    metrics::blobs_failed("refused");
    Error::Unavailable("the circuit breaker is open: the object store did not respond".to_owned())
}

/// An operation in progress. Its outcome is recorded when it is dropped, also if its caller stops waiting.
struct Running<'a> {
    guard: &'a Guard,
    permit: Permit,
    started: Instant,
    /// `None` until it has ended.
    outcome: Option<Outcome>,
}

impl Drop for Running<'_> {
    fn drop(&mut self) {
        let outcome = self.outcome.unwrap_or_else(|| {
            let waited = self.guard.clock.instant().saturating_duration_since(self.started);
            if waited >= ABANDONED_AFTER { Outcome::Failed } else { Outcome::Unknown }
        });
        self.guard.record(self.permit, outcome);
    }
}

#[cfg(test)]
mod tests {
    use std::future::{pending, ready};

    use super::*;
    use crate::blobs::breaker::PAUSE;

    const SHORT: Duration = Duration::from_millis(20);

    async fn hang(guard: &Guard) -> Error {
        guard.run(pending::<Result<()>>()).await.expect_err("nothing responds")
    }

    async fn open_circuit(guard: &Guard) {
        for _ in 0..10 {
            hang(guard).await;
        }
        assert!(guard.check().is_err());
    }

    #[tokio::test]
    async fn what_does_not_respond_fails_in_time_and_then_at_once() {
        let guard = Guard::new(SHORT, Clock::adjustable());
        assert!(hang(&guard).await.to_string().contains("no response"));
        open_circuit(&guard).await;
        let refused = guard.run(ready(Ok(()))).await.expect_err("it is refused");
        assert!(refused.to_string().contains("circuit breaker"), "{refused}");
    }

    #[tokio::test]
    async fn it_works_again_after_a_probe_that_was_answered() {
        let clock = Clock::adjustable();
        let guard = Guard::new(SHORT, clock.clone());
        open_circuit(&guard).await;
        clock.advance(PAUSE);
        assert!(guard.check().is_ok());
        guard.run(ready(Ok(()))).await.expect("the probe");
        guard.run(ready(Ok(()))).await.expect("everything else");
    }

    #[tokio::test]
    async fn a_refusal_by_the_server_is_an_answer() {
        let guard = Guard::new(SHORT, Clock::adjustable());
        for _ in 0..20 {
            let denied: Result<()> = Err(Error::Broken("access denied".to_owned()));
            assert!(guard.run(ready(denied)).await.is_err());
        }
        assert!(guard.check().is_ok());
    }

    #[tokio::test]
    async fn callers_who_give_up_before_the_deadline_open_the_circuit_too() {
        let clock = Clock::adjustable();
        let guard = Guard::new(Duration::from_secs(600), clock.clone());
        let give_up = async |after: Duration| {
            let mut hanging = Box::pin(hang(&guard));
            assert!(futures_util::poll!(hanging.as_mut()).is_pending());
            clock.advance(after);
            drop(hanging);
        };
        for _ in 0..10 {
            give_up(Duration::from_millis(100)).await;
        }
        assert!(guard.check().is_ok(), "they left too early to tell");
        for _ in 0..5 {
            give_up(ABANDONED_AFTER).await;
        }
        assert!(guard.check().is_err());
    }
}
