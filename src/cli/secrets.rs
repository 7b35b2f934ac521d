//! `endonym secrets …`

use std::process::ExitCode;

use clap::Subcommand;
use serde_json::json;

use super::{Outcome, output};
use crate::app::{Actor, App, secrets};

/// The key that protects stored credentials, links and the audit log
#[derive(Debug, Subcommand)]
pub enum Secrets {
    /// Replace the key, and seal all stored credentials with the new one
    ///
    /// For example: endonym secrets rotate
    ///
    /// Without ENDONYM_SECRET_KEY, the new key is written to secret.key in the data directory, and the old one moves to secret.key.old.
    /// Running servers notice it. With ENDONYM_SECRET_KEY, first put the present key into ENDONYM_SECRET_KEY_OLD and a new one into
    /// ENDONYM_SECRET_KEY, and restart all servers.
    ///
    /// Links that were sent, such as those of invitations, work as long as the old key is there. Remove it when they have expired.
    Rotate {
        #[arg(long)]
        json: bool,
    },
}

impl Secrets {
    pub async fn run(self, app: &App) -> Outcome {
        let Self::Rotate { json } = self;
        let rotation = secrets::rotate(app, &Actor::Operator).await?;
        if json {
            let closed: Vec<_> = rotation
                .closed
                .iter()
                .map(|(place, count)| json!({ "place": place, "count": count }))
                .collect();
            output::print_json(
                &json!({ "kid": rotation.kid, "resealed": rotation.resealed, "unreadable": closed }),
            );
        } else {
            output::print_line(&format!(
                "The key {} is in use. Stored secrets that are sealed with it now: {}.",
                rotation.kid, rotation.resealed
            ));
            let old = match app.secrets.is_setting() {
                true => "ENDONYM_SECRET_KEY_OLD",
                false => "secret.key.old in the data directory",
            };
            output::print_line(&format!(
                "Links that were sent before need the old key. Remove it ({old}) when they have expired."
            ));
        }
        for (place, count) in &rotation.closed {
            eprintln!(
                "warning: none of the keys opens {count} secrets in {place}: enter these credentials again"
            );
        }
        Ok(if rotation.closed.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
    }
}
