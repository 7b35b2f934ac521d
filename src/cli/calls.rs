//! `endonym calls …`

use std::process::ExitCode;

use clap::Subcommand;
use serde_json::{Value, json};

use super::{Failure, Outcome, output};
use crate::{
    app::{Actor, App, Error, calls},
    domain::{
        call::{Attempt, Listed, Reason},
        ids::{CallId, InstitutionId},
        phone_number::PhoneNumber,
    },
};

/// List, cancel and retry phone calls
#[derive(Debug, Subcommand)]
pub enum Calls {
    /// List calls with their attempts, newest first
    ///
    /// For example: endonym calls list --institution example-university
    List {
        /// Only calls of this institution
        #[arg(long, value_name = "SLUG")]
        institution: Option<String>,
        /// Maximum number of calls to list [default: all]
        #[arg(long, value_name = "N")]
        most: Option<u32>,
        #[arg(long)]
        json: bool,
    },
    /// Cancel a call that is scheduled or in progress; a call in progress is hung up
    Cancel {
        #[arg(required_unless_present = "all", conflicts_with = "all")]
        id: Option<String>,
        /// Cancel all calls that are scheduled or in progress
        #[arg(long)]
        all: bool,
        /// With --all: only calls of this institution
        #[arg(long, value_name = "SLUG", requires = "all")]
        institution: Option<String>,
        #[arg(long)]
        json: bool,
    },
    /// Schedule a call again that ended without a recording
    Retry {
        id: String,
        #[arg(long)]
        json: bool,
        /// Maximum attempts per call
        #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=20))]
        phone_attempts: u32,
    },
    /// List the phone numbers that opted out of calls
    OptOuts {
        #[arg(long, value_name = "SLUG")]
        institution: String,
        #[arg(long)]
        json: bool,
    },
    /// Remove a phone number from the opt-out list, at its owner's request
    OptIn {
        #[arg(value_name = "NUMBER")]
        number: String,
        #[arg(long, value_name = "SLUG")]
        institution: String,
        #[arg(long)]
        json: bool,
    },
}

impl Calls {
    pub async fn run(&self, app: &App) -> Outcome {
        match self {
            Self::List { institution, most, json } => {
                let institution = one(app, institution.as_deref()).await?;
                let most = most.map_or(i64::MAX, i64::from);
                list(&calls::all(app, &Actor::Operator, institution, most).await?, *json);
            }
            Self::Cancel { id: Some(id), json, .. } => {
                known(id, calls::cancel(app, &Actor::Operator, number(id)?).await)?;
                print_outcome(*json, "cancelled", id, "The call was canceled.");
            }
            Self::Cancel { id: None, institution, json, .. } => {
                let institution = one(app, institution.as_deref()).await?;
                let count = calls::cancel_pending(app, &Actor::Operator, institution).await?.to_string();
                print_outcome(*json, "cancelled", &count, &format!("Canceled calls: {count}"));
            }
            Self::Retry { id, json, phone_attempts } => {
                known(id, calls::retry(app, &Actor::Operator, number(id)?, *phone_attempts).await)?;
                print_outcome(*json, "scheduled", id, "The call was scheduled again.");
            }
            Self::OptOuts { institution, json } => {
                let institution = super::institution(app, institution).await?.id;
                let all = calls::opted_out(app, &Actor::Operator, institution).await?;
                if *json {
                    let shown =
                        all.iter().map(|(number, at)| json!({ "number": number, "at": output::time(*at) }));
                    output::print_json(&json!({ "opt_outs": shown.collect::<Vec<_>>() }));
                } else {
                    let rows: Vec<Vec<String>> =
                        all.into_iter().map(|(number, at)| vec![number, output::time(at)]).collect();
                    output::print_table(&["NUMBER", "SINCE"], &rows);
                }
            }
            Self::OptIn { number, institution, json } => {
                let institution = super::institution(app, institution).await?.id;
                let parsed = PhoneNumber::parse(number).ok_or_else(|| {
                    Failure(format!("`{number}` is not a valid phone number; write it like +12025550123"))
                })?;
                if !calls::opt_in(app, &Actor::Operator, institution, parsed.clone()).await? {
                    return Err(Failure(format!("{} has not opted out of calls", parsed.e164())));
                }
                print_outcome(*json, "opted_in", parsed.e164(), "The number may be called again.");
            }
        }
        Ok(ExitCode::SUCCESS)
    }
}

/// The institution with this slug, if a slug is given.
async fn one(app: &App, slug: Option<&str>) -> Result<Option<InstitutionId>, Failure> {
    match slug {
        Some(slug) => Ok(Some(super::institution(app, slug).await?.id)),
        None => Ok(None),
    }
}

fn unknown(id: &str) -> Failure {
    Failure(format!("no call `{id}`: run `endonym calls list` to see all calls"))
}

fn number(id: &str) -> Result<CallId, Failure> {
    id.parse().map_err(|_| unknown(id))
}

fn known(id: &str, done: crate::app::Result<()>) -> Result<(), Failure> {
    done.map_err(|error| match error {
        Error::Missing(_) => unknown(id),
        other => other.into(),
    })
}

fn print_outcome(json: bool, key: &str, value: &str, sentence: &str) {
    if json {
        output::print_json(&json!({ key: value }));
    } else {
        output::print_line(sentence);
    }
}

fn list(all: &[Listed], json: bool) {
    if json {
        let attempt = |attempt: &Attempt| -> Value {
            json!({
                "state": attempt.state.word(),
                "reason": attempt.reason.map(Reason::word),
                "at": output::time(attempt.at),
            })
        };
        let shown = |call: &Listed| {
            json!({
                "id": call.id.to_string(),
                "email": call.email,
                "state": call.state.word(),
                "attempts": call.attempts.iter().map(attempt).collect::<Vec<_>>(),
            })
        };
        output::print_json(&json!({ "calls": all.iter().map(shown).collect::<Vec<_>>() }));
        return;
    }
    let or_none = |text: Option<String>| text.unwrap_or_else(|| "-".to_owned());
    let attempt = |attempt: &Attempt| match attempt.reason {
        Some(reason) => format!("{} ({})", attempt.state.word(), reason.word()),
        None => attempt.state.word().to_owned(),
    };
    let rows: Vec<Vec<String>> = all
        .iter()
        .map(|call| {
            vec![
                call.id.to_string(),
                call.institution.clone(),
                or_none(call.email.clone()),
                call.phone_number.clone(),
                call.state.word().to_owned(),
                or_none(call.run_at.map(output::time)),
                call.attempts.iter().map(attempt).collect::<Vec<_>>().join(", "),
            ]
        })
        .collect();
    output::print_table(
        &["ID", "INSTITUTION", "EMAIL", "NUMBER", "STATE", "NEXT ATTEMPT", "ATTEMPTS"],
        &rows,
    );
}
