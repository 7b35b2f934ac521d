//! An institution: the tenant. Every other record belongs to one.

use crate::domain::ids::InstitutionId;
use jiff::tz::TimeZone;
use url::Url;

use super::{address::is_printable, language::Language, moment::Moment};

#[derive(Debug, Clone)]
pub struct Institution {
    pub id: InstitutionId,
    pub slug: String,
    pub name: String,
    pub access_code: String,
    pub time_zone: TimeZone,
    /// Whether people may have a legal name and recording besides their preferred ones.
    pub multiple_recordings: bool,
    /// Requests per rate-limit window, if the institution overrides the default.
    pub rate_limit: Option<u32>,
    /// Origins allowed by CORS to call versions 5 and 4.
    pub allowed_origins: Vec<String>,
    /// The language of its phone calls, if it overrides the installation's.
    pub phone_language: Option<String>,
    /// The language of its pages, for visitors who prefer none of ours.
    pub language: Option<Language>,
    pub created_at: Moment,
}

/// Parses a BCP 47 language tag such as `fr`, `es-MX` or `zh-Hant-TW`. Only the syntax is checked. The result is always safe
/// as a directory name.
pub fn parse_language(given: &str) -> Option<String> {
    let given = given.trim();
    let mut parts = given.split('-');
    let first =
        parts.next().is_some_and(|p| matches!(p.len(), 2..=3) && p.bytes().all(|b| b.is_ascii_lowercase()));
    let others = parts.all(|p| matches!(p.len(), 1..=8) && p.bytes().all(|b| b.is_ascii_alphanumeric()));
    (first && others && given.len() <= 35).then(|| given.to_owned())
}

/// `scheme://host[:port]` as browsers send it in `Origin`.
pub fn parse_origin(given: &str) -> Option<String> {
    let given = given.trim().trim_end_matches('/');
    let url = parsed(given)?;
    let is_all = url.path() == "/" && url.query().is_none() && url.fragment().is_none();
    origin(&url).filter(|_| is_all)
}

/// An origin, or a wildcard for all subdomains, such as `https://*.example.edu`.
pub fn parse_framing_origin(given: &str) -> Option<String> {
    match given.trim().split_once("://*.") {
        Some((scheme, domain)) => {
            parse_origin(&format!("{scheme}://{domain}")).map(|origin| origin.replacen("://", "://*.", 1))
        }
        None => parse_origin(given),
    }
}

/// The origin of a URL: the only part that may be put into a header.
pub fn origin_of(address: &str) -> Option<String> {
    origin(&parsed(address)?)
}

/// Rejects URLs that the parser would silently repair.
fn parsed(address: &str) -> Option<Url> {
    Url::parse(address).ok().filter(|_| address.contains("://") && is_printable(address))
}

/// Omits the scheme's default port. The URL standard allows quotes and semicolons in hosts, which have a meaning in headers:
/// only alphanumeric characters and a few punctuation marks are accepted.
fn origin(url: &Url) -> Option<String> {
    let is_web = matches!(url.scheme(), "https" | "http");
    let is_bare = url.username().is_empty() && url.password().is_none();
    let is_plain = |host: &str| host.chars().all(|c| c.is_ascii_alphanumeric() || ".-[]:".contains(c));
    (is_web && is_bare && url.host_str().is_some_and(is_plain)).then(|| url.origin().ascii_serialization())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn languages_have_a_shape() {
        for given in ["fr", "es-MX", "zh-Hant-TW", "gsw", "de-1996"] {
            assert_eq!(parse_language(given).as_deref(), Some(given));
        }
        assert_eq!(parse_language(" fr ").as_deref(), Some("fr"));
        let long = format!("en{}", "-aaaaaaaa".repeat(4));
        for given in [
            "",
            "f",
            "FR",
            "french",
            "fr_FR",
            "fr-",
            "-fr",
            "fr--FR",
            "../fr",
            "fr/..",
            "fr.",
            "en-\u{e9}",
            &long,
        ] {
            assert_eq!(parse_language(given), None, "{given}");
        }
    }

    #[test]
    fn origins_are_scheme_host_and_unusual_port() {
        for (given, origin) in [
            ("https://Directory.Example.edu/", "https://directory.example.edu"),
            ("http://localhost:3000", "http://localhost:3000"),
            ("https://example.edu:443", "https://example.edu"),
            ("http://[::1]:8080", "http://[::1]:8080"),
            ("https://\u{fc}ber.example", "https://xn--ber-goa.example"),
        ] {
            assert_eq!(parse_origin(given).as_deref(), Some(origin));
        }
        for given in [
            "",
            "*",
            "example.edu",
            "ftp://example.edu",
            "https://",
            "https:example.edu",
            "https://example.edu/path",
            "https://example.edu?",
            "https://me@example.edu",
            "https://exam\tple.edu",
            "https://example.edu:99999",
            "https://*.example.edu",
            "https://example.edu;x",
            "null",
        ] {
            assert_eq!(parse_origin(given), None, "{given}");
        }
    }
}
