//! `/console/{slug}/learning-systems`: learning systems that are connected, their courses, and how to connect others.

mod edit;
mod fields;
mod issuer;
mod new;
mod one;

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
    app::{App, Error, Missing, Result, courses, lti::registrations, tool_consumers},
    domain::{
        section::Section,
        tool_consumer::{LmsKind, ToolConsumer},
    },
    http::{form::Form, page::Page, when},
    lms::{CheckStep, Checked, StepResult},
};

pub fn rules() -> Vec<Rule> {
    vec![
        Rule::get("/console/{slug}/learning-systems", Least::Admin, list),
        Rule::get("/console/{slug}/learning-systems/new", Least::Admin.fresh(), new::show),
        Rule::post("/console/{slug}/learning-systems/new", Least::Admin.fresh(), new::connect),
        Rule::post("/console/{slug}/learning-systems/invitation", Least::Admin.fresh(), invite),
        Rule::get("/console/{slug}/learning-systems/{id}", Least::Admin, one::show),
        Rule::post("/console/{slug}/learning-systems/{id}/prove", Least::Admin, issuer::prove),
        Rule::post("/console/{slug}/learning-systems/{id}/renew", Least::Admin.fresh(), issuer::renew),
        Rule::post("/console/{slug}/learning-systems/{id}/check", Least::Admin, one::check),
        Rule::post("/console/{slug}/learning-systems/{id}/switch", Least::Admin, one::switch),
        Rule::post("/console/{slug}/learning-systems/{id}/synchronize", Least::Admin, one::synchronize),
        Rule::post(
            "/console/{slug}/learning-systems/{id}/synchronize-all",
            Least::Admin,
            one::synchronize_all,
        ),
        Rule::post("/console/{slug}/learning-systems/{id}/delete", Least::Admin.fresh(), one::delete),
        // Whoever changes the keys and addresses of a system decides who launches are from, as whoever connects one.
        Rule::get("/console/{slug}/learning-systems/{id}/edit", Least::Admin.fresh(), edit::show),
        Rule::post("/console/{slug}/learning-systems/{id}/edit", Least::Admin.fresh(), edit::save),
    ]
}

const PATH: &str = "/learning-systems";

#[derive(Template)]
#[template(path = "console/systems.html")]
struct SystemsPage<'a> {
    page: Page<'a>,
    nav: Nav,
    done: Option<&'static str>,
    rows: Vec<SystemRow>,
}

struct SystemRow {
    id: String,
    name: String,
    kind: &'static str,
    url: String,
    is_enabled: bool,
    is_unconfirmed: bool,
    courses: u64,
    failed: u64,
    synced: Option<String>,
}

/// The id of a kind's name in the catalogs.
fn kind_name(kind: LmsKind) -> &'static str {
    match kind {
        LmsKind::Canvas => "console-systems-canvas",
        LmsKind::Moodle => "console-systems-moodle",
        LmsKind::Lti => "console-systems-lti",
    }
}

async fn list(State(app): State<App>, console: Console, request: Request) -> Response {
    let query = Form::from_query(request.uri().query().unwrap_or_default());
    let read = async {
        let all = tool_consumers::all(&app, &console.actor, Some(console.id())).await?;
        Ok::<_, Error>((all, courses::figures(&app, &console.actor, console.id()).await?))
    };
    let (all, figures) = match read.await {
        Ok(found) => found,
        Err(error) => return console.fault(&app, &error),
    };
    let row = |one: ToolConsumer| {
        let figures = figures.get(&one.id).copied().unwrap_or_default();
        SystemRow {
            is_unconfirmed: one.is_unconfirmed(),
            id: one.id.to_string(),
            name: one.name,
            kind: kind_name(one.kind),
            url: one.url,
            is_enabled: one.enabled,
            courses: figures.courses,
            failed: figures.failed,
            synced: when::minute_or_none(figures.synced_at, &console.institution.time_zone),
        }
    };
    let path = console.path(PATH);
    let view = SystemsPage {
        page: console.page(&app, &path),
        nav: console.nav(&app, Section::LearningSystems),
        done: (query.get("done") == Some("deleted")).then_some("console-systems-done-deleted"),
        rows: all.into_iter().map(row).collect(),
    };
    console.show(StatusCode::OK, &view)
}

/// A tool consumer of this institution, by the id in a path.
async fn found(app: &App, console: &Console, id: &str) -> Result<ToolConsumer> {
    let id = id.parse().map_err(|_| Error::Missing(Missing::ToolConsumer))?;
    tool_consumers::find(app, &console.actor, id).await
}

#[derive(Template)]
#[template(path = "console/system_invitation.html")]
struct InvitationPage<'a> {
    page: Page<'a>,
    nav: Nav,
    link: String,
    until: String,
}

/// The answer to the form, and not a page of its own: the link is nowhere else.
async fn invite(State(app): State<App>, ConsoleForm { console, .. }: ConsoleForm) -> Response {
    let (name, until) = match registrations::invite(&app, &console.actor, console.id()).await {
        Ok(made) => made,
        Err(error) => return console.fault(&app, &error),
    };
    let (path, until) = (console.path(PATH), when::minute(until, &console.institution.time_zone));
    let view = InvitationPage {
        page: console.page(&app, &path),
        nav: console.nav(&app, Section::LearningSystems),
        link: registrations::invitation(app.links.base(), &name),
        until: console.words().one("console-systems-invitation-until", "until", &until),
    };
    console.show(StatusCode::OK, &view)
}

/// The result of a check, as it is shown.
struct CheckView {
    steps: Vec<StepView>,
    /// In English.
    says: String,
    /// What is known of the people of a course: the label, how many have it, and of how many.
    coverage: Vec<(&'static str, u64, u64)>,
}

struct StepView {
    name: &'static str,
    result: &'static str,
    class: &'static str,
}

impl CheckView {
    fn new(checked: &Checked) -> Self {
        let step = |(step, result): (CheckStep, StepResult)| {
            let (result, class) = match result {
                StepResult::Passed => ("console-systems-passed", "passed"),
                StepResult::Failed => ("console-systems-failed", "failed"),
                StepResult::Skipped => ("console-systems-skipped", "skipped"),
            };
            let name = match step {
                CheckStep::Address => "console-systems-step-address",
                CheckStep::Credentials => "console-systems-step-credentials",
                CheckStep::Permissions => "console-systems-step-permissions",
                CheckStep::Course => "console-systems-step-course",
            };
            StepView { name, result, class }
        };
        let coverage = checked.outcome.as_ref().ok().and_then(|report| report.coverage.as_ref());
        let coverage = coverage.map(|(_, counts)| {
            let of = |label, count: usize| (label, count as u64, counts.people as u64);
            vec![
                of("console-systems-names", counts.names),
                of("console-systems-last-names", counts.last_names),
                of("console-systems-emails", counts.emails),
                of("console-systems-identifiers", counts.identifiers),
                of("console-systems-pictures", counts.pictures),
            ]
        });
        Self {
            steps: checked.steps.into_iter().map(step).collect(),
            says: match &checked.outcome {
                Ok(report) => report.says.clone(),
                Err(error) => error.to_string(),
            },
            coverage: coverage.unwrap_or_default(),
        }
    }
}
