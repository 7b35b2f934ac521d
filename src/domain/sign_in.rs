//! What signing in needs to parse and to show: codes, local return paths, masked addresses.

use std::time::Duration;

/// How long a code, a mailed link or a handover link is valid.
pub const LIFE: Duration = Duration::from_secs(10 * 60);
/// How long somebody who has proven an address may take to register on the name page that admits it.
pub const ADMISSION_LIFE: Duration = Duration::from_secs(24 * 3_600);
/// How often a code may be entered before it is void.
pub const TRIES: i64 = 5;

/// In the query of the sign-in page, `why`: somebody who is signed in has to prove again who they are.
pub const AGAIN: &str = "again";
/// `AGAIN`, and their provider has not done it.
pub const BY_CODE: &str = "code";

/// Characters of a code, without the dash.
pub const CODE_LENGTH: usize = 8;

/// A code as it is compared: upper case, without dashes and spaces. Any text is accepted; most of it is simply wrong.
pub fn code_key(given: &str) -> String {
    let kept = given.chars().filter(|c| c.is_alphanumeric()).take(4 * CODE_LENGTH);
    kept.flat_map(char::to_uppercase).collect()
}

/// A code as it is shown: with a dash in the middle, such as `K7PX-4MQA`.
pub fn shown_code(code: &str) -> String {
    match code.split_at_checked(CODE_LENGTH / 2) {
        Some((first, second)) => format!("{first}-{second}"),
        None => code.to_owned(),
    }
}

/// A path of this site, where a person goes after signing in. Never leads to another site (open redirect).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReturnTo(String);

impl ReturnTo {
    const LONGEST: usize = 1_024;

    /// `None` for everything that is not a plain local path with or without a query. Browsers read `//host` and `/\host` as other
    /// hosts, and drop tabs and line breaks.
    pub fn parse(given: &str) -> Option<Self> {
        let is_plain = given.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'\\');
        let is_local = given.starts_with('/') && !given.starts_with("//");
        (is_plain && is_local && given.len() <= Self::LONGEST).then(|| Self(given.to_owned()))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// The person's own page.
impl Default for ReturnTo {
    fn default() -> Self {
        Self("/me".to_owned())
    }
}

/// An address for a page that somebody else may see: its owner recognizes it, others cannot complete it.
pub fn masked(email: &str) -> String {
    match email.rsplit_once('@') {
        Some((local, domain)) => {
            format!("{}•••@{domain}", local.chars().next().unwrap_or('•'))
        }
        None => "•••".to_owned(),
    }
}

/// What has become of a handover link.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HandoverState {
    /// Nobody has opened it.
    Waiting,
    /// The other device is signed in.
    Opened,
    /// A recording was made there.
    Recorded,
    /// Nobody opened it in time.
    Expired,
}

/// What a single-use link is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LinkPurpose {
    /// Printed by the operator.
    Operator,
    /// Shown as a QR code to continue on another device.
    Handover,
}

impl LinkPurpose {
    /// The value in the database.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Operator => "operator",
            Self::Handover => "handover",
        }
    }

    pub fn parse(word: &str) -> Option<Self> {
        [Self::Operator, Self::Handover].into_iter().find(|purpose| purpose.word() == word)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_code_can_be_typed_in_many_ways() {
        for typed in ["K7PX4MQA", "K7PX-4MQA", "k7px-4mqa", " k7px 4mqa\n", "K7PX–4MQA", "K7 PX 4M QA"] {
            assert_eq!(code_key(typed), "K7PX4MQA", "{typed}");
        }
        assert_eq!(code_key("-- "), "");
        assert!(code_key(&"ß".repeat(10_000)).len() < 100);
        assert_eq!(shown_code("K7PX4MQA"), "K7PX-4MQA");
    }

    #[test]
    fn only_a_local_path_is_returned_to() {
        for local in
            ["/", "/me", "/me?page=class-of-2027&x=%2F%2Fa", "/a//b", "/me#top", "/@x", "/%5Cevil.example"]
        {
            assert_eq!(ReturnTo::parse(local).unwrap().as_str(), local);
        }
        let long = format!("/{}", "a".repeat(2_000));
        for other in [
            "",
            "me",
            "//evil.example",
            "///evil.example",
            "/\\evil.example",
            "\\/evil.example",
            "/a\\b",
            "https://evil.example",
            "https:/evil.example",
            "javascript:alert(1)",
            " /me",
            "/me\r\nSet-Cookie: a=b",
            "/\t/evil.example",
            "/\u{0}",
            "/é",
            "/ me",
            &long,
        ] {
            assert_eq!(ReturnTo::parse(other), None, "{other:?}");
        }
    }

    #[test]
    fn an_address_is_masked() {
        for (email, shown) in
            [("ana@example.edu", "a•••@example.edu"), ("é@x.org", "é•••@x.org"), ("nothing", "•••")]
        {
            assert_eq!(masked(email), shown);
        }
    }
}
