//! `endonym badge …`

use std::process::ExitCode;

use clap::Subcommand;
use serde_json::json;

use super::{Failure, Outcome, institution, output, page_ref};
use crate::{
    app::{Actor, App, Error, participants},
    domain::email::email_key,
};

/// Control which name badges search engines may index
#[derive(Debug, Subcommand)]
pub enum Badge {
    /// Allow search engines to index a person's name badge, at that person's request
    ///
    /// For example: endonym badge list --institution example-university --name-page class-of-2027 ana@example.edu
    List(Target),
    /// Keep a person's name badge out of search engines (the default)
    Unlist(Target),
}

#[derive(Debug, clap::Args)]
pub struct Target {
    #[arg(long, value_name = "SLUG")]
    institution: String,
    /// The page's id, slug, event code or access code
    #[arg(long, value_name = "REF")]
    name_page: String,
    email: String,
    #[arg(long)]
    json: bool,
}

impl Badge {
    pub async fn run(&self, app: &App) -> Outcome {
        let (target, listed) = match self {
            Self::List(target) => (target, true),
            Self::Unlist(target) => (target, false),
        };
        let owner = institution(app, &target.institution).await?;
        let page = page_ref(&target.name_page)?;
        let access = Actor::Operator.access(owner.id)?;
        let set = participants::list_badge(app, &access, page, email_key(&target.email), listed).await;
        set.map_err(|error| match error {
            Error::Missing(_) => Failure(format!("{} is not on that page", target.email)),
            other => other.into(),
        })?;
        if target.json {
            output::print_json(&json!({ "email": target.email, "listed": listed }));
        } else {
            let may = if listed { "may" } else { "may not" };
            output::print_line(&format!("search engines {may} index the badge of {}", target.email));
        }
        Ok(ExitCode::SUCCESS)
    }
}
