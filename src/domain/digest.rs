//! Digests (SHA-256): of secrets, which are stored only so, and of whatever must not be shown or is too long.

use sha2::{Digest as _, Sha256};

pub type Digest = [u8; 32];

pub fn of(text: &str) -> Digest {
    Sha256::digest(text.as_bytes()).into()
}

pub fn hex(bytes: &[u8]) -> String {
    use std::fmt::Write as _;
    bytes.iter().fold(String::with_capacity(bytes.len() * 2), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}
