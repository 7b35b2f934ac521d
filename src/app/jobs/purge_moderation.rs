//! Deletes what managers rejected or removed 30 days ago, and what their owners could have put back since then.

use super::{Context, Policy};
use crate::{
    app::{Result, kept_recordings, moderation},
    domain::job::{Lane, RetryPolicy},
};

pub const POLICY: Policy = Policy { lane: Lane::Background, retry: RetryPolicy::STANDARD };

pub async fn run(context: &Context<'_>) -> Result<()> {
    let deleted = moderation::purge(context.app).await?;
    if deleted > 0 {
        tracing::info!(deleted, "deleted recordings that were rejected or removed");
    }
    let deleted = kept_recordings::purge(context.app).await?;
    if deleted > 0 {
        tracing::info!(deleted, "deleted replaced recordings that nobody has put back");
    }
    Ok(())
}
