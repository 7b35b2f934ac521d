//! `/console/{slug}/events` and `/console/{slug}/progress`: how far imports, exports and jobs are, as a stream of events and as JSON for
//! browsers behind a proxy that buffers streams. `assets/console.js` reads both.

use std::{
    convert::Infallible,
    time::{Duration, Instant},
};

use axum::{
    body::{Body, Bytes},
    extract::{Request, State},
    http::{HeaderName, HeaderValue, StatusCode, header},
    response::Response,
};
use futures_util::stream;
use serde_json::{Value, json};

use super::{
    rule::{Least, Rule},
    visit::Console,
};
use crate::{
    app::{
        Actor, App, members,
        progress::{self, Progress, Rows, Stage, Task, Watcher, Work},
        sessions::{self, Secret},
    },
    domain::{ids::InstitutionId, member::Member, session::PersonId},
    http::{reply, service::Draining},
    words::{Arg, Words},
};

/// How often a stream looks for something new.
const TICK: Duration = Duration::from_secs(1);
/// A line at least this often, so that no proxy takes the connection for dead. Also how often the visitor's role is checked.
const HEARTBEAT: Duration = Duration::from_secs(15);
/// A stream ends, and the browser opens the next one: connections of closed pages do not pile up.
const LIFE: Duration = Duration::from_secs(240);
/// How long the browser waits before it does, in milliseconds.
const RETRY: &str = "retry: 3000\n\n";

pub fn rules() -> Vec<Rule> {
    vec![
        Rule::get("/console/{slug}/events", Least::Manager, events),
        Rule::get("/console/{slug}/progress", Least::Manager, poll),
    ]
}

async fn poll(State(app): State<App>, console: Console) -> Response {
    match progress::of(&app, &console.actor, console.id()).await {
        Ok(found) => reply::json(StatusCode::OK, &shown(console.words(), &found)),
        Err(error) => console.fault(&app, &error),
    }
}

async fn events(State(app): State<App>, console: Console, request: Request) -> Response {
    let draining = request.extensions().get::<Draining>().cloned().unwrap_or_default();
    drop(request);
    let words = console.words();
    let Some(watcher) = app.progress.watch(&console.member.person) else {
        return reply::message(StatusCode::TOO_MANY_REQUESTS, &words.text("console-too-many-streams"));
    };
    let now = app.clock.instant();
    let events = Events {
        institution: console.id(),
        words,
        person: console.member.person.clone(),
        member: console.member.as_ref().clone(),
        secret: console.who.secret.clone(),
        actor: console.actor,
        draining,
        _watcher: watcher,
        started: now,
        wrote_at: now,
        checked_at: now,
        last: None,
        app,
    };
    let chunks = stream::unfold(events, |mut events| async move {
        let chunk = events.next().await?;
        Some((Ok::<_, Infallible>(chunk), events))
    });
    let mut response = Response::new(Body::from_stream(chunks));
    let headers = response.headers_mut();
    for (name, value) in [
        (header::CONTENT_TYPE, "text/event-stream; charset=utf-8"),
        (header::CACHE_CONTROL, "no-store"),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        // For nginx.
        (HeaderName::from_static("x-accel-buffering"), "no"),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
    response
}

struct Events {
    app: App,
    actor: Actor,
    member: Member,
    person: PersonId,
    secret: Secret,
    institution: InstitutionId,
    words: Words,
    draining: Draining,
    _watcher: Watcher,
    started: Instant,
    wrote_at: Instant,
    checked_at: Instant,
    /// What was sent last.
    last: Option<String>,
}

impl Events {
    /// The next text to send; `None` at the end.
    async fn next(&mut self) -> Option<Bytes> {
        loop {
            if self.last.is_some() {
                self.app.clock.sleep(TICK).await;
            }
            let now = self.app.clock.instant();
            if self.draining.is_on() || now.saturating_duration_since(self.started) >= LIFE {
                return None;
            }
            if now.saturating_duration_since(self.checked_at) >= HEARTBEAT {
                self.checked_at = now;
                if !self.is_still_member().await {
                    return None;
                }
            }
            let found = progress::of(&self.app, &self.actor, self.institution).await.ok()?;
            let text = shown(self.words, &found).to_string();
            if self.last.as_ref() != Some(&text) {
                let start = if self.last.is_none() { RETRY } else { "" };
                let event = format!("{start}event: progress\ndata: {text}\n\n");
                (self.wrote_at, self.last) = (now, Some(text));
                return Some(event.into());
            }
            if now.saturating_duration_since(self.wrote_at) >= HEARTBEAT {
                self.wrote_at = now;
                return Some(Bytes::from_static(b": nothing new\n\n"));
            }
        }
    }

    /// Has the visitor signed out, or got another role or other pages? The page that reads this is an old one then.
    async fn is_still_member(&self) -> bool {
        let has_session = sessions::find(&self.app, &[self.secret.as_str()]).await;
        let member = members::find(&self.app, &self.person).await;
        matches!((has_session, member), (Ok(Some(_)), Ok(Some(member))) if member == self.member)
    }
}

/// Ids are texts: a number in JavaScript has 53 bits.
fn shown(words: Words, found: &Progress) -> Value {
    let tasks: Vec<Value> = found.tasks.iter().map(|task| task_value(words, task)).collect();
    let queues = found.queues.map(|queues| {
        json!({
            "calls_scheduled": queues.calls_scheduled,
            "calls_under_way": queues.calls_under_way,
            "messages": queues.messages,
        })
    });
    json!({ "tasks": tasks, "queues": queues })
}

fn task_value(words: Words, task: &Task) -> Value {
    let kind = match task.work {
        Work::Import => "import",
        Work::Export => "export",
        Work::People => "people",
        Work::Course => "course",
    };
    let stage = match task.stage {
        Stage::Waiting => "waiting",
        Stage::Running => "running",
        Stage::Done => "done",
        Stage::Failed => "failed",
    };
    json!({
        "id": task.id.to_string(),
        "kind": kind,
        "stage": stage,
        "done": task.rows.map(|rows| rows.done),
        "total": task.rows.map(|rows| rows.total),
        "is_over": task.stage.is_over(),
        "text": sentence(words, task),
    })
}

fn sentence(words: Words, task: &Task) -> String {
    match (task.stage, task.rows) {
        (Stage::Waiting, _) => words.text("console-progress-waiting"),
        (Stage::Done, _) => words.text("console-progress-done"),
        (Stage::Failed, _) => words.text("console-progress-failed"),
        (Stage::Running, Some(rows)) => counted(words, rows),
        (Stage::Running, None) => words.text("console-progress-running"),
    }
}

/// How many rows are done.
pub fn counted(words: Words, Rows { done, total }: Rows) -> String {
    words.plain("console-progress-rows", &[("done", Arg::Number(done)), ("total", Arg::Number(total))])
}
