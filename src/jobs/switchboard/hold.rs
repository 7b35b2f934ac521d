//! One call over a trunk: dials, runs the conversation and records the outcome, while renewing the lease of the attempt.

use std::{sync::Arc, time::Duration};

use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use super::{ActiveAttempt, LEASE};
use crate::{
    app::{
        App, Error, Result,
        calls::{self, Attempt, Claimed},
        institutions,
    },
    domain::{
        call::{Outcome, Reason},
        conversation::{End, Step},
    },
    jobs::POLL_INTERVAL,
    phone::{
        Progress,
        sip::{OutgoingCall, Trunk},
    },
};

const RENEW: Duration = Duration::from_secs(5);
/// How soon a call that is no longer wanted is hung up.
const WATCH_INTERVAL: Duration = Duration::from_secs(1);
/// How often writing the outcome is retried while the database or the file store is unavailable.
const ATTEMPTS: u32 = 8;

/// Makes a call over the trunk, and renews its lease until the call has ended.
pub async fn hold(
    app: App,
    trunk: Trunk,
    claimed: Claimed,
    stopping: CancellationToken,
    _holding: ActiveAttempt,
) {
    let hang_up = stopping.child_token();
    let attempt = claimed.attempt.id;
    let made = tokio::select! {
        made = make(&app, &trunk, &claimed, &hang_up) => made,
        () = watch(&app, &claimed.attempt, &hang_up) => return,
    };
    if let Err(error) = made {
        tracing::warn!(%error, attempt = attempt.get(), "storing the outcome of a call failed");
    }
}

/// The whole call, from dialing to its recorded outcome.
async fn make(app: &App, trunk: &Trunk, claimed: &Claimed, hang_up: &CancellationToken) -> Result<()> {
    let attempt = &claimed.attempt;
    let owner = institutions::by_id(app, attempt.institution).await?;
    let script = app.phone.prompts.script(owner.phone_language.as_deref(), &owner.slug, &owner.name).await;
    let (sender, mut updates) = mpsc::unbounded_channel();
    let call = trunk.call(OutgoingCall {
        to: claimed.number.clone(),
        ring: app.calling.ring,
        script,
        on_progress: Arc::new(move |progress| {
            let _ = sender.send(progress);
        }),
        hang_up: hang_up.clone(),
    });
    let beside = async {
        while let Some(progress) = updates.recv().await {
            note(app, attempt, progress).await;
        }
        std::future::pending::<()>().await;
    };
    let ended = tokio::select! {
        ended = call => ended,
        () = beside => return Ok(()),
    };
    tracing::info!(
        attempt = attempt.id.get(),
        number = claimed.number.masked(),
        outcome = ended.outcome.state().word(),
        says = ended.says,
        "call ended"
    );
    let outcome = match ended.outcome {
        // We hung up. If the call is no longer wanted, the attempt has already ended and this has no effect. Otherwise the
        // process is shutting down, and the call is retried.
        Outcome::Canceled(Reason::ByOperator) => Outcome::Failed(Reason::Interrupted),
        other => other,
    };
    match (outcome, ended.recording) {
        (Outcome::Recorded, Some(wav)) => keep(app, claimed, wav).await,
        (outcome, _) => finish(app, attempt, outcome).await,
    }
}

/// Persists progress that must be stored before the call ends.
async fn note(app: &App, attempt: &Attempt, progress: Progress) {
    let noted = match progress {
        Progress::Answered => calls::answered(app, attempt).await,
        Progress::Step(Step::Over { end: End::OptedOut }) => calls::opt_out(app, attempt).await,
        _ => Ok(()),
    };
    if let Err(error) = noted {
        tracing::warn!(%error, attempt = attempt.id.get(), "storing the progress of a call failed");
    }
}

/// Renews the lease periodically. Hangs up once the call is no longer wanted, or once the lease may have expired because the
/// database was unreachable. Never returns.
async fn watch(app: &App, attempt: &Attempt, hang_up: &CancellationToken) {
    let mut renewed = app.clock.instant();
    loop {
        app.clock.sleep(WATCH_INTERVAL).await;
        let now = app.clock.instant();
        let since = now.duration_since(renewed);
        let renewal = async {
            if since >= RENEW {
                calls::renew(app, attempt, LEASE).await.inspect(|_| renewed = now)
            } else {
                calls::still_wanted(app, attempt).await
            }
        };
        match tokio::time::timeout(LEASE, renewal).await {
            Ok(Ok(true)) => {}
            Ok(Ok(false)) => hang_up.cancel(),
            Ok(Err(_)) | Err(_) if since <= LEASE => {}
            Ok(Err(_)) | Err(_) => {
                tracing::warn!(attempt = attempt.id.get(), "hanging up a call whose record may be gone");
                hang_up.cancel();
            }
        }
    }
}

/// Retries, so that a short outage does not lose the recording: people do not want to be called twice.
async fn keep(app: &App, claimed: &Claimed, wav: Vec<u8>) -> Result<()> {
    match with_retries(app, || calls::keep(app, claimed, wav.clone())).await {
        Ok(_) => Ok(()),
        Err(error) => {
            finish(app, &claimed.attempt, Outcome::Failed(Reason::Unusable)).await?;
            Err(error)
        }
    }
}

async fn finish(app: &App, attempt: &Attempt, outcome: Outcome) -> Result<()> {
    with_retries(app, || calls::finish(app, attempt, outcome)).await.map(|_| ())
}

/// Retries transient errors for about half a minute.
async fn with_retries<T, F: Future<Output = Result<T>>>(app: &App, work: impl Fn() -> F) -> Result<T> {
    let mut tries = 0;
    loop {
        match work().await {
            Err(Error::Busy | Error::Unavailable(_)) if tries < ATTEMPTS => {
                tries += 1;
                app.clock.sleep(POLL_INTERVAL * tries).await;
            }
            other => return other,
        }
    }
}
