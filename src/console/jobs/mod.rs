//! `/console/{slug}/jobs`: exports, imports and background jobs. Managers see those of their pages.

mod download;
mod rows;

use askama::Template;
use axum::{
    extract::{Request, State},
    http::StatusCode,
    response::Response,
};
use serde::Deserialize;

use self::rows::{ExportRow, ImportRow, JobRow};
use super::{
    rule::{Least, Rule},
    visit::{Console, ConsoleForm, Nav},
};
use crate::{
    app::{
        App, Error, Missing, Result,
        exports::{self, ExportRequest},
        imports, jobs, members, progress,
    },
    domain::{
        fault::{Fault, Field},
        field_errors::FieldErrors,
        ids::JobId,
        member::Role,
        moment::Moment,
        name_page::NamePage,
        paging::Window,
        section::Section,
    },
    http::{form::Form, page::Page, path::Path, reply},
};

const PER_PAGE: u64 = 20;
const MOST_IMPORTS: i64 = 20;
/// The date of a form.
const SINCE: Field = Field::Parameter("updated_after");

pub fn rules() -> Vec<Rule> {
    vec![
        Rule::get("/console/{slug}/jobs", Least::Manager, show),
        Rule::post("/console/{slug}/jobs/exports", Least::Admin.fresh(), create),
        Rule::get("/console/{slug}/jobs/exports/{id}", Least::Manager.fresh_file("/jobs"), download::send),
        Rule::post("/console/{slug}/jobs/retry/{id}", Least::Admin, retry),
    ]
}

#[derive(Template)]
#[template(path = "console/jobs.html")]
struct JobsPage<'a> {
    page: Page<'a>,
    nav: Nav,
    exports: Vec<ExportRow>,
    newer: Option<String>,
    older: Option<String>,
    imports: Vec<ImportRow>,
    /// `None` for managers: jobs concern the whole institution.
    jobs: Option<Vec<JobRow>>,
    /// The pages that the member runs.
    pages: Vec<NamePage>,
    entered: Entered,
    done: Option<String>,
    trouble: Option<String>,
}

/// What was typed to request an export.
#[derive(Default)]
struct Entered {
    page: String,
    since: String,
    page_fault: Option<String>,
    since_fault: Option<String>,
}

/// What is said above the lists.
#[derive(Default)]
struct Told {
    done: Option<&'static str>,
    trouble: Option<String>,
    entered: Entered,
}

async fn show(State(app): State<App>, console: Console, request: Request) -> Response {
    let query = Form::from_query(request.uri().query().unwrap_or_default());
    let done = match query.get("done") {
        Some("requested") => Some("console-jobs-requested"),
        Some("retried") => Some("console-jobs-retried"),
        _ => None,
    };
    let number = query.get("page").and_then(|page| page.parse().ok()).unwrap_or(1);
    draw(&app, &console, StatusCode::OK, number, Told { done, ..Told::default() }).await
}

async fn draw(app: &App, console: &Console, status: StatusCode, number: u64, told: Told) -> Response {
    let path = console.path(&format!("/jobs?page={number}"));
    match view(app, console, &path, number.max(1), told).await {
        Ok(shown) => console.show(status, &shown),
        Err(error) => console.fault(app, &error),
    }
}

async fn view<'a>(
    app: &'a App,
    console: &Console,
    path: &'a str,
    number: u64,
    told: Told,
) -> Result<JobsPage<'a>> {
    let (actor, id, zone) = (&console.actor, console.id(), &console.institution.time_zone);
    let page = console.page(app, path);
    let (words, nav, now) = (page.words, console.nav(app, Section::Jobs), app.clock.now());
    let window = Window::new(number, PER_PAGE);
    let (exports, total) = exports::list(app, actor, id, window).await?;
    let imports = imports::newest(app, actor, id, MOST_IMPORTS).await?;
    let jobs = match console.member.role {
        Role::Owner | Role::Admin => {
            let all = jobs::of_institution(app, actor, id).await?;
            let progress = progress::of(app, actor, id).await?;
            let rows_of = |job: JobId| {
                progress.tasks.iter().find(|task| task.id == job.get()).and_then(|task| task.rows)
            };
            Some(all.iter().map(|job| rows::job(words, zone, job, rows_of(job.id))).collect())
        }
        Role::Manager | Role::Reader => None,
    };
    let pages = members::own_pages(app, actor, &console.member.person).await?.of_role;
    let to = |number: u64| format!("{}/jobs?page={number}", nav.home());
    Ok(JobsPage {
        exports: exports.iter().map(|export| rows::export(words, zone, &nav, export, now)).collect(),
        newer: (number > 1).then(|| to(number - 1)),
        older: (number < window.pages(total)).then(|| to(number + 1)),
        imports: imports.iter().map(|import| rows::import(words, zone, page.root, import)).collect(),
        jobs,
        pages,
        entered: told.entered,
        done: told.done.map(|id| words.text(id)),
        trouble: told.trouble,
        nav,
        page,
    })
}

async fn create(State(app): State<App>, ConsoleForm { console, form }: ConsoleForm) -> Response {
    let (page, since) = (form.text("page"), form.text("since"));
    let mut errors = FieldErrors::default();
    let updated_after =
        since.as_deref().and_then(|date| Moment::parse(&format!("{}T00:00:00Z", date.trim())));
    if since.is_some() && updated_after.is_none() {
        errors.add(SINCE, Fault::NotATime);
    }
    // An export needs a condition. Everybody meets this one.
    let is_whole = page.is_none() && since.is_none();
    let created_after = is_whole.then_some(Moment::from_micros(0));
    let request = ExportRequest { created_after, updated_after, name_page_id: page.clone(), errors };
    let words = console.words();
    let (page, since) = (page.unwrap_or_default(), since.unwrap_or_default());
    let (status, told) = match exports::create(&app, &console.actor, console.id(), request, None).await {
        Ok(_) => return console.go(&app, "/jobs?done=requested"),
        Err(Error::Invalid(errors)) => {
            let has = |field: Field| errors.has(&field);
            let entered = Entered {
                page,
                since,
                page_fault: has(Field::Parameter("name_page_id"))
                    .then(|| words.text("console-jobs-fault-page")),
                since_fault: has(SINCE).then(|| words.text("console-jobs-fault-date")),
            };
            (StatusCode::UNPROCESSABLE_ENTITY, Told { entered, ..Told::default() })
        }
        Err(Error::TooManyPendingExports { most }) => {
            let trouble = Some(words.one("console-jobs-too-many", "most", u64::from(most)));
            let entered = Entered { page, since, ..Entered::default() };
            let told = Told { trouble, entered, ..Told::default() };
            let shown = draw(&app, &console, StatusCode::TOO_MANY_REQUESTS, 1, told).await;
            return reply::with_retry_after(shown, exports::RETRY_SECONDS);
        }
        Err(error) => return console.fault(&app, &error),
    };
    draw(&app, &console, status, 1, told).await
}

#[derive(Deserialize)]
struct JobPath {
    id: String,
}

async fn retry(
    State(app): State<App>,
    Path(JobPath { id }): Path<JobPath>,
    ConsoleForm { console, .. }: ConsoleForm,
) -> Response {
    let Ok(id) = id.parse::<JobId>() else {
        return console.fault(&app, &Error::Missing(Missing::Job));
    };
    match jobs::retry(&app, &console.actor, id).await {
        Ok(()) => console.go(&app, "/jobs?done=retried"),
        Err(Error::Invalid(_)) => {
            let trouble = Some(console.words().text("console-jobs-not-retried"));
            draw(&app, &console, StatusCode::CONFLICT, 1, Told { trouble, ..Told::default() }).await
        }
        Err(error) => console.fault(&app, &error),
    }
}
