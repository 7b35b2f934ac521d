//! The client address. `server` puts it into each request; behind a trusted proxy it is the address that the proxy
//! forwards.

use std::net::{IpAddr, Ipv4Addr};

use axum::http::{Extensions, HeaderMap, header};

use crate::domain::client_address::Client;

/// The key for rate limits and failure counts.
pub fn address(extensions: &Extensions) -> IpAddr {
    extensions.get::<Client>().map_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED), |client| client.address)
}

/// The access token with a request; empty if there is none.
pub fn access_token(headers: &HeaderMap) -> &str {
    let value = headers.get(header::AUTHORIZATION).and_then(|value| value.to_str().ok());
    bare_token(value.unwrap_or_default())
}

/// The token in the value of the header: the whole, or what follows `Bearer` or `Token token=`.
pub fn bare_token(value: &str) -> &str {
    let value = value.trim();
    let Some((scheme, rest)) = value.split_once(' ') else { return value };
    let rest = rest.trim();
    if scheme.eq_ignore_ascii_case("bearer") {
        rest
    } else if scheme.eq_ignore_ascii_case("token") {
        let token = rest.strip_prefix("token=").unwrap_or(rest);
        token.split(',').next().unwrap_or_default().trim().trim_matches('"')
    } else {
        value
    }
}
