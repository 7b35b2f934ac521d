//! Reminds people who were invited to a name page and have not recorded.

use super::{Context, Policy};
use crate::{
    app::{Result, invitations},
    domain::job::{Lane, RetryPolicy},
};

/// The job only writes to the database. The messages that it enqueues are in the mail lane.
pub const POLICY: Policy = Policy { lane: Lane::Background, retry: RetryPolicy::STANDARD };

pub async fn run(context: &Context<'_>) -> Result<()> {
    invitations::remind_due(context.app).await
}
