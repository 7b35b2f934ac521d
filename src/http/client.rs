//! The client address. `server` puts it into each request; behind a trusted proxy it is the address that the proxy
//! forwards.

use std::net::{IpAddr, Ipv4Addr};

use axum::http::Extensions;

use crate::domain::client_address::Client;

/// The key for rate limits and failure counts.
pub fn address(extensions: &Extensions) -> IpAddr {
    extensions.get::<Client>().map_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED), |client| client.address)
}
