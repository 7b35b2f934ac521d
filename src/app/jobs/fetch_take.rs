//! Fetches the recording that a person chose to keep in a call, and attaches it to them.

use super::{Context, GivenUp, Policy};
use crate::{
    app::{Result, calls},
    domain::{
        ids::{AttemptId, InstitutionId},
        job::{Lane, RetryPolicy},
    },
    store::Sql,
};

/// What somebody has said must not be lost because of an outage of S3 or of the provider.
pub const POLICY: Policy = Policy { lane: Lane::Interactive, retry: RetryPolicy::PATIENT };

pub async fn run(context: &Context<'_>, institution: InstitutionId, attempt: AttemptId) -> Result<()> {
    calls::cloud::fetch_take(context.app, institution, attempt).await
}

/// Marks the call attempt as failed.
pub async fn give_up(
    sql: &mut Sql,
    given_up: &GivenUp<'_>,
    institution: InstitutionId,
    attempt: AttemptId,
) -> Result<()> {
    calls::cloud::give_up(sql, given_up.app, (institution, attempt), given_up.now).await
}
