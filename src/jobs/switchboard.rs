//! The switchboard: claims the calls that are due, within the concurrency limits, and makes each of them. On a SIP trunk this
//! process handles the call itself and keeps renewing its lease. A cloud provider handles the call on its side and talks to us
//! through webhooks.

mod hold;

use std::{
    collections::HashSet,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use futures_util::FutureExt;
use tokio_util::{sync::CancellationToken, task::TaskTracker};

use super::POLL_INTERVAL;
use crate::{
    app::{
        App, Result,
        calls::{self, Attempt, Lease},
    },
    domain::ids::AttemptId,
    phone::{Provider, sip::Trunk},
};

/// A process that does not renew the lease of a call for this long is presumed dead.
const LEASE: Duration = Duration::from_secs(15);
/// How long a cloud provider may stay silent about a call, beyond the ring time, before we poll it.
const CLOUD_TIMEOUT: Duration = Duration::from_secs(90);

/// Runs until it is stopped and its calls have ended. Calls get the same grace period as jobs, then they are hung up.
pub async fn run(app: App, grace: Duration, stop: CancellationToken) {
    let held = Arc::new(ActiveAttempts::default());
    tokio::join!(handle_overdue(&app, &held, &stop), make_calls(&app, &held, grace, &stop));
}

/// The call attempts that this process makes over a trunk.
#[derive(Default)]
struct ActiveAttempts(Mutex<HashSet<AttemptId>>);

impl ActiveAttempts {
    fn has(&self, attempt: AttemptId) -> bool {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).contains(&attempt)
    }

    fn take(self: &Arc<Self>, attempt: AttemptId) -> ActiveAttempt {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(attempt);
        ActiveAttempt(self.clone(), attempt)
    }
}

/// Guard: removes the attempt from `ActiveAttempts` on drop, on every exit path.
struct ActiveAttempt(Arc<ActiveAttempts>, AttemptId);

impl Drop for ActiveAttempt {
    fn drop(&mut self) {
        self.0.0.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.1);
    }
}

/// Handles overdue attempts. Also runs where no calls are made, or no longer.
async fn handle_overdue(app: &App, held: &ActiveAttempts, stop: &CancellationToken) {
    let mut in_trouble = false;
    while stop.run_until_cancelled(app.clock.sleep(POLL_INTERVAL)).await.is_some() {
        let overdue = match calls::overdue(app).await {
            Ok(overdue) => overdue,
            Err(error) => {
                if !std::mem::replace(&mut in_trouble, true) {
                    tracing::warn!(%error, "recovering calls failed; will retry");
                }
                continue;
            }
        };
        in_trouble = false;
        for attempt in overdue {
            // One failing attempt must not block the others.
            if let Err(error) = check_overdue(app, held, &attempt).await {
                tracing::warn!(%error, attempt = attempt.id.get(), "recovering a call failed; will retry");
            }
        }
    }
}

async fn check_overdue(app: &App, held: &ActiveAttempts, attempt: &Attempt) -> Result<()> {
    if attempt.lease.is_none() {
        return calls::cloud::check_overdue(app, attempt).await;
    }
    if held.has(attempt.id) {
        // The attempt is ours, but the database was unreachable for longer than the lease.
        return calls::renew(app, attempt, LEASE).await.map(|_| ());
    }
    if calls::interrupt(app, attempt).await? {
        tracing::warn!(attempt = attempt.id.get(), "the process that placed a call is gone");
    }
    Ok(())
}

async fn make_calls(app: &App, held: &Arc<ActiveAttempts>, grace: Duration, stop: &CancellationToken) {
    let under_way = TaskTracker::new();
    let hang_up = CancellationToken::new();
    while let Some(line) = Line::open(app, stop).await {
        take_calls(app, &line, held, &under_way, &hang_up, stop).await;
        if stop.is_cancelled() {
            under_way.close();
            if tokio::time::timeout(grace, under_way.wait()).await.is_err() {
                hang_up.cancel();
                under_way.wait().await;
            }
        }
        line.close().await;
        // Back off, so that a trunk that dies right after opening does not cause a busy loop.
        stop.run_until_cancelled(app.clock.sleep(POLL_INTERVAL)).await;
    }
}

/// Claims due calls until stopped, or until the line is dead.
async fn take_calls(
    app: &App,
    line: &Line,
    held: &Arc<ActiveAttempts>,
    under_way: &TaskTracker,
    hang_up: &CancellationToken,
    stop: &CancellationToken,
) {
    let mut in_trouble = false;
    while !stop.is_cancelled() && line.is_alive() {
        let pause = match turn(app, line, held, under_way, hang_up).await {
            Ok(pause) => {
                in_trouble = false;
                pause
            }
            Err(error) => {
                if !std::mem::replace(&mut in_trouble, true) {
                    tracing::warn!(%error, "claiming calls failed; will retry");
                }
                POLL_INTERVAL
            }
        };
        tokio::select! {
            () = app.clock.sleep(pause) => {}
            () = app.switchboard.woken() => {}
            () = stop.cancelled() => {}
        }
    }
}

enum Line {
    Trunk(Trunk),
    Cloud,
}

impl Line {
    /// Retries until the trunk is usable. `None` if no provider is configured, or on shutdown.
    async fn open(app: &App, stop: &CancellationToken) -> Option<Self> {
        if stop.is_cancelled() {
            return None;
        }
        let settings = match &app.phone.provider {
            Provider::None => return None,
            Provider::Cloud(_) if app.phone.callback_base.is_empty() => {
                tracing::warn!("no calls are made from here: a cloud needs --phone-callback-url to reach us");
                return None;
            }
            Provider::Cloud(_) => return Some(Self::Cloud),
            Provider::Sip(settings) => settings,
        };
        let mut pause = POLL_INTERVAL;
        loop {
            match Trunk::open(settings).await {
                Ok(trunk) => return Some(Self::Trunk(trunk)),
                Err(error) => {
                    tracing::warn!(%error, seconds = pause.as_secs(), "the SIP trunk is unavailable; will retry");
                }
            }
            stop.run_until_cancelled(app.clock.sleep(pause)).await?;
            pause = (pause * 2).min(Duration::from_secs(60));
        }
    }

    fn lease(&self, app: &App) -> Lease {
        match self {
            Self::Trunk(_) => Lease::Held(LEASE),
            Self::Cloud => Lease::Cloud(app.calling.ring + CLOUD_TIMEOUT),
        }
    }

    /// A dead line is reopened.
    fn is_alive(&self) -> bool {
        match self {
            Self::Trunk(trunk) => trunk.is_alive(),
            Self::Cloud => true,
        }
    }

    async fn close(self) {
        if let Self::Trunk(trunk) = self {
            trunk.close().await;
        }
    }
}

/// Claims every call that is due. Returns how long to wait before the next turn.
async fn turn(
    app: &App,
    line: &Line,
    held: &Arc<ActiveAttempts>,
    under_way: &TaskTracker,
    hang_up: &CancellationToken,
) -> Result<Duration> {
    while let Some(claimed) = calls::claim(app, line.lease(app)).await? {
        let app = app.clone();
        match line {
            Line::Cloud => {
                let placing = async move {
                    if let Err(error) = calls::cloud::place(&app, &claimed).await {
                        tracing::warn!(%error, attempt = claimed.attempt.id.get(), "storing a call failed");
                    }
                };
                under_way.spawn(placing.boxed());
            }
            Line::Trunk(trunk) => {
                let holding = held.take(claimed.attempt.id);
                under_way.spawn(hold::hold(app, trunk.clone(), claimed, hang_up.clone(), holding).boxed());
            }
        }
    }
    // Calls that are due but were not claimed wait for a concurrency limit. The end of a call wakes us.
    let next = calls::until_next(app).await?.filter(|next| !next.is_zero());
    Ok(next.unwrap_or(POLL_INTERVAL).min(POLL_INTERVAL))
}
