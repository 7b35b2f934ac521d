//! The authorization code flow with PKCE, and RP-initiated logout.

use base64::{
    Engine,
    prelude::{BASE64_STANDARD, BASE64_URL_SAFE_NO_PAD},
};
use form_urlencoded::{Serializer, byte_serialize};
use reqwest::{StatusCode, header::AUTHORIZATION};
use serde_json::Value;

use super::{Error, Provider, Result, discovery::SecretMethod};
use crate::{
    domain::{digest, session::FRESH},
    outbound::{Outbound, Request, place},
};

const MAX_BYTES: usize = 1 << 20;

/// Our credentials at the provider.
pub struct Client<'a> {
    pub id: &'a str,
    pub secret: &'a str,
    pub redirect_uri: &'a str,
}

/// The values that bind the provider's response to one request of one browser.
pub struct Authorization<'a> {
    pub state: &'a str,
    pub nonce: &'a str,
    /// PKCE's `code_verifier`.
    pub verifier: &'a str,
    /// What is asked for.
    pub scope: &'a str,
    /// The provider must ask who it is, even if the browser has a session there, and say when it has asked.
    pub again: bool,
}

pub struct Tokens {
    pub id_token: String,
    pub access_token: Option<String>,
}

/// Where the browser goes to sign in.
pub fn authorization_url(
    provider: &Provider,
    client_id: &str,
    redirect_uri: &str,
    wanted: &Authorization<'_>,
) -> String {
    let challenge = BASE64_URL_SAFE_NO_PAD.encode(digest::of(wanted.verifier));
    let longest = FRESH.as_secs().to_string();
    let mut pairs = vec![
        ("response_type", "code"),
        ("scope", wanted.scope),
        ("client_id", client_id),
        ("redirect_uri", redirect_uri),
        ("state", wanted.state),
        ("nonce", wanted.nonce),
        ("code_challenge", &challenge),
        ("code_challenge_method", "S256"),
    ];
    if wanted.again {
        // With a `max_age`, an `auth_time` is required in the ID token.
        pairs.extend([("prompt", "login"), ("max_age", &longest)]);
    }
    with_query(&provider.authorization_url, &pairs)
}

/// Redeems a code. Never retried: a code works once.
pub async fn redeem(
    outbound: &Outbound,
    provider: &Provider,
    client: &Client<'_>,
    code: &str,
    verifier: &str,
) -> Result<Tokens> {
    let mut form = vec![
        ("grant_type", "authorization_code"),
        ("code", code),
        ("redirect_uri", client.redirect_uri),
        ("code_verifier", verifier),
    ];
    if provider.secret_method == SecretMethod::Post {
        form.extend([("client_id", client.id), ("client_secret", client.secret)]);
    }
    let mut ask = Request::form(outbound.address(&provider.token_url)?, &form).accept("application/json");
    if provider.secret_method == SecretMethod::Basic {
        ask = ask.header(AUTHORIZATION, &basic(client));
    }
    let answer = outbound.send(ask.at_most(MAX_BYTES).within(outbound.limits().question)).await?;
    let place = place(&answer.url);
    match answer.status {
        status if status.is_success() => {}
        status if status.is_client_error() && status != StatusCode::TOO_MANY_REQUESTS => {
            let word = answer.oauth_error().unwrap_or_else(|| status.as_u16().to_string());
            let is_client_fault = matches!(word.as_str(), "invalid_client" | "unauthorized_client")
                || status == StatusCode::UNAUTHORIZED;
            return Err(if is_client_fault {
                Error::Setup(format!(
                    "{place} rejects the client id or the client secret ({word}): set the secret with `endonym sso update`"
                ))
            } else {
                Error::Refused(format!("{place} does not accept the authorization code: {word}"))
            });
        }
        status => {
            return Err(Error::Unavailable(format!(
                "{place} answers {} to a token request",
                status.as_u16()
            )));
        }
    }
    let value = answer.value()?;
    let text = |key: &str| value[key].as_str().filter(|text| !text.is_empty()).map(str::to_owned);
    let id_token = text("id_token").ok_or_else(|| Error::Setup(format!("{place} issues no ID token")))?;
    Ok(Tokens { id_token, access_token: text("access_token") })
}

/// RFC 6749, 2.3.1: both parts are form-encoded first.
fn basic(client: &Client<'_>) -> String {
    let encoded = |text: &str| byte_serialize(text.as_bytes()).collect::<String>();
    format!("Basic {}", BASE64_STANDARD.encode(format!("{}:{}", encoded(client.id), encoded(client.secret))))
}

/// The claims of the UserInfo endpoint.
pub async fn user_info(outbound: &Outbound, url: &str, access_token: &str) -> Result<Value> {
    let ask = Request::get(outbound.address(url)?).bearer(access_token).accept("application/json");
    Ok(outbound.send(ask.at_most(MAX_BYTES).within(outbound.limits().question)).await?.good()?.value()?)
}

/// Where the browser goes to end its session at the provider. `None` if the provider does not offer it.
pub fn sign_out_url(
    provider: &Provider,
    client_id: &str,
    id_token: Option<&str>,
    return_uri: &str,
) -> Option<String> {
    let mut pairs = vec![("client_id", client_id), ("post_logout_redirect_uri", return_uri)];
    pairs.extend(id_token.map(|token| ("id_token_hint", token)));
    Some(with_query(provider.end_session_url.as_deref()?, &pairs))
}

fn with_query(url: &str, pairs: &[(&str, &str)]) -> String {
    let query: String = Serializer::new(String::new()).extend_pairs(pairs).finish();
    let separator = if url.contains('?') { '&' } else { '?' };
    format!("{url}{separator}{query}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_challenge_is_the_one_of_the_standard() {
        // RFC 7636, appendix B.
        let verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
        let challenge = BASE64_URL_SAFE_NO_PAD.encode(digest::of(verifier));
        assert_eq!(challenge, "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM");
    }

    #[test]
    fn credentials_are_encoded_before_they_are_joined() {
        let client = Client { id: "a:b", secret: "s%c r+t", redirect_uri: "" };
        let text = basic(&client);
        let plain = BASE64_STANDARD.decode(text.strip_prefix("Basic ").unwrap()).unwrap();
        assert_eq!(plain, b"a%3Ab:s%25c+r%2Bt");
    }

    #[test]
    fn a_query_is_added_to_an_address_with_or_without_one() {
        assert_eq!(with_query("https://a/x", &[("b", "c d")]), "https://a/x?b=c+d");
        assert_eq!(with_query("https://a/x?p=1", &[("b", "c")]), "https://a/x?p=1&b=c");
    }
}
