//! Removes deleted people from the reports that are kept.

use super::{Context, Policy};
use crate::domain::ids::InstitutionId;
use crate::{
    app::{Result, exports},
    domain::job::{Lane, RetryPolicy},
};

pub const POLICY: Policy = Policy { lane: Lane::Background, retry: RetryPolicy::STANDARD };

pub async fn run(context: &Context<'_>, institution: InstitutionId) -> Result<()> {
    exports::scrub(context.app, institution).await
}
