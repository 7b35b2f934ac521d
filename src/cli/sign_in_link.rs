//! `endonym sign-in-link`

use std::{process::ExitCode, time::Duration};

use serde_json::json;

use super::{Failure, Outcome, institution, output};
use crate::{
    app::{Actor, App, Error, sign_in},
    config::PublicUrl,
    domain::email::email_key,
};

/// Print a single-use link that signs a person in
///
/// For installations that do not send mail, and for people whose mail does not arrive. Anyone who has the link can use it, once.
/// For example: endonym sign-in-link --institution example-university ana@example.edu
#[derive(Debug, clap::Args)]
pub struct SignInLink {
    /// The person's email address
    email: String,
    #[arg(long, value_name = "SLUG")]
    institution: String,
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
        let (email, slug) = (&self.email, &self.institution);
        let base_url = self.reached.base_url().map_err(Failure)?;
        let owner = institution(app, slug).await?;
        let life = Duration::from_secs(self.hours * 3_600);
        let made = sign_in::operator_link(app, &Actor::Operator, owner.id, email, life, &base_url).await;
        let (link, expires_at) = made.map_err(|error| match error {
            Error::Missing(_) => Failure(format!("nobody in `{slug}` has the email {email}")),
            other => other.into(),
        })?;
        if self.json {
            output::print_json(&json!({
                "email": email_key(email),
                "institution": slug,
                "link": link,
                "expires_at": output::time(expires_at),
            }));
        } else {
            output::print_line(&link);
        }
        Ok(ExitCode::SUCCESS)
    }
}
