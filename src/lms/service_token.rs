//! Access tokens for LTI services (OAuth 2 client credentials), requested with an assertion signed by our key.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use aws_lc_rs::rand;
use reqwest::StatusCode;
use serde_json::{Value, json};

use super::{Error, LtiAccess, Result, pages::non_empty};
use crate::{
    domain::{digest::hex, ids::ToolConsumerId, moment::Moment},
    outbound::{Outbound, Request, Retries, place},
};

pub(super) const MEMBERSHIPS: &str =
    "https://purl.imsglobal.org/spec/lti-nrps/scope/contextmembership.readonly";

const ASSERTION_LIFE: Duration = Duration::from_secs(300);
/// Safety margin for clock skew and slow requests.
const MARGIN: Duration = Duration::from_secs(60);
/// Token lifetime if the platform does not send one.
const DEFAULT_LIFE: u64 = 300;

/// Cache key: the client and the platform that issued the token. Two institutions may have a client of the same platform.
#[derive(PartialEq, Eq, Hash)]
struct Registration {
    tool_consumer: ToolConsumerId,
    issuer: String,
    client_id: String,
    token_url: String,
}

/// A token and its expiry. Locked while a token is fetched, so that concurrent requests wait for the result.
type TokenCell = Arc<tokio::sync::Mutex<Option<(String, Moment)>>>;

/// Cached tokens. Clones share the cache.
#[derive(Clone, Default)]
pub struct ServiceTokens(Arc<Mutex<HashMap<Registration, TokenCell>>>);

impl ServiceTokens {
    fn of(&self, registration: Registration) -> TokenCell {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(all.entry(registration).or_default())
    }
}

impl LtiAccess {
    fn registration(&self) -> Registration {
        Registration {
            tool_consumer: self.tool_consumer,
            issuer: self.issuer.clone(),
            client_id: self.client_id.clone(),
            token_url: self.token_url.clone(),
        }
    }

    /// Returns the cached token, or a new one if it is about to expire.
    pub(super) async fn service_token(&self, outbound: &Outbound, retries: Retries) -> Result<String> {
        self.service_token_but(None, outbound, retries).await
    }

    /// Like `service_token`, but never returns `failed`, which the platform has rejected.
    pub(super) async fn service_token_but(
        &self,
        failed: Option<&str>,
        outbound: &Outbound,
        retries: Retries,
    ) -> Result<String> {
        let kept = self.service_tokens.of(self.registration());
        let mut kept = kept.lock().await;
        if let Some((token, until)) = kept.as_ref()
            && outbound.clock().now() < *until
            && failed != Some(token)
        {
            return Ok(token.clone());
        }
        *kept = None;
        let (token, until) = self.new_service_token(outbound, retries).await?;
        *kept = Some((token.clone(), until));
        Ok(token)
    }

    /// Returns the token with its expiry.
    pub(super) async fn new_service_token(
        &self,
        outbound: &Outbound,
        retries: Retries,
    ) -> Result<(String, Moment)> {
        let url = outbound.address(&self.token_url)?;
        // Each attempt needs a new assertion: platforms may reject a reused one.
        let make = || {
            let assertion = self.assertion(outbound.clock().now())?;
            let form = [
                ("grant_type", "client_credentials"),
                ("client_assertion_type", "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"),
                ("client_assertion", assertion.as_str()),
                ("scope", MEMBERSHIPS),
            ];
            Ok::<_, Error>(Request::form(url.clone(), &form).accept("application/json"))
        };
        let answer = outbound.send_retrying_new(retries, make, Ok).await?;
        let place = place(&answer.url);
        match answer.status {
            status if status.is_success() => {}
            StatusCode::BAD_REQUEST | StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => {
                let word = answer.oauth_error().unwrap_or_else(|| answer.status.as_u16().to_string());
                return Err(Error::Denied(format!("{place} gives us no service token: {word}")));
            }
            status => {
                let why = format!("{place} answers {} when asked for a service token", status.as_u16());
                return Err(Error::Unavailable(why));
            }
        }
        let value = answer.value()?;
        let token = non_empty(value["access_token"].as_str())
            .ok_or_else(|| Error::Unavailable(format!("{place} answers without a service token")))?;
        let life = Duration::from_secs(seconds(&value["expires_in"])).saturating_sub(MARGIN);
        Ok((token, outbound.clock().now().plus(life)))
    }

    fn assertion(&self, now: Moment) -> Result<String> {
        let issued = now.micros() / 1_000_000;
        let mut chance = [0; 16];
        let chosen = rand::fill(&mut chance).map_err(|_| "the random number generator failed".to_owned());
        let signed = chosen.and_then(|()| {
            self.key.sign(&json!({
                "iss": self.client_id,
                "sub": self.client_id,
                "aud": self.token_audience.as_deref().unwrap_or(&self.token_url),
                "iat": issued,
                "exp": issued + ASSERTION_LIFE.as_secs().cast_signed(),
                "jti": hex(&chance),
            }))
        });
        signed.map_err(Error::Unavailable)
    }
}

fn seconds(value: &Value) -> u64 {
    let seconds = value.as_u64().or_else(|| value.as_str().and_then(|text| text.parse().ok()));
    seconds.unwrap_or(DEFAULT_LIFE).min(86_400)
}
