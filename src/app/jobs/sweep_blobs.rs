//! Removes orphaned files.

use super::{Context, Policy};
use crate::{
    app::{Actor, Result, media},
    domain::job::{Lane, RetryPolicy},
};

pub const POLICY: Policy = Policy { lane: Lane::Background, retry: RetryPolicy::STANDARD };

pub async fn run(context: &Context<'_>) -> Result<()> {
    let swept = media::sweep(context.app, &Actor::System, context.orphans_older_than, false).await?;
    if swept.removed > 0 {
        tracing::info!(seen = swept.seen, removed = swept.removed, "orphaned files were removed");
    }
    Ok(())
}
