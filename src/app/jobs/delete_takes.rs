//! Deletes the recordings of a call at the cloud provider.

use super::{Context, Policy};
use crate::{
    app::{Result, calls},
    domain::{
        ids::{AttemptId, InstitutionId},
        job::{Lane, RetryPolicy},
    },
};

/// A voice recording must not stay there because of an outage of the provider.
pub const POLICY: Policy = Policy { lane: Lane::Background, retry: RetryPolicy::PATIENT };

pub async fn run(context: &Context<'_>, institution: InstitutionId, attempt: AttemptId) -> Result<()> {
    calls::cloud::delete_takes(context.app, institution, attempt).await
}
