//! `/.well-known/security.txt` (RFC 9116): how to report a vulnerability of this server to those who run it.

use jiff::tz::TimeZone;

use super::moment::Moment;

/// What the file says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SecurityTxt {
    /// URIs, the preferred one first. Never empty.
    contacts: Vec<String>,
    policy: Option<String>,
}

/// How long a copy of the file is to be trusted. Less than a year, as the RFC recommends.
const VALID_DAYS: i64 = 90;

impl SecurityTxt {
    /// The contacts are separated by commas: email addresses, `https:` pages or `tel:` numbers. `None` if there is none.
    pub fn parse(contacts: &str, policy: Option<&str>) -> Result<Option<Self>, String> {
        let all = contacts.split(',').map(str::trim).filter(|one| !one.is_empty());
        let contacts = all.map(contact).collect::<Result<Vec<_>, _>>()?;
        let policy = policy.map(str::trim).filter(|url| !url.is_empty()).map(str::to_owned);
        if let Some(url) = policy.as_deref().filter(|url| !is_uri(url, "https://")) {
            return Err(format!("the security policy must be an https:// URL, not `{url}`"));
        }
        match contacts.is_empty() {
            true if policy.is_some() => {
                Err("a security policy needs a contact: set security_contact, too".to_owned())
            }
            true => Ok(None),
            false => Ok(Some(Self { contacts, policy })),
        }
    }

    /// The file, at this address.
    pub fn text(&self, address: &str, now: Moment, languages: &str) -> String {
        let mut text: String = self.contacts.iter().map(|contact| format!("Contact: {contact}\n")).collect();
        let expires = now.plus_days(VALID_DAYS).date_in(&TimeZone::UTC);
        text.push_str(&format!("Expires: {expires}T00:00:00Z\n"));
        if let Some(policy) = &self.policy {
            text.push_str(&format!("Policy: {policy}\n"));
        }
        text.push_str(&format!("Preferred-Languages: {languages}\nCanonical: {address}\n"));
        text
    }
}

fn contact(given: &str) -> Result<String, String> {
    if ["https://", "mailto:", "tel:"].iter().any(|scheme| is_uri(given, scheme)) {
        return Ok(given.to_owned());
    }
    let is_address = given
        .split_once('@')
        .is_some_and(|(name, host)| !name.is_empty() && host.contains('.') && !given.contains(':'));
    if is_address && is_plain(given) {
        return Ok(format!("mailto:{given}"));
    }
    Err(format!(
        "the security contact must be an email address, an https:// URL or a tel: number, not `{given}`"
    ))
}

fn is_uri(given: &str, scheme: &str) -> bool {
    given.len() > scheme.len() && given.starts_with(scheme) && is_plain(given)
}

/// No line break can add a line to the file.
fn is_plain(given: &str) -> bool {
    given.bytes().all(|byte| byte.is_ascii_graphic())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_contact_is_a_uri() {
        let made = SecurityTxt::parse("it@example.edu, https://example.edu/report", None).unwrap().unwrap();
        assert_eq!(made.contacts, ["mailto:it@example.edu", "https://example.edu/report"]);
        assert_eq!(SecurityTxt::parse(" , ", None), Ok(None));
        for wrong in ["it", "http://example.edu", "it@example.edu\nContact: mailto:x@y.z", "@x.y", "mailto:"]
        {
            assert!(SecurityTxt::parse(wrong, None).is_err(), "{wrong}");
        }
        for policy in ["http://example.edu", "javascript:x", "https://x y"] {
            assert!(SecurityTxt::parse("it@example.edu", Some(policy)).is_err(), "{policy}");
        }
        assert!(SecurityTxt::parse("", Some("https://example.edu/policy")).is_err());
    }

    #[test]
    fn the_file_expires_within_a_year() {
        let made = SecurityTxt::parse("it@example.edu", Some("https://example.edu/policy")).unwrap().unwrap();
        let now = Moment::parse("2026-07-01T12:00:00Z").unwrap();
        assert_eq!(
            made.text("https://names.example.edu/.well-known/security.txt", now, "en, de"),
            "Contact: mailto:it@example.edu\nExpires: 2026-09-29T00:00:00Z\nPolicy: https://example.edu/policy\n\
             Preferred-Languages: en, de\nCanonical: https://names.example.edu/.well-known/security.txt\n"
        );
    }
}
