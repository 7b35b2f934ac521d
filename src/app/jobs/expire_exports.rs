//! Removes expired reports, old imports, messages that were mailed long ago, old counts of plays and of requests, and expired sessions,
//! sign-ins, admissions to name pages and idempotency keys.

use super::{Context, Policy};
use crate::{
    app::{
        Result, exports, idempotency, imports, outbox, plays, registrations, sessions, sign_in, sso, tokens,
    },
    domain::job::{Lane, RetryPolicy},
};

pub const POLICY: Policy = Policy { lane: Lane::Background, retry: RetryPolicy::STANDARD };

pub async fn run(context: &Context<'_>) -> Result<()> {
    exports::expire(context.app).await?;
    imports::remove_old(context.app).await?;
    outbox::remove_old(context.app).await?;
    plays::remove_old(context.app).await?;
    tokens::remove_old(context.app).await?;
    sign_in::remove_expired(context.app).await?;
    sso::remove_expired(context.app).await?;
    registrations::remove_expired(context.app).await?;
    idempotency::remove_expired(context.app).await?;
    sessions::remove_expired(context.app).await
}
