//! `/console/{slug}/phone`: who is being called, what has become of calls, the rules in force, and who must not be called.

mod opt_outs;

use askama::Template;
use axum::{
    extract::{Request, State},
    http::StatusCode,
    response::Response,
};

use super::{
    rule::{Least, Rule},
    visit::{Console, ConsoleForm, Nav},
};
use crate::{
    app::{
        App, Error, Missing, Result,
        calls::{self, Board},
    },
    domain::{
        call::{Attempt, Listed, Reason, State as CallState},
        fault::{CallFault, Fault, Field},
        ids::CallId,
        section::Section,
    },
    http::{
        faults::{self, Input},
        form::Form,
        page::Page,
        path::Path,
        when,
    },
    words::Words,
};

pub fn rules() -> Vec<Rule> {
    vec![
        Rule::get("/console/{slug}/phone", Least::Admin, show),
        Rule::post("/console/{slug}/phone/test", Least::Admin, test),
        Rule::post("/console/{slug}/phone/calls/{id}/cancel", Least::Admin, cancel),
        Rule::post("/console/{slug}/phone/calls/{id}/retry", Least::Admin, retry),
        Rule::get("/console/{slug}/phone/opt-outs", Least::Admin, opt_outs::show),
        Rule::post("/console/{slug}/phone/opt-outs", Least::Admin, opt_outs::add),
        Rule::post("/console/{slug}/phone/opt-outs/remove", Least::Admin, opt_outs::remove),
    ]
}

const PATH: &str = "/phone";
/// Calls in one part of a list.
const SHOWN: usize = 50;

#[derive(Template)]
#[template(path = "console/phone.html")]
struct PhonePage<'a> {
    page: Page<'a>,
    nav: Nav,
    /// Otherwise nobody is called, and the page says what the operator has to do.
    is_configured: bool,
    limits: Vec<(&'static str, String)>,
    now: Vec<CallRow>,
    next: Vec<CallRow>,
    over: Vec<CallRow>,
    more: Option<String>,
    is_start: bool,
    feedback: Feedback,
}

struct CallRow {
    id: String,
    email: Option<String>,
    phone_number: String,
    state: &'static str,
    run_at: Option<String>,
    attempts: Vec<AttemptRow>,
    can_cancel: bool,
    can_retry: bool,
}

struct AttemptRow {
    at: String,
    result: &'static str,
}

/// What is shown besides the calls.
#[derive(Default)]
struct Feedback {
    done: Option<&'static str>,
    /// Why a call could not be canceled or made again.
    fault: Option<String>,
    /// The number for a test call, and what is wrong with it.
    number: String,
    number_fault: Option<String>,
}

async fn show(State(app): State<App>, console: Console, request: Request) -> Response {
    let query = Form::from_query(request.uri().query().unwrap_or_default());
    let done = match query.get("done") {
        Some("canceled") => Some("console-phone-done-canceled"),
        Some("retried") => Some("console-phone-done-retried"),
        Some("tested") => Some("console-phone-done-tested"),
        _ => None,
    };
    let before = query.get("before").and_then(|id| id.parse().ok());
    draw(&app, &console, before, Feedback { done, ..Feedback::default() }).await
}

async fn draw(app: &App, console: &Console, before: Option<CallId>, feedback: Feedback) -> Response {
    let board = calls::board(app, &console.actor, console.id(), before, SHOWN).await;
    let Board { now, next, over, more } = match board {
        Ok(board) => board,
        Err(error) => return console.fault(app, &error),
    };
    let rows =
        |listed: Vec<Listed>| -> Vec<CallRow> { listed.into_iter().map(|call| row(console, call)).collect() };
    let is_faulty = feedback.fault.is_some() || feedback.number_fault.is_some();
    let path = console.path(PATH);
    let view = PhonePage {
        page: console.page(app, &path),
        nav: console.nav(app, Section::Phone),
        is_configured: app.calling.enabled,
        limits: limits(&app.calling, console.words()),
        now: rows(now),
        next: rows(next),
        over: rows(over),
        more: more.map(|id| format!("before={id}")),
        is_start: before.is_none(),
        feedback,
    };
    console.show(if is_faulty { StatusCode::UNPROCESSABLE_ENTITY } else { StatusCode::OK }, &view)
}

fn row(console: &Console, call: Listed) -> CallRow {
    let zone = &console.institution.time_zone;
    CallRow {
        id: call.id.to_string(),
        email: call.email,
        phone_number: call.phone_number,
        state: state_name(call.state),
        run_at: when::minute_or_none(call.run_at, zone),
        attempts: call
            .attempts
            .iter()
            .map(|attempt| AttemptRow { at: when::minute(attempt.at, zone), result: result_name(attempt) })
            .collect(),
        can_cancel: call.state.is_pending(),
        can_retry: !call.state.is_pending() && call.state.may_become(CallState::Scheduled),
    }
}

fn state_name(state: CallState) -> &'static str {
    match state {
        CallState::Scheduled => "console-phone-scheduled",
        CallState::Dialing => "console-phone-dialing",
        CallState::InProgress => "console-phone-talking",
        CallState::Recorded => "console-phone-recorded",
        CallState::NoAnswer => "console-phone-no-answer",
        CallState::Busy => "console-phone-busy",
        CallState::Failed => "console-phone-failed",
        CallState::Canceled => "console-phone-canceled",
    }
}

/// The reason says more than the state.
fn result_name(attempt: &Attempt) -> &'static str {
    let Some(reason) = attempt.reason else { return state_name(attempt.state) };
    match reason {
        Reason::NoKey => "console-phone-no-key",
        Reason::Silence => "console-phone-silence",
        Reason::HungUp => "console-phone-hung-up",
        Reason::Declined => "console-phone-declined",
        Reason::NotKept => "console-phone-not-kept",
        Reason::Unusable => "console-phone-unusable",
        Reason::Unreachable => "console-phone-unreachable",
        Reason::Interrupted => "console-phone-interrupted",
        Reason::OptedOut => "console-phone-opted-out",
        Reason::RecordedElsewhere => "console-phone-recorded-elsewhere",
        Reason::NumberChanged => "console-phone-number-changed",
        Reason::ByOperator => "console-phone-by-operator",
        Reason::LeftCourse => "console-phone-left-course",
    }
}

/// The rules in force, which the operator sets.
fn limits(rules: &calls::Rules, words: Words) -> Vec<(&'static str, String)> {
    let quiet = match rules.quiet_hours.ends() {
        Some([from, to]) => format!("{from} – {to}"),
        None => words.text("console-phone-no-quiet-hours"),
    };
    let countries = rules.countries.codes();
    let countries = match countries.is_empty() {
        true => words.text("console-phone-all-countries"),
        false => countries.join(", "),
    };
    let minutes = rules.retry_after.as_secs() / 60;
    vec![
        ("console-phone-quiet-hours", quiet),
        ("console-phone-countries", countries),
        ("console-phone-attempts", rules.attempts.to_string()),
        ("console-phone-retry-after", words.one("console-phone-minutes", "count", minutes)),
        ("console-phone-ring", words.one("console-phone-seconds", "count", rules.ring.as_secs())),
        ("console-phone-at-once", rules.max_at_once.to_string()),
        ("console-phone-per-minute", rules.max_per_minute.to_string()),
        ("console-phone-per-day", rules.max_per_day.to_string()),
    ]
}

/// The id in a path. One that is no number is that of no call.
fn parsed(id: &str) -> Result<CallId> {
    id.parse().map_err(|_| Error::Missing(Missing::Call))
}

async fn cancel(
    State(app): State<App>,
    Path((_, id)): Path<(String, String)>,
    ConsoleForm { console, .. }: ConsoleForm,
) -> Response {
    let canceled = async { calls::cancel(&app, &console.actor, parsed(&id)?).await };
    finish(&app, &console, "canceled", canceled.await).await
}

async fn retry(
    State(app): State<App>,
    Path((_, id)): Path<(String, String)>,
    ConsoleForm { console, .. }: ConsoleForm,
) -> Response {
    let attempts = app.calling.attempts.max(1);
    let retried = async { calls::retry(&app, &console.actor, parsed(&id)?, attempts).await };
    finish(&app, &console, "retried", retried.await).await
}

/// Back to the page, or why not.
async fn finish(app: &App, console: &Console, done: &str, outcome: Result<()>) -> Response {
    match outcome {
        Ok(()) => console.go(app, &format!("{PATH}?done={done}")),
        Err(Error::Invalid(errors)) => {
            let fault = errors.of(&Field::Call).first().map(|fault| refusal(console.words(), fault));
            draw(app, console, None, Feedback { fault, ..Feedback::default() }).await
        }
        Err(error) => console.fault(app, &error),
    }
}

/// Why a call cannot be canceled or made.
fn refusal(words: Words, fault: &Fault) -> String {
    match fault {
        Fault::Call(CallFault::Over(_)) => words.text("console-phone-fault-over"),
        Fault::Call(CallFault::Recorded) => words.text("console-phone-fault-recorded"),
        Fault::Call(CallFault::Pending | CallFault::OtherPending) => {
            words.text("console-phone-fault-pending")
        }
        Fault::Call(CallFault::OptedOut) => words.text("console-phone-fault-opted-out"),
        Fault::Call(CallFault::NumberChanged) => words.text("console-phone-fault-number"),
        fault => faults::fault(words, Input::PhoneNumber, fault),
    }
}

/// Calls the visitor, for their own entry.
async fn test(State(app): State<App>, ConsoleForm { console, form }: ConsoleForm) -> Response {
    let (words, number) = (console.words(), form.get("number").unwrap_or_default().trim().to_owned());
    let person = &console.member.person;
    let fault = match calls::test(&app, &console.actor, person, &number).await {
        Ok(_) => return console.go(&app, &format!("{PATH}?done=tested")),
        Err(Error::Invalid(errors)) => match errors.of(&Field::PhoneNumber).first() {
            Some(fault) => refusal(words, fault),
            None => words.text("console-phone-test-unregistered"),
        },
        Err(Error::Missing(_)) => words.text("console-phone-test-unregistered"),
        Err(error) => return console.fault(&app, &error),
    };
    draw(&app, &console, None, Feedback { number, number_fault: Some(fault), ..Feedback::default() }).await
}
