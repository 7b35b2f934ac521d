//! `/console/{slug}/learning-systems/{id}`: one learning system and its courses.

use askama::Template;
use axum::{
    extract::{Request, State},
    http::StatusCode,
    response::Response,
};

use super::{CheckView, PATH, fields, found, issuer::LtiView, kind_name};
use crate::{
    app::{
        App, Error, Result,
        courses::{self, LossPolicy, WhenRunning},
        tool_consumers,
    },
    console::visit::{Console, ConsoleForm, Nav},
    domain::{
        course::{Course, Sync},
        schedule::Schedule,
        section::Section,
        tool_consumer::{IssuerProof, ToolConsumer},
    },
    http::{form::Form, page::Page, path::Path, when},
};

/// Courses on one part of the list.
const SHOWN: usize = 50;

#[derive(Template)]
#[template(path = "console/system.html")]
struct SystemPage<'a> {
    page: Page<'a>,
    nav: Nav,
    system: ToolConsumer,
    kind: &'static str,
    /// For LTI.
    lti: Option<LtiView>,
    schedule: &'static str,
    roles: Vec<&'static str>,
    created: String,
    courses: Vec<CourseRow>,
    /// The query of the next part.
    next: Option<String>,
    is_start: bool,
    can_sync_all: bool,
    feedback: Feedback,
}

struct CourseRow {
    external_id: String,
    title: String,
    state: &'static str,
    is_failed: bool,
    synced: Option<String>,
    next: Option<String>,
    error: Option<String>,
    note: Option<String>,
}

/// What is shown besides the system and its courses.
#[derive(Default)]
pub(super) struct Feedback {
    /// Why the issuer is not proven, or the registration not renewed, as HTML.
    issuer_fault: Option<String>,
    done: Option<&'static str>,
    checked: Option<CheckView>,
    /// The id of a course that could not be synchronized, and why.
    course: String,
    course_fault: Option<String>,
    /// What was typed instead of the name.
    typed: String,
    is_name_wrong: bool,
}

impl Feedback {
    pub(super) fn of_issuer(fault: String) -> Self {
        Self { issuer_fault: Some(fault), ..Self::default() }
    }

    fn status(&self) -> StatusCode {
        match self.course_fault.is_some() || self.is_name_wrong || self.issuer_fault.is_some() {
            true => StatusCode::UNPROCESSABLE_ENTITY,
            false => StatusCode::OK,
        }
    }
}

pub fn schedule_name(schedule: Schedule) -> &'static str {
    match schedule {
        Schedule::Nightly => "console-systems-nightly",
        Schedule::Hourly => "console-systems-hourly",
        Schedule::Off => "console-systems-unscheduled",
    }
}

pub async fn show(
    State(app): State<App>,
    console: Console,
    Path((_, id)): Path<(String, String)>,
    request: Request,
) -> Response {
    let query = Form::from_query(request.uri().query().unwrap_or_default());
    let done = match query.get("done") {
        Some("enabled") => Some("console-systems-done-enabled"),
        Some("disabled") => Some("console-systems-done-disabled"),
        Some("started") => Some("console-systems-done-started"),
        Some("all-started") => Some("console-systems-done-all-started"),
        Some("saved") => Some("console-systems-done-saved"),
        Some("proven") => Some("console-systems-done-proven"),
        Some("renewed") => Some("console-systems-done-renewed"),
        _ => None,
    };
    let after = query.get("after").unwrap_or_default();
    draw(&app, &console, &id, after, Feedback { done, ..Feedback::default() }).await
}

pub(super) async fn draw(
    app: &App,
    console: &Console,
    id: &str,
    after: &str,
    feedback: Feedback,
) -> Response {
    let read = async {
        let system = found(app, console, id).await?;
        let courses = courses::listed(app, &console.actor, &system, after, SHOWN).await?;
        Ok::<_, Error>((system, courses))
    };
    let (system, (courses, next)) = match read.await {
        Ok(found) => found,
        Err(error) => return console.fault(app, &error),
    };
    let query = |after: String| -> String {
        form_urlencoded::Serializer::new(String::new()).append_pair("after", &after).finish()
    };
    let path = console.path(&format!("{PATH}/{}", system.id));
    let status = feedback.status();
    let view = SystemPage {
        page: console.page(app, &path),
        nav: console.nav(app, Section::LearningSystems),
        kind: kind_name(system.kind),
        lti: LtiView::of(app, console, &system),
        schedule: schedule_name(system.schedule),
        roles: system.roles.iter().map(|role| fields::role_name(*role)).collect(),
        created: when::minute(system.created_at, &console.institution.time_zone),
        can_sync_all: system.is_open() && system.schedule != Schedule::Off && !courses.is_empty(),
        courses: courses.into_iter().map(|course| row(console, course)).collect(),
        next: next.map(query),
        is_start: after.is_empty(),
        feedback,
        system,
    };
    console.show(status, &view)
}

fn row(console: &Console, course: Course) -> CourseRow {
    let zone = &console.institution.time_zone;
    CourseRow {
        state: match (course.sync, &course.error, course.synced_at) {
            (Sync::Running, ..) => "console-systems-course-running",
            (Sync::Resting, ..) => "console-systems-course-retried",
            (Sync::Idle, Some(_), _) => "console-systems-course-failed",
            (Sync::Idle, None, Some(_)) => "console-systems-course-synchronized",
            (Sync::Idle, None, None) => "console-systems-course-new",
        },
        is_failed: course.error.is_some(),
        synced: when::minute_or_none(course.synced_at, zone),
        next: when::minute_or_none(course.next_sync_at, zone),
        external_id: course.external_id,
        title: course.title,
        error: course.error,
        note: course.note,
    }
}

/// Asks the learning system, which takes some seconds.
pub async fn check(
    State(app): State<App>,
    Path((_, id)): Path<(String, String)>,
    ConsoleForm { console, .. }: ConsoleForm,
) -> Response {
    let checked = async {
        let system = found(&app, &console, &id).await?;
        tool_consumers::check_steps(&app, &console.actor, &system).await
    };
    match checked.await {
        Ok(checked) => {
            let feedback = Feedback { checked: Some(CheckView::new(&checked)), ..Feedback::default() };
            draw(&app, &console, &id, "", feedback).await
        }
        Err(error) => console.fault(&app, &error),
    }
}

/// Enables or disables the system.
pub async fn switch(
    State(app): State<App>,
    Path((_, id)): Path<(String, String)>,
    ConsoleForm { console, form }: ConsoleForm,
) -> Response {
    let enabled = form.get("enabled") == Some("yes");
    let switched = async {
        let change = tool_consumers::Change { enabled: Some(enabled), ..tool_consumers::Change::default() };
        tool_consumers::update(&app, &console.actor, found(&app, &console, &id).await?.id, change).await
    };
    let done = if enabled { "enabled" } else { "disabled" };
    go(&app, &console, done, switched.await.map(|system| system.id.to_string()))
}

/// Back to the page of the system, unless something has failed.
fn go(app: &App, console: &Console, done: &str, outcome: Result<String>) -> Response {
    match outcome {
        Ok(id) => console.go(app, &format!("{PATH}/{id}?done={done}")),
        Err(error) => console.fault(app, &error),
    }
}

/// A course that is in the list, or another one by its id in the learning system.
pub async fn synchronize(
    State(app): State<App>,
    Path((_, id)): Path<(String, String)>,
    ConsoleForm { console, form }: ConsoleForm,
) -> Response {
    let (words, course) = (console.words(), fields::text(&form, "course"));
    let system = match found(&app, &console, &id).await {
        Ok(system) => system,
        Err(error) => return console.fault(&app, &error),
    };
    let fault = if course.is_empty() {
        words.text("console-systems-course-blank")
    } else {
        let (wanted, losses) = (vec![course.clone()], LossPolicy::HeldBack);
        let started =
            courses::synchronize_with(&app, &console.actor, &system, wanted, WhenRunning::Fine, losses);
        match started.await {
            Ok(outcome) if outcome.unknown.is_empty() => {
                return console.go(&app, &format!("{PATH}/{}?done=started", system.id));
            }
            Ok(_) => words.text("console-systems-course-unknown"),
            Err(Error::ToolConsumerDisabled) if system.is_unconfirmed() => {
                words.one("console-systems-unconfirmed-why", "issuer", &system.url)
            }
            Err(Error::ToolConsumerDisabled) => words.text("console-systems-is-disabled"),
            Err(Error::LearningSystem(why)) => {
                words.one("console-systems-course-refused", "why", &why.to_string())
            }
            Err(error) => return console.fault(&app, &error),
        }
    };
    let feedback = Feedback { course, course_fault: Some(fault), ..Feedback::default() };
    draw(&app, &console, &id, "", feedback).await
}

pub async fn synchronize_all(
    State(app): State<App>,
    Path((_, id)): Path<(String, String)>,
    ConsoleForm { console, .. }: ConsoleForm,
) -> Response {
    let started = async {
        let system = found(&app, &console, &id).await?;
        courses::synchronize_all(&app, &console.actor, &system).await?;
        Ok::<_, Error>(system.id.to_string())
    };
    match started.await {
        Err(Error::ToolConsumerDisabled) => console.go(&app, &format!("{PATH}/{id}?done=disabled")),
        outcome => go(&app, &console, "all-started", outcome),
    }
}

/// Its name has to be typed.
pub async fn delete(
    State(app): State<App>,
    Path((_, id)): Path<(String, String)>,
    ConsoleForm { console, form }: ConsoleForm,
) -> Response {
    let typed = fields::text(&form, "name");
    let system = match found(&app, &console, &id).await {
        Ok(system) => system,
        Err(error) => return console.fault(&app, &error),
    };
    if typed != system.name.trim() {
        let feedback = Feedback { typed, is_name_wrong: true, ..Feedback::default() };
        return draw(&app, &console, &id, "", feedback).await;
    }
    match tool_consumers::delete(&app, &console.actor, system.id).await {
        Ok(()) => console.go(&app, &format!("{PATH}?done=deleted")),
        Err(error) => console.fault(&app, &error),
    }
}
