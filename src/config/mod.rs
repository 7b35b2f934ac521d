//! Settings. Each setting is a flag, and `layers` gives it its default. The types here hold the parsed flags, a file for each area.

mod jobs;
mod layers;
mod limits;
mod mail;
mod media;
mod phone;
mod public_url;
pub mod secret;
mod serving;
mod storage;

pub use jobs::JobSettings;
pub use layers::{DEFAULTS, layered, traces_wanted};
pub use limits::SharedLimits;
pub use mail::{Invitations, Mail};
pub use media::Media;
pub use phone::Phone;
pub use public_url::PublicUrl;
pub use serving::Serving;
pub use storage::Storage;

use std::time::Duration;

use clap::Args;

/// Log settings. Every command has these.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Logs")]
pub struct Logging {
    /// Log level: error, warn, info or debug
    #[arg(long, value_name = "LEVEL", global = true, value_parser = ["error", "warn", "info", "debug"])]
    pub log: String,
    /// Log format: json, text, or auto (text on a terminal, JSON otherwise)
    #[arg(long, value_name = "FORMAT", global = true, value_parser = ["auto", "json", "text"])]
    pub log_format: String,
}

/// Seconds with or without a fraction.
fn seconds(text: &str) -> Result<Duration, String> {
    let seconds: f64 = text.trim().parse().map_err(|_| "must be a number of seconds".to_owned())?;
    Duration::try_from_secs_f64(seconds).map_err(|_| "must be a number of seconds, 0 or more".to_owned())
}

fn web_address(what: &str, url: &str) -> Result<String, String> {
    let web =
        ["http://", "https://"].iter().any(|scheme| url.len() > scheme.len() && url.starts_with(scheme));
    if web && !url.contains(['?', '#', ' ']) {
        Ok(url.trim_end_matches('/').to_owned())
    } else {
        Err(format!("the {what} must look like https://names.example.edu, not `{url}`"))
    }
}

/// Empty means not set.
fn set(value: &Option<String>) -> Option<String> {
    value.clone().filter(|text| !text.trim().is_empty())
}
