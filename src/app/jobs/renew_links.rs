//! Renews the links of recordings that anybody could play, after an institution has stopped permitting that.

use super::{Context, Policy};
use crate::{
    app::{Result, renewed_links},
    domain::{
        ids::InstitutionId,
        job::{Lane, RetryPolicy},
    },
};

/// Each link takes a copy of its file.
pub const POLICY: Policy = Policy { lane: Lane::Background, retry: RetryPolicy::STANDARD };

pub async fn run(context: &Context<'_>, institution: InstitutionId) -> Result<()> {
    renewed_links::renew_all(context.app, institution).await
}
