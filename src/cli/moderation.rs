//! `endonym moderation …`

use std::process::ExitCode;

use clap::Subcommand;
use serde_json::{Value, json};

use super::{Failure, Outcome, institution, output, page_ref};
use crate::{
    app::{
        Actor, App, Error, Missing,
        moderation::{self, Decision, Entry, Explanation, Listed, Outcome as Decided, Target},
    },
    config::PublicUrl,
    domain::{
        ids::{InstitutionId, ModerationId},
        moderation::Case,
    },
};

/// Recordings and entries that wait for approval, reports about them, and what was decided
///
/// On name pages with moderation `hold`, only managers hear what people record, and see what strangers enter, until it is approved. Managers
/// do the same on the page /p/SLUG/moderation.
#[derive(Debug, Subcommand)]
pub enum Moderation {
    /// List what is to be decided, oldest first
    List {
        #[arg(long, value_name = "SLUG")]
        institution: String,
        /// Only this name page: its slug, id, event code or access code
        #[arg(long, value_name = "REF")]
        name_page: Option<String>,
        /// What was decided in the last 30 days instead, newest first
        #[arg(long)]
        decided: bool,
        #[arg(long)]
        json: bool,
    },
    /// Let everybody hear a recording, or see an entry, that waits for approval
    Approve(Named),
    /// Do not accept a recording or an entry that waits for approval
    ///
    /// The person receives the reason, with a link to record again or to change the entry. For example:
    /// endonym moderation reject --institution example-university --reason "There is music in the background." ID
    Reject(Explained),
    /// Remove a recording or an entry that was reported, or approved by mistake
    ///
    /// The person receives the reason, with a link to record again or to change the entry.
    Remove(Explained),
    /// Close a report without consequences
    Dismiss(Named),
    /// Let everybody hear a recording, or see an entry, again that was rejected or removed: a recording in the last 30 days
    Restore(Named),
}

#[derive(Debug, clap::Args)]
pub struct Named {
    /// The case, as listed
    id: String,
    #[arg(long, value_name = "SLUG")]
    institution: String,
    #[arg(long)]
    json: bool,
}

#[derive(Debug, clap::Args)]
pub struct Explained {
    #[command(flatten)]
    named: Named,
    /// What the person receives
    #[arg(long, value_name = "TEXT")]
    reason: String,
    #[command(flatten)]
    reached: PublicUrl,
}

impl Moderation {
    pub async fn run(&self, app: &App) -> Outcome {
        match self {
            Self::List { institution: slug, name_page, decided, json } => {
                let owner = institution(app, slug).await?;
                let listed = if *decided { Listed::Decided } else { Listed::Open };
                let entries = all(app, owner.id, name_page.as_deref(), listed).await?;
                list(&entries, *json);
            }
            Self::Approve(named) => named.decide(app, Decision::Approve).await?,
            Self::Reject(explained) => {
                explained.named.decide(app, Decision::Reject(explained.explanation()?)).await?;
            }
            Self::Remove(explained) => {
                explained.named.decide(app, Decision::Remove(explained.explanation()?)).await?;
            }
            Self::Dismiss(named) => named.decide(app, Decision::Dismiss).await?,
            Self::Restore(named) => named.decide(app, Decision::Restore).await?,
        }
        Ok(ExitCode::SUCCESS)
    }
}

impl Explained {
    fn explanation(&self) -> Result<Explanation, Failure> {
        Ok(Explanation { reason: self.reason.clone(), base_url: self.reached.base_url().map_err(Failure)? })
    }
}

impl Named {
    async fn decide(&self, app: &App, decision: Decision) -> Result<(), Failure> {
        let owner = institution(app, &self.institution).await?;
        let case: ModerationId = self.id.parse().map_err(|_| self.unknown())?;
        let target = Target { case, page: None, heard: None };
        self.report(moderation::decide(app, &Actor::Operator, owner.id, &target, decision).await)
    }

    fn unknown(&self) -> Failure {
        Failure(format!(
            "no case `{}`: run `endonym moderation list --institution {}` to see all",
            self.id, self.institution
        ))
    }

    fn report(&self, outcome: Result<Decided, Error>) -> Result<(), Failure> {
        let case = match outcome {
            Ok(Decided::Done(case)) => case,
            Ok(Decided::Decided(case)) => {
                return Err(Failure(format!(
                    "this cannot be done: case {} is {}{}",
                    case.id,
                    case.state.word(),
                    case.decided_by.map(|by| format!(" by {by}")).unwrap_or_default()
                )));
            }
            Ok(Decided::Newer(_)) => {
                return Err(Failure("there is a newer recording, so nothing was changed".to_owned()));
            }
            Ok(Decided::Silenced(_)) => {
                return Err(Failure(
                    "this cannot be done: the person has paused the recording, or withdrawn their consent"
                        .to_owned(),
                ));
            }
            Err(Error::Missing(Missing::Recording)) => return Err(self.unknown()),
            Err(other) => return Err(other.into()),
        };
        if self.json {
            output::print_json(&about(&case));
        } else {
            output::print_line(&format!("case {} is {}", case.id, case.state.word()));
        }
        Ok(())
    }
}

async fn all(
    app: &App,
    owner: InstitutionId,
    page: Option<&str>,
    listed: Listed,
) -> Result<Vec<Entry>, Failure> {
    let page = page.map(page_ref).transpose()?;
    let (mut entries, mut behind) = (Vec::new(), None);
    loop {
        let found = moderation::queue(app, &Actor::Operator, owner, page.as_ref(), listed, behind).await;
        let found = found.map_err(|error| match error {
            Error::Missing(Missing::NamePage) => Failure(
                "no such name page: run `endonym name-page list --institution SLUG` to see all".to_owned(),
            ),
            other => other.into(),
        })?;
        entries.extend(found.entries);
        behind = found.next;
        if behind.is_none() {
            return Ok(entries);
        }
    }
}

fn about(case: &Case) -> Value {
    json!({
        "id": case.id.to_string(),
        "kind": case.kind.word(),
        "about": case.about.word(),
        "state": case.state.word(),
        "complaint": case.complaint.map(crate::domain::moderation::Complaint::word),
        "sentence": case.sentence,
        "reports": case.reports,
        "created_at": output::time(case.created_at),
        "decided_at": case.decided_at.map(output::time),
        "decided_by": case.decided_by,
        "reason": case.reason,
        "deleted_at": case.purge_at.map(output::time),
    })
}

fn list(entries: &[Entry], json: bool) {
    if json {
        let cases = entries.iter().map(|Entry { case, person, is_silenced }| {
            let mut shown = about(case);
            shown["paused"] = (*is_silenced).into();
            shown["name_page"] = person.page.slug.as_str().into();
            shown["name"] = person.full_name().into();
            shown["email"] = person.email.as_deref().into();
            shown
        });
        output::print_json(&json!({ "cases": cases.collect::<Vec<_>>() }));
        return;
    }
    let rows: Vec<Vec<String>> = entries
        .iter()
        .map(|Entry { case, person, .. }| {
            vec![
                case.id.to_string(),
                person.page.slug.clone(),
                person.full_name(),
                case.about.word().to_owned(),
                case.complaint.map_or(case.kind.word(), |complaint| complaint.word()).to_owned(),
                case.reports.to_string(),
                case.state.word().to_owned(),
                case.decided_by.clone().unwrap_or_default(),
                output::time(case.created_at),
            ]
        })
        .collect();
    let headings = ["ID", "NAME PAGE", "NAME", "ABOUT", "WHY", "REPORTS", "STATE", "BY", "SINCE"];
    output::print_table(&headings, &rows);
}
