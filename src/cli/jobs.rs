//! `endonym jobs …`

use std::process::ExitCode;

use clap::Subcommand;
use serde_json::json;

use super::{Failure, Outcome, output};
use crate::{
    app::{Actor, App, Error, jobs},
    domain::{
        ids::JobId,
        job::{Listed, State},
    },
};

/// Look at the work of the background, and have what was given up tried again
#[derive(Debug, Subcommand)]
pub enum Jobs {
    /// List what waits, runs, and was given up after too many failures
    ///
    /// For example: endonym jobs list --state dead
    List {
        /// Only these
        #[arg(long, value_name = "STATE", value_parser = ["waiting", "running", "dead"])]
        state: Option<String>,
        /// So many at most, the oldest first
        #[arg(long, value_name = "N", default_value_t = 1_000)]
        most: u32,
        #[arg(long)]
        json: bool,
    },
    /// Have a job that was given up tried again, as if it were new
    Retry {
        #[arg(required_unless_present = "all", conflicts_with = "all")]
        id: Option<String>,
        /// All that were given up
        #[arg(long)]
        all: bool,
        #[arg(long)]
        json: bool,
    },
}

impl Jobs {
    pub async fn run(&self, app: &App) -> Outcome {
        match self {
            Self::List { state, most, json } => {
                let state = State::ALL.into_iter().find(|known| state.as_deref() == Some(known.word()));
                list(&jobs::all(app, Actor::Operator.scope(), state, i64::from(*most)).await?, *json);
            }
            Self::Retry { id, json, .. } => retry(app, id.as_deref(), *json).await?,
        }
        Ok(ExitCode::SUCCESS)
    }
}

fn list(all: &[Listed], json: bool) {
    if json {
        let shown = |job: &Listed| {
            json!({
                "id": job.id.to_string(),
                "kind": job.kind,
                "institution": job.institution,
                "state": job.state.word(),
                "attempts": job.attempts,
                "run_at": job.run_at.map(output::time),
                "created_at": output::time(job.created_at),
                "error": job.error,
            })
        };
        output::print_json(&json!({ "jobs": all.iter().map(shown).collect::<Vec<_>>() }));
        return;
    }
    let or_none = |text: Option<String>| text.unwrap_or_else(|| "-".to_owned());
    let rows: Vec<Vec<String>> = all
        .iter()
        .map(|job| {
            vec![
                job.id.to_string(),
                job.kind.clone(),
                or_none(job.institution.clone()),
                job.state.word().to_owned(),
                job.attempts.to_string(),
                or_none(job.run_at.map(output::time)),
                or_none(job.error.clone()),
            ]
        })
        .collect();
    output::print_table(&["ID", "KIND", "INSTITUTION", "STATE", "ATTEMPTS", "COMES", "ERROR"], &rows);
}

async fn retry(app: &App, id: Option<&str>, json: bool) -> Result<(), Failure> {
    let ids: Vec<JobId> = match id {
        Some(id) => {
            let unknown = || {
                Failure(format!(
                    "no job `{id}` was given up: `endonym jobs list --state dead` shows those that were"
                ))
            };
            let number = id.parse().map_err(|_| unknown())?;
            match jobs::retry(app, &Actor::Operator, number).await {
                Err(Error::Missing(_)) => return Err(unknown()),
                other => other?,
            }
            vec![number]
        }
        None => {
            let mut again = Vec::new();
            let scope = Actor::Operator.scope();
            for job in jobs::all(app, scope, Some(State::Dead), i64::MAX).await? {
                match jobs::retry(app, &Actor::Operator, job.id).await {
                    // Somebody else was quicker.
                    Err(Error::Missing(_)) => {}
                    other => {
                        other?;
                        again.push(job.id);
                    }
                }
            }
            again
        }
    };
    if json {
        let ids: Vec<String> = ids.iter().map(JobId::to_string).collect();
        output::print_json(&json!({ "retried": ids }));
    } else {
        output::print_line(&format!("Will be tried again: {}", ids.len()));
    }
    Ok(())
}
