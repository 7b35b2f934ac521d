//! Enqueues the synchronization of courses that are due.

use super::{Context, Policy};
use crate::{
    app::{Result, courses},
    domain::job::{Lane, RetryPolicy},
};

/// It only writes to the database, so it need not wait for the courses that it has enqueued before.
pub const POLICY: Policy = Policy { lane: Lane::Background, retry: RetryPolicy::STANDARD };

pub async fn run(context: &Context<'_>) -> Result<()> {
    courses::run_due(context.app).await
}
