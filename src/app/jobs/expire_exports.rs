//! Removes expired reports, messages that were mailed long ago, and old counts of plays.

use super::{Context, Policy};
use crate::{
    app::{Result, exports, outbox, plays},
    domain::job::{Lane, RetryPolicy},
};

pub const POLICY: Policy = Policy { lane: Lane::Background, retry: RetryPolicy::STANDARD };

pub async fn run(context: &Context<'_>) -> Result<()> {
    exports::expire(context.app).await?;
    outbox::remove_old(context.app).await?;
    plays::remove_old(context.app).await
}
