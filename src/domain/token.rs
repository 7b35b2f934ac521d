//! An access token: shown once, stored only as a digest.

use sha2::{Digest, Sha256};

use super::{access::TokenScope, ids::TokenId, moment::Moment};

pub type TokenDigest = [u8; 32];

/// 32 letters and digits of 62 carry 190 bits.
pub const SECRET_LENGTH: usize = 32;
/// Lets secret scanners and people tell what they found.
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

/// A token as lists show it.
#[derive(Debug, Clone)]
pub struct Token {
    pub id: TokenId,
    pub name: String,
    pub scope: TokenScope,
    /// The slugs of the only name pages that it reaches, where it does not reach all.
    pub pages: Option<Vec<String>>,
    pub newest_only: bool,
    pub created_at: Moment,
    pub expires_at: Option<Moment>,
    pub revoked_at: Option<Moment>,
    pub last_used_at: Option<Moment>,
}
