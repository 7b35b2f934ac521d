//! Phone calls that ask people to record their names: scheduling, cancellation, opt-out and the operators' commands.
//! `attempts` covers a single attempt to make a call.

mod attempts;
mod board;
pub mod cloud;

use std::time::Duration;

use tokio::sync::Notify;

pub use crate::store::call_attempts::Attempt;
pub(super) use attempts::recorded_in;
pub use attempts::{
    Claimed, Lease, answered, claim, finish, interrupt, keep, overdue, renew, still_wanted, until_next,
};
pub use board::{Board, board, forbid, opted_out_after, test};

use super::{
    Actor, App, Error, Missing, Result,
    audit::{self, Record},
    jobs,
};
use crate::{
    domain::{
        audit::{Act, SubjectKind, Who, WhoKind, masked_number},
        call::{Listed, Outcome, Reason, State},
        countries::Countries,
        email::email_key,
        fault::{CallFault, Fault, Field},
        ids::{CallId, InstitutionId, JobId, NamePageId, ParticipantId},
        job::Job,
        media::Kind,
        moment::Moment,
        participant::{Draft, Given},
        phone_number::PhoneNumber,
        quiet_hours::QuietHours,
        scope::Scope,
        session::PersonId,
    },
    store::{
        Sql, call_attempts, call_takes,
        calls::{self, Call},
        outsiders, participants, rolls, sign_ins,
    },
};

/// Limits and rules for outgoing calls.
#[derive(Debug, Clone)]
pub struct Rules {
    /// Whether calls are made at all. If not, phone numbers are only stored.
    pub enabled: bool,
    pub attempts: u32,
    pub retry_after: Duration,
    pub quiet_hours: QuietHours,
    pub ring: Duration,
    pub max_at_once: u32,
    pub max_per_minute: u32,
    pub max_per_day: u32,
    pub countries: Countries,
}

impl Rules {
    /// Rules with calling disabled.
    pub fn nobody() -> Self {
        Self {
            enabled: false,
            attempts: 0,
            retry_after: Duration::ZERO,
            quiet_hours: QuietHours::OFF,
            ring: Duration::ZERO,
            max_at_once: 0,
            max_per_minute: 0,
            max_per_day: 0,
            countries: Countries::default(),
        }
    }

    /// The number is in an allowed country and costs no more than a regular call (no premium-rate numbers).
    fn may_be_called(&self, number: &PhoneNumber) -> bool {
        self.countries.allows(number) && !number.is_costly()
    }

    /// The earliest time at or after `moment` that is outside quiet hours in the number's time zones.
    fn allowed_from(&self, number: &PhoneNumber, moment: Moment) -> Moment {
        self.quiet_hours.next_allowed(moment, &number.time_zones())
    }
}

/// Wakes the switchboard task of this process when there is work. Other processes poll.
#[derive(Default)]
pub struct Switchboard {
    rung: Notify,
}

impl Switchboard {
    pub fn wake(&self) {
        self.rung.notify_one();
    }

    pub async fn woken(&self) {
        self.rung.notified().await;
    }
}

/// The effect of a write on a participant's calls.
#[derive(Debug, Clone)]
pub(super) enum CallChange {
    Nothing,
    Call(PhoneNumber),
    /// The number changed, but no call is wanted. A pending call to the old number is canceled.
    NumberOnly(PhoneNumber),
    Cancel(Reason),
}

impl CallChange {
    /// A phone number without a recording requests a call.
    pub(super) fn of(draft: &Draft) -> Self {
        if draft.media.iter().any(|(kind, _)| *kind == Kind::Recording) {
            return Self::Cancel(Reason::RecordedElsewhere);
        }
        match &draft.phone_number {
            Given::Absent => Self::Nothing,
            Given::Clear => Self::Cancel(Reason::NumberChanged),
            Given::Set(number) => Self::Call(number.clone()),
        }
    }

    /// The same effect without a new call.
    pub(super) fn without_call(self) -> Self {
        match self {
            Self::Call(number) => Self::NumberOnly(number),
            other => other,
        }
    }
}

/// Ids for the rows that a `CallChange` may insert, generated before the transaction begins.
#[derive(Debug, Clone, Copy)]
pub(super) struct Ids {
    call: CallId,
    job: JobId,
}

impl Ids {
    pub(super) fn new(app: &App, now: Moment) -> Self {
        Self { call: app.ids.id(now), job: app.ids.id(now) }
    }
}

/// Rate limit per day for calls that participants request themselves. Their numbers are unverified, so a request could be
/// used to harass somebody else.
const OWN_CALLS: usize = 3;
const OWN_NUMBERS: usize = 2;

/// How often a number is called within a day, whoever asks: it may belong to somebody who wants nothing of this.
const MOST_TO_NUMBER: usize = 3;

/// Whether somebody may ask to be called. Nobody vouches for whoever has only registered themselves where everybody can: they could have any
/// number called, and as often as they have addresses.
pub(super) async fn may_ask(
    sql: &mut Sql,
    institution: InstitutionId,
    participant: ParticipantId,
) -> Result<bool> {
    if outsiders::among(sql, institution, &[participant]).await?.is_empty() {
        return Ok(true);
    }
    let found = participants::by_ids(sql, institution, &[participant]).await?.pop();
    let Some(email) = found.and_then(|one| one.email) else { return Ok(false) };
    Ok(sign_ins::belongs(sql, &PersonId { institution, email_key: email_key(&email) }).await?)
}

/// Enforces the rate limit on calls that participants request themselves. Runs in the transaction that would insert the call;
/// the caller holds the institution's lock.
pub(super) async fn check_own(
    sql: &mut Sql,
    (institution, participant): (InstitutionId, ParticipantId),
    call_change: &CallChange,
    now: Moment,
) -> Result<()> {
    let CallChange::Call(number) = call_change else { return Ok(()) };
    if !may_ask(sql, institution, participant).await? {
        return Err(Error::Missing(Missing::Call));
    }
    let pending = calls::pending_of(sql, institution, participant).await?;
    if pending.is_some_and(|call| call.phone_number == number.e164()) {
        return Ok(());
    }
    let mut numbers = calls::numbers_since(sql, institution, participant, now.plus_days(-1)).await?;
    let own_calls = numbers.len();
    numbers.push(number.e164().to_owned());
    numbers.sort_unstable();
    numbers.dedup();
    let day = now.plus_days(-1);
    let to_number = calls::count_to(sql, institution, number.e164(), day, MOST_TO_NUMBER).await?;
    if own_calls < OWN_CALLS && numbers.len() <= OWN_NUMBERS && to_number < MOST_TO_NUMBER {
        return Ok(());
    }
    Err(Error::invalid(Field::PhoneNumber, Fault::TooManyCalls { calls: OWN_CALLS, numbers: OWN_NUMBERS }))
}

/// Applies a `CallChange` in the transaction of the write that caused it. The caller holds the institution's lock.
pub(super) async fn settle(
    sql: &mut Sql,
    rules: &Rules,
    (institution, participant): (InstitutionId, ParticipantId),
    call_change: CallChange,
    ids: Ids,
    now: Moment,
) -> Result<()> {
    if matches!(call_change, CallChange::Nothing) {
        return Ok(());
    }
    let pending = calls::pending_of(sql, institution, participant).await?;
    let (number, is_wanted) = match call_change {
        CallChange::Nothing => return Ok(()),
        CallChange::Cancel(reason) => return cancel_in(sql, pending, reason, ids.job, now).await,
        CallChange::NumberOnly(number) => (number, false),
        CallChange::Call(number) => (number, true),
    };
    if pending.as_ref().is_some_and(|call| call.phone_number == number.e164()) {
        return Ok(());
    }
    cancel_in(sql, pending, Reason::NumberChanged, ids.job, now).await?;
    let wanted = is_wanted && rules.enabled && rules.may_be_called(&number);
    if !wanted || calls::is_opted_out(sql, institution, number.e164()).await? {
        return Ok(());
    }
    let call = Call {
        institution,
        id: ids.call,
        participant,
        phone_number: number.e164().to_owned(),
        state: State::Scheduled,
        attempts_made: 0,
        attempts_allowed: rules.attempts,
    };
    Ok(calls::insert(sql, &call, rules.allowed_from(&number, now), now).await?)
}

/// Cancels a pending call. A job hangs up a cloud call; the process that makes a call over a trunk notices the change by
/// polling.
pub(super) async fn cancel_in(
    sql: &mut Sql,
    call: Option<Call>,
    reason: Reason,
    job: JobId,
    now: Moment,
) -> Result<()> {
    let Some(call) = call else { return Ok(()) };
    let Some(call) = calls::lock(sql, call.institution, call.id).await? else { return Ok(()) };
    if !call.state.is_pending() {
        return Ok(());
    }
    if let Some(attempt) = call_attempts::under_way(sql, call.institution, call.id).await? {
        call_attempts::end(sql, &attempt, Outcome::Canceled(reason), now).await?;
        if let Some(vendor_call) = attempt.vendor_call {
            let takes = call_takes::of_attempt(sql, attempt.institution, attempt.id).await?;
            let recordings = takes.into_iter().map(|take| take.recording).collect();
            jobs::enqueue(sql, job, &Job::HangUp { vendor_call, recordings }, now, now).await?;
        }
    }
    calls::become_(sql, &call, State::Canceled, None).await?;
    Ok(())
}

/// Whether the participant has a scheduled or active call.
pub(super) async fn is_pending(
    sql: &mut Sql,
    institution: InstitutionId,
    participant: ParticipantId,
) -> Result<bool> {
    Ok(calls::pending_of(sql, institution, participant).await?.is_some())
}

/// Cancels the pending calls of everybody on a page, or in the whole institution, before they are deleted.
pub(super) async fn cancel_all(
    sql: &mut Sql,
    ids: &super::Ids,
    institution: InstitutionId,
    page: Option<NamePageId>,
    now: Moment,
) -> Result<()> {
    for call in calls::pending_in(sql, institution, page).await? {
        cancel_in(sql, Some(call), Reason::ByOperator, ids.id(now), now).await?;
    }
    Ok(())
}

/// Newest first.
pub async fn all(app: &App, actor: &Actor, only: Option<InstitutionId>, most: i64) -> Result<Vec<Listed>> {
    let scope = actor.administered(only)?;
    let mut sql = app.db.read();
    let mut listed = calls::list(&mut sql, scope, most).await?;
    let mut owners: Vec<InstitutionId> = listed.iter().map(|(owner, _)| *owner).collect();
    owners.sort_unstable();
    owners.dedup();
    for owner in owners {
        let ids: Vec<CallId> =
            listed.iter().filter(|(caller, _)| *caller == owner).map(|(_, call)| call.id).collect();
        let mut attempts = call_attempts::of_calls(&mut sql, owner, &ids).await?;
        for (_, call) in listed.iter_mut().filter(|(caller, _)| *caller == owner) {
            call.attempts = attempts.remove(&call.id).unwrap_or_default();
        }
    }
    Ok(listed.into_iter().map(|(_, call)| call).collect())
}

/// The number of pending calls by state.
pub async fn counts(app: &App) -> Result<Vec<(State, u64)>> {
    Ok(calls::counts(&mut app.db.read()).await?)
}

/// Cancels a pending call.
pub async fn cancel(app: &App, actor: &Actor, id: CallId) -> Result<()> {
    cancel_within(app, actor, administered(app, actor, id).await?, id).await
}

/// Finds the institution of a call, and checks that the actor administers it.
async fn administered(app: &App, actor: &Actor, id: CallId) -> Result<Scope> {
    let found = calls::find(&mut app.db.read(), actor.reach(), id).await?;
    actor.administered(Some(found.ok_or(Error::Missing(Missing::Call))?.institution))
}

async fn cancel_within(app: &App, actor: &Actor, scope: Scope, id: CallId) -> Result<()> {
    let now = app.clock.now();
    let record = Record::new(app, actor, InstitutionId::default(), Act::CallCanceled);
    let job = app.ids.id(now);
    app.db
        .write::<_, Error>(move |sql| {
            Box::pin(async move {
                let missing = || Error::Missing(Missing::Call);
                let found = calls::find(sql, scope, id).await?.ok_or_else(missing)?;
                let call = calls::lock(sql, found.institution, id).await?.ok_or_else(missing)?;
                if !call.state.is_pending() {
                    return Err(Error::invalid(Field::Call, CallFault::Over(call.state)));
                }
                let record = of_call(sql, record, &call).await?;
                cancel_in(sql, Some(call), Reason::ByOperator, job, now).await?;
                Ok(audit::write(sql, &[record]).await?)
            })
        })
        .await?;
    app.queue.wake();
    Ok(())
}

/// The person who is called is the subject.
async fn of_call(sql: &mut Sql, record: Record, call: &Call) -> Result<Record> {
    let record = audit::of_registration(sql, record.within(call.institution), call.participant).await?;
    Ok(record.change(serde_json::Value::Null, audit::of_phone(Some(&call.phone_number))))
}

/// Cancels all pending calls of one institution, or of every institution that the actor administers. Returns how many were
/// canceled.
pub async fn cancel_pending(app: &App, actor: &Actor, only: Option<InstitutionId>) -> Result<u64> {
    let scope = actor.administered(only)?;
    let mut canceled = 0;
    for call in calls::all_pending(&mut app.db.read(), scope).await? {
        match cancel_within(app, actor, scope, call).await {
            Ok(()) => canceled += 1,
            // It ended concurrently.
            Err(Error::Missing(_) | Error::Invalid(_)) => {}
            Err(other) => return Err(other),
        }
    }
    Ok(canceled)
}

/// Cancels the other pending calls to a number whose owner opted out. Each call gets its own transaction, so that only one is
/// locked at a time.
pub(super) async fn cancel_opted_out(
    app: &App,
    institution: InstitutionId,
    phone_number: &str,
) -> Result<()> {
    let now = app.clock.now();
    for call in calls::pending_to(&mut app.db.read(), institution, phone_number).await? {
        let job = app.ids.id(now);
        app.db
            .write::<_, Error>(move |sql| {
                Box::pin(async move { cancel_in(sql, Some(call), Reason::OptedOut, job, now).await })
            })
            .await?;
    }
    app.queue.wake();
    Ok(())
}

/// Records an opt-out, whatever the outcome of the call in which the person asked for it.
pub async fn opt_out(app: &App, attempt: &Attempt) -> Result<()> {
    let (attempt, now, owned_app) = (attempt.clone(), app.clock.now(), app.clone());
    app.db
        .write::<_, Error>(move |sql| {
            Box::pin(async move {
                let scope = Scope::Institution(attempt.institution);
                let call = calls::find(sql, scope, attempt.call).await?;
                opt_out_in(sql, &owned_app, &attempt, call.as_ref(), now).await
            })
        })
        .await
}

/// If the person was erased during the call, stores only a truncated digest of the number.
async fn opt_out_in(
    sql: &mut Sql,
    app: &App,
    attempt: &Attempt,
    call: Option<&Call>,
    now: Moment,
) -> Result<()> {
    let (institution, number) = (attempt.institution, attempt.phone_number.as_str());
    let Some(call) = call else {
        return Ok(calls::opt_out_erased(sql, institution, number, now).await?);
    };
    // The key press and the end of the call both say so.
    let is_known = calls::is_opted_out(sql, institution, number).await?;
    calls::opt_out(sql, institution, number, now).await?;
    if !is_known {
        let who = Who::numbered(WhoKind::Phone, call.participant);
        let record = of_call(sql, Record::by(app, who, institution, Act::PhoneOptedOut), call).await?;
        audit::write(sql, &[record]).await?;
    }
    Ok(())
}

/// Reschedules a finished call with `attempts` more attempts. Quiet hours and limits apply when the call is made.
pub async fn retry(app: &App, actor: &Actor, id: CallId, attempts: u32) -> Result<()> {
    let (scope, now) = (administered(app, actor, id).await?, app.clock.now());
    let record = Record::new(app, actor, InstitutionId::default(), Act::CallRetried);
    app.db
        .write::<_, Error>(move |sql| {
            Box::pin(async move {
                let found = calls::find(sql, scope, id).await?.ok_or(Error::Missing(Missing::Call))?;
                rolls::lock(sql, found.institution).await?;
                let missing = Error::Missing(Missing::Call);
                let mut call = calls::lock(sql, found.institution, id).await?.ok_or(missing)?;
                let refused = |why: CallFault| Err(Error::invalid(Field::Call, why));
                if !call.state.may_become(State::Scheduled) {
                    return refused(if call.state == State::Recorded {
                        CallFault::Recorded
                    } else {
                        CallFault::Pending
                    });
                }
                if is_pending(sql, call.institution, call.participant).await? {
                    return refused(CallFault::OtherPending);
                }
                if calls::is_opted_out(sql, call.institution, &call.phone_number).await? {
                    return refused(CallFault::OptedOut);
                }
                // The old number may belong to somebody else by now.
                let theirs = participants::phone_number(sql, call.institution, call.participant).await?;
                if theirs.as_deref() != Some(&call.phone_number) {
                    return refused(CallFault::NumberChanged);
                }
                call.attempts_allowed = call.attempts_made + attempts;
                calls::become_(sql, &call, State::Scheduled, Some(now)).await?;
                let record = of_call(sql, record, &call).await?;
                Ok(audit::write(sql, &[record]).await?)
            })
        })
        .await?;
    app.switchboard.wake();
    Ok(())
}

/// The do-not-call list: phone numbers whose owners opted out.
pub async fn opted_out(
    app: &App,
    actor: &Actor,
    institution: InstitutionId,
) -> Result<Vec<(String, Moment)>> {
    actor.administer(institution)?;
    Ok(calls::opted_out(&mut app.db.read(), institution).await?)
}

/// Removes a number from the do-not-call list. Returns false if it was not on it.
pub async fn opt_in(
    app: &App,
    actor: &Actor,
    institution: InstitutionId,
    number: PhoneNumber,
) -> Result<bool> {
    actor.administer(institution)?;
    let masked = masked_number(number.e164());
    let record = Record::new(app, actor, institution, Act::PhoneOptedIn);
    let record = record.about(SubjectKind::PhoneNumber, &masked, &masked);
    app.db
        .write::<_, Error>(move |sql| {
            Box::pin(async move {
                let was_listed = calls::opt_in(sql, institution, number.e164()).await?;
                if was_listed {
                    audit::write(sql, &[record]).await?;
                }
                Ok(was_listed)
            })
        })
        .await
}
