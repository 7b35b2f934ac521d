//! Idempotency keys: a client that repeats a request with the same key gets the answer to the first one, and nothing is created
//! twice. See [ADR 26](../../docs/adr/0026-idempotency-keys.md).

use std::time::Duration;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::{
    digest::hex,
    ids::{ExportId, InstitutionId, ParticipantId, TokenId},
};

/// How long a key is kept.
pub const LIFE: Duration = Duration::from_secs(24 * 3_600);

/// In bytes.
pub const LONGEST_KEY: usize = 255;

/// Why a request cannot be answered for its key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyFault {
    /// Empty, too long, sent twice, or not printable ASCII.
    Malformed,
    /// The token has sent it with another request.
    OtherRequest,
    /// Another request has used it, and has left nothing: its commit failed, or the key expired in between.
    InUse,
    /// What it was first sent for was made, and has been deleted.
    Gone,
}

/// A key with the token and the request that it was sent with. Only digests: bodies are personal data, and keys may contain some.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RequestKey {
    pub institution: InstitutionId,
    pub token: TokenId,
    pub key_digest: String,
    pub request_digest: String,
}

impl RequestKey {
    /// `value` is that of the header, `secret` the access token in plaintext, `target` the path and the query. The content type is
    /// left out, because it never changes what a valid body means.
    pub fn parse(
        value: &[u8],
        (institution, token): (InstitutionId, TokenId),
        secret: &str,
        target: &str,
        body: &[u8],
    ) -> Result<Self, KeyFault> {
        let key = unquoted(value.trim_ascii());
        let is_valid =
            (1..=LONGEST_KEY).contains(&key.len()) && key.iter().all(|byte| (b' '..=b'~').contains(byte));
        if !is_valid {
            return Err(KeyFault::Malformed);
        }
        // A key may be an email, and a body is easy to guess. The token is not stored, so nobody who reads the table can try guesses.
        let secret = secret.as_bytes();
        let key_digest = digest(&[secret, key]);
        let request_digest = digest(&[secret, key, target.as_bytes(), body]);
        Ok(Self { institution, token, key_digest, request_digest })
    }
}

/// The draft standard wants a string in quotation marks, and most clients send none.
fn unquoted(value: &[u8]) -> &[u8] {
    value.strip_prefix(b"\"").and_then(|rest| rest.strip_suffix(b"\"")).unwrap_or(value)
}

/// Each part with its length, so that no other parts have the same digest.
fn digest(parts: &[&[u8]]) -> String {
    let mut digest = Sha256::new();
    for part in parts {
        digest.update((part.len() as u64).to_be_bytes());
        digest.update(part);
    }
    let digest: [u8; 32] = digest.finalize().into();
    hex(&digest)
}

/// What the first request with a key has made. The answer to a repeated request is rendered from it, so that no personal data is
/// kept with the key.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Made {
    Participant(ParticipantId),
    Export(ExportId),
    /// Synchronizations of courses. The learning system did not have the ones at these positions of the request.
    Synchronizations {
        unknown: Vec<usize>,
    },
}

#[cfg(test)]
mod tests {
    use super::*;

    const OWNER: (InstitutionId, TokenId) = (InstitutionId::new(1), TokenId::new(2));
    const SECRET: &str = "endonym_secret";

    fn parsed(value: &str) -> Result<RequestKey, KeyFault> {
        RequestKey::parse(value.as_bytes(), OWNER, SECRET, "/v5/participants", b"{}")
    }

    #[test]
    fn a_key_has_1_to_255_printable_characters() {
        for valid in
            ["a", "8e03978e-40d5-43dd-bc93-6894a57f9324", "two words", "\"", "k".repeat(255).as_str()]
        {
            assert!(parsed(valid).is_ok(), "{valid}");
        }
        for invalid in ["", "  ", "\"\"", "a\tb", "a\u{7f}", "é", "k".repeat(256).as_str()] {
            assert_eq!(parsed(invalid), Err(KeyFault::Malformed), "{invalid}");
        }
    }

    #[test]
    fn quotation_marks_and_blanks_around_a_key_do_not_matter() {
        assert_eq!(parsed("\"abc\""), parsed("abc"));
        assert_eq!(parsed(" abc "), parsed("abc"));
        assert_ne!(parsed("\"abc"), parsed("abc"));
    }

    #[test]
    fn the_digest_of_a_request_is_that_of_its_target_its_body_and_its_key() {
        let key = |value: &str, target: &str, body: &str| {
            RequestKey::parse(value.as_bytes(), OWNER, SECRET, target, body.as_bytes()).unwrap()
        };
        let one = key("k", "/a?b", "c");
        assert_eq!(one, key("k", "/a?b", "c"));
        for other in
            [key("k", "/a?x", "c"), key("k", "/a?b", "x"), key("k", "/a?bc", ""), key("k", "/a", "?bc")]
        {
            assert_eq!(other.key_digest, one.key_digest);
            assert_ne!(other.request_digest, one.request_digest);
        }
        let other = key("x", "/a?b", "c");
        assert_ne!(other.key_digest, one.key_digest);
        assert_ne!(other.request_digest, one.request_digest);
    }

    #[test]
    fn without_the_token_no_guess_can_be_tried() {
        let key = |secret: &str| RequestKey::parse(b"ana@x.org", OWNER, secret, "/a", b"{}").unwrap();
        let (one, other) = (key("endonym_a"), key("endonym_b"));
        assert_ne!(one.key_digest, other.key_digest);
        assert_ne!(one.request_digest, other.request_digest);
        assert_eq!(one, key("endonym_a"));
    }

    #[test]
    fn what_was_made_is_kept_as_json() {
        for (made, json) in [
            (Made::Participant(ParticipantId::new(7)), r#"{"participant":7}"#),
            (Made::Export(ExportId::new(8)), r#"{"export":8}"#),
            (Made::Synchronizations { unknown: vec![0, 9] }, r#"{"synchronizations":{"unknown":[0,9]}}"#),
        ] {
            assert_eq!(serde_json::to_string(&made).unwrap(), json);
            assert_eq!(serde_json::from_str::<Made>(json).unwrap(), made);
        }
    }
}
