//! Enqueues the synchronization of courses that are due.

use super::{Context, Policy};
use crate::{
    app::{Result, courses},
    domain::job::{Lane, RetryPolicy},
};

/// The job only writes to the database, so it does not use the sync lane, where it would wait for the courses enqueued
/// before.
pub const POLICY: Policy = Policy { lane: Lane::Background, retry: RetryPolicy::STANDARD };

pub async fn run(context: &Context<'_>) -> Result<()> {
    courses::run_due(context.app).await
}
