//! The address of the client. `server` has put it into each request, behind trusted proxies that of the client they name.

use std::net::{IpAddr, Ipv4Addr};

use axum::http::Extensions;

use crate::domain::client_address::Client;

/// What failures and limits are counted for.
pub fn address(extensions: &Extensions) -> IpAddr {
    extensions.get::<Client>().map_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED), |client| client.address)
}
