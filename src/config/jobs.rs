//! Background jobs and metrics.

use std::time::Duration;

use clap::Args;

use crate::{jobs, site};

/// Background jobs and metrics.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Background jobs")]
pub struct JobSettings {
    /// Address and port for /metrics, which has no authentication; when empty or `off`, none
    #[arg(long, value_name = "ADDRESS:PORT", help_heading = "Options")]
    metrics_listen: Option<String>,
    /// Concurrent background jobs; 0 for none
    #[arg(long, value_name = "N")]
    pub workers: usize,
    /// Lease of a job, in seconds: when a worker stops renewing it, another one takes over the job
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..=60))]
    job_lease_seconds: u64,
    /// Interval of the sweep for orphaned files, in seconds; 0 for none
    #[arg(long, value_name = "SECONDS")]
    sweep_seconds: u64,
    /// Minimum age of an orphaned file before it is removed, in seconds
    #[arg(long, value_name = "SECONDS")]
    orphan_seconds: u64,
    /// Grace period for a shutdown: seconds that requests and jobs in progress get to finish
    #[arg(long, value_name = "SECONDS")]
    grace_seconds: u64,
}

impl JobSettings {
    pub fn settings(&self) -> jobs::Settings {
        jobs::Settings {
            workers: self.workers,
            lease: Duration::from_secs(self.job_lease_seconds),
            grace: self.grace(),
            sweep_every: Duration::from_secs(self.sweep_seconds),
            orphans_older_than: Duration::from_secs(self.orphan_seconds),
            report_format: site::report_format,
        }
    }

    pub fn grace(&self) -> Duration {
        Duration::from_secs(self.grace_seconds)
    }

    /// Where `/metrics` is served: never on the main port, which may be public.
    pub fn metrics_listen(&self) -> Option<&str> {
        let given = self.metrics_listen.as_deref().map(str::trim);
        given.filter(|address| !matches!(*address, "" | "off"))
    }
}
