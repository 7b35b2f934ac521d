//! An email address: kept as it was given, matched without regard to case.

use super::text::{self, Lines};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Email {
    given: String,
    key: String,
}

impl Email {
    /// Accepts what mail systems deliver to, international addresses and intranet hosts included, and nothing that
    /// could not stand in a comma-separated list.
    pub fn parse(given: &str) -> Option<Self> {
        let given = given.trim();
        let (local, domain) = given.rsplit_once('@')?;
        let local_ok =
            !local.is_empty() && !local.chars().any(|c| " \"(),:;<>@[\\]".contains(c) || c.is_whitespace());
        let label_ok = |label: &str| {
            !label.is_empty()
                && !label.starts_with('-')
                && !label.ends_with('-')
                && label
                    .chars()
                    .all(|c| c.is_alphanumeric() || c == '-' || (!c.is_ascii() && !c.is_whitespace()))
        };
        let fits = text::fault(given, text::longest::EMAIL, Lines::One).is_none();
        (fits && local_ok && domain.split('.').all(label_ok))
            .then(|| Self { given: given.to_owned(), key: email_key(given) })
    }

    pub fn as_given(&self) -> &str {
        &self.given
    }

    pub fn key(&self) -> &str {
        &self.key
    }
}

/// What an address is matched by. Takes anything: what is no address matches nobody.
pub fn email_key(given: &str) -> String {
    text::folded(given.trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn real_addresses_pass() {
        for address in [
            "ana@example.edu",
            "Ana.Lima+roll@Example.EDU",
            "o'brien@example.ie",
            "münchen@exämple.de",
            "用户@例子.中国",
            "user@localhost",
            "a..b@docomo.ne.jp",
            "`tick`@example.org",
        ] {
            assert!(Email::parse(address).is_some(), "{address}");
        }
    }

    #[test]
    fn what_is_no_address_does_not() {
        for address in [
            "",
            "ana",
            "ana@",
            "@example.edu",
            "a b@example.edu",
            "a@b@c",
            "a,b@c.d",
            "a@b..c",
            "a@.b",
            "a@-b.c",
            "a@b_c\n",
        ] {
            assert!(Email::parse(address).is_none(), "{address:?}");
        }
        assert!(Email::parse(&format!("{}@example.edu", "a".repeat(250))).is_none());
    }

    #[test]
    fn kept_as_given_matched_without_case() {
        let email = Email::parse(" Ana@Example.EDU ").unwrap();
        assert_eq!((email.as_given(), email.key()), ("Ana@Example.EDU", "ana@example.edu"));
    }
}
