//! An access token: shown once, and stored only as a digest.

use sha2::{Digest, Sha256};

use super::{access::TokenScope, ids::TokenId, moment::Moment};

pub type TokenDigest = [u8; 32];

/// 32 characters out of 62 have 190 bits of entropy.
pub const SECRET_LENGTH: usize = 32;
/// Lets people and secret scanners recognize a token.
pub const PREFIX: &str = "endonym_";

pub fn digest(token: &str) -> TokenDigest {
    Sha256::digest(token.as_bytes()).into()
}

pub fn hex(bytes: &[u8]) -> String {
    use std::fmt::Write as _;
    bytes.iter().fold(String::with_capacity(bytes.len() * 2), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
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
    pub created_at: Moment,
    pub expires_at: Option<Moment>,
    pub revoked_at: Option<Moment>,
    pub last_used_at: Option<Moment>,
}
