//! The provider's configuration (OpenID Connect Discovery), and a cache of it.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant},
};

use serde_json::Value;

use super::{Error, Result};
use crate::{
    domain::sso::is_secure,
    jwt::token::Algorithm,
    outbound::{self, Outbound, Request},
};

const PATH: &str = "/.well-known/openid-configuration";
const MAX_BYTES: usize = 1 << 20;
const CACHE_TIME: Duration = Duration::from_secs(3_600);
/// Time to live while the provider does not respond.
const STALE_CACHE_TIME: Duration = Duration::from_secs(24 * 3_600);
/// Minimum interval between two fetches from the same provider, regardless of the number of visitors.
const FETCH_INTERVAL: Duration = Duration::from_secs(5);
const MAX_PROVIDERS: usize = 10_000;

/// What we use of a provider's configuration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Provider {
    pub issuer: String,
    pub authorization_url: String,
    pub token_url: String,
    pub jwks_url: String,
    pub user_info_url: Option<String>,
    pub end_session_url: Option<String>,
    pub secret_method: SecretMethod,
    /// The signature algorithms of ID tokens that both sides support.
    pub algorithms: Vec<Algorithm>,
    /// The scopes that the provider lists.
    pub scopes: Vec<String>,
    /// The provider adds `iss` to its responses (RFC 9207).
    pub sends_issuer: bool,
}

/// How the client secret is sent to the token endpoint.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SecretMethod {
    Basic,
    Post,
}

/// Fetches the configuration of the provider with this issuer.
pub async fn discover(outbound: &Outbound, issuer: &str) -> Result<Provider> {
    let address = format!("{}{PATH}", issuer.trim_end_matches('/'));
    let document = fetch(outbound, &address).await.map_err(|error| match error {
        outbound::Error::Missing => Error::Setup(format!("there is no configuration document at {address}")),
        other => other.into(),
    })?;
    read(issuer, &document).map_err(Error::Setup)
}

async fn fetch(outbound: &Outbound, url: &str) -> outbound::Result<Value> {
    let ask = Request::get(outbound.address(url)?).accept("application/json").at_most(MAX_BYTES);
    outbound.send(ask.within(outbound.limits().question)).await?.good()?.value()
}

/// Fetches the provider's keys, to check the connection, and returns how many there are.
pub async fn keys(outbound: &Outbound, provider: &Provider) -> Result<usize> {
    let keys = fetch(outbound, &provider.jwks_url).await?;
    match keys["keys"].as_array() {
        Some(keys) if !keys.is_empty() => Ok(keys.len()),
        _ => Err(Error::Setup("the provider publishes no keys at its jwks_uri".to_owned())),
    }
}

fn read(issuer: &str, document: &Value) -> Result<Provider, String> {
    let found = document["issuer"].as_str().unwrap_or_default();
    if found != issuer {
        return Err(format!(
            "the configuration document names the issuer `{found}`, not `{issuer}`: they must be equal to the letter"
        ));
    }
    let optional = |key: &str| match document[key].as_str() {
        Some(url) if is_secure(url) => Ok(Some(url.to_owned())),
        Some(_) => Err(format!("{key} of the provider must begin with https://")),
        None => Ok(None),
    };
    let required =
        |key: &str| optional(key)?.ok_or_else(|| format!("the configuration document has no {key}"));
    let words = |key: &str| {
        let list = document[key].as_array()?;
        Some(list.iter().filter_map(Value::as_str).collect::<Vec<_>>())
    };
    // Both defaults are those of the standard.
    let methods = words("token_endpoint_auth_methods_supported").unwrap_or(vec!["client_secret_basic"]);
    let secret_method = if methods.contains(&"client_secret_basic") {
        SecretMethod::Basic
    } else if methods.contains(&"client_secret_post") {
        SecretMethod::Post
    } else {
        return Err("the provider accepts neither client_secret_basic nor client_secret_post".to_owned());
    };
    let algorithms = words("id_token_signing_alg_values_supported").unwrap_or(vec!["RS256"]);
    let algorithms: Vec<Algorithm> = algorithms.into_iter().filter_map(Algorithm::parse).collect();
    if algorithms.is_empty() {
        return Err("the provider signs ID tokens with neither RS256 nor ES256".to_owned());
    }
    Ok(Provider {
        issuer: issuer.to_owned(),
        authorization_url: required("authorization_endpoint")?,
        token_url: required("token_endpoint")?,
        jwks_url: required("jwks_uri")?,
        user_info_url: optional("userinfo_endpoint")?,
        end_session_url: optional("end_session_endpoint")?,
        secret_method,
        algorithms,
        scopes: words("scopes_supported").unwrap_or_default().into_iter().map(str::to_owned).collect(),
        sends_issuer: document["authorization_response_iss_parameter_supported"] == true,
    })
}

/// Cached configurations, by issuer.
#[derive(Default)]
pub struct Providers(Mutex<HashMap<String, Arc<CacheEntry>>>);

#[derive(Default)]
struct CacheEntry {
    known: Mutex<Option<(Arc<Provider>, Instant)>>,
    /// The time of the last fetch. Locked while fetching, so that concurrent visitors cause one request.
    asked: tokio::sync::Mutex<Option<Instant>>,
}

impl CacheEntry {
    /// The cached configuration, unless it is older than `oldest`.
    fn get(&self, now: Instant, oldest: Duration) -> Option<Arc<Provider>> {
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let (provider, fetched) = known.as_ref()?;
        (now.saturating_duration_since(*fetched) < oldest).then(|| provider.clone())
    }

    fn set(&self, provider: Arc<Provider>, now: Instant) {
        *self.known.lock().unwrap_or_else(PoisonError::into_inner) = Some((provider, now));
    }
}

impl Providers {
    /// The configuration of the provider with this issuer, from the cache if possible.
    pub async fn get(
        &self,
        outbound: &Outbound,
        issuer: &str,
        now: impl Fn() -> Instant,
    ) -> Result<Arc<Provider>> {
        let entry = self.entry(issuer);
        if let Some(provider) = entry.get(now(), CACHE_TIME) {
            return Ok(provider);
        }
        let mut asked = entry.asked.lock().await;
        // Another task may have fetched it while we waited for the lock.
        let now = now();
        if let Some(provider) = entry.get(now, CACHE_TIME) {
            return Ok(provider);
        }
        let fetched = if asked.is_some_and(|asked| now.saturating_duration_since(asked) < FETCH_INTERVAL) {
            Err(Error::Unavailable("its configuration could not be fetched a moment ago".to_owned()))
        } else {
            *asked = Some(now);
            discover(outbound, issuer).await
        };
        match fetched {
            Ok(provider) => {
                let provider = Arc::new(provider);
                entry.set(provider.clone(), now);
                Ok(provider)
            }
            Err(error @ Error::Unavailable(_)) => entry.get(now, STALE_CACHE_TIME).ok_or(error),
            Err(error) => Err(error),
        }
    }

    fn entry(&self, issuer: &str) -> Arc<CacheEntry> {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if all.len() > MAX_PROVIDERS {
            all.clear();
        }
        all.entry(issuer.to_owned()).or_default().clone()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const ISSUER: &str = "https://id.example.edu";

    fn document(change: Value) -> Value {
        let mut all = json!({
            "issuer": ISSUER,
            "authorization_endpoint": "https://id.example.edu/auth",
            "token_endpoint": "https://id.example.edu/token",
            "jwks_uri": "https://id.example.edu/jwks",
            "userinfo_endpoint": "https://id.example.edu/me",
            "id_token_signing_alg_values_supported": ["RS256", "PS256", "ES256", "none", "HS256"],
        });
        all.as_object_mut().unwrap().extend(change.as_object().unwrap().clone());
        all
    }

    #[test]
    fn a_configuration_is_read() {
        let provider = read(ISSUER, &document(json!({}))).unwrap();
        assert_eq!(provider.authorization_url, "https://id.example.edu/auth");
        assert_eq!(provider.user_info_url.as_deref(), Some("https://id.example.edu/me"));
        assert_eq!(provider.end_session_url, None);
        assert_eq!(provider.secret_method, SecretMethod::Basic);
        assert_eq!(provider.algorithms, [Algorithm::Rs256, Algorithm::Es256]);
        assert!(!provider.sends_issuer);
        let change = json!({
            "token_endpoint_auth_methods_supported": ["client_secret_post", "private_key_jwt"],
            "end_session_endpoint": "https://id.example.edu/end",
            "authorization_response_iss_parameter_supported": true,
            "id_token_signing_alg_values_supported": null,
        });
        let provider = read(ISSUER, &document(change)).unwrap();
        assert_eq!(provider.secret_method, SecretMethod::Post);
        assert_eq!(provider.algorithms, [Algorithm::Rs256]);
        assert!(provider.sends_issuer && provider.end_session_url.is_some());
    }

    #[test]
    fn an_unusable_configuration_is_explained() {
        for (change, said) in [
            (json!({ "issuer": "https://id.example.edu/" }), "equal to the letter"),
            (json!({ "issuer": "https://evil.example" }), "https://evil.example"),
            (json!({ "issuer": null }), "names the issuer ``"),
            (json!({ "token_endpoint": null }), "has no token_endpoint"),
            (
                json!({ "token_endpoint": "http://id.example.edu/token" }),
                "token_endpoint of the provider must begin",
            ),
            (json!({ "authorization_endpoint": "javascript:alert(1)" }), "authorization_endpoint"),
            (json!({ "end_session_endpoint": "http://id.example.edu/end" }), "end_session_endpoint"),
            (
                json!({ "id_token_signing_alg_values_supported": ["HS256", "none"] }),
                "neither RS256 nor ES256",
            ),
            (json!({ "token_endpoint_auth_methods_supported": ["none"] }), "client_secret_basic"),
        ] {
            let fault = read(ISSUER, &document(change.clone())).unwrap_err();
            assert!(fault.contains(said), "{change}: {fault}");
        }
    }
}
