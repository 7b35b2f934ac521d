//! Rotates the signing keys of the LTI tool.

use super::{Context, Policy};
use crate::{
    app::{Result, lti},
    domain::job::{Lane, RetryPolicy},
};

pub const POLICY: Policy = Policy { lane: Lane::Background, retry: RetryPolicy::STANDARD };

pub async fn run(context: &Context<'_>) -> Result<()> {
    lti::keys::rotate_if_due(context.app).await
}
