//! An email address: stored as given, matched case-insensitively, and shown as the request spelled it.

use std::{borrow::Cow, collections::HashMap};

use super::text::{self, Lines};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Email {
    given: String,
    key: String,
}

impl Email {
    /// Accepts deliverable addresses, including international addresses and intranet hosts, and nothing that would break a
    /// comma-separated list.
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

    /// Does a character that is not ASCII become ASCII in the key? The Kelvin sign, for example, folds to `k`. Whoever has proven such an
    /// address has not proven the one with the `k`, which is another mailbox.
    pub fn is_lookalike(&self) -> bool {
        let becomes_ascii = |c: char| !c.is_ascii() && text::folded(c.encode_utf8(&mut [0; 4])).is_ascii();
        !self.given.is_ascii() && self.given.chars().any(becomes_ascii)
    }
}

/// The key that addresses are matched by. Accepts any text: an invalid address simply matches nobody.
pub fn email_key(given: &str) -> String {
    text::folded(given.trim())
}

/// The emails named in a request, as the request spelled them. Clients match rows by their own spelling, so the response
/// repeats it. All other emails are shown in lower case.
#[derive(Debug, Clone, Default)]
pub struct Spellings(HashMap<String, String>);

impl Spellings {
    /// The first spelling of an email wins. Accepts any text, like `email_key`.
    pub fn new<'a>(named: impl Iterator<Item = &'a str> + Clone) -> Self {
        // Most requests use lower case, which is the default anyway.
        if named.clone().all(|email| email.bytes().all(|b| b.is_ascii() && !b.is_ascii_uppercase())) {
            return Self::default();
        }
        let mut spellings = HashMap::with_capacity(named.size_hint().0);
        for email in named.map(str::trim) {
            spellings.entry(email_key(email)).or_insert_with(|| email.to_owned());
        }
        Self(spellings)
    }

    pub fn one(named: &str) -> Self {
        Self::new(std::iter::once(named))
    }

    /// Returns the spelling in which a stored email is shown.
    pub fn show<'a>(&'a self, stored: &'a str) -> Cow<'a, str> {
        if !self.0.is_empty()
            && let Some(named) = self.0.get(&email_key(stored))
        {
            return Cow::Borrowed(named);
        }
        if stored.bytes().all(|b| b.is_ascii() && !b.is_ascii_uppercase()) {
            Cow::Borrowed(stored)
        } else {
            Cow::Owned(stored.to_lowercase())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_email_is_shown_as_it_was_named_and_otherwise_in_lower_case() {
        let spellings =
            Spellings::new(["ANA@x.org", "ana@X.org", " r\u{c9}ne@x.org ", "bea@x.org"].into_iter());
        for (stored, shown) in [
            ("Ana@x.org", "ANA@x.org"),
            ("Re\u{301}ne@x.org", "r\u{c9}ne@x.org"),
            ("BEA@x.org", "bea@x.org"),
            ("Cy@X.org", "cy@x.org"),
            ("\u{c9}va@x.org", "\u{e9}va@x.org"),
        ] {
            assert_eq!(spellings.show(stored), shown);
            assert_eq!(Spellings::default().show(stored), stored.to_lowercase());
        }
        let lower_first = Spellings::new(["ana@x.org", "ANA@x.org"].into_iter());
        assert_eq!(lower_first.show("Ana@x.org"), "ana@x.org");
    }

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
    fn an_address_that_only_folds_to_ascii_is_a_lookalike() {
        for (given, is_lookalike) in [
            ("\u{212a}im@example.edu", true),
            ("kim@\u{212a}.edu", true),
            ("\u{212a}im@exämple.edu", true),
            ("kim@example.edu", false),
            ("KIM@Example.edu", false),
            ("Re\u{301}ne@example.edu", false),
            ("用户@例子.中国", false),
        ] {
            assert_eq!(Email::parse(given).unwrap().is_lookalike(), is_lookalike, "{given}");
        }
        assert_eq!(Email::parse("\u{212a}im@example.edu").unwrap().key(), "kim@example.edu");
    }

    #[test]
    fn kept_as_given_matched_without_case() {
        let email = Email::parse(" Ana@Example.EDU ").unwrap();
        assert_eq!((email.as_given(), email.key()), ("Ana@Example.EDU", "ana@example.edu"));
    }
}
