//! A task with many people: how far it is, and what has become of them. The page reloads itself while it is busy.

use askama::Template;
use axum::{
    extract::State,
    http::{HeaderValue, StatusCode, header},
    response::Response,
};

use super::IdPath;
use crate::{
    app::{
        App, Error,
        people_tasks::{self, TaskView},
    },
    console::visit::{Console, ConsoleForm, Nav},
    domain::{
        ids::PeopleTaskId,
        people_task::{TaskAction, TaskOutcome, TaskState},
        section::Section,
    },
    http::{page::Page, path::Path},
    words::{Arg, Words},
};

const REFRESH_SECONDS: &str = "2";

#[derive(Template)]
#[template(path = "console/people_task.html")]
struct TaskPage<'a> {
    page: Page<'a>,
    nav: Nav,
    id: PeopleTaskId,
    title: String,
    /// Where people are moved to, or which field is set.
    target: Option<String>,
    progress: String,
    done: u64,
    total: u64,
    state: Option<String>,
    is_failed: bool,
    outcomes: Vec<(String, u64)>,
    can_be_undone: bool,
}

fn title_id(action: &TaskAction) -> &'static str {
    match action {
        TaskAction::Invite { .. } => "console-people-invite",
        TaskAction::Remind { .. } => "console-people-remind",
        TaskAction::Move { .. } => "console-people-move",
        TaskAction::Tag { .. } => "console-people-tag",
        TaskAction::Delete => "console-people-delete-many",
        TaskAction::Restore => "console-people-restore",
    }
}

fn outcome_id(outcome: TaskOutcome) -> &'static str {
    match outcome {
        TaskOutcome::Done => "console-people-outcome-done",
        TaskOutcome::Unchanged => "console-people-outcome-unchanged",
        TaskOutcome::Gone => "console-people-outcome-gone",
        TaskOutcome::Taken => "console-people-outcome-taken",
        TaskOutcome::WithoutEmail => "console-people-outcome-without-email",
        TaskOutcome::Recorded => "console-people-outcome-recorded",
        TaskOutcome::Unreachable => "console-people-outcome-unreachable",
        TaskOutcome::NotInvited => "console-people-outcome-not-invited",
        TaskOutcome::JustWritten => "console-people-outcome-just-written",
        TaskOutcome::InCourse => "console-people-outcome-in-course",
        TaskOutcome::Closed => "console-people-outcome-closed",
    }
}

fn state(words: Words, state: TaskState) -> Option<String> {
    match state {
        TaskState::Waiting => None,
        TaskState::Done => Some(words.text("console-people-task-done")),
        TaskState::Failed => Some(words.text("console-people-task-failed")),
    }
}

pub async fn show(State(app): State<App>, console: Console, Path(path): Path<IdPath>) -> Response {
    let found = people_tasks::find(&app, &console.actor, console.id(), path.id()).await;
    let TaskView { task, outcomes, page: to, field } = match found {
        Ok(found) => found,
        Err(error) => return console.fault(&app, &error),
    };
    let path = console.path(&format!("/people/tasks/{}", task.id));
    let page = console.page(&app, &path);
    let words = page.words;
    let is_busy = task.state == TaskState::Waiting;
    let has_done = outcomes.iter().any(|(outcome, _)| *outcome == TaskOutcome::Done);
    let (done, total) = (Arg::Number(task.rows_done), Arg::Number(task.rows_total));
    let shown = TaskPage {
        nav: console.nav(&app, Section::People),
        id: task.id,
        title: words.text(title_id(&task.action)),
        target: to.or(field),
        progress: words.with("console-people-task-progress", &[("done", done), ("total", total)]),
        done: task.rows_done,
        total: task.rows_total,
        state: state(words, task.state),
        is_failed: task.state == TaskState::Failed,
        outcomes: outcomes.into_iter().map(|(one, count)| (words.text(outcome_id(one)), count)).collect(),
        can_be_undone: task.action == TaskAction::Delete && has_done && !is_busy,
        page,
    };
    let mut response = console.show(StatusCode::OK, &shown);
    if is_busy {
        response.headers_mut().insert(header::REFRESH, HeaderValue::from_static(REFRESH_SECONDS));
    }
    response
}

/// Restores those who were deleted.
pub async fn undo(
    State(app): State<App>,
    Path(path): Path<IdPath>,
    ConsoleForm { console, .. }: ConsoleForm,
) -> Response {
    match people_tasks::undo(&app, &console.actor, console.id(), path.id()).await {
        Ok(task) => console.go(&app, &format!("/people/tasks/{task}")),
        // There is nobody to restore.
        Err(Error::Invalid(_)) => console.go(&app, "/people/deleted"),
        Err(error) => console.fault(&app, &error),
    }
}
