//! Ends a call at the cloud provider and deletes its recordings. The job may outlive the institution.

use std::time::Duration;

use super::{Context, Policy};
use crate::{
    app::{Result, calls},
    domain::job::{Lane, RetryPolicy},
};

/// Somebody is on the line, so the first retries come quickly. The later ones are for the recordings, which nothing else
/// deletes once the rows are gone. All retries together take about two days.
pub const POLICY: Policy = Policy {
    lane: Lane::Interactive,
    retry: RetryPolicy {
        failures: 26,
        first_backoff: Duration::from_secs(2),
        longest_backoff: Duration::from_secs(4 * 3_600),
    },
};

pub async fn run(context: &Context<'_>, vendor_call: &str, recordings: &[String]) -> Result<()> {
    calls::cloud::hang_up(context.app, vendor_call, recordings).await
}
