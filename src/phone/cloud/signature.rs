//! Webhook signatures: an HMAC over the URL as the vendor saw it and the form.

use base64::{Engine, engine::general_purpose::STANDARD};
use hmac::{Hmac, KeyInit, Mac};
use reqwest::Url;
use sha1::Sha1;
use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;

use super::{Vendor, form::Form};

impl Vendor {
    /// The headers that may contain the signature.
    pub const fn signature_headers(self) -> &'static [&'static str] {
        match self {
            Self::Twilio => &["x-twilio-signature"],
            Self::SignalWire => &["x-signalwire-signature", "x-twilio-signature"],
        }
    }
}

/// The body of a webhook.
#[derive(Debug, Clone, Copy)]
pub enum Content<'a> {
    Form(&'a Form),
    /// Anything else: its digest is part of the URL, which is signed.
    Raw(&'a [u8]),
}

/// Verifies a signature. The URL is the one that we gave to the vendor, with its scheme, host and path, whatever a
/// proxy changes. Vendors are inconsistent about including the port.
pub fn is_valid(key: &str, address: &str, content: Content<'_>, signature: &str) -> bool {
    let Ok(given) = STANDARD.decode(signature.trim()) else { return false };
    let no_form = Form::default();
    let form = match content {
        Content::Form(form) => form,
        Content::Raw(body) if has_digest(address, body) => &no_form,
        Content::Raw(_) => return false,
    };
    // All spellings are compared, in constant time.
    let spellings = spellings(address);
    let matches = spellings.iter().map(|address| made(key, address, form).ct_eq(given.as_slice()));
    matches.fold(subtle::Choice::from(0), |any, one| any | one).into()
}

fn made(key: &str, address: &str, form: &Form) -> Vec<u8> {
    // HMAC accepts keys of any length.
    let Ok(mut mac) = Hmac::<Sha1>::new_from_slice(key.as_bytes()) else { return Vec::new() };
    mac.update(address.as_bytes());
    for (name, values) in form.sorted() {
        for value in values {
            mac.update(name);
            mac.update(value);
        }
    }
    mac.finalize().into_bytes().to_vec()
}

/// As given, without the port, and with the scheme's default port.
fn spellings(address: &str) -> Vec<String> {
    let mut spellings = vec![address.to_owned()];
    let Some((scheme, rest)) = address.split_once("://") else { return spellings };
    let (host, path) = rest.split_at(rest.find(['/', '?']).unwrap_or(rest.len()));
    // An IPv6 address contains colons too, but in brackets.
    match host.rfind(':').filter(|at| !host[*at..].contains(']')) {
        Some(at) => spellings.push(format!("{scheme}://{}{path}", &host[..at])),
        None => {
            let port = if scheme == "https" { 443 } else { 80 };
            spellings.push(format!("{scheme}://{host}:{port}{path}"));
        }
    }
    spellings
}

fn has_digest(address: &str, body: &[u8]) -> bool {
    let Ok(url) = Url::parse(address) else { return false };
    let digest =
        url.query_pairs().find(|(name, _)| name == "bodySHA256").map(|(_, value)| value.into_owned());
    let made: String = Sha256::digest(body).iter().map(|byte| format!("{byte:02x}")).collect();
    digest.is_some_and(|digest| digest.as_bytes().ct_eq(made.as_bytes()).into())
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEY: &str = "12345";
    const ADDRESS: &str = "https://example.com/myapp.php?foo=1&bar=2";

    /// Generated with the vendor's own libraries.
    const VECTORS: [(&str, &str, &str); 4] = [
        (
            "https://mycompany.com/myapp.php?foo=1&bar=2",
            "CallSid=CA1234567890ABCDE&Caller=%2B14158675309&Digits=1234&From=%2B14158675309&To=%2B18005551212",
            "RSOYDt4T1cUTdK1PDd93/VVr8B8=",
        ),
        (ADDRESS, "a=2&a=1&a=1&b=x", "OFyROPbCZu++xAl158gm3Es+KVU="),
        (
            ADDRESS,
            "TranscriptionText=Siobh%C3%A1n+N%C3%AD+Dhomhnaill&Z=&a=%C3%A9",
            "/51PCy5dB0zgWJ834OwT8nKQ2bc=",
        ),
        ("https://example.com/x", "", "uun0/3452neA+UJKgVpv8ZnK/DM="),
    ];

    fn good(address: &str, form: &str, signature: &str) -> bool {
        is_valid(KEY, address, Content::Form(&Form::read(form.as_bytes())), signature)
    }

    #[test]
    fn signatures_of_the_vendor_are_valid() {
        for (address, form, signature) in VECTORS {
            assert!(good(address, form, signature), "{address} {form}");
        }
    }

    #[test]
    fn other_signatures_are_invalid() {
        let (address, form, signature) = VECTORS[0];
        assert!(!good("https://mycompany.com/myapp.php?foo=1&bar=3", form, signature));
        assert!(!good("http://mycompany.com/myapp.php?foo=1&bar=2", form, signature));
        assert!(!good(address, &form.replace("1234&From", "1235&From"), signature));
        assert!(!good(address, &format!("{form}&More=1"), signature));
        assert!(!good(address, form, ""));
        assert!(!good(address, form, "RSOYDt4T1cUTdK1PDd93/VVr8B9="));
        assert!(!good(address, form, "not base64!"));
        let other_key = is_valid("12346", address, Content::Form(&Form::read(form.as_bytes())), signature);
        assert!(!other_key);
    }

    #[test]
    fn the_port_is_optional() {
        let (_, form, signature) = VECTORS[0];
        assert!(good("https://mycompany.com:443/myapp.php?foo=1&bar=2", form, signature));
        assert!(good("https://mycompany.com:1234/myapp.php?foo=1&bar=2", form, signature));
        // From the vendor's library, for the URL with `:443`.
        assert!(good("https://mycompany.com/x", "", "ecAv6V3blD09e64Bk0zrTR16qlo="));
        assert_eq!(spellings("http://[::1]/x")[1], "http://[::1]:80/x");
        assert_eq!(spellings("http://[::1]:8080/x?y=http://z:1")[1], "http://[::1]/x?y=http://z:1");
    }

    #[test]
    fn a_body_that_is_not_a_form_is_verified_by_its_digest() {
        let body = br#"{"a":1}"#;
        let digest: String = Sha256::digest(body).iter().map(|byte| format!("{byte:02x}")).collect();
        let address = format!("https://example.com/x?bodySHA256={digest}");
        let signature = STANDARD.encode(made(KEY, &address, &Form::default()));
        assert!(is_valid(KEY, &address, Content::Raw(body), &signature));
        assert!(!is_valid(KEY, &address, Content::Raw(br#"{"a":2}"#), &signature));
        let plain = STANDARD.encode(made(KEY, "https://example.com/x", &Form::default()));
        assert!(!is_valid(KEY, "https://example.com/x", Content::Raw(body), &plain), "no digest");
    }
}
