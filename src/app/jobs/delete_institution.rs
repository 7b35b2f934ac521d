//! Completes the deletion of an institution.

use super::{Context, Policy};
use crate::{
    app::{Result, institutions},
    domain::{
        ids::InstitutionId,
        job::{Lane, RetryPolicy},
    },
};

/// Nobody of the institution could sign in to try again.
pub const POLICY: Policy = Policy { lane: Lane::Background, retry: RetryPolicy::PATIENT };

pub async fn run(context: &Context<'_>, institution: InstitutionId) -> Result<()> {
    institutions::delete_all_of(context.app, institution).await
}
