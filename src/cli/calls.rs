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

/// Look at phone calls, end them, and have them made again
#[derive(Debug, Subcommand)]
pub enum Calls {
    /// List calls with their attempts, the newest first
    ///
    /// For example: endonym calls list --institution example-university
    List {
        /// Only this institution's
        #[arg(long, value_name = "SLUG")]
        institution: Option<String>,
        /// The newest, so many at most; all when not given
        #[arg(long, value_name = "N")]
        most: Option<u32>,
        #[arg(long)]
        json: bool,
    },
    /// End a call that is scheduled or under way; the trunk or the vendor is told
    Cancel {
        #[arg(required_unless_present = "all", conflicts_with = "all")]
        id: Option<String>,
        /// All that are scheduled or under way
        #[arg(long)]
        all: bool,
        /// Only this institution's, with --all
        #[arg(long, value_name = "SLUG", requires = "all")]
        institution: Option<String>,
        #[arg(long)]
        json: bool,
    },
    /// Have a call made again that is over without a recording
    Retry {
        id: String,
        #[arg(long)]
        json: bool,
        /// Attempts to call somebody, in all
        #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=20))]
        phone_attempts: u32,
    },
    /// List the numbers whose owners asked not to be called
    OptOuts {
        #[arg(long, value_name = "SLUG")]
        institution: String,
        #[arg(long)]
        json: bool,
    },
    /// Take a number off that list, because its owner has changed their mind
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
                let scope = Actor::Operator.within(one(app, institution.as_deref()).await?)?;
                let most = most.map_or(i64::MAX, i64::from);
                list(&calls::all(app, scope, most).await?, *json);
            }
            Self::Cancel { id: Some(id), json, .. } => {
                known(id, calls::cancel(app, &Actor::Operator, number(id)?).await)?;
                said(*json, "cancelled", id, "The call is cancelled.");
            }
            Self::Cancel { id: None, institution, json, .. } => {
                let institution = one(app, institution.as_deref()).await?;
                let count = calls::cancel_pending(app, &Actor::Operator, institution).await?.to_string();
                said(*json, "cancelled", &count, &format!("Cancelled: {count}"));
            }
            Self::Retry { id, json, phone_attempts } => {
                known(id, calls::retry(app, &Actor::Operator, number(id)?, *phone_attempts).await)?;
                said(*json, "scheduled", id, "The call will be made again.");
            }
            Self::OptOuts { institution, json } => {
                let institution = super::institution(app, institution).await?.id;
                let all = calls::opted_out(app, institution).await?;
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
                    Failure(format!("`{number}` is no number that exists; write it like +12025550123"))
                })?;
                if !calls::opt_in(app, institution, parsed.clone()).await? {
                    return Err(Failure(format!("nobody has asked not to be called at {}", parsed.e164())));
                }
                said(*json, "opted_in", parsed.e164(), "They may be called again.");
            }
        }
        Ok(ExitCode::SUCCESS)
    }
}

/// The institution that is named, if one is.
async fn one(app: &App, slug: Option<&str>) -> Result<Option<InstitutionId>, Failure> {
    match slug {
        Some(slug) => Ok(Some(super::institution(app, slug).await?.id)),
        None => Ok(None),
    }
}

fn unknown(id: &str) -> Failure {
    Failure(format!("there is no call `{id}`: `endonym calls list` shows those there are"))
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

fn said(json: bool, key: &str, value: &str, sentence: &str) {
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
    output::print_table(&["ID", "INSTITUTION", "EMAIL", "NUMBER", "STATE", "COMES", "ATTEMPTS"], &rows);
}
