//! Builds the report of an export.

use super::{Context, GivenUp, Policy};
use crate::{
    app::{Links, Result, exports},
    domain::{
        ids::{ExportId, InstitutionId},
        job::{Lane, RetryPolicy},
    },
    store::Sql,
};

pub const POLICY: Policy = Policy { lane: Lane::Background, retry: RetryPolicy::STANDARD };

/// Links in the report start with the base URL of the server that received the request.
pub async fn run(
    context: &Context<'_>,
    institution: InstitutionId,
    export: ExportId,
    base_url: &str,
) -> Result<()> {
    let Context { app, claim, report_format, .. } = context;
    let writer = |owner, fields| report_format(owner, Links::new(base_url), fields);
    exports::build(app, claim, institution, export, writer).await
}

/// Marks the export as failed. Returns the blobs of its parts, which are no longer referenced.
pub async fn give_up(
    sql: &mut Sql,
    given_up: &GivenUp<'_>,
    institution: InstitutionId,
    export: ExportId,
) -> Result<Vec<String>> {
    exports::give_up(sql, given_up.spare_id, institution, export, given_up.now).await
}
