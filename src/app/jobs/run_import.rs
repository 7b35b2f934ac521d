//! Checks or imports a file that somebody uploaded on a name page, or undoes an import.

use super::{Context, Policy};
use crate::{
    app::{Result, imports},
    domain::{
        ids::{ImportId, InstitutionId},
        job::{Lane, RetryPolicy},
    },
    store::Sql,
};

/// Somebody waits for it, but it may take a minute, so it does not share workers with phone calls.
pub const POLICY: Policy = Policy { lane: Lane::Background, retry: RetryPolicy::STANDARD };

pub async fn run(context: &Context<'_>, institution: InstitutionId, import: ImportId) -> Result<()> {
    imports::run(context.app, institution, import).await
}

/// Shows that the file could not be imported, or the import not be undone. A part of it may have been: the import can be undone, or
/// repeated.
pub async fn give_up(sql: &mut Sql, institution: InstitutionId, import: ImportId) -> Result<()> {
    imports::give_up(sql, institution, import).await
}
