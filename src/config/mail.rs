//! Mail, and the invitations that are mailed.

use std::{path::PathBuf, time::Duration};

use clap::Args;

use super::{seconds, set};
use crate::{
    app::invitations,
    mail::{self, Mailer},
};

/// The mail server.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Mail")]
pub struct Mail {
    /// `smtp://user:password@host:587`, `smtps://host:465`, or `file:DIR` to write messages to files; when empty, nothing is mailed
    #[arg(long, value_name = "URL")]
    mail_url: Option<String>,
    /// Sender, like `Names at Example <names@example.edu>`
    #[arg(long, value_name = "SENDER")]
    mail_from: Option<String>,
    /// Timeout for connecting to the mail server and for each of its answers, in seconds
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    mail_timeout_seconds: Duration,
    /// PEM file with certificates to trust besides the system's; with it, TLS is required on this machine too
    #[arg(long, value_name = "FILE")]
    mail_ca_file: Option<String>,
    /// Messages per minute, from all processes together; sign-in codes count but never wait
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    mail_per_minute: u32,
}

impl Mail {
    /// The error message does not contain secrets.
    pub fn mailer(&self) -> Result<Mailer, String> {
        Mailer::new(&mail::Settings {
            url: set(&self.mail_url).unwrap_or_default(),
            from: set(&self.mail_from).unwrap_or_default(),
            timeout: self.mail_timeout_seconds,
            ca_file: set(&self.mail_ca_file).map(PathBuf::from),
            per_minute: self.mail_per_minute,
        })
    }
}

/// Invitations to name pages.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Invitations")]
pub struct Invitations {
    /// Days for which the personal link of an invitation is valid: 1 to 3650
    #[arg(long, value_name = "DAYS", value_parser = clap::value_parser!(u64).range(1..=3_650))]
    invitation_days: u64,
}

impl Invitations {
    pub fn life(&self) -> Duration {
        Duration::from_secs(self.invitation_days * 24 * 3_600)
    }

    pub fn settings(&self) -> invitations::Settings {
        invitations::Settings { life: self.life(), ..invitations::Settings::default() }
    }
}
