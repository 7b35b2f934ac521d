//! `endonym sign-in-link`

use std::{process::ExitCode, time::Duration};

use serde_json::json;

use super::{Failure, Outcome, institution, output};
use crate::{
    app::{Actor, App, Error, operators, sign_in},
    config::PublicUrl,
    domain::{email::email_key, moment::Moment},
};

/// Print a single-use link that signs a person in
///
/// For installations that do not send mail, and for people whose mail does not arrive. Anyone who has the link can use it, once.
/// For example: endonym sign-in-link --institution example-university ana@example.edu
///
/// With --operator, the link opens the console of this installation, with all institutions. It is valid for an hour, and the
/// session for eight.
#[derive(Debug, clap::Args)]
pub struct SignInLink {
    /// The person's email address
    #[arg(required_unless_present = "operator", requires = "institution")]
    email: Option<String>,
    #[arg(long, value_name = "SLUG")]
    institution: Option<String>,
    /// A link for the operator of the installation
    #[arg(long, conflicts_with = "email")]
    operator: bool,
    /// How long the link is valid, in hours
    #[arg(long, value_name = "N", default_value_t = 24, value_parser = clap::value_parser!(u64).range(1..=720))]
    hours: u64,
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    reached: PublicUrl,
}

impl SignInLink {
    pub async fn run(&self, app: &App) -> Outcome {
        let base_url = self.reached.base_url().map_err(Failure)?;
        let (Some(email), Some(slug)) = (&self.email, &self.institution) else {
            let (link, expires_at) = operators::link(app, &Actor::Operator, &base_url).await?;
            self.print(&link, expires_at, None);
            return Ok(ExitCode::SUCCESS);
        };
        let owner = institution(app, slug).await?;
        let life = Duration::from_secs(self.hours * 3_600);
        let made = sign_in::operator_link(app, &Actor::Operator, owner.id, email, life, &base_url).await;
        let (link, expires_at) = made.map_err(|error| match error {
            Error::Missing(_) => Failure(format!("nobody in `{slug}` has the email {email}")),
            other => other.into(),
        })?;
        self.print(&link, expires_at, Some((email.as_str(), slug.as_str())));
        Ok(ExitCode::SUCCESS)
    }

    fn print(&self, link: &str, expires_at: Moment, whose: Option<(&str, &str)>) {
        let expires_at = output::time(expires_at);
        match whose {
            _ if !self.json => output::print_line(link),
            Some((email, slug)) => output::print_json(&json!({
                "email": email_key(email),
                "institution": slug,
                "link": link,
                "expires_at": expires_at,
            })),
            None => output::print_json(&json!({ "link": link, "expires_at": expires_at })),
        }
    }
}
