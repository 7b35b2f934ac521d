//! `endonym badge …`

use std::process::ExitCode;

use clap::Subcommand;
use serde_json::json;

use super::{Failure, Outcome, institution, output, page_ref};
use crate::{
    app::{App, Error, participants},
    domain::email::email_key,
};

/// Say which name badges search engines may list
#[derive(Debug, Subcommand)]
pub enum Badge {
    /// Let search engines list somebody's name badge, because they want that
    ///
    /// For example: endonym badge list --institution example-university --name-page class-of-2027 ana@example.edu
    List(Whose),
    /// Keep somebody's name badge out of search engines, as every badge is at first
    Unlist(Whose),
}

#[derive(Debug, clap::Args)]
pub struct Whose {
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
        let (whose, listed) = match self {
            Self::List(whose) => (whose, true),
            Self::Unlist(whose) => (whose, false),
        };
        let owner = institution(app, &whose.institution).await?;
        let page = page_ref(&whose.name_page)?;
        let set = participants::list_badge(app, owner.id, page, email_key(&whose.email), listed).await;
        set.map_err(|error| match error {
            Error::Missing(_) => Failure(format!("{} is not on that page", whose.email)),
            other => other.into(),
        })?;
        if whose.json {
            output::print_json(&json!({ "email": whose.email, "listed": listed }));
        } else {
            let may = if listed { "may" } else { "may not" };
            output::print_line(&format!("search engines {may} list the badge of {}", whose.email));
        }
        Ok(ExitCode::SUCCESS)
    }
}
