//! Brings the search index of people up to date.

use super::{Context, Policy};
use crate::{
    app::{Result, people_index},
    domain::{
        ids::InstitutionId,
        job::{Lane, RetryPolicy},
    },
};

/// A million people take minutes.
pub const POLICY: Policy = Policy { lane: Lane::Background, retry: RetryPolicy::STANDARD };

pub async fn run(context: &Context<'_>, institution: InstitutionId) -> Result<()> {
    people_index::run(context.app, institution).await
}
