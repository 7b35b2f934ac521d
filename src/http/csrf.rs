//! CSRF protection: a form is accepted only if the browser reports our own origin. In addition, sessions have a
//! `SameSite` cookie or a secret in the path.

use axum::http::HeaderMap;

use crate::{app::Links, domain::institution::origin_of};

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
