//! An access token: shown once, and stored only as a digest.

use std::time::Duration;

use super::{
    access::TokenScope,
    fault::Fault,
    ids::TokenId,
    moment::Moment,
    text::{self, Lines, longest},
};

/// 32 characters out of 62 have 190 bits of entropy.
pub const SECRET_LENGTH: usize = 32;
/// Lets people and secret scanners recognize a token.
pub const PREFIX: &str = "endonym_";

/// Validates the name of a token.
pub fn name_fault(name: &str) -> Option<Fault> {
    if text::is_blank(name) {
        return Some(Fault::Blank);
    }
    text::fault(name, longest::NAME, Lines::One)
}

/// A token as listed, without its secret.
#[derive(Debug, Clone)]
pub struct Token {
    pub id: TokenId,
    pub name: String,
    pub scope: TokenScope,
    /// The slugs of the name pages that it is limited to, or `None` if it is unlimited.
    pub pages: Option<Vec<String>>,
    pub newest_only: bool,
    /// It gets the recordings of people with a directory hold.
    pub include_held: bool,
    pub maker: Maker,
    pub created_at: Moment,
    pub expires_at: Option<Moment>,
    pub revoked_at: Option<Moment>,
    pub last_used_at: Option<Moment>,
    /// The token that was made to replace this one.
    pub replaced_by: Option<TokenId>,
}

/// Who made a token, and so knows its secret.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Maker {
    /// An email address, or `operator`. `None` if it is not known: the token is older than this, or its maker was erased.
    pub name: Option<String>,
    /// The key of the address, if a member made it; empty if the member was erased.
    pub email_key: Option<String>,
    /// The member administers the institution no more.
    pub has_left: bool,
}

/// What becomes of the tokens of somebody who administers the institution no more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OnLeaving {
    Keep,
    Revoke,
}

impl OnLeaving {
    pub const WORDS: [&'static str; 2] = ["keep", "revoke"];

    pub fn parse(word: &str) -> Option<Self> {
        match word {
            "keep" => Some(Self::Keep),
            "revoke" => Some(Self::Revoke),
            _ => None,
        }
    }
}

/// Whether a token works, and why not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TokenState {
    Active,
    /// It works until it expires. The one that replaces it has been made.
    Replaced,
    Expired,
    Revoked,
}

impl Token {
    pub fn state(&self, now: Moment) -> TokenState {
        if self.revoked_at.is_some() {
            TokenState::Revoked
        } else if self.expires_at.is_some_and(|end| end <= now) {
            TokenState::Expired
        } else if self.replaced_by.is_some() {
            TokenState::Replaced
        } else {
            TokenState::Active
        }
    }

    pub fn works(&self, now: Moment) -> bool {
        matches!(self.state(now), TokenState::Active | TokenState::Replaced)
    }

    /// How many whole days old it is.
    pub fn days(&self, now: Moment) -> u64 {
        now.since(self.created_at).as_secs() / 86_400
    }

    /// Does it stop working within this time, and nobody has made another yet?
    pub fn expires_within(&self, time: Duration, now: Moment) -> bool {
        self.state(now) == TokenState::Active && self.expires_at.is_some_and(|end| end <= now.plus(time))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Moment = Moment::from_micros(10_000_000);

    fn token(expires_at: Option<i64>) -> Token {
        Token {
            id: TokenId::new(1),
            name: "test".to_owned(),
            scope: TokenScope::All,
            pages: None,
            newest_only: false,
            include_held: false,
            maker: Maker::default(),
            created_at: Moment::from_micros(0),
            expires_at: expires_at.map(Moment::from_micros),
            revoked_at: None,
            last_used_at: None,
            replaced_by: None,
        }
    }

    #[test]
    fn a_token_works_until_the_moment_at_which_it_expires() {
        assert_eq!(token(None).state(NOW), TokenState::Active);
        assert_eq!(token(Some(10_000_001)).state(NOW), TokenState::Active);
        assert_eq!(token(Some(10_000_000)).state(NOW), TokenState::Expired);
        let replaced = Token { replaced_by: Some(TokenId::new(2)), ..token(Some(10_000_001)) };
        assert_eq!(replaced.state(NOW), TokenState::Replaced);
        assert_eq!(Token { expires_at: Some(NOW), ..replaced.clone() }.state(NOW), TokenState::Expired);
        assert_eq!(Token { revoked_at: Some(NOW), ..replaced }.state(NOW), TokenState::Revoked);
    }

    #[test]
    fn a_token_that_was_replaced_needs_no_attention() {
        let second = Duration::from_secs(1);
        assert!(token(Some(11_000_000)).expires_within(second, NOW));
        assert!(!token(Some(11_000_001)).expires_within(second, NOW));
        assert!(!token(Some(9_000_000)).expires_within(second, NOW), "it has expired already");
        assert!(!token(None).expires_within(second, NOW));
        let replaced = Token { replaced_by: Some(TokenId::new(2)), ..token(Some(11_000_000)) };
        assert!(!replaced.expires_within(second, NOW));
    }
}
