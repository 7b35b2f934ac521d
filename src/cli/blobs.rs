//! `endonym blobs …`

use std::{process::ExitCode, time::Duration};

use clap::Subcommand;
use serde_json::json;

use super::{Outcome, output};
use crate::app::{App, media};

/// Look after the files of recordings and pictures
#[derive(Debug, Subcommand)]
pub enum Blobs {
    /// Remove files that nobody links to any more; `serve` does so by itself from time to time
    ///
    /// For example: endonym blobs sweep --dry-run
    Sweep {
        /// Leave files alone that are younger: an upload may be under way
        #[arg(long, value_name = "SECONDS")]
        orphan_seconds: u64,
        /// Say how many there are, and remove nothing
        #[arg(long)]
        dry_run: bool,
        #[arg(long)]
        json: bool,
    },
}

impl Blobs {
    pub async fn run(&self, app: &App) -> Outcome {
        let Self::Sweep { orphan_seconds, dry_run, json } = self;
        let swept = media::sweep(app, Duration::from_secs(*orphan_seconds), *dry_run).await?;
        let media::Swept { seen, removed, strange } = swept;
        if *json {
            output::print_json(
                &json!({ "seen": seen, "removed": removed, "strange": strange, "dry_run": dry_run }),
            );
        } else {
            let would = if *dry_run { " (a dry run: nothing was removed)" } else { "" };
            output::print_line(&format!("{seen} files seen, {removed} removed, {strange} not ours{would}"));
        }
        Ok(ExitCode::SUCCESS)
    }
}
