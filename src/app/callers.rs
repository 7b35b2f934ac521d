//! Who is calling: from the token in the request to the institution that it belongs to.

use std::{
    collections::HashMap,
    sync::{
        Arc, PoisonError, RwLock,
        atomic::{AtomicI64, Ordering},
    },
    time::{Duration, Instant},
};

use subtle::ConstantTimeEq;

use super::{App, Error, Result};
use crate::{
    domain::{
        institution::Institution,
        moment::Moment,
        token::{self, TokenDigest},
    },
    store::tokens,
};

#[derive(Debug)]
pub struct Caller {
    pub token_id: i64,
    pub institution: Arc<Institution>,
}

/// How long an answer of the database is believed: a revoked token must be dead within a second.
const BELIEVED: Duration = Duration::from_millis(400);

struct Known {
    caller: Arc<Caller>,
    expires_at: Option<Moment>,
    read_at: Instant,
    /// When the token was last used, until it is written down; 0 when there is nothing to write.
    used_at: AtomicI64,
}

#[derive(Default)]
pub struct Callers(RwLock<HashMap<TokenDigest, Arc<Known>>>);

pub async fn identify(app: &App, token: &str) -> Result<Arc<Caller>> {
    let digest = token::digest(token);
    let (now, instant) = (app.clock.now(), app.clock.instant());
    let known = app.callers.0.read().unwrap_or_else(PoisonError::into_inner).get(&digest).cloned();
    let known = match known {
        Some(known) if instant.duration_since(known.read_at) < BELIEVED => known,
        earlier => look_up(app, digest, instant, earlier).await?,
    };
    if known.expires_at.is_some_and(|end| end <= now) {
        return Err(Error::Unauthorized);
    }
    known.used_at.store(now.micros(), Ordering::Relaxed);
    Ok(known.caller.clone())
}

/// Tokens that nobody has are not remembered: one that is made this moment works the next.
async fn look_up(
    app: &App,
    digest: TokenDigest,
    instant: Instant,
    earlier: Option<Arc<Known>>,
) -> Result<Arc<Known>> {
    let hex = token::hex(&digest);
    let found = tokens::by_digest(&mut app.db.read(), &hex).await?;
    let found = found.filter(|found| found.digest.as_bytes().ct_eq(hex.as_bytes()).into());
    let Some(found) = found else {
        app.callers.0.write().unwrap_or_else(PoisonError::into_inner).remove(&digest);
        return Err(Error::Unauthorized);
    };
    let known = Arc::new(Known {
        caller: Arc::new(Caller { token_id: found.token_id, institution: Arc::new(found.institution) }),
        expires_at: found.expires_at,
        read_at: instant,
        used_at: AtomicI64::new(earlier.map_or(0, |earlier| earlier.used_at.swap(0, Ordering::Relaxed))),
    });
    app.callers.0.write().unwrap_or_else(PoisonError::into_inner).insert(digest, known.clone());
    Ok(known)
}

/// Writes down when tokens were last used, all of them at once, and forgets those that have gone quiet.
pub async fn write_down_use(app: &App) -> Result<()> {
    let instant = app.clock.instant();
    let mut used = Vec::new();
    app.callers.0.write().unwrap_or_else(PoisonError::into_inner).retain(|_, known| {
        let at = known.used_at.swap(0, Ordering::Relaxed);
        if at != 0 {
            used.push((known.caller.institution.id, known.caller.token_id, Moment::from_micros(at)));
        }
        at != 0 || instant.duration_since(known.read_at) < Duration::from_secs(600)
    });
    if used.is_empty() {
        return Ok(());
    }
    used.sort_unstable_by_key(|(institution, token, _)| (*institution, *token));
    app.db
        .write(move |sql| {
            Box::pin(async move {
                for (institution, token, at) in used {
                    tokens::used(sql, institution, token, at).await?;
                }
                Ok(())
            })
        })
        .await
}
