//! Synchronizes a course's name page with the roster of its learning system.

use super::{Context, GivenUp, Policy};
use crate::{
    app::{self, Result},
    domain::{
        ids::{CourseId, InstitutionId},
        job::{Lane, RetryPolicy},
    },
    store::{
        Sql,
        courses::{self, SyncResult},
    },
};

/// A separate lane, so that a slow learning system with many courses does not delay other jobs.
pub const POLICY: Policy = Policy { lane: Lane::Sync, retry: RetryPolicy::STANDARD };

pub async fn run(context: &Context<'_>, institution: InstitutionId, course: CourseId) -> Result<()> {
    app::courses::run(context.app, context.claim, institution, course).await
}

/// Records the error on the course, unless another job is synchronizing it by now.
pub async fn give_up(
    sql: &mut Sql,
    given_up: &GivenUp<'_>,
    institution: InstitutionId,
    course: CourseId,
) -> Result<()> {
    let found = courses::find(sql, institution, course).await?;
    if found.is_some_and(|(_, job)| job == Some(given_up.claim.id)) {
        courses::end(sql, institution, course, SyncResult::Failed(given_up.error)).await?;
    }
    Ok(())
}
