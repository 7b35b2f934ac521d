//! Removes deleted people from stored reports.

use super::{Context, Policy};
use crate::{
    app::{Result, exports},
    domain::{
        ids::InstitutionId,
        job::{Lane, RetryPolicy},
    },
};

/// Whoever was erased must not stay in reports because of an outage of S3.
pub const POLICY: Policy = Policy { lane: Lane::Background, retry: RetryPolicy::PATIENT };

pub async fn run(context: &Context<'_>, institution: InstitutionId) -> Result<()> {
    exports::scrub(context.app, institution).await
}
