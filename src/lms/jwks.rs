//! The public keys of platforms, kept for a while: fetched when they are needed, and once more when a token names one that
//! was not there before.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant},
};

use jsonwebtoken::jwk::JwkSet;
use serde_json::Value;

use super::{
    Error, Outbound, Result,
    launch_token::{self, Fault},
    outbound::Ask,
};

/// A key that a platform has withdrawn is believed no longer than this.
const KEPT: Duration = Duration::from_secs(3_600);
/// Between two questions to the same platform, whoever launches how often.
const PAUSE: Duration = Duration::from_secs(5);
const LARGEST: usize = 1 << 20;
const MOST_PLATFORMS: usize = 10_000;

#[derive(Default)]
pub struct KeySets(Mutex<HashMap<String, Arc<Place>>>);

/// What is known of one platform. Whoever asks it holds the lock, so that it is asked once.
#[derive(Default)]
struct Place(tokio::sync::Mutex<Known>);

#[derive(Default)]
struct Known {
    keys: Option<(Arc<JwkSet>, Instant)>,
    asked: Option<Instant>,
}

impl KeySets {
    /// What a token says, when the platform that shows its keys there has signed it.
    pub async fn verified(
        &self,
        outbound: &Outbound,
        url: &str,
        token: &str,
        now: Instant,
    ) -> Result<Result<Value, Fault>> {
        let kid = match launch_token::key_wanted(token) {
            Ok(kid) => kid,
            Err(fault) => return Ok(Err(fault)),
        };
        let place = self.place(url);
        let mut known = place.0.lock().await;
        let old = known.keys.clone().filter(|(_, fetched)| now.saturating_duration_since(*fetched) < KEPT);
        if let Some((keys, _)) = &old
            && let Some(key) = launch_token::chosen(keys, kid.as_deref())
        {
            return Ok(launch_token::verified(token, key));
        }
        if known.asked.is_some_and(|asked| now.saturating_duration_since(asked) < PAUSE) {
            return match old {
                Some(_) => Ok(Err(Fault::Key)),
                None => Err(Error::Unavailable("its keys could not be had a moment ago".to_owned())),
            };
        }
        known.asked = Some(now);
        let keys = Arc::new(fetch(outbound, url).await?);
        known.keys = Some((keys.clone(), now));
        drop(known);
        Ok(match launch_token::chosen(&keys, kid.as_deref()) {
            Some(key) => launch_token::verified(token, key),
            None => Err(Fault::Key),
        })
    }

    fn place(&self, url: &str) -> Arc<Place> {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if all.len() > MOST_PLATFORMS {
            all.clear();
        }
        all.entry(url.to_owned()).or_default().clone()
    }
}

async fn fetch(outbound: &Outbound, url: &str) -> Result<JwkSet> {
    let unusable = || Error::Unavailable("the address of its keys shows none".to_owned());
    let mut shown = ask(outbound, url).await?;
    // Keys of kinds that are not known yet must not keep us from those that are.
    let all = shown["keys"].as_array_mut().map(std::mem::take).ok_or_else(unusable)?;
    Ok(JwkSet { keys: all.into_iter().filter_map(|key| serde_json::from_value(key).ok()).collect() })
}

async fn ask(outbound: &Outbound, url: &str) -> Result<Value> {
    let ask = Ask::get(outbound.address(url)?).accept("application/json").within(outbound.limits().question);
    outbound.send(ask.at_most(LARGEST)).await?.good()?.value()
}
