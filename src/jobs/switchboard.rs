//! The switchboard: takes the calls that are due, within the limits, and makes each of them. Over a trunk it holds the line
//! itself and says so again and again; a cloud holds the line alone and asks by webhooks.

use std::{sync::Arc, time::Duration};

use tokio::sync::mpsc;
use tokio_util::{sync::CancellationToken, task::TaskTracker};

use super::LOOK;
use crate::{
    app::{
        App, Error, Result,
        calls::{self, Attempt, Claimed, Lease},
        institutions,
    },
    domain::call::{Outcome, Reason},
    phone::{
        Progress, Provider,
        sip::{Trunk, Wanted},
    },
};

/// A process that says nothing about a call for so long is taken for dead.
const HELD: Duration = Duration::from_secs(15);
const RENEW: Duration = Duration::from_secs(5);
/// How soon a call that is not wanted any more is hung up.
const GLANCE: Duration = Duration::from_secs(1);
/// Beyond the time that it rings, a cloud has so long to tell us of a call before we ask.
const CLOUD_SILENCE: Duration = Duration::from_secs(90);
/// How often what was said is offered to a database or a store that cannot take it.
const TRIES: u32 = 8;

/// Runs until it is told to stop and its calls are over. They have as long as jobs have; then they are hung up.
pub async fn run(app: App, grace: Duration, stop: CancellationToken) {
    let Some(line) = Line::open(&app, &stop).await else { return };
    let calls_under_way = TaskTracker::new();
    let hang_up = CancellationToken::new();
    let mut in_trouble = false;
    while !stop.is_cancelled() {
        let pause = match turn(&app, &line, &calls_under_way, &hang_up).await {
            Ok(pause) => {
                in_trouble = false;
                pause
            }
            Err(error) => {
                if !std::mem::replace(&mut in_trouble, true) {
                    tracing::warn!(%error, "calls cannot be taken; trying again");
                }
                LOOK
            }
        };
        tokio::select! {
            () = tokio::time::sleep(pause) => {}
            () = app.switchboard.woken() => {}
            () = stop.cancelled() => {}
        }
    }
    calls_under_way.close();
    if tokio::time::timeout(grace, calls_under_way.wait()).await.is_err() {
        hang_up.cancel();
        calls_under_way.wait().await;
    }
    line.close().await;
}

enum Line {
    Trunk(Trunk),
    Cloud,
}

impl Line {
    /// Tries until the trunk can be used.
    async fn open(app: &App, stop: &CancellationToken) -> Option<Self> {
        let settings = match &app.phone.provider {
            Provider::None => return None,
            Provider::Cloud(_) if app.phone.callback_base.is_empty() => {
                tracing::warn!("no calls are made from here: a cloud needs --phone-callback-url to reach us");
                return None;
            }
            Provider::Cloud(_) => return Some(Self::Cloud),
            Provider::Sip(settings) => settings,
        };
        let mut pause = LOOK;
        loop {
            match Trunk::open(settings).await {
                Ok(trunk) => return Some(Self::Trunk(trunk)),
                Err(error) => {
                    tracing::warn!(%error, seconds = pause.as_secs(), "the SIP trunk cannot be used; trying again");
                }
            }
            stop.run_until_cancelled(tokio::time::sleep(pause)).await?;
            pause = (pause * 2).min(Duration::from_secs(60));
        }
    }

    fn lease(&self, app: &App) -> Lease {
        match self {
            Self::Trunk(_) => Lease::Held(HELD),
            Self::Cloud => Lease::Cloud(app.calling.ring + CLOUD_SILENCE),
        }
    }

    async fn close(self) {
        if let Self::Trunk(trunk) = self {
            trunk.close().await;
        }
    }
}

/// Looks after what nobody says a word about, and takes what is due. Says how long there is nothing to do.
async fn turn(
    app: &App,
    line: &Line,
    calls_under_way: &TaskTracker,
    hang_up: &CancellationToken,
) -> Result<Duration> {
    for attempt in calls::overdue(app).await? {
        // One that cannot be helped must not keep us from the others.
        if let Err(error) = look_after(app, &attempt).await {
            tracing::warn!(%error, attempt = attempt.id, "a call could not be looked after; trying again");
        }
    }
    while let Some(claimed) = calls::claim(app, line.lease(app)).await? {
        let app = app.clone();
        match line {
            Line::Cloud => {
                calls_under_way.spawn(async move {
                    if let Err(error) = calls::cloud::place(&app, &claimed).await {
                        tracing::warn!(%error, attempt = claimed.attempt.id, "a call could not be written down");
                    }
                });
            }
            Line::Trunk(trunk) => {
                calls_under_way.spawn(hold(app, trunk.clone(), claimed, hang_up.child_token()));
            }
        }
    }
    // What is due and was not taken waits for a limit: whoever ends a call wakes us.
    let next = calls::until_next(app).await?.filter(|next| !next.is_zero());
    Ok(next.unwrap_or(LOOK).min(LOOK))
}

async fn look_after(app: &App, attempt: &Attempt) -> Result<()> {
    if attempt.lease.is_none() {
        return calls::cloud::look_after(app, attempt).await;
    }
    tracing::warn!(attempt = attempt.id, "the process that made a call is gone");
    calls::finish(app, attempt, Outcome::Failed(Reason::Interrupted)).await.map(|_| ())
}

/// Makes a call over the trunk, from the first ring to what becomes of it.
async fn hold(app: App, trunk: Trunk, claimed: Claimed, stopping: CancellationToken) {
    let attempt = &claimed.attempt;
    let whose = match institutions::by_id(&app, attempt.institution).await {
        Ok(whose) => whose,
        Err(error) => return tracing::warn!(%error, attempt = attempt.id, "a call was not made"),
    };
    let script = app.phone.prompts.script(whose.phone_language.as_deref(), &whose.slug, &whose.name).await;
    let (picked_up, mut told) = mpsc::unbounded_channel();
    let hang_up = stopping.child_token();
    let call = trunk.call(Wanted {
        to: claimed.number.clone(),
        ring: app.calling.ring,
        script,
        told: Arc::new(move |progress| {
            if matches!(progress, Progress::Answered) {
                let _ = picked_up.send(());
            }
        }),
        hang_up: hang_up.clone(),
    });
    let beside = async {
        if told.recv().await.is_some()
            && let Err(error) = calls::answered(&app, attempt).await
        {
            tracing::warn!(%error, attempt = attempt.id, "an answer could not be written down");
        }
        std::future::pending::<()>().await;
    };
    let ended = tokio::select! {
        ended = call => ended,
        () = beside => return,
        () = watch(&app, attempt, &hang_up) => return,
    };
    tracing::info!(
        attempt = attempt.id,
        number = claimed.number.masked(),
        outcome = ended.outcome.state().word(),
        says = ended.says,
        "a call has ended"
    );
    let written = async {
        match (ended.outcome, ended.recording) {
            (Outcome::Recorded, Some(wav)) => keep(&app, &claimed, wav).await,
            // We stop: it is tried again.
            (Outcome::Cancelled(_), _) if stopping.is_cancelled() => {
                finish(&app, &claimed, Outcome::Failed(Reason::Interrupted)).await
            }
            (outcome, _) => finish(&app, &claimed, outcome).await,
        }
    };
    // What was said may have to wait for its turn to be processed.
    let written = tokio::select! {
        written = written => written,
        () = watch(&app, attempt, &hang_up) => return,
    };
    if let Err(error) = written {
        tracing::warn!(%error, attempt = attempt.id, "what became of a call could not be written down");
    }
}

/// Says again and again that the call is being made, and hangs up once it is not wanted. Never ends by itself.
async fn watch(app: &App, attempt: &Attempt, hang_up: &CancellationToken) {
    let mut said = app.clock.instant();
    loop {
        tokio::time::sleep(GLANCE).await;
        let now = app.clock.instant();
        let wanted = if now.duration_since(said) >= RENEW {
            said = now;
            calls::renew(app, attempt, HELD).await
        } else {
            calls::still_wanted(app, attempt).await
        };
        match wanted {
            Ok(true) => {}
            Ok(false) => hang_up.cancel(),
            Err(error) => tracing::warn!(%error, attempt = attempt.id, "a call could not be looked up"),
        }
    }
}

/// What was said must not be lost to a moment of trouble: nobody likes to be called again for that.
async fn keep(app: &App, claimed: &Claimed, wav: Vec<u8>) -> Result<()> {
    let mut tries = 0;
    loop {
        match calls::keep(app, claimed, wav.clone()).await {
            Err(Error::Busy | Error::Unavailable(_)) if tries < TRIES => {
                tries += 1;
                tokio::time::sleep(LOOK * tries).await;
            }
            Err(error) => {
                finish(app, claimed, Outcome::Failed(Reason::Unusable)).await?;
                return Err(error);
            }
            Ok(_) => return Ok(()),
        }
    }
}

async fn finish(app: &App, claimed: &Claimed, outcome: Outcome) -> Result<()> {
    calls::finish(app, &claimed.attempt, outcome).await.map(|_| ())
}
