//! CSRF protection, for every form and every request of a script: a token that is bound to the session, and the origin that the
//! browser reports. In addition, sessions have a `SameSite` cookie or a secret in the path.

use axum::http::HeaderMap;
use subtle::ConstantTimeEq;

use crate::{
    app::{Links, sessions::Secret},
    domain::{digest, institution::origin_of},
};

/// The name of the hidden input of a form.
pub const FIELD: &str = "csrf";
/// The header of a request that a script sends.
pub const HEADER: &str = "x-csrf-token";

/// The token of the forms of a session, or of a visitor without a session. It is a digest of the secret in the cookie, so nothing is
/// stored, and other sites can know neither.
pub fn token(secret: &Secret) -> String {
    digest::hex(&digest::of(&format!("csrf {}", secret.as_str())))
}

/// Is this the token of that secret?
pub fn is_token(secret: &Secret, given: &str) -> bool {
    token(secret).as_bytes().ct_eq(given.as_bytes()).into()
}

/// Does the browser report another origin? A request without these headers passes.
pub fn is_cross_origin(links: &Links, headers: &HeaderMap) -> bool {
    let text = |name: &str| headers.get(name).map(|value| value.to_str().unwrap_or_default());
    let site = text("sec-fetch-site");
    let is_cross_site = site.is_some_and(|site| site != "same-origin");
    let origin = text("origin").filter(|origin| !(*origin == "null" && site.is_some()));
    is_cross_site || origin.is_some_and(|origin| origin_of(links.base()).as_deref() != Some(origin))
}

#[cfg(test)]
mod tests {
    use axum::http::{HeaderName, HeaderValue};

    use super::*;

    fn is_cross_origin(pairs: &[(&'static str, &'static str)]) -> bool {
        let pairs = pairs
            .iter()
            .map(|(name, value)| (HeaderName::from_static(name), HeaderValue::from_static(value)));
        super::is_cross_origin(&Links::new("https://names.example.edu/x"), &pairs.collect())
    }

    #[test]
    fn a_token_belongs_to_one_secret() {
        let (one, other) =
            (Secret::parse(&"0a".repeat(32)).unwrap(), Secret::parse(&"0b".repeat(32)).unwrap());
        assert!(is_token(&one, &token(&one)));
        assert!(!is_token(&other, &token(&one)));
        assert!(!is_token(&one, ""));
        assert!(!token(&one).contains(one.as_str()));
    }

    #[test]
    fn a_form_of_another_origin_is_recognized() {
        for same in [
            &[][..],
            &[("sec-fetch-site", "same-origin")],
            &[("origin", "https://names.example.edu")],
            &[("sec-fetch-site", "same-origin"), ("origin", "null")],
        ] {
            assert!(!is_cross_origin(same), "{same:?}");
        }
        for other in [
            &[("sec-fetch-site", "cross-site")][..],
            &[("sec-fetch-site", "same-site")],
            &[("sec-fetch-site", "none")],
            &[("origin", "https://evil.example")],
            &[("origin", "http://names.example.edu")],
            &[("origin", "null")],
        ] {
            assert!(is_cross_origin(other), "{other:?}");
        }
    }
}
