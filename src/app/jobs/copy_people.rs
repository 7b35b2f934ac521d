//! Copies the people of a name page to its copy.

use super::{Context, Policy};
use crate::{
    app::{
        Result,
        page_copies::{self, PeopleCopy},
    },
    domain::job::{Lane, RetryPolicy},
};

/// Somebody waits for it, but it may take a minute, so it does not share workers with phone calls.
pub const POLICY: Policy = Policy { lane: Lane::Background, retry: RetryPolicy::STANDARD };

pub async fn run(context: &Context<'_>, copy: PeopleCopy) -> Result<()> {
    page_copies::run(context.app, copy).await
}
