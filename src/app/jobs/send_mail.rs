//! Delivers a message of the outbox.

use std::time::Duration;

use super::{Context, GivenUp, Policy, Ran};
use crate::{
    app::{Result, outbox},
    domain::{
        ids::{InstitutionId, MessageId},
        job::{Lane, RetryPolicy},
        moment::Moment,
    },
    store::Sql,
};

/// Somebody may be waiting for a code, so the first retries come quickly. The message expires (48 hours or less) before the
/// retries are used up.
pub const POLICY: Policy = Policy {
    lane: Lane::Mail,
    retry: RetryPolicy {
        failures: 90,
        first_backoff: Duration::from_secs(5),
        longest_backoff: Duration::from_secs(3_600),
    },
};

/// Nobody waits for one of many messages: a mail server that is in trouble is left alone for longer.
pub const BULK_POLICY: Policy = Policy {
    lane: Lane::BulkMail,
    retry: RetryPolicy {
        failures: 90,
        first_backoff: Duration::from_secs(60),
        longest_backoff: Duration::from_secs(3_600),
    },
};

pub async fn run(context: &Context<'_>, institution: Option<InstitutionId>, id: MessageId) -> Result<Ran> {
    outbox::deliver(context.app, context.claim, institution, id).await
}

/// Marks the message as failed.
pub async fn give_up(
    sql: &mut Sql,
    given_up: &GivenUp<'_>,
    institution: Option<InstitutionId>,
    id: MessageId,
) -> Result<()> {
    outbox::give_up(sql, institution, id, given_up.error, given_up.now).await
}

/// Makes the message deliverable again.
pub async fn revive(
    sql: &mut Sql,
    institution: Option<InstitutionId>,
    id: MessageId,
    now: Moment,
) -> Result<()> {
    outbox::revive(sql, institution, id, now).await
}
