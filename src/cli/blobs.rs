//! `endonym blobs …`

use std::{process::ExitCode, time::Duration};

use clap::Subcommand;
use serde_json::json;

use super::{Outcome, institution, output};
use crate::app::{Actor, App, media};

/// Maintain the stored recordings and pictures
#[derive(Debug, Subcommand)]
pub enum Blobs {
    /// Remove orphaned files; background workers also do this periodically
    ///
    /// For example: endonym blobs sweep --dry-run
    Sweep {
        /// Keep orphaned files younger than this: an upload may be in progress
        #[arg(long, value_name = "SECONDS")]
        orphan_seconds: u64,
        /// Count orphaned files without removing them
        #[arg(long)]
        dry_run: bool,
        #[arg(long)]
        json: bool,
    },
    /// Process recordings again from the uploaded originals, after an upgrade that improves processing; their links change
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
    let swept = media::sweep(app, &Actor::Operator, Duration::from_secs(orphan_seconds), dry_run).await?;
    let media::SweepReport { seen, removed, strange } = swept;
    if json {
        output::print_json(
            &json!({ "seen": seen, "removed": removed, "strange": strange, "dry_run": dry_run }),
        );
    } else {
        let would = if dry_run { " (dry run: nothing was removed)" } else { "" };
        output::print_line(&format!(
            "{seen} files checked, {removed} removed, {strange} not recognized{would}"
        ));
    }
    Ok(ExitCode::SUCCESS)
}

async fn reprocess(app: &App, slug: &str, json: bool) -> Outcome {
    let owner = institution(app, slug).await?;
    let (mut processed, mut kept) = (0_u64, 0_u64);
    let on_file = |hex: &str, why: Option<String>| match why {
        None => processed += 1,
        Some(why) => {
            kept += 1;
            eprintln!("recording_{hex} was not changed: {why}");
        }
    };
    media::reprocess(app, &Actor::Operator, owner.id, on_file).await?;
    if json {
        output::print_json(&json!({ "processed": processed, "kept": kept }));
    } else {
        output::print_line(&format!("{processed} recordings processed again, {kept} not changed"));
    }
    Ok(if kept == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
