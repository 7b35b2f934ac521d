//! Removes expired reports, old imports, messages that were mailed long ago, old counts of plays and of requests, and expired sessions,
//! sign-ins, admissions to name pages, idempotency keys and entries of the audit log.

use super::{Context, Policy};
use crate::{
    app::{
        Result, audit, exports, idempotency, imports, outbox, plays, registrations, sessions, sign_in, sso,
        tokens,
    },
    domain::job::{Lane, RetryPolicy},
};

pub const POLICY: Policy = Policy { lane: Lane::Background, retry: RetryPolicy::STANDARD };

pub async fn run(context: &Context<'_>) -> Result<()> {
    let app = context.app;
    // If one fails, perhaps because an institution is locked for long, the others are removed all the same.
    let removed = [
        exports::expire(app).await,
        imports::remove_old(app).await,
        outbox::remove_old(app).await,
        plays::remove_old(app).await,
        tokens::remove_old(app).await,
        sign_in::remove_expired(app).await,
        sso::remove_expired(app).await,
        registrations::remove_expired(app).await,
        idempotency::remove_expired(app).await,
        audit::delete_expired(app).await.map(drop),
        sessions::remove_expired(app).await,
    ];
    removed.into_iter().collect()
}
