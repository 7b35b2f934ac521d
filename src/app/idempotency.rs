//! Idempotent creates. What a request makes and its key are written in one transaction, so there is never one without the other, and the
//! database decides between requests that arrive at the same time. See [ADR 26](../../docs/adr/0026-idempotency-keys.md).

use std::future::Future;

use super::{App, Error, Result};
use crate::{
    domain::{
        idempotency::{KeyFault, LIFE, Made, RequestKey},
        moment::Moment,
    },
    store::{Sql, idempotency_keys},
};

/// What a request has made.
#[derive(Debug)]
pub struct Creation<T> {
    pub made: T,
    /// An earlier request with the same key has made it.
    pub is_repeated: bool,
}

/// Makes something, unless an earlier request with the same key has: then it is found. `make` must `claim` the key.
pub(super) async fn once<T, Fut: Future<Output = Result<T>>>(
    app: &App,
    key: Option<&RequestKey>,
    make: impl Future<Output = Result<T>>,
    find: impl FnOnce(Made) -> Fut,
) -> Result<Creation<T>> {
    let Some(key) = key else { return Ok(Creation { made: make.await?, is_repeated: false }) };
    let earlier = match made_earlier(app, key).await? {
        Some(earlier) => earlier,
        None => match make.await {
            // Another one was faster. It has committed, unless its commit has failed or the key has expired since.
            Err(Error::IdempotencyKey(KeyFault::InUse)) => {
                made_earlier(app, key).await?.ok_or(Error::IdempotencyKey(KeyFault::InUse))?
            }
            made => return Ok(Creation { made: made?, is_repeated: false }),
        },
    };
    match find(earlier).await {
        Err(Error::Missing(_)) => Err(Error::IdempotencyKey(KeyFault::Gone)),
        found => Ok(Creation { made: found?, is_repeated: true }),
    }
}

/// What an earlier request with this key has made.
async fn made_earlier(app: &App, key: &RequestKey) -> Result<Option<Made>> {
    let since = app.clock.now().minus(LIFE);
    match idempotency_keys::find(&mut app.db.read(), key, since).await? {
        Some(used) if used.request_digest != key.request_digest => {
            Err(Error::IdempotencyKey(KeyFault::OtherRequest))
        }
        used => Ok(used.map(|used| used.made)),
    }
}

/// Uses a key, in the transaction that makes something. To be called before anything is checked that depends on what an earlier request
/// with the same key has made. Fails with `InUse` if there is one, and the transaction is rolled back.
pub(super) async fn claim(sql: &mut Sql, key: &RequestKey, made: &Made, now: Moment) -> Result<()> {
    if idempotency_keys::insert(sql, key, made, now, now.minus(LIFE)).await? {
        Ok(())
    } else {
        Err(Error::IdempotencyKey(KeyFault::InUse))
    }
}

/// Cannot happen, because a request's path is part of its digest.
pub(super) fn other_kind() -> Error {
    Error::Internal("something else was made with this idempotency key".to_owned())
}

/// How many keys are removed in one transaction.
const EXPIRY_BATCH: i64 = 1_000;

pub async fn remove_expired(app: &App) -> Result<()> {
    loop {
        let before = app.clock.now().minus(LIFE);
        // The read is cheap, and avoids occupying the database's single writer.
        if !idempotency_keys::any_expired(&mut app.db.read(), before).await? {
            return Ok(());
        }
        let removed = app
            .db
            .write_bookkeeping::<_, Error>(move |sql| {
                Box::pin(
                    async move { Ok(idempotency_keys::delete_expired(sql, before, EXPIRY_BATCH).await?) },
                )
            })
            .await?;
        // Those that are left are in use.
        if removed == 0 {
            return Ok(());
        }
    }
}
