//! Tells people that their recordings will be deleted, and deletes those whose retention has ended.

use super::{Context, Policy};
use crate::{
    app::{Result, retention},
    domain::job::{Lane, RetryPolicy},
};

pub const POLICY: Policy = Policy { lane: Lane::Background, retry: RetryPolicy::STANDARD };

pub async fn run(context: &Context<'_>) -> Result<()> {
    retention::run(context.app).await
}
