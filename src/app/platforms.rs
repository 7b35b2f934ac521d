//! Discovery of the endpoints of LTI platforms (OpenID Connect discovery).

use super::App;
use crate::{
    domain::tool_consumer::product_word,
    lms::{
        self,
        registration::{self, Configuration},
    },
};

const PATH: &str = "/.well-known/openid-configuration";

#[derive(Debug, thiserror::Error)]
pub enum DiscoveryError {
    /// The issuer's address is not permitted.
    #[error("{0}")]
    Refused(String),
    #[error("there is no document at {address} that could be read ({why})")]
    NoDocument { address: String, why: String },
    #[error("the document names the issuer `{0}`")]
    OtherIssuer(String),
}

/// The endpoints of a platform, as far as they are given.
#[derive(Debug, Default)]
pub struct Endpoints {
    pub auth_url: Option<String>,
    pub token_url: Option<String>,
    pub token_audience: Option<String>,
    pub jwks_url: Option<String>,
}

/// A platform with all of its endpoints.
#[derive(Debug)]
pub struct Platform {
    pub issuer: String,
    pub product: Option<String>,
    pub auth_url: String,
    pub token_url: String,
    pub token_audience: Option<String>,
    pub jwks_url: String,
}

/// Discovers the endpoints that are not given. The addresses are validated when they are stored.
pub async fn complete(
    app: &App,
    issuer: String,
    product: Option<String>,
    given: Endpoints,
) -> Result<Platform, DiscoveryError> {
    let Endpoints { auth_url, token_url, token_audience, jwks_url } = given;
    if let (Some(auth_url), Some(token_url), Some(jwks_url)) = (&auth_url, &token_url, &jwks_url) {
        let [auth_url, token_url, jwks_url] = [auth_url, token_url, jwks_url].map(String::clone);
        return Ok(Platform { issuer, product, auth_url, token_url, token_audience, jwks_url });
    }
    let found = discover(app, &issuer).await?;
    Ok(Platform {
        product: product.or_else(|| product_word(found.product_family.as_deref()?)),
        issuer: found.issuer,
        auth_url: auth_url.unwrap_or(found.auth_url),
        token_url: token_url.unwrap_or(found.token_url),
        token_audience: token_audience.or(found.token_audience),
        jwks_url: jwks_url.unwrap_or(found.jwks_url),
    })
}

async fn discover(app: &App, issuer: &str) -> Result<Configuration, DiscoveryError> {
    let issuer = issuer.trim().trim_end_matches('/');
    let address = format!("{issuer}{PATH}");
    // This rejects an address with a user name or password, which `NoDocument` would show.
    let refused = |error: crate::outbound::Error| DiscoveryError::Refused(error.to_string());
    app.outbound.permits(&address).await.map_err(refused)?;
    let found = registration::configuration(&app.outbound, &address).await.map_err(|error| {
        let why = match error {
            lms::Error::Missing => "there is none".to_owned(),
            other => other.to_string(),
        };
        DiscoveryError::NoDocument { address, why }
    })?;
    // Launches compare the issuer exactly, so the spelling in the document is kept. Only a trailing slash may differ from
    // the input.
    if found.issuer.trim_end_matches('/') == issuer {
        Ok(found)
    } else {
        Err(DiscoveryError::OtherIssuer(found.issuer))
    }
}
