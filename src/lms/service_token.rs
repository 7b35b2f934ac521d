//! What lets a tool ask an LTI platform: tokens for its services, given for an assertion that our key has signed.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use aws_lc_rs::rand;
use reqwest::StatusCode;
use serde_json::{Value, json};

use super::{Error, LtiAccess, Result, pages::said};
use crate::{
    domain::{moment::Moment, token::hex},
    outbound::{Ask, Outbound, Retries, place},
};

pub(super) const MEMBERSHIPS: &str =
    "https://purl.imsglobal.org/spec/lti-nrps/scope/contextmembership.readonly";

const ASSERTION_LIFE: Duration = Duration::from_secs(300);
/// Clocks differ, and requests take their time.
const MARGIN: Duration = Duration::from_secs(60);
/// Where the platform does not say how long a token lives.
const LEAST_LIFE: u64 = 300;

/// Who a token was given to, and by whom.
#[derive(PartialEq, Eq, Hash)]
struct Registration {
    issuer: String,
    client_id: String,
    token_url: String,
}

/// A token and how long it is good, if there is one. Whoever fetches one holds it, and the others wait for what comes.
type Kept = Arc<tokio::sync::Mutex<Option<(String, Moment)>>>;

/// Tokens that may still be good. Clones share them.
#[derive(Clone, Default)]
pub struct ServiceTokens(Arc<Mutex<HashMap<Registration, Kept>>>);

impl ServiceTokens {
    fn of(&self, registration: Registration) -> Kept {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(all.entry(registration).or_default())
    }
}

impl LtiAccess {
    fn registration(&self) -> Registration {
        Registration {
            issuer: self.issuer.clone(),
            client_id: self.client_id.clone(),
            token_url: self.token_url.clone(),
        }
    }

    /// The token for rosters; a new one where there is none that is good for a while.
    pub(super) async fn service_token(&self, outbound: &Outbound, retries: Retries) -> Result<String> {
        self.service_token_but(None, outbound, retries).await
    }

    /// Another than one that the platform has not taken.
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

    /// With the moment until which it is good.
    pub(super) async fn new_service_token(
        &self,
        outbound: &Outbound,
        retries: Retries,
    ) -> Result<(String, Moment)> {
        let url = outbound.address(&self.token_url)?;
        // A platform may take an assertion only once.
        let make = || {
            let assertion = self.assertion(outbound.clock().now())?;
            let form = [
                ("grant_type", "client_credentials"),
                ("client_assertion_type", "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"),
                ("client_assertion", assertion.as_str()),
                ("scope", MEMBERSHIPS),
            ];
            Ok::<_, Error>(Ask::form(url.clone(), &form).accept("application/json"))
        };
        let answer = outbound.send_retrying_new(retries, make, Ok).await?;
        let place = place(&answer.url);
        match answer.status {
            status if status.is_success() => {}
            StatusCode::BAD_REQUEST | StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => {
                let word = answer.value().ok().and_then(|said| error_word(&said));
                let word = word.unwrap_or_else(|| answer.status.as_u16().to_string());
                return Err(Error::Denied(format!("{place} gives us no service token: {word}")));
            }
            status => {
                let why = format!("{place} answers {} when asked for a service token", status.as_u16());
                return Err(Error::Unavailable(why));
            }
        }
        let value = answer.value()?;
        let token = said(value["access_token"].as_str())
            .ok_or_else(|| Error::Unavailable(format!("{place} answers without a service token")))?;
        let life = Duration::from_secs(seconds(&value["expires_in"])).saturating_sub(MARGIN);
        Ok((token, outbound.clock().now().plus(life)))
    }

    fn assertion(&self, now: Moment) -> Result<String> {
        let issued = now.micros() / 1_000_000;
        let mut chance = [0; 16];
        let chosen = rand::fill(&mut chance).map_err(|_| "no random numbers could be had".to_owned());
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

/// `invalid_client` and the like; nothing that is no word.
fn error_word(said: &Value) -> Option<String> {
    let word = said["error"].as_str()?;
    let is_word = |letter: char| letter.is_ascii_alphanumeric() || letter == '_' || letter == ' ';
    (word.len() <= 60 && word.chars().all(is_word)).then(|| word.to_owned())
}

fn seconds(value: &Value) -> u64 {
    let told = value.as_u64().or_else(|| value.as_str().and_then(|text| text.parse().ok()));
    told.unwrap_or(LEAST_LIFE).min(86_400)
}
