//! Discovery of the endpoints of LTI platforms (OpenID Connect discovery), and what it proves.

use url::Url;

use super::App;
use crate::{
    domain::tool_consumer::{IssuerProof, Registration, product_word},
    lms::{
        self,
        registration::{self, Configuration},
    },
};

/// Where platforms have their configuration, below their issuer: as the standard says, Moodle, Brightspace.
const PATHS: [&str; 3] = [
    "/.well-known/openid-configuration",
    "/mod/lti/openid-configuration.php",
    "/d2l/.well-known/openid-configuration",
];

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

/// The first configuration document of the issuer.
async fn discover(app: &App, issuer: &str) -> Result<Configuration, DiscoveryError> {
    let issuer = issuer.trim().trim_end_matches('/');
    let mut fault = None;
    for path in PATHS {
        match at(app, issuer, format!("{issuer}{path}")).await {
            Ok(found) => return Ok(found),
            // That of the standard's path is the one that an administrator expects.
            Err(why) => fault = fault.or(Some(why)),
        }
    }
    Err(fault.unwrap_or_else(|| DiscoveryError::Refused("there is nowhere to look".to_owned())))
}

async fn at(app: &App, issuer: &str, address: String) -> Result<Configuration, DiscoveryError> {
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

/// Looks for a configuration of the issuer, on its own host, that has the endpoints of this registration. Without one, only the operator
/// can know whether the registration is one of that platform. `known` is where it was before.
pub(super) async fn proof(
    app: &App,
    issuer: &str,
    lti: &Registration,
    known: Option<&IssuerProof>,
) -> Option<IssuerProof> {
    let root = issuer.trim_end_matches('/');
    let known = match known {
        Some(IssuerProof::Configuration(address)) => Some(address.clone()),
        Some(IssuerProof::Operator) | None => None,
    };
    for address in known.into_iter().chain(PATHS.map(|path| format!("{root}{path}"))) {
        let found = at(app, root, address.clone()).await;
        if found.is_ok_and(|found| proves(&found, issuer, lti)) {
            return Some(IssuerProof::Configuration(address));
        }
    }
    None
}

/// What a configuration at this address proves about its issuer, on whose host it is (`registration::configuration`). Several platforms
/// may share a host, each below its issuer.
pub(super) fn proof_at(address: &str, issuer: &str) -> Option<IssuerProof> {
    let (address, issuer) = (Url::parse(address).ok()?, Url::parse(issuer).ok()?);
    let rest = address.path().strip_prefix(issuer.path().trim_end_matches('/'))?;
    let is_below = address.origin() == issuer.origin() && rest.starts_with('/');
    // Without the query, which may have a secret.
    let shown = format!("{}{}", address.origin().ascii_serialization(), address.path());
    is_below.then_some(IssuerProof::Configuration(shown))
}

/// Whether the registration is the one that this configuration of its issuer describes.
fn proves(found: &Configuration, issuer: &str, lti: &Registration) -> bool {
    found.issuer == issuer && [&found.auth_url, &found.token_url, &found.jwks_url] == lti.endpoints()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_configuration_speaks_for_the_issuer_above_it() {
        let proven =
            |address: &str, issuer: &str| proof_at(address, issuer).map(|proof| proof.text().to_owned());
        for (address, issuer, shown) in [
            (
                "https://lms.example.edu/config?token=x",
                "https://lms.example.edu",
                "https://lms.example.edu/config",
            ),
            ("https://LMS.example.edu:443/a", "https://lms.example.edu/", "https://lms.example.edu/a"),
            ("https://x.example/m/mod/lti/c.php", "https://x.example/m", "https://x.example/m/mod/lti/c.php"),
        ] {
            assert_eq!(proven(address, issuer).as_deref(), Some(shown), "{address}");
        }
        for (address, issuer) in [
            ("https://x.example/other/config", "https://x.example/m"),
            ("https://x.example/m/../other/config", "https://x.example/m"),
            ("https://x.example/m/%2e%2e/other/config", "https://x.example/m"),
            ("https://x.example/mine/config", "https://x.example/m"),
            ("https://y.example/config", "https://x.example"),
            ("http://x.example/config", "https://x.example"),
            ("no address", "https://x.example"),
        ] {
            assert_eq!(proven(address, issuer), None, "{address}");
        }
    }
}
