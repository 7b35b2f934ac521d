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

/// List background jobs, and retry dead ones
#[derive(Debug, Subcommand)]
pub enum Jobs {
    /// List jobs that are waiting, running or dead (failed too many times)
    ///
    /// For example: endonym jobs list --state dead
    List {
        /// Only jobs in this state
        #[arg(long, value_name = "STATE", value_parser = ["waiting", "running", "dead"])]
        state: Option<String>,
        /// Maximum number of jobs to list, oldest first
        #[arg(long, value_name = "N", default_value_t = 1_000)]
        most: u32,
        #[arg(long)]
        json: bool,
    },
    /// Retry a dead job, with its attempts reset
    ///
    /// The message of a dead `send_mail` job is queued again, unless its code has expired or it may have been sent.
    Retry {
        #[arg(required_unless_present = "all", conflicts_with = "all")]
        id: Option<String>,
        /// Retry all dead jobs
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
                list(&jobs::all(app, &Actor::Operator, state, i64::from(*most)).await?, *json);
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
    output::print_table(&["ID", "KIND", "INSTITUTION", "STATE", "ATTEMPTS", "NEXT RUN", "ERROR"], &rows);
}

async fn retry(app: &App, id: Option<&str>, json: bool) -> Result<(), Failure> {
    let mut refused = Vec::new();
    let ids: Vec<JobId> = match id {
        Some(id) => {
            let unknown = || {
                Failure(format!(
                    "no dead job `{id}`: run `endonym jobs list --state dead` to see all dead jobs"
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
            for job in jobs::all(app, &Actor::Operator, Some(State::Dead), i64::MAX).await? {
                match jobs::retry(app, &Actor::Operator, job.id).await {
                    // Another process already handled it.
                    Err(Error::Missing(_)) => {}
                    Err(Error::Invalid(why)) => refused.push((job.id, why.to_string())),
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
        let mut done = json!({ "retried": ids });
        if !refused.is_empty() {
            let shown = |(id, why): &(JobId, String)| json!({ "id": id.to_string(), "message": why });
            done["refused"] = refused.iter().map(shown).collect();
        }
        output::print_json(&done);
    } else {
        output::print_line(&format!("Jobs to be retried: {}", ids.len()));
        for (id, why) in refused {
            output::print_line(&format!("Job {id} stays dead: {why}"));
        }
    }
    Ok(())
}
