//! The client's IP address, with or without reverse proxies in between.

use std::{
    net::{IpAddr, Ipv6Addr, SocketAddr},
    sync::Arc,
};

use ipnet::IpNet;

/// Networks whose `X-Forwarded-For` is trusted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TrustedProxies(Arc<[IpNet]>);

impl TrustedProxies {
    /// A proxy on the same machine. Private networks are not included: on a campus they are the clients, which could spoof any
    /// address.
    pub const LOCAL: &str = "127.0.0.0/8,::1/128";

    /// Comma-separated networks. A bare address is a network of one; `none` is no network.
    pub fn parse(text: &str) -> Result<Self, String> {
        let words = text.split(',').map(str::trim).filter(|word| !word.is_empty() && *word != "none");
        let networks = words.map(|word| {
            let network = word.parse::<IpNet>().or_else(|_| word.parse::<IpAddr>().map(IpNet::from));
            network.map_err(|_| format!("`{word}` is not a network; write it like 10.20.0.0/16"))
        });
        networks.collect::<Result<_, _>>().map(Self)
    }

    pub fn contains(&self, address: IpAddr) -> bool {
        let address = address.to_canonical();
        self.0.iter().any(|network| network.contains(&address))
    }
}

impl Default for TrustedProxies {
    fn default() -> Self {
        Self::parse(Self::LOCAL).unwrap_or_else(|_| Self(Arc::default()))
    }
}

/// The sender of a request, as far as it can be determined.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Client {
    pub address: IpAddr,
    /// The other end of the connection, whatever it forwards.
    pub peer: IpAddr,
    /// The address is a trusted proxy's because it did not forward the client's: many clients may share it.
    pub is_proxy: bool,
}

impl Client {
    /// `forwarded_for` holds the values of `X-Forwarded-For` in the order in which they were received.
    pub fn new<'a>(
        peer: IpAddr,
        forwarded_for: impl DoubleEndedIterator<Item = &'a str>,
        trusted: &TrustedProxies,
    ) -> Self {
        let address = client_address(peer, forwarded_for, trusted);
        Self { address, peer: peer.to_canonical(), is_proxy: trusted.contains(address) }
    }
}

/// The client's address: the last one that is not a trusted proxy. Each proxy appends its peer's address, so only entries
/// appended by trusted proxies count; a client can forge everything before them.
pub fn client_address<'a>(
    peer: IpAddr,
    forwarded_for: impl DoubleEndedIterator<Item = &'a str>,
    trusted: &TrustedProxies,
) -> IpAddr {
    let mut client = peer.to_canonical();
    for forwarded in forwarded_for.rev().flat_map(|value| value.rsplit(',')) {
        if !trusted.contains(client) {
            break;
        }
        match parse(forwarded.trim()) {
            Some(address) => client = address,
            None => break,
        }
    }
    client
}

/// Accepts an address with or without a port, since proxies differ.
fn parse(text: &str) -> Option<IpAddr> {
    let bare = text.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or(text);
    let address = bare.parse().ok().or_else(|| text.parse().ok().map(|socket: SocketAddr| socket.ip()))?;
    Some(address.to_canonical())
}

/// The key for rate limiting a client: its IPv4 address, or the whole /64 from which it can pick IPv6 addresses.
pub fn network(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(v6) => IpAddr::V6(Ipv6Addr::from_bits(v6.to_bits() & !u128::from(u64::MAX))),
        v4 => v4,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(peer: &str, forwarded: &[&str], trusted: &str) -> String {
        let trusted = TrustedProxies::parse(trusted).unwrap();
        client_address(peer.parse().unwrap(), forwarded.iter().copied(), &trusted).to_string()
    }

    #[test]
    fn only_trusted_proxies_are_believed() {
        let listed = "127.0.0.0/8,::1/128,10.0.0.0/8";
        for (peer, forwarded, client) in [
            ("192.0.2.1", &[][..], "192.0.2.1"),
            ("192.0.2.1", &["198.51.100.7"], "192.0.2.1"),
            ("127.0.0.1", &[], "127.0.0.1"),
            ("127.0.0.1", &["198.51.100.7"], "198.51.100.7"),
            ("::ffff:127.0.0.1", &["198.51.100.7"], "198.51.100.7"),
            ("::1", &["203.0.113.9, 198.51.100.7"], "198.51.100.7"),
            ("10.0.0.1", &["203.0.113.9", "198.51.100.7"], "198.51.100.7"),
            ("10.0.0.1", &["203.0.113.9, 198.51.100.7, 10.0.0.2"], "198.51.100.7"),
            ("10.0.0.1", &["10.1.2.3"], "10.1.2.3"),
            ("10.0.0.1", &["203.0.113.9, unknown, 10.0.0.2"], "10.0.0.2"),
            ("10.0.0.1", &[""], "10.0.0.1"),
            ("10.0.0.1", &["198.51.100.7:4711"], "198.51.100.7"),
            ("10.0.0.1", &["[2001:db8::7]:4711"], "2001:db8::7"),
            ("10.0.0.1", &["2001:db8::7"], "2001:db8::7"),
        ] {
            assert_eq!(found(peer, forwarded, listed), client, "{peer} {forwarded:?}");
        }
        assert_eq!(found("127.0.0.1", &["198.51.100.7"], "none"), "127.0.0.1");
        let usual = TrustedProxies::LOCAL;
        assert_eq!(found("10.0.0.1", &["198.51.100.7"], usual), "10.0.0.1", "on a campus that is a client");
        assert_eq!(found("127.0.0.1", &["198.51.100.7, 10.1.2.3"], usual), "10.1.2.3");
        assert_eq!(found("192.0.2.1", &["198.51.100.7"], "192.0.2.1"), "198.51.100.7");
    }

    #[test]
    fn networks_are_read_or_refused() {
        assert_eq!(TrustedProxies::parse("").unwrap(), TrustedProxies::parse("none").unwrap());
        assert!(TrustedProxies::parse("10.0.0.0/8, ::1").unwrap().contains("::1".parse().unwrap()));
        assert!(TrustedProxies::parse("10.0.0.0/33").unwrap_err().contains("10.0.0.0/33"));
        assert_ne!(TrustedProxies::default(), TrustedProxies::parse("none").unwrap());
    }

    #[test]
    fn a_client_is_counted_by_what_it_cannot_change() {
        let of = |text: &str| network(text.parse().unwrap());
        assert_eq!(of("2001:db8:1:2::1"), of("2001:db8:1:2:ffff::9"));
        assert_ne!(of("2001:db8:1:2::1"), of("2001:db8:1:3::1"));
        assert_eq!(of("::ffff:192.0.2.7"), of("192.0.2.7"));
        assert_ne!(of("192.0.2.7"), of("192.0.2.8"));
    }
}
