//! Which addresses are public, and which networks the operator allows in addition.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use ipnet::IpNet;

/// Networks that we may connect to in addition to public ones, even over plain http.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Allowed(Vec<IpNet>);

impl Allowed {
    /// Parses a comma-separated list of networks. A single address is a network of one.
    pub fn parse(text: &str) -> Result<Self, String> {
        let networks = text.split(',').map(str::trim).filter(|word| !word.is_empty()).map(|word| {
            let network = word.parse::<IpNet>().or_else(|_| word.parse::<IpAddr>().map(IpNet::from));
            network.map_err(|_| format!("`{word}` is no network; write it like 10.20.0.0/16"))
        });
        networks.collect::<Result<Vec<_>, _>>().map(Self)
    }

    pub(super) fn lists(&self, ip: IpAddr) -> bool {
        let ip = ip.to_canonical();
        self.0.iter().any(|network| network.contains(&ip))
    }
}

/// Is this a public internet address, as far as the special-purpose registries tell?
pub(super) fn is_public(ip: IpAddr) -> bool {
    match ip.to_canonical() {
        IpAddr::V4(ip) => is_public_v4(ip),
        IpAddr::V6(ip) => is_public_v6(ip),
    }
}

fn is_public_v4(ip: Ipv4Addr) -> bool {
    let [a, b, c, _] = ip.octets();
    let special = ip.is_loopback()
        || ip.is_private()
        || ip.is_link_local()
        || ip.is_multicast()
        || ip.is_documentation()
        // "This network", and the reserved range including broadcast.
        || a == 0
        || a >= 240
        // Carrier-grade NAT, IETF protocol assignments, 6to4 relays, benchmarking.
        || (a == 100 && (64..128).contains(&b))
        || (a, b, c) == (192, 0, 0)
        || (a, b, c) == (192, 88, 99)
        || (a == 198 && (18..20).contains(&b));
    !special
}

/// Only global unicast is public. An address that embeds an IPv4 address (NAT64, 6to4) is as public as that one.
fn is_public_v6(ip: Ipv6Addr) -> bool {
    let [a, b, c, ..] = ip.segments();
    let octets = ip.octets();
    let v4_at = |at: usize| Ipv4Addr::new(octets[at], octets[at + 1], octets[at + 2], octets[at + 3]);
    if octets[..12] == [0, 0x64, 0xff, 0x9b, 0, 0, 0, 0, 0, 0, 0, 0] {
        return is_public_v4(v4_at(12));
    }
    if a == 0x2002 {
        return is_public_v4(v4_at(2));
    }
    let global = a & 0xe000 == 0x2000;
    // IETF protocol assignments including Teredo, and the two documentation prefixes.
    let special = (a == 0x2001 && b < 0x0200) || (a, b) == (0x2001, 0x0db8) || (a == 0x3fff && b < 0x1000);
    // Local-use NAT64 prefix.
    let local_nat64 = (a, b, c) == (0x64, 0xff9b, 1);
    global && !special && !local_nat64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn public_is_what_nobody_has_for_themselves() {
        for ip in [
            "1.1.1.1",
            "100.63.0.1",
            "100.128.0.1",
            "172.32.0.1",
            "198.20.0.1",
            "223.255.255.254",
            "2606:4700::1",
            "2a00:1450::1",
            "::ffff:8.8.8.8",
            "64:ff9b::8.8.8.8",
            "2002:0808:0808::1",
        ] {
            assert!(is_public(ip.parse().unwrap()), "{ip}");
        }
        for ip in [
            "127.0.0.1",
            "127.255.0.1",
            "10.0.0.1",
            "172.16.0.1",
            "172.31.255.255",
            "192.168.1.1",
            "169.254.169.254",
            "100.64.0.1",
            "100.127.255.255",
            "0.0.0.0",
            "0.1.2.3",
            "192.0.0.8",
            "192.0.2.1",
            "192.88.99.1",
            "198.18.0.1",
            "198.19.255.255",
            "198.51.100.7",
            "203.0.113.9",
            "224.0.0.1",
            "239.1.1.1",
            "240.0.0.1",
            "255.255.255.255",
            "::",
            "::1",
            "::127.0.0.1",
            "::ffff:127.0.0.1",
            "::ffff:10.0.0.1",
            "::ffff:0:10.0.0.1",
            "fc00::1",
            "fd12:3456::1",
            "fe80::1",
            "fec0::1",
            "ff02::1",
            "2001:db8::1",
            "3fff:fff::1",
            "2001:2::1",
            "2001:0:4136:e378:8000:63bf:3fff:fdd2",
            "64:ff9b::10.0.0.1",
            "64:ff9b::169.254.169.254",
            "64:ff9b:1::8.8.8.8",
            "2002:0a00:0001::1",
            "2002:7f00:0001::1",
            "100::1",
            "5f00::1",
        ] {
            assert!(!is_public(ip.parse().unwrap()), "{ip}");
        }
    }

    #[test]
    fn listed_is_listed_in_whatever_form() {
        let allowed = Allowed::parse("127.0.0.0/8, 10.20.0.0/16,fd00::/8 , 192.168.7.9").unwrap();
        for ip in ["127.0.0.1", "::ffff:127.0.0.1", "10.20.255.1", "fd12::1", "192.168.7.9"] {
            assert!(allowed.lists(ip.parse().unwrap()), "{ip}");
        }
        for ip in ["10.21.0.1", "::1", "192.168.7.8", "64:ff9b::10.20.0.1"] {
            assert!(!allowed.lists(ip.parse().unwrap()), "{ip}");
        }
        assert!(Allowed::parse("campus").unwrap_err().contains("`campus`"));
        assert_eq!(Allowed::parse(" , ").unwrap(), Allowed::default());
    }
}
