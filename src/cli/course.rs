//! `endonym course …`

use std::{process::ExitCode, time::Duration};

use clap::Subcommand;
use serde_json::json;
use tokio_util::sync::CancellationToken;

use super::{Failure, Outcome, institution, output, stop_on_signal, tool_consumer};
use crate::{
    app::{
        Actor, App, Error,
        courses::{self, LossPolicy, WhenRunning},
    },
    domain::{
        course::{Course, Sync},
        ids::{CourseId, InstitutionId},
    },
    jobs, site, tasks,
};

/// List, synchronize and merge the courses of a learning system
#[derive(Debug, Subcommand)]
pub enum Command {
    /// List the known courses with the result of their last synchronization
    List {
        #[arg(long, value_name = "ID")]
        tool_consumer: String,
        #[arg(long)]
        json: bool,
    },
    /// Synchronize courses with the learning system, and wait for the result
    ///
    /// For example: endonym course sync --tool-consumer 61890742730975174 101 sis_course_id:BIO-1
    Sync {
        #[arg(long, value_name = "ID")]
        tool_consumer: String,
        /// Course ids in the learning system [default: all known courses]
        #[arg(value_name = "COURSE")]
        courses: Vec<String>,
        /// Apply a roster even if it has lost everyone, or more than half of ten or more people; by default it is held back
        #[arg(long)]
        accept_empty: bool,
        #[arg(long)]
        json: bool,
    },
    /// Merge two courses: people and recordings of the second move to the name page of the first
    ///
    /// For a course that is reached through two tool consumers, for example web services and LTI. Endonym merges such courses
    /// automatically if it can recognize them; use this command for the others. A person in both courses keeps the newer
    /// recording. The slug and codes of the second name page lead to the first one from then on. A merge cannot be undone.
    ///
    /// For example: endonym course join 61890742730975174 61890742730975201 --institution example-university
    Join {
        /// Id of the course to keep; see `course list`
        #[arg(value_name = "ID")]
        kept: String,
        /// Id of the course to merge into it
        #[arg(value_name = "ID")]
        other: String,
        #[arg(long, value_name = "SLUG")]
        institution: String,
        #[arg(long)]
        json: bool,
    },
}

impl Command {
    pub async fn run(self, app: &App) -> Outcome {
        match self {
            Self::List { tool_consumer, json } => {
                let consumer = tool_consumer::find(app, &tool_consumer).await?;
                let mut all = courses::all(app, &Actor::Operator, &consumer).await?;
                all.extend(courses::aliased(app, &Actor::Operator, &consumer).await?);
                list(&all, json);
                Ok(ExitCode::SUCCESS)
            }
            Self::Join { kept, other, institution: slug, json } => {
                let owner = institution(app, &slug).await?.id;
                join(app, owner, (&kept, &other), json).await
            }
            Self::Sync { tool_consumer, courses, accept_empty, json } => {
                let losses = if accept_empty { LossPolicy::Accepted } else { LossPolicy::HeldBack };
                sync(app, &tool_consumer, courses, losses, json).await
            }
        }
    }
}

/// For JSON. Scripts compare these words, so their spelling stays.
fn state(course: &Course) -> &'static str {
    match (course.sync, &course.error, course.synced_at) {
        (Sync::Running, ..) => "running",
        (Sync::Resting, ..) => "will be tried again",
        (Sync::Idle, Some(_), _) => "failed",
        (Sync::Idle, None, Some(_)) => "synchronised",
        (Sync::Idle, None, None) => "never synchronised",
    }
}

fn list(all: &[Course], json: bool) {
    if json {
        let shown = |course: &Course| {
            json!({
                "id": course.id.to_string(),
                "external_id": course.external_id,
                "title": course.title,
                "name_page_id": course.name_page.to_string(),
                "state": state(course),
                "synced_at": course.synced_at.map(output::time),
                "next_sync_at": course.next_sync_at.map(output::time),
                "error": course.error,
                "note": course.note,
            })
        };
        output::print_json(&json!({ "courses": all.iter().map(shown).collect::<Vec<_>>() }));
        return;
    }
    let or_none = |text: Option<String>| text.unwrap_or_else(|| "-".to_owned());
    let rows: Vec<Vec<String>> = all
        .iter()
        .map(|course| {
            vec![
                course.id.to_string(),
                course.external_id.clone(),
                course.title.clone(),
                state(course).replace("synchronised", "synchronized"),
                or_none(course.synced_at.map(output::time)),
                Some(course.notes().join("; "))
                    .filter(|notes| !notes.is_empty())
                    .unwrap_or_else(|| "-".to_owned()),
            ]
        })
        .collect();
    output::print_table(&["ID", "COURSE", "TITLE", "STATE", "SYNCHRONIZED", "NOTE"], &rows);
}

async fn join(app: &App, institution: InstitutionId, (kept, other): (&str, &str), json: bool) -> Outcome {
    let unknown = |given: &str| {
        Failure(format!(
            "the institution has no course `{given}`: run `endonym course list` to see all courses"
        ))
    };
    let mut ids = Vec::new();
    for given in [kept, other] {
        let id: CourseId = given.trim().parse().map_err(|_| unknown(given))?;
        match courses::find(app, &Actor::Operator, institution, id).await {
            Err(Error::Missing(_)) => return Err(unknown(given)),
            found => ids.push(found?.0.id),
        }
    }
    let merged = courses::merge(app, &Actor::Operator, institution, ids[0], ids[1]).await?;
    if json {
        output::print_json(
            &json!({ "id": ids[0].to_string(), "moved": merged.moved, "joined": merged.joined }),
        );
    } else {
        output::print_line(&format!(
            "Merged course {} into course {}: {} people moved, {} were in both.",
            ids[1], ids[0], merged.moved, merged.joined
        ));
    }
    Ok(ExitCode::SUCCESS)
}

/// Lease of the job while this process runs it.
const LEASE: Duration = Duration::from_secs(30);
const POLL_INTERVAL: Duration = Duration::from_millis(200);

/// Few enough to look up within the timeout of one synchronization request.
const LOOKUP_BATCH: usize = 40;

async fn sync(app: &App, consumer: &str, given: Vec<String>, losses: LossPolicy, json: bool) -> Outcome {
    let consumer = tool_consumer::find(app, consumer).await?;
    let given: Vec<String> = if given.is_empty() {
        courses::all(app, &Actor::Operator, &consumer)
            .await?
            .into_iter()
            .map(|course| course.external_id)
            .collect()
    } else {
        given
    };
    if consumer.is_unconfirmed() {
        return Err(Failure(format!(
            "the issuer of {} is not confirmed: check it, and run `endonym tool-consumer confirm {}` first",
            consumer.name, consumer.id
        )));
    }
    if !consumer.enabled {
        return Err(Failure(format!(
            "{} is disabled: run `endonym tool-consumer enable {}` first",
            consumer.name, consumer.id
        )));
    }
    let began = app.clock.now();
    let stop = CancellationToken::new();
    tasks::spawn(stop_on_signal(stop.clone(), || {}));
    let (mut results, mut unknown) = (Vec::new(), Vec::new());
    for some in given.chunks(LOOKUP_BATCH) {
        let actor = &Actor::Operator;
        let outcome =
            courses::synchronize_with(app, actor, &consumer, some.to_vec(), WhenRunning::Fine, losses).await;
        let outcome = match outcome {
            // Only with --accept-empty: the running synchronization may have fetched its roster already.
            Err(Error::CourseSynchronizing) => {
                let why = "a course is being synchronized now: try again when it has finished";
                return Err(Failure(why.to_owned()));
            }
            other => other?,
        };
        unknown.extend(outcome.unknown);
        for course in outcome.started.iter().chain(&outcome.running) {
            let ended = wait(app, consumer.institution, course.id, &stop).await?;
            let is_done = ended.error.is_none() && ended.synced_at.is_some_and(|at| at >= began);
            results.push((ended, is_done));
        }
        if stop.is_cancelled() {
            break;
        }
    }
    let all_well = !stop.is_cancelled() && unknown.is_empty() && results.iter().all(|(_, is_done)| *is_done);
    if json {
        let shown = |(course, is_done): &(Course, bool)| {
            json!({
                "external_id": course.external_id, "title": course.title, "synchronised": is_done,
                "error": course.error, "note": course.note,
            })
        };
        let shown: Vec<_> = results.iter().map(shown).collect();
        output::print_json(&json!({ "courses": shown, "unknown": unknown }));
    } else {
        for (course, is_done) in &results {
            let result = match (is_done, &course.error) {
                (true, _) => course
                    .note
                    .clone()
                    .map_or("synchronized".to_owned(), |note| format!("synchronized; {note}")),
                (false, Some(error)) => format!("failed: {error}"),
                (false, None) => "not finished".to_owned(),
            };
            output::print_line(&format!("{} ({}): {result}", course.external_id, course.title));
        }
        for id in &unknown {
            output::print_line(&format!(
                "{id}: not found in the learning system, or not visible to its access token"
            ));
        }
    }
    Ok(if all_well { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Runs the job in this process, or waits for the worker that holds it.
async fn wait(
    app: &App,
    institution: InstitutionId,
    id: CourseId,
    stop: &CancellationToken,
) -> Result<Course, Failure> {
    let settings = jobs::Settings {
        workers: 0,
        lease: LEASE,
        grace: Duration::ZERO,
        sweep_every: Duration::ZERO,
        orphans_older_than: Duration::ZERO,
        report_format: site::report_format,
    };
    loop {
        let (course, job) = courses::find(app, &Actor::Operator, institution, id).await?;
        let (Sync::Running, Some(job), false) = (course.sync, job, stop.is_cancelled()) else {
            return Ok(course);
        };
        if !jobs::run_now(app, settings, (institution, job), stop).await? {
            app.clock.sleep(POLL_INTERVAL).await;
        }
    }
}
