//! HTML responses: headers and links.

use axum::{
    http::{HeaderValue, StatusCode, header},
    response::Response,
};

use super::policy::Policy;
use crate::app::Links;

/// CSP sources are origins, not URLs.
pub use crate::domain::institution::origin_of;

/// The path of the site root. Pages are reachable under several host names, so their links contain no host.
pub fn root(links: &Links) -> &str {
    path_of(links.base())
}

/// The path of one of our URLs: a page's CSP allows only resources of the origin it was loaded from.
pub fn path_of(address: &str) -> &str {
    let behind_scheme = address.split_once("://").map_or("", |(_, rest)| rest);
    behind_scheme.find('/').map_or("", |start| &behind_scheme[start..])
}

/// A rendered page, or an error page if rendering failed.
pub fn written(status: StatusCode, page: askama::Result<String>, policy: Policy<'_>) -> Response {
    let (status, text) = match page {
        Ok(text) => (status, text),
        Err(error) => {
            tracing::error!(%error, "rendering a page failed");
            (StatusCode::INTERNAL_SERVER_ERROR, "Something went wrong.".to_owned())
        }
    };
    let mut response = Response::new(text.into());
    *response.status_mut() = status;
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("text/html; charset=utf-8"));
    headers.insert(header::CONTENT_SECURITY_POLICY, policy.header());
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(header::REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    response
}

pub fn escape(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\'' => safe.push_str("&#39;"),
            other => safe.push(other),
        }
    }
    safe
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_an_origin_gets_into_a_policy() {
        for (address, wanted) in [
            ("https://cdn.example.edu/a.png?x=1", Some("https://cdn.example.edu")),
            ("HTTP://CDN.example.edu:8080", Some("http://cdn.example.edu:8080")),
            ("https://cdn.example.edu?a", Some("https://cdn.example.edu")),
            ("https://a.example;script-src/x", None),
            ("https://a.example,b/x", None),
            ("https://*/x", None),
            ("https://me@a.example/x", None),
            ("https://a.example'/x", None),
        ] {
            assert_eq!(origin_of(address).as_deref(), wanted, "{address}");
        }
    }

    #[test]
    fn the_root_is_the_path_of_the_base_url() {
        for (base, path) in [
            ("https://names.example.edu", ""),
            ("http://127.0.0.1:8080/", ""),
            ("https://example.edu/names/", "/names"),
        ] {
            assert_eq!(root(&Links::new(base)), path, "{base}");
        }
    }
}
