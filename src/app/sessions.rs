//! The common part of all browser sessions. The name of a session is a 256-bit secret, of which the database has only the
//! digest. A session is bound to one browser, which proves its identity by another secret in a cookie, and it expires.
//!
//! The data of a session is stored by its own module: `lti/sessions.rs` has the sessions that LTI launches open.

use super::App;
use crate::domain::{moment::Moment, token};

/// 256 random bits in hex: the name of a session, a browser's cookie, or a single-use link.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    pub fn generate(app: &App) -> Self {
        Self(app.ids.hex() + &app.ids.hex())
    }

    /// Returns `None` for anything that `generate` cannot have made, to avoid a useless query.
    pub fn parse(text: &str) -> Option<Self> {
        let is_hex = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
        (text.len() == 64 && text.bytes().all(is_hex)).then(|| Self(text.to_owned()))
    }

    /// The digest that is stored. 256 random bits need no salt.
    pub fn digest(&self) -> String {
        token::hex(&token::digest(&self.0))
    }

    pub fn into_string(self) -> String {
        self.0
    }
}

/// Returns whether one of the browser's cookies is the secret with this digest. Some browsers send several.
pub fn is_same_browser(cookies: &[&str], browser_digest: &str) -> bool {
    cookies.iter().filter_map(|text| Secret::parse(text)).any(|secret| secret.digest() == browser_digest)
}

/// Returns whether this browser may use a session.
pub fn is_open(cookies: &[&str], browser_digest: &str, expires_at: Moment, now: Moment) -> bool {
    now < expires_at && is_same_browser(cookies, browser_digest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_session_is_open_in_its_own_browser_until_it_expires() {
        let (own, other) = ("0a".repeat(32), "0b".repeat(32));
        let digest = Secret::parse(&own).unwrap().digest();
        let at = Moment::from_micros;
        assert!(is_open(&[&own], &digest, at(2), at(1)));
        assert!(is_open(&["x", &other, &own], &digest, at(2), at(1)), "one of several cookies");
        assert!(!is_open(&[&other], &digest, at(2), at(1)));
        assert!(!is_open(&[], &digest, at(2), at(1)));
        assert!(!is_open(&[&own], &digest, at(2), at(2)));
    }

    #[test]
    fn only_a_secret_of_our_making_is_parsed() {
        for text in ["", "0a", &"0A".repeat(32), &"0g".repeat(32), &"0a".repeat(33), &"é".repeat(32)] {
            assert!(Secret::parse(text).is_none(), "{text}");
        }
    }
}
