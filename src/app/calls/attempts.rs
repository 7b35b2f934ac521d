//! One attempt to make a call: claimed within the limits, answered, ended. Every attempt ends exactly once.

use std::time::Duration;

use super::{MOST_TO_NUMBER, Rules, cancel_in, cancel_opted_out};
use crate::{
    app::{
        App, Error, Result,
        jobs::end_deferrals,
        own_recordings::{self, Maker, Sharing},
    },
    domain::{
        audit::{Who, WhoKind},
        call::{Outcome, Reason, State},
        conversation::Step,
        ids::{AttemptId, JobId, ParticipantId},
        media::Incoming,
        moment::Moment,
        phone_number::PhoneNumber,
        scope::Scope,
    },
    store::{
        Sql,
        call_attempts::{self, Attempt},
        calls::{self, Call},
        turns::{self, Backlog},
    },
    telemetry::metrics,
};

/// A call that this process has claimed.
#[derive(Debug, Clone)]
pub struct Claimed {
    pub attempt: Attempt,
    pub participant: ParticipantId,
    pub number: PhoneNumber,
}

/// Who makes an attempt: a process that must renew its lease (`Held`), or the cloud vendor.
#[derive(Debug, Clone, Copy)]
pub enum Lease {
    Held(Duration),
    Cloud(Duration),
}

impl Lease {
    const fn time(self) -> Duration {
        match self {
            Self::Held(time) | Self::Cloud(time) => time,
        }
    }
}

const MINUTE: Duration = Duration::from_secs(60);
const DAY: Duration = Duration::from_secs(24 * 60 * 60);
/// How many calls that may not be made now are skipped before `claim` gives up.
const MAX_SKIPPED: u32 = 50;

/// The result of looking at the next due call.
enum NextCall {
    Taken(Box<Claimed>),
    /// It may not be made now. It was postponed or canceled, or it changed concurrently.
    PutOff,
    Nothing,
}

/// Claims the next due call, if the limits allow another one.
pub async fn claim(app: &App, lease: Lease) -> Result<Option<Claimed>> {
    for _ in 0..MAX_SKIPPED {
        match look(app, lease).await? {
            NextCall::Taken(claimed) => return Ok(Some(*claimed)),
            NextCall::PutOff => {}
            NextCall::Nothing => break,
        }
    }
    Ok(None)
}

/// Locks at most one call per transaction: transactions that lock several in different orders could deadlock.
async fn look(app: &App, lease: Lease) -> Result<NextCall> {
    let now = app.clock.now();
    // A cheap read first, to keep the database's single writer free.
    if calls::next(&mut app.db.read()).await?.is_none_or(|next| next > now) {
        return Ok(NextCall::Nothing);
    }
    end_deferrals(app, Backlog::Calls, now).await?;
    let (id, job, proof, rules) = (app.ids.id(now), app.ids.id(now), app.ids.hex(), app.calling.clone());
    app.db
        .write(move |sql| {
            Box::pin(async move {
                calls::take_turn(sql).await?;
                if call_attempts::count_under_way(sql).await? >= u64::from(rules.max_at_once)
                    || call_attempts::begun_since(sql, now.minus(MINUTE)).await?.len()
                        >= rules.max_per_minute as usize
                {
                    return Ok(NextCall::Nothing);
                }
                let Some((institution, call, turn)) = calls::due(sql, now).await? else {
                    return Ok(NextCall::Nothing);
                };
                // A call that is put off is a turn, too: an institution with thousands over its daily limit delays nobody.
                turns::take(sql, turns::CALLS, turn, institution).await?;
                // Whoever deletes a page has its calls locked, perhaps for minutes, and the calls of all wait for this transaction.
                if !calls::can_lock(sql, institution, call).await? {
                    return Ok(NextCall::PutOff);
                }
                let Some(call) = calls::lock(sql, institution, call).await? else {
                    return Ok(NextCall::PutOff);
                };
                if call.state != State::Scheduled || !may_be_made(sql, &rules, &call, job, now).await? {
                    return Ok(NextCall::PutOff);
                }
                let claimed = begin(sql, call, id, proof, lease, now).await?;
                Ok(NextCall::Taken(Box::new(claimed)))
            })
        })
        .await
}

/// Returns whether the call may be made now. If not, postpones or cancels it.
async fn may_be_made(sql: &mut Sql, rules: &Rules, call: &Call, job: JobId, now: Moment) -> Result<bool> {
    let number = PhoneNumber::stored(&call.phone_number);
    let refused = if calls::is_opted_out(sql, call.institution, &call.phone_number).await? {
        Some(Reason::OptedOut)
    } else if rules.may_be_called(&number) {
        None
    } else {
        Some(Reason::ByOperator)
    };
    if let Some(reason) = refused {
        cancel_in(sql, Some(call.clone()), reason, job, now).await?;
        return Ok(false);
    }
    let allowed = rules.allowed_from(&number, now);
    if allowed > now {
        calls::postpone(sql, call, allowed).await?;
        return Ok(false);
    }
    call_attempts::delete_detached(sql, call.institution, now.minus(DAY)).await?;
    let rung = call_attempts::begun_to(sql, &call.phone_number, now.minus(DAY), MOST_TO_NUMBER).await?;
    if let Some(oldest) = rung.last().filter(|_| rung.len() == MOST_TO_NUMBER) {
        calls::postpone(sql, call, oldest.plus(DAY)).await?;
        return Ok(false);
    }
    let (begun, first) = call_attempts::begun_by(sql, call.institution, now.minus(DAY)).await?;
    if begun >= u64::from(rules.max_per_day) {
        // The oldest attempt leaves the 24-hour window then. With a limit of 0 there is none: check again in a minute.
        calls::postpone(sql, call, first.map_or(now.plus(MINUTE), |first| first.plus(DAY))).await?;
        return Ok(false);
    }
    Ok(true)
}

/// Inserts the attempt before dialing.
async fn begin(
    sql: &mut Sql,
    mut call: Call,
    id: AttemptId,
    proof: String,
    lease: Lease,
    now: Moment,
) -> Result<Claimed> {
    call.attempts_made += 1;
    calls::become_(sql, &call, State::Dialing, None).await?;
    let (proof, step) = match lease {
        Lease::Held(_) => (Some(proof), None),
        Lease::Cloud(_) => (None, Some(Step::START)),
    };
    let attempt = Attempt {
        institution: call.institution,
        id,
        call: call.id,
        phone_number: call.phone_number.clone(),
        state: State::Dialing,
        lease: proof,
        until: Some(now.plus(lease.time())),
        vendor_call: None,
        step,
        step_number: 0,
        started_at: now,
    };
    call_attempts::insert(sql, &attempt).await?;
    let number = PhoneNumber::stored(&call.phone_number);
    Ok(Claimed { attempt, participant: call.participant, number })
}

/// The time until the next call is due.
pub async fn until_next(app: &App) -> Result<Option<Duration>> {
    let next = calls::next(&mut app.db.read()).await?;
    Ok(next.map(|next| next.since(app.clock.now())))
}

/// Whether the attempt is still under way and its lease is ours. If not, it was ended elsewhere and the call should be
/// dropped.
pub async fn still_wanted(app: &App, attempt: &Attempt) -> Result<bool> {
    let found =
        call_attempts::find(&mut app.db.read(), Scope::Institution(attempt.institution), attempt.id).await?;
    Ok(found.is_some_and(|found| found.is_under_way() && found.lease == attempt.lease))
}

/// Renews the lease. Returns false if the attempt has ended.
pub async fn renew(app: &App, attempt: &Attempt, time: Duration) -> Result<bool> {
    let (attempt, until) = (attempt.clone(), app.clock.now().plus(time));
    app.db
        .write(move |sql| Box::pin(async move { Ok(call_attempts::renew(sql, &attempt, until).await?) }))
        .await
}

/// Records that the call was answered.
pub async fn answered(app: &App, attempt: &Attempt) -> Result<()> {
    let attempt = attempt.clone();
    app.db.write(move |sql| Box::pin(async move { answered_in(sql, &attempt).await })).await
}

/// `answered` inside the caller's transaction.
pub(in crate::app) async fn answered_in(sql: &mut Sql, attempt: &Attempt) -> Result<()> {
    let Some(call) = calls::lock(sql, attempt.institution, attempt.call).await? else { return Ok(()) };
    if call_attempts::answered(sql, attempt).await? && call.state == State::Dialing {
        calls::become_(sql, &call, State::InProgress, None).await?;
    }
    Ok(())
}

/// Attempts whose lease has expired.
pub async fn overdue(app: &App) -> Result<Vec<Attempt>> {
    Ok(call_attempts::overdue(&mut app.db.read(), app.clock.now()).await?)
}

/// Ends an attempt without a recording. Returns false if it had already ended; then only an opt-out is still recorded.
pub async fn finish(app: &App, attempt: &Attempt, outcome: Outcome) -> Result<bool> {
    let (now, owned_app, ending) = (app.clock.now(), app.clone(), attempt.clone());
    let ended = app
        .db
        .write::<_, Error>(move |sql| {
            Box::pin(async move { finish_in(sql, &owned_app, &ending, outcome, now).await })
        })
        .await?;
    if outcome.reason() == Some(Reason::OptedOut) {
        cancel_opted_out(app, attempt.institution, &attempt.phone_number).await?;
    }
    if ended {
        note_ended(app, outcome);
    }
    Ok(ended)
}

/// Ends an attempt whose lease has expired. Returns false if the lease was renewed in the meantime or the attempt had already
/// ended.
pub async fn interrupt(app: &App, attempt: &Attempt) -> Result<bool> {
    let (now, owned_app, silent) = (app.clock.now(), app.clone(), attempt.clone());
    let outcome = Outcome::Failed(Reason::Interrupted);
    let ended = app
        .db
        .write::<_, Error>(move |sql| {
            Box::pin(async move {
                calls::lock(sql, silent.institution, silent.call).await?;
                let found =
                    call_attempts::find(sql, Scope::Institution(silent.institution), silent.id).await?;
                if found.and_then(|found| found.until).is_none_or(|until| until > now) {
                    return Ok(false);
                }
                finish_in(sql, &owned_app, &silent, outcome, now).await
            })
        })
        .await?;
    if ended {
        note_ended(app, outcome);
    }
    Ok(ended)
}

/// Counts the ended attempt and wakes the queue and the switchboard, since a slot is free.
fn note_ended(app: &App, outcome: Outcome) {
    metrics::call_ended(outcome.state().word());
    app.queue.wake();
    app.switchboard.wake();
}

/// `finish` inside the caller's transaction.
pub(in crate::app) async fn finish_in(
    sql: &mut Sql,
    app: &App,
    attempt: &Attempt,
    outcome: Outcome,
    now: Moment,
) -> Result<bool> {
    let call = calls::lock(sql, attempt.institution, attempt.call).await?;
    if outcome.reason() == Some(Reason::OptedOut) {
        // An opt-out counts even if the call had already ended.
        super::opt_out_in(sql, app, attempt, call.as_ref(), now).await?;
    }
    let Some(call) = call else { return Ok(false) };
    if !call_attempts::end(sql, attempt, outcome, now).await? {
        return Ok(false);
    }
    let next = outcome.call_becomes(call.attempts_made, call.attempts_allowed);
    let number = PhoneNumber::stored(&call.phone_number);
    let rules = &app.calling;
    let run_at = (next == State::Scheduled).then(|| rules.allowed_from(&number, now.plus(rules.retry_after)));
    calls::become_(sql, &call, next, run_at).await?;
    Ok(true)
}

/// Ends an attempt with a recording, which becomes the participant's recording on all of their pages. Unusable audio fails
/// the attempt.
pub async fn keep(app: &App, claimed: &Claimed, wav: Vec<u8>) -> Result<Outcome> {
    let attempt = &claimed.attempt;
    let subject = (attempt.institution, claimed.participant);
    let recording_bytes = Incoming::Bytes(wav);
    let maker = Maker::Call(attempt.clone());
    let who = Who::numbered(WhoKind::Phone, claimed.participant);
    match own_recordings::record(app, subject, who, recording_bytes, Sharing::All, maker).await {
        Ok(_) => {
            note_ended(app, Outcome::Recorded);
            Ok(Outcome::Recorded)
        }
        // The attempt was ended elsewhere, or the person was deleted.
        Err(Error::Missing(_)) => Ok(Outcome::Canceled(Reason::ByOperator)),
        Err(Error::Invalid(_)) => {
            let outcome = Outcome::Failed(Reason::Unusable);
            finish(app, attempt, outcome).await?;
            Ok(outcome)
        }
        Err(other) => Err(other),
    }
}

/// Ends an attempt in the transaction that stores its recording. Returns false if it had already ended.
pub(in crate::app) async fn recorded_in(sql: &mut Sql, attempt: &Attempt, now: Moment) -> Result<bool> {
    // The transition to "answered" may not have been recorded yet.
    answered_in(sql, attempt).await?;
    let Some(call) = calls::lock(sql, attempt.institution, attempt.call).await? else { return Ok(false) };
    if !call_attempts::end(sql, attempt, Outcome::Recorded, now).await? {
        return Ok(false);
    }
    Ok(calls::become_(sql, &call, State::Recorded, None).await?)
}
