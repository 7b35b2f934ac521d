//! Deletes the recordings of a call at the cloud provider.

use std::time::Duration;

use super::{Context, Policy};
use crate::{
    app::{Result, calls},
    domain::{
        ids::{AttemptId, InstitutionId},
        job::{Lane, RetryPolicy},
    },
};

/// A voice recording must not stay there because of an outage of the provider, so the job is retried for about two days.
pub const POLICY: Policy = Policy {
    lane: Lane::Background,
    retry: RetryPolicy {
        failures: 24,
        first_backoff: Duration::from_secs(10),
        longest_backoff: Duration::from_secs(4 * 3_600),
    },
};

pub async fn run(context: &Context<'_>, institution: InstitutionId, attempt: AttemptId) -> Result<()> {
    calls::cloud::delete_takes(context.app, institution, attempt).await
}
