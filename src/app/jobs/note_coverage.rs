//! Notes how far every name page is today, for the charts of the console.

use super::{Context, Policy};
use crate::{
    app::{Result, coverage},
    domain::job::{Lane, RetryPolicy},
};

pub const POLICY: Policy = Policy { lane: Lane::Background, retry: RetryPolicy::STANDARD };

pub async fn run(context: &Context<'_>) -> Result<()> {
    coverage::note_day(context.app).await
}
