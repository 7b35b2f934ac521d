//! Deletes people for good whom somebody deleted 30 days ago, and tasks of that time.

use super::{Context, Policy};
use crate::{
    app::{Result, deleted_people},
    domain::job::{Lane, RetryPolicy},
};

pub const POLICY: Policy = Policy { lane: Lane::Background, retry: RetryPolicy::STANDARD };

pub async fn run(context: &Context<'_>) -> Result<()> {
    let deleted = deleted_people::purge(context.app).await?;
    if deleted > 0 {
        tracing::info!(deleted, "permanently deleted people 30 days after their deletion");
    }
    Ok(())
}
