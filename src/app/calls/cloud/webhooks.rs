//! What the cloud asks and tells. It may come twice, late, in any order, and to any process: what is written down decides.

use std::time::Duration;

use super::{documents::document, end_in, outcome_of};
use crate::{
    app::{
        Actor, App, Error, Result,
        calls::{attempts, cancel_opted_out},
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

/// No step takes so long, from one word of the cloud's to the next.
const STEP: Duration = Duration::from_secs(90);
/// Nor does a farewell.
const FAREWELL: Duration = Duration::from_secs(30);
/// How long a key may take to us after its call has ended.
const LATE_KEY: Duration = Duration::from_secs(5);
/// The queue has given up by then.
const FETCH: Duration = Duration::from_secs(2 * 60 * 60);

/// A request that claims to come from the cloud.
pub struct Request<'a> {
    /// Path and query, as they were asked for.
    pub path: &'a str,
    pub header: &'a (dyn Fn(&str) -> Option<String> + Send + Sync),
    pub body: &'a [u8],
}

/// What it is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Asked {
    /// This step is over: what comes next?
    Step(i64),
    /// The same, and nothing was recorded in it.
    Silence(i64),
    Status,
    Recording,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    /// What the cloud is to do.
    Document(String),
    Noted,
    /// It is not the cloud, or not about a call of ours.
    Refused,
}

/// What a webhook says, read once.
struct Said {
    call: String,
    status: String,
    digits: String,
    recording: Option<(String, String)>,
    sip_code: Option<u16>,
}

impl Said {
    /// `None` if it is not about a call of this account.
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

    /// What has happened in a step.
    fn event(&self, step: Step, asked: Asked) -> Event {
        let key = self.digits.chars().next().filter(|_| self.digits != "hangup");
        match (step, key) {
            // It counts also when they have hung up behind it.
            (Step::Invite { .. } | Step::Review { .. }, Some(key)) => return Event::Key(key),
            _ if is_final(&self.status) || self.digits == "hangup" => return Event::HungUp,
            _ => {}
        }
        match step {
            Step::Record { .. } if self.recording.is_some() && !matches!(asked, Asked::Silence(_)) => {
                Event::Heard
            }
            Step::Record { .. } => Event::Silence,
            _ => Event::NoKey,
        }
    }
}

/// The name and the address of what was recorded, if anything was. Not every cloud tells the name apart.
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

/// What a webhook has led to.
struct Heard {
    attempt: Attempt,
    /// The cloud's name for what was recorded last.
    take: Option<String>,
    repeated: bool,
    ended: Option<Outcome>,
    /// They asked not to be called again.
    opted_out: bool,
}

/// Answers the cloud. Who is not the cloud, or speaks of a call that is not ours, is refused, and counted.
pub async fn hear(app: &App, attempt: AttemptId, asked: Asked, request: Request<'_>) -> Result<Answer> {
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
    let Some(said) = Said::read(&form, &settings) else { return refused("foreign_call") };
    let (now, at_hand) = (app.clock.now(), app.clone());
    let heard = app.db.write::<_, Error>(move |sql| {
        Box::pin(async move { hear_in(sql, &at_hand, attempt, asked, &said, now).await })
    });
    let Some(heard) = heard.await? else { return refused("foreign_call") };
    metrics::phone_callback(if heard.repeated { "repeated" } else { "accepted" });
    if let Some(outcome) = heard.ended {
        metrics::call_ended(outcome.state().word());
        app.switchboard.wake();
    }
    if heard.opted_out {
        cancel_opted_out(app, heard.attempt.institution, &heard.attempt.phone_number).await?;
    }
    app.queue.wake();
    match asked {
        Asked::Step(_) | Asked::Silence(_) => {
            document(app, &heard.attempt, heard.take).await.map(Answer::Document)
        }
        Asked::Status | Asked::Recording => Ok(Answer::Noted),
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

/// `None` if it is not about a call of ours.
async fn hear_in(
    sql: &mut Sql,
    app: &App,
    attempt: AttemptId,
    asked: Asked,
    said: &Said,
    now: Moment,
) -> Result<Option<Heard>> {
    let scope = Actor::System.scope();
    let Some(found) = call_attempts::find(sql, scope, attempt).await? else { return Ok(None) };
    // From here on it is ours alone.
    calls::lock(sql, found.institution, found.call).await?;
    let Some(mut attempt) = call_attempts::find(sql, scope, attempt).await? else { return Ok(None) };
    if !is_its_name(sql, &attempt, &said.call, now).await? {
        return Ok(None);
    }
    let current = match asked {
        Asked::Step(number) | Asked::Silence(number) => {
            attempt.is_under_way() && number == attempt.step_number
        }
        Asked::Status | Asked::Recording => attempt.is_under_way(),
    };
    note_take(sql, app, &attempt, current && asked != Asked::Recording, said, now).await?;
    let mut ended = None;
    if current {
        ended = match asked {
            Asked::Step(0) => {
                attempts::answered_in(sql, &attempt).await?;
                move_to(sql, app, &mut attempt, Step::START, now).await?
            }
            Asked::Step(_) | Asked::Silence(_) => {
                let next = next(attempt.step.unwrap_or(Step::START), said, asked);
                move_to(sql, app, &mut attempt, next, now).await?
            }
            Asked::Status => status(sql, app, &attempt, said, now).await?,
            Asked::Recording => None,
        };
    }
    let mut opted_out = ended.and_then(Outcome::reason) == Some(Reason::OptedOut);
    // Of somebody who is erased nothing is known any more.
    if !current && !attempt.phone_number.is_empty() && is_late_nine(&attempt, asked, said) {
        calls::opt_out(sql, attempt.institution, &attempt.phone_number, now).await?;
        opted_out = true;
    }
    if is_unwanted(&attempt, said) {
        let job = Job::hang_up(said.call.clone());
        jobs::enqueue(sql, app.ids.id(now), &job, now, now).await?;
    }
    let takes = call_takes::of_attempt(sql, attempt.institution, attempt.id).await?;
    let take = takes.into_iter().next().map(|take| take.recording);
    Ok(Some(Heard { attempt, take, repeated: !current, ended, opted_out }))
}

/// They pressed 9 in the last menu and hung up, and we have heard of that first.
fn is_late_nine(attempt: &Attempt, asked: Asked, said: &Said) -> bool {
    let in_its_menu = matches!(asked, Asked::Step(number) if number > 0 && number == attempt.step_number);
    let menu = matches!(attempt.step, Some(Step::Invite { .. } | Step::Review { .. }));
    let known = !attempt.phone_number.is_empty();
    !attempt.is_under_way() && known && in_its_menu && menu && said.digits.starts_with('9')
}

/// It was cancelled before its name was known, and rings all the same.
fn is_unwanted(attempt: &Attempt, said: &Said) -> bool {
    let cut_short = !matches!(attempt.step, Some(Step::Over { .. }));
    attempt.state == State::Cancelled && cut_short && !said.status.is_empty() && !is_final(&said.status)
}

/// Is this the cloud's name for the attempt? If none is known yet, because the answer that brings it is on its way or was
/// lost, it is.
async fn is_its_name(sql: &mut Sql, attempt: &Attempt, name: &str, now: Moment) -> Result<bool> {
    if let Some(known) = &attempt.vendor_call {
        return Ok(known == name);
    }
    let since = now.minus(super::NAMES_LIVE);
    Ok(!conversations::is_anothers(sql, attempt, name, since).await?
        && conversations::name(sql, attempt, name).await?)
}

/// A key that means nothing has cut the menu short, so it is said again, and counted as said.
fn next(step: Step, said: &Said, asked: Asked) -> Step {
    let event = said.event(step, asked);
    match (step.after(event), event) {
        (same, Event::Key(_)) if same == step => step.after(Event::NoKey),
        (next, _) => next,
    }
}

/// Says how the attempt has ended, if it has. One that is over but for the farewell ends when the line is free: nobody is
/// called twice at a time.
async fn move_to(
    sql: &mut Sql,
    app: &App,
    attempt: &mut Attempt,
    step: Step,
    now: Moment,
) -> Result<Option<Outcome>> {
    let time = match step {
        Step::Over { end: End::Kept } => FETCH,
        Step::Over { .. } => FAREWELL,
        _ => STEP,
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
    said: &Said,
    now: Moment,
) -> Result<Option<Outcome>> {
    match outcome_of(&said.status, said.sip_code, attempt) {
        // The key with which they have answered a menu may be on its way still.
        Some(Outcome::Failed(Reason::HungUp)) if matches!(attempt.step, Some(Step::Review { .. })) => {
            call_attempts::renew(sql, attempt, now.plus(LATE_KEY)).await?;
            Ok(None)
        }
        Some(outcome) => {
            let ended = end_in(sql, app, attempt, outcome, now).await?;
            Ok(ended.then_some(outcome))
        }
        None => {
            if said.status == "in-progress" {
                attempts::answered_in(sql, attempt).await?;
            }
            // What is being fetched, or said farewell to, has its own time.
            if !matches!(attempt.step, Some(Step::Over { .. })) {
                call_attempts::renew(sql, attempt, now.plus(app.calling.ring + STEP)).await?;
            }
            Ok(None)
        }
    }
}

/// What was recorded is written down, whenever we hear of it. After the end it is removed at once.
async fn note_take(
    sql: &mut Sql,
    app: &App,
    attempt: &Attempt,
    of_this_step: bool,
    said: &Said,
    now: Moment,
) -> Result<()> {
    let Some((recording, url)) = said.recording.clone() else { return Ok(()) };
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
