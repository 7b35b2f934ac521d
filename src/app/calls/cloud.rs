//! Calls made by a cloud vendor: placing them, polling those without webhooks, and cleaning up afterwards. `webhooks` handles
//! the vendor's requests.

mod documents;
mod takes;
mod webhooks;

use std::time::Duration;

pub use documents::prompt;
pub(in crate::app) use takes::give_up;
pub use takes::{delete_takes, fetch_take, hang_up, listen};
pub use webhooks::{Answer, Request, WebhookKind, handle};

use super::{Claimed, attempts};
use crate::{
    app::{App, Error, Result, jobs},
    domain::{
        call::{Outcome, Reason, State},
        conversation::{End, Step},
        job::Job,
        moment::Moment,
        scope::Scope,
    },
    phone::cloud::{Client, CreateError, Instructions, twiml::Addresses},
    store::{
        Sql,
        call_attempts::{self, Attempt},
        calls, conversations,
    },
    tasks,
    telemetry::metrics,
};

/// Polling interval for a call without webhooks.
const POLL_INTERVAL: Duration = Duration::from_secs(30);
/// Upper bound for the length of a call.
const MAX_CALL: Duration = Duration::from_secs(10 * 60);
/// How far back to search for another attempt with the same vendor call id.
const CALL_ID_WINDOW: Duration = Duration::from_secs(24 * 60 * 60);

/// Asks the vendor to make a call whose attempt is already stored.
pub async fn place(app: &App, claimed: &Claimed) -> Result<()> {
    let attempt = &claimed.attempt;
    let Some(client) = app.phone.cloud() else {
        tracing::warn!(attempt = attempt.id.get(), "no cloud provider is configured: call not placed");
        return end(app, attempt, Outcome::Failed(Reason::Unreachable)).await;
    };
    let addresses = Addresses::new(&app.phone.callback_base, attempt.id);
    let instructions = Instructions::Callbacks { url: addresses.step(0), status: addresses.status() };
    let ring = u32::try_from(app.calling.ring.as_secs()).unwrap_or(u32::MAX).max(1);
    let number = claimed.number.masked();
    match client.create_call(claimed.number.e164(), ring, &instructions).await {
        Ok(sid) => {
            tracing::info!(
                attempt = attempt.id.get(),
                number,
                vendor_call = sid,
                "the cloud provider placed a call"
            );
            named(app, attempt, sid).await
        }
        Err(CreateError::Refused(why)) => {
            tracing::warn!(attempt = attempt.id.get(), number, why, "the cloud provider rejected a call");
            end(app, attempt, Outcome::Failed(Reason::Unreachable)).await
        }
        // The call may exist. `check_overdue` polls for it when the lease expires, unless a webhook arrives first. Not retried
        // here: that could call somebody twice.
        Err(CreateError::Ambiguous(why)) => {
            tracing::warn!(
                attempt = attempt.id.get(),
                number,
                why,
                "it is unknown whether the cloud provider placed a call"
            );
            Ok(())
        }
    }
}

/// Stores the vendor's id for the call. Hangs up if the attempt is no longer under way.
async fn named(app: &App, attempt: &Attempt, sid: String) -> Result<()> {
    let (attempt, now) = (attempt.clone(), app.clock.now());
    let job = app.ids.id(now);
    let wanted = app
        .db
        .write::<_, Error>(move |sql| {
            Box::pin(async move {
                if conversations::name(sql, &attempt, &sid).await? {
                    let found =
                        call_attempts::find(sql, Scope::Institution(attempt.institution), attempt.id).await?;
                    if found.is_some_and(|found| found.is_under_way()) {
                        return Ok(true);
                    }
                }
                jobs::enqueue(sql, job, &Job::hang_up(sid), now, now).await?;
                Ok(false)
            })
        })
        .await?;
    if !wanted {
        app.queue.wake();
    }
    Ok(())
}

/// Polls the vendor about a call whose lease has expired. Runs in a background task because the request takes time.
pub async fn check_overdue(app: &App, attempt: &Attempt) -> Result<()> {
    let (found, until) = (attempt.clone(), app.clock.now().plus(POLL_INTERVAL));
    let renewed = app.db.write::<_, Error>(move |sql| {
        Box::pin(async move { Ok(call_attempts::renew(sql, &found, until).await?) })
    });
    if renewed.await? {
        let (app, attempt) = (app.clone(), attempt.clone());
        tasks::spawn(async move {
            if let Err(error) = poll_vendor(&app, &attempt).await {
                tracing::warn!(%error, attempt = attempt.id.get(), "recovering a call failed; will retry");
            }
        });
    }
    Ok(())
}

async fn poll_vendor(app: &App, attempt: &Attempt) -> Result<()> {
    let scope = Scope::Institution(attempt.institution);
    let found = call_attempts::find(&mut app.db.read(), scope, attempt.id).await?;
    let Some(attempt) = found else { return Ok(()) };
    if attempt.step == Some(Step::Over { end: End::Kept }) {
        // The fetch job had more time than it needs, so it failed.
        return end(app, &attempt, Outcome::Failed(Reason::Unusable)).await;
    }
    let too_long = app.clock.now() > attempt.started_at.plus(MAX_CALL);
    let call = match app.phone.cloud() {
        None => Ok(None),
        Some(client) => find(app, client, &attempt).await,
    };
    match call {
        Ok(Some(call)) if !call.is_over() => {
            let over = matches!(attempt.step, Some(Step::Over { .. }));
            if attempt.vendor_call.is_none() || over || too_long {
                let outcome = if over { outcome_of("completed", None, &attempt) } else { None };
                let outcome = outcome.unwrap_or(Outcome::Failed(Reason::Interrupted));
                return keep_watching(app, &attempt, call.sid, (over || too_long).then_some(outcome)).await;
            }
            Ok(())
        }
        Ok(Some(call)) => match outcome_of(&call.status, None, &attempt) {
            Some(outcome) => end(app, &attempt, outcome).await,
            None => Ok(()),
        },
        // The vendor never had the call, or no longer knows it.
        Ok(None) => {
            let outcome = match attempt.state {
                State::Dialing => Outcome::Failed(Reason::Unreachable),
                _ => outcome_of("completed", None, &attempt).unwrap_or(Outcome::Failed(Reason::HungUp)),
            };
            end(app, &attempt, outcome).await
        }
        Err(why) if too_long => {
            tracing::warn!(
                attempt = attempt.id.get(),
                why,
                "the cloud provider did not report the outcome of a call"
            );
            end(app, &attempt, Outcome::Failed(Reason::Interrupted)).await
        }
        Err(why) => Err(Error::Unavailable(why)),
    }
}

/// Finds the vendor's call by id. If the response with the id was lost, searches by phone number and start time.
async fn find(
    app: &App,
    client: &Client,
    attempt: &Attempt,
) -> Result<Option<crate::phone::cloud::Call>, String> {
    if let Some(sid) = &attempt.vendor_call {
        return client.call(sid).await;
    }
    let since = attempt.started_at.minus(CALL_ID_WINDOW);
    for call in client.find_since(&attempt.phone_number, attempt.started_at).await? {
        let anothers = conversations::is_anothers(&mut app.db.read(), attempt, &call.sid, since).await;
        if !anothers.map_err(|error| error.to_string())? {
            return Ok(Some(call));
        }
    }
    Ok(None)
}

/// Stores the vendor's id of a call that is still active. `outcome` is set if the call must be hung up, because its
/// conversation is over or it has run for too long.
async fn keep_watching(app: &App, attempt: &Attempt, sid: String, outcome: Option<Outcome>) -> Result<()> {
    let (attempt, now, owned_app) = (attempt.clone(), app.clock.now(), app.clone());
    app.db
        .write::<_, Error>(move |sql| {
            Box::pin(async move {
                // The call first, as in the other transactions (lock order).
                calls::lock(sql, attempt.institution, attempt.call).await?;
                conversations::name(sql, &attempt, &sid).await?;
                if let Some(outcome) = outcome {
                    jobs::enqueue(sql, owned_app.ids.id(now), &Job::hang_up(sid), now, now).await?;
                    end_in(sql, &owned_app, &attempt, outcome, now).await?;
                }
                Ok(())
            })
        })
        .await?;
    app.queue.wake();
    Ok(())
}

/// Maps the vendor's call status, and the SIP code if present, to the attempt's outcome. `None` if the status is not final,
/// or if the fetch job decides the outcome.
fn outcome_of(status: &str, sip_code: Option<u16>, attempt: &Attempt) -> Option<Outcome> {
    let final_status = matches!(status, "completed" | "busy" | "no-answer" | "failed" | "canceled");
    match attempt.step {
        _ if !final_status => return None,
        Some(Step::Over { end: End::Kept }) => return None,
        Some(Step::Over { end }) => return Some(end.outcome()),
        _ if attempt.state == State::InProgress => return Some(Outcome::Failed(Reason::HungUp)),
        _ => {}
    }
    const DECLINED: u16 = 603;
    Some(match (status, sip_code) {
        ("completed", _) => Outcome::Failed(Reason::HungUp),
        ("busy" | "no-answer" | "failed", Some(DECLINED)) => Outcome::Failed(Reason::Declined),
        ("busy", _) => Outcome::Busy,
        ("no-answer", _) => Outcome::NoAnswer,
        ("failed", Some(code)) if code >= 300 => Outcome::of_sip_code(code),
        _ => Outcome::Failed(Reason::Unreachable),
    })
}

/// Ends an attempt unless it has already ended, and schedules the deletion of its recordings at the vendor.
async fn end(app: &App, attempt: &Attempt, outcome: Outcome) -> Result<()> {
    let (attempt, now, owned_app) = (attempt.clone(), app.clock.now(), app.clone());
    let ended = app.db.write::<_, Error>(move |sql| {
        Box::pin(async move { end_in(sql, &owned_app, &attempt, outcome, now).await })
    });
    if ended.await? {
        metrics::call_ended(outcome.state().word());
    }
    app.queue.wake();
    app.switchboard.wake();
    Ok(())
}

/// `end` inside the caller's transaction. No recording stays at the vendor, whether the callee kept it or not.
async fn end_in(sql: &mut Sql, app: &App, attempt: &Attempt, outcome: Outcome, now: Moment) -> Result<bool> {
    let ended = attempts::finish_in(sql, app, attempt, outcome, now).await?;
    // Nothing is recorded before the second step.
    if attempt.step_number > 1 {
        let job = Job::DeleteTakes { institution: attempt.institution, attempt: attempt.id };
        jobs::enqueue(sql, app.ids.id(now), &job, now, now).await?;
    }
    Ok(ended)
}
