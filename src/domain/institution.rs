//! An institution: the tenant. Everything else belongs to one.

use jiff::tz::TimeZone;

use super::{ids::InstitutionId, moment::Moment};

#[derive(Debug, Clone)]
pub struct Institution {
    pub id: InstitutionId,
    pub slug: String,
    pub name: String,
    pub access_code: String,
    pub time_zone: TimeZone,
    /// May its people have a legal name and recording beside the one they go by?
    pub multiple_recordings: bool,
    /// Requests in a window, where the institution has a ceiling of its own.
    pub rate_limit: Option<u32>,
    /// Web origins whose pages may call versions 5 and 4.
    pub allowed_origins: Vec<String>,
    /// The language of its phone calls, where it is not the installation's.
    pub phone_language: Option<String>,
    pub created_at: Moment,
}

/// A language as BCP 47 writes it, `fr` or `es-MX` or `zh-Hant-TW`; only its shape is looked at. Always safe as the name
/// of a folder.
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
    let given = given.trim().trim_end_matches('/').to_ascii_lowercase();
    let host = given.strip_prefix("https://").or_else(|| given.strip_prefix("http://"))?;
    let (name, port) = match host.rsplit_once(':') {
        Some((name, port)) if !name.is_empty() && port.parse::<u16>().is_ok() => (name, Some(port)),
        _ => (host, None),
    };
    let name_ok = !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || ".-[]:".contains(c));
    // Browsers leave the port out where it is the scheme's own.
    let usual = matches!((given.starts_with("https:"), port), (true, Some("443")) | (false, Some("80")));
    name_ok.then(|| {
        if usual { given[..given.rfind(':').unwrap_or(given.len())].to_owned() } else { given.clone() }
    })
}

/// An origin, or all that end in a domain, as with `https://*.example.edu`.
pub fn parse_framing_origin(given: &str) -> Option<String> {
    match given.trim().split_once("://*.") {
        Some((scheme, domain)) => {
            parse_origin(&format!("{scheme}://{domain}")).map(|origin| origin.replacen("://", "://*.", 1))
        }
        None => parse_origin(given),
    }
}

/// Only letters, digits and a few signs get past `parse_origin`, so that nothing can be added to a header.
pub fn origin_of(address: &str) -> Option<String> {
    let start = address.find("://")? + "://".len();
    let end = address[start..].find(['/', '?', '#', '\\']).map_or(address.len(), |length| start + length);
    parse_origin(&address[..end])
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
        ] {
            assert_eq!(parse_origin(given).as_deref(), Some(origin));
        }
        for given in
            ["", "*", "example.edu", "ftp://example.edu", "https://", "https://example.edu/path", "null"]
        {
            assert_eq!(parse_origin(given), None, "{given}");
        }
    }
}
