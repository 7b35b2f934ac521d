//! `endonym blobs …`

use std::{process::ExitCode, time::Duration};

use clap::Subcommand;
use serde_json::json;

use super::{Outcome, institution, output};
use crate::app::{App, media};

/// Look after the files of recordings and pictures
#[derive(Debug, Subcommand)]
pub enum Blobs {
    /// Remove files that nobody links to any more; workers do so by themselves from time to time
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
    /// Process recordings again from what was sent, after an upgrade that does it better; their links change
    ///
    /// For example: endonym blobs reprocess --institution example-university
    Reprocess {
        #[arg(long, value_name = "SLUG")]
        institution: String,
        #[arg(long)]
        json: bool,
    },
}

impl Blobs {
    pub async fn run(&self, app: &App) -> Outcome {
        match self {
            Self::Sweep { orphan_seconds, dry_run, json } => {
                sweep(app, *orphan_seconds, *dry_run, *json).await
            }
            Self::Reprocess { institution, json } => reprocess(app, institution, *json).await,
        }
    }
}

async fn sweep(app: &App, orphan_seconds: u64, dry_run: bool, json: bool) -> Outcome {
    let swept = media::sweep(app, Duration::from_secs(orphan_seconds), dry_run).await?;
    let media::SweepReport { seen, removed, strange } = swept;
    if json {
        output::print_json(
            &json!({ "seen": seen, "removed": removed, "strange": strange, "dry_run": dry_run }),
        );
    } else {
        let would = if dry_run { " (a dry run: nothing was removed)" } else { "" };
        output::print_line(&format!("{seen} files seen, {removed} removed, {strange} not ours{would}"));
    }
    Ok(ExitCode::SUCCESS)
}

async fn reprocess(app: &App, slug: &str, json: bool) -> Outcome {
    let owner = institution(app, slug).await?;
    let (mut processed, mut kept) = (0_u64, 0_u64);
    let told = |hex: &str, why: Option<String>| match why {
        None => processed += 1,
        Some(why) => {
            kept += 1;
            eprintln!("recording_{hex} stays as it is: {why}");
        }
    };
    media::reprocess(app, owner.id, told).await?;
    if json {
        output::print_json(&json!({ "processed": processed, "kept": kept }));
    } else {
        output::print_line(&format!("{processed} recordings processed again, {kept} left as they are"));
    }
    Ok(if kept == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
