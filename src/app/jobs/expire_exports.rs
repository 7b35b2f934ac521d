//! Removes expired reports.

use super::{Context, Policy};
use crate::{
    app::{Result, exports},
    domain::job::{Lane, RetryPolicy},
};

pub const POLICY: Policy = Policy { lane: Lane::Background, retry: RetryPolicy::STANDARD };

pub async fn run(context: &Context<'_>) -> Result<()> {
    exports::expire(context.app).await
}
