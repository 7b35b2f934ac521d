//! What webpki does not read of a certificate. Those made after PostgreSQL's manual have no alternative names, and libpq
//! compares the host with the common name then. Some are X.509 v1.

use std::net::IpAddr;

/// 2.5.4.3
const COMMON_NAME: &[u8] = &[0x55, 0x04, 0x03];
/// The tag of the version, which is optional.
const VERSION: u8 = 0xa0;
/// Serial number, algorithm of the signature, issuer, validity.
const BEFORE_SUBJECT: usize = 4;

pub fn has_common_name(certificate: &[u8], host: &str) -> bool {
    common_name(certificate).is_some_and(|name| matches(name, host))
}

/// `*` stands for one label of a name.
fn matches(name: &str, host: &str) -> bool {
    let Some(domain) = name.strip_prefix("*.") else { return name.eq_ignore_ascii_case(host) };
    let is_name = host.parse::<IpAddr>().is_err();
    is_name && host.split_once('.').is_some_and(|(_, rest)| rest.eq_ignore_ascii_case(domain))
}

/// With its algorithm, as DER.
pub fn public_key(certificate: &[u8]) -> Option<&[u8]> {
    let after = Element::read(subject_and_after(certificate)?)?.rest;
    let length = after.len() - Element::read(after)?.rest.len();
    after.get(..length)
}

fn subject_and_after(certificate: &[u8]) -> Option<&[u8]> {
    let certificate = Element::read(certificate)?.content;
    let mut fields = Element::read(certificate)?.content;
    if fields.first() == Some(&VERSION) {
        fields = Element::read(fields)?.rest;
    }
    for _ in 0..BEFORE_SUBJECT {
        fields = Element::read(fields)?.rest;
    }
    Some(fields)
}

fn common_name(certificate: &[u8]) -> Option<&str> {
    let mut names = Element::read(subject_and_after(certificate)?)?.content;
    while !names.is_empty() {
        let set = Element::read(names)?;
        let attribute = Element::read(set.content)?;
        let kind = Element::read(attribute.content)?;
        if kind.content == COMMON_NAME {
            return std::str::from_utf8(Element::read(kind.rest)?.content).ok();
        }
        names = set.rest;
    }
    None
}

/// An element of DER, and what follows it.
struct Element<'a> {
    content: &'a [u8],
    rest: &'a [u8],
}

impl<'a> Element<'a> {
    fn read(der: &'a [u8]) -> Option<Self> {
        let (_tag, after) = der.split_first()?;
        let (&first, after) = after.split_first()?;
        let (length, after) = if first < 0x80 {
            (usize::from(first), after)
        } else {
            let (digits, after) = after.split_at_checked(usize::from(first & 0x7f))?;
            // Certificates are far shorter than 16 MB.
            let is_usable = (1..=3).contains(&digits.len());
            let length = digits.iter().fold(0, |length, digit| (length << 8) | usize::from(*digit));
            (Some(length).filter(|_| is_usable)?, after)
        };
        let (content, rest) = after.split_at_checked(length)?;
        Some(Self { content, rest })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn element(tag: u8, content: &[u8]) -> Vec<u8> {
        let length = match content.len() {
            short @ ..0x80 => vec![short as u8],
            long => vec![0x82, (long >> 8) as u8, long as u8],
        };
        [&[tag][..], &length, content].concat()
    }

    fn attribute(kind: u8, value: &str) -> Vec<u8> {
        let pair = [element(0x06, &[0x55, 0x04, kind]), element(0x0c, value.as_bytes())].concat();
        element(0x31, &element(0x30, &pair))
    }

    fn certificate(version: bool, subject: &[Vec<u8>]) -> Vec<u8> {
        let version = if version { element(VERSION, &element(0x02, &[2])) } else { Vec::new() };
        let issuer = element(0x30, &attribute(3, "issuer.example.edu"));
        let subject = element(0x30, &subject.concat());
        let key = element(0x30, &[7; 300]);
        let fields = [element(0x02, &[1]), element(0x30, &[]), issuer, element(0x30, &[]), subject, key];
        element(0x30, &element(0x30, &[version, fields.concat()].concat()))
    }

    #[test]
    fn the_common_name_of_the_subject_and_the_key_are_found() {
        let subject = [attribute(10, "Example"), attribute(3, "db.example.edu")];
        for version in [true, false] {
            let whole = certificate(version, &subject);
            assert_eq!(common_name(&whole), Some("db.example.edu"));
            assert_eq!(public_key(&whole), Some(element(0x30, &[7; 300]).as_slice()));
        }
        assert_eq!(common_name(&certificate(true, &subject[..1])), None);
    }

    #[test]
    fn a_damaged_certificate_has_none_and_panics_nowhere() {
        let whole = certificate(true, &[attribute(3, "db.example.edu")]);
        for length in 0..whole.len() {
            assert_eq!(common_name(&whole[..length]), None, "{length}");
        }
        for at in 0..whole.len() {
            let mut damaged = whole.clone();
            damaged[at] ^= 0xff;
            let _ = (common_name(&damaged), public_key(&damaged));
        }
    }

    #[test]
    fn a_star_stands_for_one_label() {
        for (name, host, expected) in [
            ("db.example.edu", "db.example.edu", true),
            ("DB.example.edu", "db.Example.edu", true),
            ("127.0.0.1", "127.0.0.1", true),
            ("*.example.edu", "db.example.edu", true),
            ("*.example.edu", "one.db.example.edu", false),
            ("*.example.edu", "example.edu", false),
            ("*.0.0.1", "127.0.0.1", false),
            ("example.edu", "db.example.edu", false),
            ("db.example.edu\0.evil.example", "db.example.edu", false),
            ("", "db", false),
        ] {
            assert_eq!(matches(name, host), expected, "{name} {host}");
        }
    }
}
