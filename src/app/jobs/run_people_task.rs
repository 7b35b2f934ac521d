//! Does something with many people.

use super::{Context, Policy};
use crate::{
    app::{Result, people_tasks},
    domain::{
        ids::{InstitutionId, PeopleTaskId},
        job::{Lane, RetryPolicy},
    },
    store::Sql,
};

/// Somebody waits for it, but it may take minutes, so it does not share workers with phone calls.
pub const POLICY: Policy = Policy { lane: Lane::Background, retry: RetryPolicy::STANDARD };

pub async fn run(context: &Context<'_>, institution: InstitutionId, task: PeopleTaskId) -> Result<()> {
    people_tasks::run(context.app, institution, task).await
}

/// Shows that the rest of the people have not had their turn.
pub async fn give_up(sql: &mut Sql, institution: InstitutionId, task: PeopleTaskId) -> Result<()> {
    people_tasks::give_up(sql, institution, task).await
}
