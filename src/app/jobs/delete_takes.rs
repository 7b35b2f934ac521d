//! Deletes at the cloud provider what was recorded in a call.

use std::time::Duration;

use super::{Context, Policy};
use crate::{
    app::{Result, calls},
    domain::{
        ids::{AttemptId, InstitutionId},
        job::{Lane, RetryPolicy},
    },
};

/// Somebody's voice must not stay there because the provider was down for an hour: retried for about two days.
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
