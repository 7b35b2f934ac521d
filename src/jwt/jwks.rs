//! Cache of the public keys (JWKS) of LTI platforms and OpenID providers, which are issuers of tokens. Keys are fetched on demand, and
//! again when a token names an unknown key.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use jsonwebtoken::jwk::JwkSet;
use serde_json::Value;

use super::token::{self, Algorithm, Fault, Header};
use crate::outbound::{Error, Outbound, Request, Result};

/// Time to live. A revoked key is trusted no longer than this.
const CACHE_TIME: Duration = Duration::from_secs(3_600);
/// Time to live while the issuer's keys cannot be fetched.
const STALE_CACHE_TIME: Duration = Duration::from_secs(24 * 3_600);
/// Minimum interval between two fetches from the same issuer, regardless of the number of tokens.
const FETCH_INTERVAL: Duration = Duration::from_secs(5);
const MAX_BYTES: usize = 1 << 20;
const MAX_ISSUERS: usize = 10_000;

#[derive(Default)]
pub struct KeySets(Mutex<HashMap<String, Arc<CacheEntry>>>);

/// Cache entry of one issuer.
#[derive(Default)]
struct CacheEntry {
    known: Mutex<Fetched>,
    /// Held while fetching, so that concurrent tokens cause one request. Tokens whose key is cached do not wait for it.
    asking: tokio::sync::Mutex<()>,
}

#[derive(Default)]
struct Fetched {
    keys: Option<(Arc<JwkSet>, Instant)>,
    asked: Option<Instant>,
}

impl CacheEntry {
    fn known(&self) -> MutexGuard<'_, Fetched> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The cached keys, unless they are older than `oldest`.
    fn keys(&self, now: Instant, oldest: Duration) -> Option<Arc<JwkSet>> {
        let known = self.known();
        let (keys, fetched) = known.keys.as_ref()?;
        (now.saturating_duration_since(*fetched) < oldest).then(|| keys.clone())
    }

    /// Verifies a token with the cached keys. `None` if they do not contain its key.
    fn verified(&self, token: &Token<'_>, now: Instant, oldest: Duration) -> Option<Result<Value, Fault>> {
        token.verified(&*self.keys(now, oldest)?)
    }
}

struct Token<'a> {
    text: &'a str,
    header: Header,
}

impl Token<'_> {
    fn verified(&self, keys: &JwkSet) -> Option<Result<Value, Fault>> {
        let key = token::choose_key(keys, &self.header)?;
        Some(token::verified(self.text, key, self.header.algorithm))
    }
}

impl KeySets {
    /// Verifies the signature of a token with the keys at `url`, and returns its claims. The caller chooses the algorithms, not the
    /// token.
    pub async fn verified(
        &self,
        outbound: &Outbound,
        url: &str,
        algorithms: &[Algorithm],
        token: &str,
        now: impl Fn() -> Instant,
    ) -> Result<Result<Value, Fault>> {
        let token = match token::header(token, algorithms) {
            Ok(header) => Token { text: token, header },
            Err(fault) => return Ok(Err(fault)),
        };
        let place = self.place(url);
        if let Some(verified) = place.verified(&token, now(), CACHE_TIME) {
            return Ok(verified);
        }
        let _asking = place.asking.lock().await;
        // Another task may have fetched the keys while we waited for the lock.
        let now = now();
        if let Some(verified) = place.verified(&token, now, CACHE_TIME) {
            return Ok(verified);
        }
        let asked = place.known().asked;
        let asked = if asked.is_some_and(|asked| now.saturating_duration_since(asked) < FETCH_INTERVAL) {
            Err(Error::Unavailable("fetching its keys failed a moment ago".to_owned()))
        } else {
            place.known().asked = Some(now);
            fetch(outbound, url).await
        };
        match asked {
            Ok(keys) => {
                let verified = token.verified(&keys).unwrap_or(Err(Fault::Key));
                place.known().keys = Some((Arc::new(keys), now));
                Ok(verified)
            }
            // An outage does not revoke keys.
            Err(error) => match place.verified(&token, now, STALE_CACHE_TIME) {
                Some(verified) => Ok(verified),
                None if place.keys(now, CACHE_TIME).is_some() => Ok(Err(Fault::Key)),
                None => Err(error),
            },
        }
    }

    fn place(&self, url: &str) -> Arc<CacheEntry> {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if all.len() > MAX_ISSUERS {
            all.clear();
        }
        all.entry(url.to_owned()).or_default().clone()
    }
}

async fn fetch(outbound: &Outbound, url: &str) -> Result<JwkSet> {
    let unusable = || Error::Unavailable("the address of its keys shows none".to_owned());
    let mut shown = ask(outbound, url).await?;
    // Skip keys of unknown types.
    let all = shown["keys"].as_array_mut().map(std::mem::take).ok_or_else(unusable)?;
    Ok(JwkSet { keys: all.into_iter().filter_map(|key| serde_json::from_value(key).ok()).collect() })
}

async fn ask(outbound: &Outbound, url: &str) -> Result<Value> {
    let ask =
        Request::get(outbound.address(url)?).accept("application/json").within(outbound.limits().question);
    outbound.send(ask.at_most(MAX_BYTES)).await?.good()?.value()
}
