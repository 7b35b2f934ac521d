//! The cloud vendor's webhooks. They may be duplicated, late, out of order, and reach any process: only the stored state
//! counts.

use std::time::Duration;

use super::{documents::document, end_in, outcome_of};
use crate::{
    app::{
        Actor, App, Error, Result,
        calls::{attempts, cancel_opted_out, opt_out_in},
        jobs,
    },
    domain::{
        address::is_printable,
        call::{Outcome, Reason, State},
        conversation::{End, Event, Step},
        ids::AttemptId,
        job::Job,
        moment::Moment,
    },
    phone::cloud::{
        Settings,
        form::Form,
        is_final, is_sid,
        signature::{self, Content},
    },
    store::{
        Sql,
        call_attempts::{self, Attempt},
        call_takes::{self, Take},
        calls, conversations,
    },
    telemetry::metrics,
};

/// Timeout between two webhooks of a conversation.
const STEP_TIMEOUT: Duration = Duration::from_secs(90);
/// Timeout for the farewell.
const FAREWELL_TIMEOUT: Duration = Duration::from_secs(30);
/// How late a key press may arrive after the call has ended.
const LATE_KEY_LIMIT: Duration = Duration::from_secs(5);
/// Timeout for downloading the recording. The job queue has given up by then.
const FETCH_TIMEOUT: Duration = Duration::from_secs(2 * 60 * 60);

/// A request that claims to come from the vendor; not yet verified.
pub struct Request<'a> {
    /// The path and query as requested: the signature covers them.
    pub path: &'a str,
    pub header: &'a (dyn Fn(&str) -> Option<String> + Send + Sync),
    pub body: &'a [u8],
}

/// The webhook's kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WebhookKind {
    /// The step with this number is over; the vendor asks for the next document.
    Step(i64),
    /// The same, but the step recorded nothing.
    Silence(i64),
    Status,
    Recording,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    /// TwiML for the vendor.
    Document(String),
    Accepted,
    /// The signature is invalid, or the call is not ours.
    Refused,
}

/// The parsed form of a webhook.
struct CallReport {
    call: String,
    status: String,
    digits: String,
    recording: Option<(String, String)>,
    sip_code: Option<u16>,
}

impl CallReport {
    /// `None` if it is not about a call of our account.
    fn read(form: &Form, settings: &Settings) -> Option<Self> {
        let text = |name: &str| form.text(name).unwrap_or_default().to_owned();
        (form.text("AccountSid") == Some(&settings.account)).then_some(())?;
        let call = form.text("CallSid").filter(|sid| is_sid(sid))?.to_owned();
        Some(Self {
            call,
            status: text("CallStatus"),
            digits: text("Digits"),
            recording: recording(form),
            sip_code: form.text("SipResponseCode").and_then(|code| code.parse().ok()),
        })
    }

    /// Maps the webhook to an event of the conversation.
    fn event(&self, step: Step, kind: WebhookKind) -> Event {
        let key = self.digits.chars().next().filter(|_| self.digits != "hangup");
        match (step, key) {
            // The key counts even if the callee hung up right after it.
            (Step::Invite { .. } | Step::Review { .. }, Some(key)) => return Event::Key(key),
            _ if is_final(&self.status) || self.digits == "hangup" => return Event::HungUp,
            _ => {}
        }
        match step {
            Step::Record { .. } if self.recording.is_some() && !matches!(kind, WebhookKind::Silence(_)) => {
                Event::Heard
            }
            Step::Record { .. } => Event::Silence,
            _ => Event::NoKey,
        }
    }
}

/// The recording's id and URL, if there is one. Some vendors send no separate id; then it is taken from the URL.
fn recording(form: &Form) -> Option<(String, String)> {
    let url = form.text("RecordingUrl").filter(|url| !url.is_empty() && is_printable(url))?;
    if form.text("RecordingStatus") == Some("absent") {
        return None;
    }
    let last = || {
        let path = url.split(['?', '#']).next().unwrap_or_default();
        let name = path.rsplit('/').next().unwrap_or_default();
        name.split('.').next().unwrap_or_default()
    };
    let sid = form.text("RecordingSid").filter(|sid| !sid.is_empty()).unwrap_or_else(last);
    is_sid(sid).then(|| (sid.to_owned(), url.to_owned()))
}

/// The result of a webhook.
struct Effect {
    attempt: Attempt,
    /// The vendor's id of the latest recording.
    take: Option<String>,
    repeated: bool,
    ended: Option<Outcome>,
    /// The callee opted out of further calls.
    opted_out: bool,
}

/// Handles a webhook. Requests with an invalid signature or about an unknown call are refused and counted.
pub async fn handle(
    app: &App,
    attempt: AttemptId,
    kind: WebhookKind,
    request: Request<'_>,
) -> Result<Answer> {
    let refused = |why: &'static str| {
        metrics::phone_callback(why);
        Ok(Answer::Refused)
    };
    let Some(settings) = app.phone.cloud().map(|client| client.settings().clone()) else {
        return refused("bad_signature");
    };
    let form = Form::read(request.body);
    if !is_signed(app, &settings, &request, &form) {
        return refused("bad_signature");
    }
    let Some(report) = CallReport::read(&form, &settings) else { return refused("foreign_call") };
    let (now, owned_app) = (app.clock.now(), app.clone());
    let effect = app.db.write::<_, Error>(move |sql| {
        Box::pin(async move { apply(sql, &owned_app, attempt, kind, &report, now).await })
    });
    let Some(effect) = effect.await? else { return refused("foreign_call") };
    metrics::phone_callback(if effect.repeated { "repeated" } else { "accepted" });
    if let Some(outcome) = effect.ended {
        metrics::call_ended(outcome.state().word());
        app.switchboard.wake();
    }
    if effect.opted_out {
        // The list is read again before each call.
        let (institution, number) = (effect.attempt.institution, &effect.attempt.phone_number);
        if let Err(error) = cancel_opted_out(app, institution, number).await {
            tracing::warn!(%error, "calls to a number that has opted out are not canceled yet");
        }
    }
    app.queue.wake();
    match kind {
        WebhookKind::Step(_) | WebhookKind::Silence(_) => {
            document(app, &effect.attempt, effect.take).await.map(Answer::Document)
        }
        WebhookKind::Status | WebhookKind::Recording => Ok(Answer::Accepted),
    }
}

fn is_signed(app: &App, settings: &Settings, request: &Request<'_>, form: &Form) -> bool {
    let kind = (request.header)("content-type").unwrap_or_default().to_ascii_lowercase();
    let content = if kind.starts_with("application/x-www-form-urlencoded") {
        Content::Form(form)
    } else {
        Content::Raw(request.body)
    };
    let address = format!("{}{}", app.phone.callback_base, request.path);
    let signatures = settings.vendor.signature_headers().iter().filter_map(|name| (request.header)(name));
    signatures.into_iter().any(|given| signature::is_valid(&settings.signing_key, &address, content, &given))
}

/// `None` if the call is not ours.
async fn apply(
    sql: &mut Sql,
    app: &App,
    attempt: AttemptId,
    kind: WebhookKind,
    report: &CallReport,
    now: Moment,
) -> Result<Option<Effect>> {
    let scope = Actor::System.reach();
    let Some(found) = call_attempts::find(sql, scope, attempt).await? else { return Ok(None) };
    // Read again under the call's lock.
    calls::lock(sql, found.institution, found.call).await?;
    let Some(mut attempt) = call_attempts::find(sql, scope, attempt).await? else { return Ok(None) };
    if !is_call_of(sql, &attempt, &report.call, now).await? {
        return Ok(None);
    }
    let current = match kind {
        WebhookKind::Step(number) | WebhookKind::Silence(number) => {
            attempt.is_under_way() && number == attempt.step_number
        }
        WebhookKind::Status | WebhookKind::Recording => attempt.is_under_way(),
    };
    store_take(sql, app, &attempt, current && kind != WebhookKind::Recording, report, now).await?;
    let mut ended = None;
    if current {
        ended = match kind {
            WebhookKind::Step(0) => {
                attempts::answered_in(sql, &attempt).await?;
                move_to(sql, app, &mut attempt, Step::START, now).await?
            }
            WebhookKind::Step(_) | WebhookKind::Silence(_) => {
                let next = next(attempt.step.unwrap_or(Step::START), report, kind);
                move_to(sql, app, &mut attempt, next, now).await?
            }
            WebhookKind::Status => status(sql, app, &attempt, report, now).await?,
            WebhookKind::Recording => None,
        };
    }
    let mut opted_out = ended.and_then(Outcome::reason) == Some(Reason::OptedOut);
    // The phone number of an erased person is blank.
    if !current && !attempt.phone_number.is_empty() && is_late_opt_out(&attempt, kind, report) {
        let call = calls::find(sql, scope, attempt.call).await?;
        opt_out_in(sql, app, &attempt, call.as_ref(), now).await?;
        opted_out = true;
    }
    if is_unwanted(&attempt, report) {
        let job = Job::hang_up(report.call.clone());
        jobs::enqueue(sql, app.ids.id(now), &job, now, now).await?;
    }
    let takes = call_takes::of_attempt(sql, attempt.institution, attempt.id).await?;
    let take = takes.into_iter().next().map(|take| take.recording);
    Ok(Some(Effect { attempt, take, repeated: !current, ended, opted_out }))
}

/// The callee pressed 9 in the last menu and hung up, and the webhook about the end of the call arrived first.
fn is_late_opt_out(attempt: &Attempt, kind: WebhookKind, report: &CallReport) -> bool {
    let in_its_menu =
        matches!(kind, WebhookKind::Step(number) if number > 0 && number == attempt.step_number);
    let menu = matches!(attempt.step, Some(Step::Invite { .. } | Step::Review { .. }));
    let known = !attempt.phone_number.is_empty();
    !attempt.is_under_way() && known && in_its_menu && menu && report.digits.starts_with('9')
}

/// The attempt was canceled before its vendor call id was known, and the call is still active.
fn is_unwanted(attempt: &Attempt, report: &CallReport) -> bool {
    let cut_short = !matches!(attempt.step, Some(Step::Over { .. }));
    attempt.state == State::Canceled && cut_short && !report.status.is_empty() && !is_final(&report.status)
}

/// Whether this is the vendor's id for the attempt's call. If none is stored yet, because the response is delayed or lost,
/// stores it, unless it belongs to another attempt.
async fn is_call_of(sql: &mut Sql, attempt: &Attempt, name: &str, now: Moment) -> Result<bool> {
    if let Some(known) = &attempt.vendor_call {
        return Ok(known == name);
    }
    let since = now.minus(super::CALL_ID_WINDOW);
    Ok(!conversations::is_anothers(sql, attempt, name, since).await?
        && conversations::name(sql, attempt, name).await?)
}

/// An invalid key interrupts the menu, so it is repeated and counts as played.
fn next(step: Step, report: &CallReport, kind: WebhookKind) -> Step {
    let event = report.event(step, kind);
    match (step.after(event), event) {
        (same, Event::Key(_)) if same == step => step.after(Event::NoKey),
        (next, _) => next,
    }
}

/// Moves the conversation to a step and returns the outcome if that ended the attempt. An attempt in its farewell ends only
/// when the line is free, so that nobody gets two calls at once.
async fn move_to(
    sql: &mut Sql,
    app: &App,
    attempt: &mut Attempt,
    step: Step,
    now: Moment,
) -> Result<Option<Outcome>> {
    let time = match step {
        Step::Over { end: End::Kept } => FETCH_TIMEOUT,
        Step::Over { .. } => FAREWELL_TIMEOUT,
        _ => STEP_TIMEOUT,
    };
    attempt.step = Some(step);
    attempt.step_number += 1;
    conversations::go_on(sql, attempt, step, attempt.step_number, now.plus(time)).await?;
    match step {
        Step::Over { end: End::Kept } => {
            let job = Job::FetchTake { institution: attempt.institution, attempt: attempt.id };
            jobs::enqueue(sql, app.ids.id(now), &job, now, now).await?;
            Ok(None)
        }
        Step::Over { end: end @ (End::OptedOut | End::HungUp) } => {
            let ended = end_in(sql, app, attempt, end.outcome(), now).await?;
            Ok(ended.then_some(end.outcome()))
        }
        _ => Ok(None),
    }
}

async fn status(
    sql: &mut Sql,
    app: &App,
    attempt: &Attempt,
    report: &CallReport,
    now: Moment,
) -> Result<Option<Outcome>> {
    match outcome_of(&report.status, report.sip_code, attempt) {
        // The key press that answers the menu may still be on its way.
        Some(Outcome::Failed(Reason::HungUp)) if matches!(attempt.step, Some(Step::Review { .. })) => {
            call_attempts::renew(sql, attempt, now.plus(LATE_KEY_LIMIT)).await?;
            Ok(None)
        }
        Some(outcome) => {
            let ended = end_in(sql, app, attempt, outcome, now).await?;
            Ok(ended.then_some(outcome))
        }
        None => {
            if report.status == "in-progress" {
                attempts::answered_in(sql, attempt).await?;
            }
            // Downloads and farewells have their own timeouts.
            if !matches!(attempt.step, Some(Step::Over { .. })) {
                call_attempts::renew(sql, attempt, now.plus(app.calling.ring + STEP_TIMEOUT)).await?;
            }
            Ok(None)
        }
    }
}

/// Stores a recording's id and URL whenever a webhook mentions it. If the attempt has ended, schedules its deletion at once.
async fn store_take(
    sql: &mut Sql,
    app: &App,
    attempt: &Attempt,
    of_this_step: bool,
    report: &CallReport,
    now: Moment,
) -> Result<()> {
    let Some((recording, url)) = report.recording.clone() else { return Ok(()) };
    let take = match attempt.step {
        Some(Step::Record { take }) if of_this_step => take.into(),
        _ => 0,
    };
    call_takes::note(sql, attempt.institution, attempt.id, &Take { recording, take, url }).await?;
    if !attempt.is_under_way() {
        let job = Job::DeleteTakes { institution: attempt.institution, attempt: attempt.id };
        jobs::enqueue(sql, app.ids.id(now), &job, now, now).await?;
    }
    Ok(())
}
