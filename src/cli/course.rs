//! `endonym course …`

use std::{process::ExitCode, time::Duration};

use clap::Subcommand;
use serde_json::json;
use tokio_util::sync::CancellationToken;

use super::{Failure, Outcome, institution, output, stop_on_signal, tool_consumer};
use crate::{
    app::{
        Actor, App, Error,
        courses::{self, Losses, WhenRunning},
    },
    domain::{
        course::{Course, Sync},
        ids::{CourseId, InstitutionId},
    },
    jobs, site,
};

/// Look at the courses of a learning system, and synchronise them
#[derive(Debug, Subcommand)]
pub enum Command {
    /// List the courses that have been synchronised or opened, and how that went
    List {
        #[arg(long, value_name = "ID")]
        tool_consumer: String,
        #[arg(long)]
        json: bool,
    },
    /// Bring courses' name pages to what the learning system says of them, and wait for it
    ///
    /// For example: endonym course sync --tool-consumer 61890742730975174 101 sis_course_id:BIO-1
    Sync {
        #[arg(long, value_name = "ID")]
        tool_consumer: String,
        /// The learning system's ids; all that are known when left out
        #[arg(value_name = "COURSE")]
        courses: Vec<String>,
        /// Apply rosters that have lost everybody, or more than half of ten people or more; they are held back otherwise
        #[arg(long)]
        accept_empty: bool,
        #[arg(long)]
        json: bool,
    },
    /// Make two courses one: the second's people and recordings move to the first's page
    ///
    /// For a course that two tool consumers reach, for example by web services and by LTI. Endonym joins such courses by itself
    /// where it can tell; this is for all others. Someone who is in both keeps the newer recording. Whatever named the second's
    /// name page names the first's from then on. It cannot be undone.
    ///
    /// For example: endonym course join 61890742730975174 61890742730975201 --institution example-university
    Join {
        /// The course that stays; `course list` shows the ids
        #[arg(value_name = "ID")]
        kept: String,
        /// The course that becomes part of it
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
                let mut all = courses::all(app, &consumer).await?;
                all.extend(courses::aliased(app, &consumer).await?);
                list(&all, json);
                Ok(ExitCode::SUCCESS)
            }
            Self::Join { kept, other, institution: slug, json } => {
                let owner = institution(app, &slug).await?.id;
                join(app, owner, (&kept, &other), json).await
            }
            Self::Sync { tool_consumer, courses, accept_empty, json } => {
                let losses = if accept_empty { Losses::Accepted } else { Losses::HeldBack };
                sync(app, &tool_consumer, courses, losses, json).await
            }
        }
    }
}

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
                state(course).to_owned(),
                or_none(course.synced_at.map(output::time)),
                Some(course.notes().join("; "))
                    .filter(|notes| !notes.is_empty())
                    .unwrap_or_else(|| "-".to_owned()),
            ]
        })
        .collect();
    output::print_table(&["ID", "COURSE", "TITLE", "STATE", "SYNCHRONISED", "NOTE"], &rows);
}

async fn join(app: &App, institution: InstitutionId, (kept, other): (&str, &str), json: bool) -> Outcome {
    let unknown = |given: &str| {
        Failure(format!(
            "the institution has no course `{given}`: `endonym course list` shows those there are"
        ))
    };
    let mut ids = Vec::new();
    for given in [kept, other] {
        let id: CourseId = given.trim().parse().map_err(|_| unknown(given))?;
        match courses::find(app, institution, id).await {
            Err(Error::Missing(_)) => return Err(unknown(given)),
            found => ids.push(found?.0.id),
        }
    }
    let merged = courses::merge(app, institution, ids[0], ids[1]).await?;
    if json {
        output::print_json(
            &json!({ "id": ids[0].to_string(), "moved": merged.moved, "joined": merged.joined }),
        );
    } else {
        output::print_line(&format!(
            "Course {} is now part of course {}: {} people moved, {} were in both.",
            ids[1], ids[0], merged.moved, merged.joined
        ));
    }
    Ok(ExitCode::SUCCESS)
}

/// A worker of another process that says nothing for so long has died.
const LEASE: Duration = Duration::from_secs(30);
const LOOK: Duration = Duration::from_millis(200);

/// Few enough for the time that a learning system has to say whether it has them.
const LOOKED_FOR_AT_ONCE: usize = 40;

async fn sync(app: &App, consumer: &str, given: Vec<String>, losses: Losses, json: bool) -> Outcome {
    let consumer = tool_consumer::find(app, consumer).await?;
    let given: Vec<String> = if given.is_empty() {
        courses::all(app, &consumer).await?.into_iter().map(|course| course.external_id).collect()
    } else {
        given
    };
    if !consumer.enabled {
        return Err(Failure(format!(
            "{} is disabled: `endonym tool-consumer enable {}` lets it be asked",
            consumer.name, consumer.id
        )));
    }
    let began = app.clock.now();
    let stop = CancellationToken::new();
    tokio::spawn(stop_on_signal(stop.clone(), || {}));
    let (mut told, mut unknown) = (Vec::new(), Vec::new());
    for some in given.chunks(LOOKED_FOR_AT_ONCE) {
        let access = Actor::Operator.access(consumer.institution)?;
        let outcome =
            courses::synchronize_with(app, &access, &consumer, some.to_vec(), WhenRunning::Fine, losses)
                .await;
        let outcome = match outcome {
            // Only with --accept-empty: its roster may be here already.
            Err(Error::CourseSynchronizing) => {
                let why = "a course is being synchronized now: try again when that has ended";
                return Err(Failure(why.to_owned()));
            }
            other => other?,
        };
        unknown.extend(outcome.unknown);
        for course in outcome.started.iter().chain(&outcome.running) {
            let ended = wait(app, consumer.institution, course.id, &stop).await?;
            let is_done = ended.error.is_none() && ended.synced_at.is_some_and(|at| at >= began);
            told.push((ended, is_done));
        }
        if stop.is_cancelled() {
            break;
        }
    }
    let all_well = !stop.is_cancelled() && unknown.is_empty() && told.iter().all(|(_, is_done)| *is_done);
    if json {
        let shown = |(course, is_done): &(Course, bool)| {
            json!({
                "external_id": course.external_id, "title": course.title, "synchronised": is_done,
                "error": course.error, "note": course.note,
            })
        };
        let shown: Vec<_> = told.iter().map(shown).collect();
        output::print_json(&json!({ "courses": shown, "unknown": unknown }));
    } else {
        for (course, is_done) in &told {
            let said = match (is_done, &course.error) {
                (true, _) => course
                    .note
                    .clone()
                    .map_or("synchronised".to_owned(), |note| format!("synchronised; {note}")),
                (false, Some(error)) => format!("failed: {error}"),
                (false, None) => "not done".to_owned(),
            };
            output::print_line(&format!("{} ({}): {said}", course.external_id, course.title));
        }
        for id in &unknown {
            output::print_line(&format!(
                "{id}: the learning system does not have it, or does not show it to us"
            ));
        }
    }
    Ok(if all_well { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Does it here, or waits for whoever has it.
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
        let (course, job) = courses::find(app, institution, id).await?;
        let (Sync::Running, Some(job), false) = (course.sync, job, stop.is_cancelled()) else {
            return Ok(course);
        };
        if !jobs::do_now(app, settings, (institution, job), stop).await? {
            tokio::time::sleep(LOOK).await;
        }
    }
}
