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
        courses::{self, Ended},
    },
};

/// In a lane of its own, so that a slow learning system with many courses does not hold up anything else.
pub const POLICY: Policy = Policy { lane: Lane::Sync, retry: RetryPolicy::STANDARD };

pub async fn run(context: &Context<'_>, institution: InstitutionId, course: CourseId) -> Result<()> {
    app::courses::run(context.app, context.claim, institution, course).await
}

/// The course shows why, unless another job synchronizes it by now.
pub async fn give_up(
    sql: &mut Sql,
    given_up: &GivenUp<'_>,
    institution: InstitutionId,
    course: CourseId,
) -> Result<()> {
    let found = courses::find(sql, institution, course).await?;
    if found.is_some_and(|(_, job)| job == Some(given_up.claim.id)) {
        courses::end(sql, institution, course, Ended::Failed(given_up.error)).await?;
    }
    Ok(())
}
