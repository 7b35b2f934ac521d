//! Generates ids, tokens and codes. The only module that uses the random number generator.
#![allow(clippy::disallowed_methods)]

use std::sync::atomic::{AtomicI64, Ordering};

use crate::domain::{
    audit::chain::Salts,
    digest,
    ids::Id,
    moment::Moment,
    sign_in::CODE_LENGTH,
    token::{PREFIX, SECRET_LENGTH},
};

const LETTERS_AND_DIGITS: &[u8; 62] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
/// Excludes letters and digits that are easily confused when read aloud or copied by hand.
const CLEAR_LETTERS: &[u8; 28] = b"ABCDEFGHJKLMNPQRTUVWXY346789";

/// January 1, 2025. A recent epoch leaves more bits for randomness.
const EPOCH_MICROS: i64 = 1_735_689_600_000_000;
const RANDOM_BITS: u32 = 20;

pub struct Ids {
    last: AtomicI64,
}

impl Ids {
    pub fn new() -> Self {
        Self { last: AtomicI64::new(0) }
    }

    /// Generates an id without the database, so that many nodes can do so independently: 43 bits of milliseconds and 20
    /// random bits. Ids increase monotonically within a process. The primary key catches collisions between nodes.
    pub fn id<T: Id>(&self, now: Moment) -> T {
        let millis = (now.micros() - EPOCH_MICROS).max(0) / 1_000;
        let chance = i64::from(u32::from_le_bytes(bytes()) >> (32 - RANDOM_BITS));
        let wanted = (millis << RANDOM_BITS) | chance;
        let give = |last: i64| Some(wanted.max(last + 1));
        let update = self.last.fetch_update(Ordering::Relaxed, Ordering::Relaxed, give);
        T::from(wanted.max(update.unwrap_or_default() + 1))
    }

    /// 128 random bits in lowercase hex.
    pub fn hex(&self) -> String {
        digest::hex(&bytes::<16>())
    }

    /// For the proofs of an entry of the audit log.
    pub fn salts(&self) -> Salts {
        Salts { who: bytes(), person: bytes() }
    }

    /// Random bits for jitter.
    pub fn chance(&self) -> u16 {
        u16::from_le_bytes(bytes())
    }

    pub fn access_token(&self) -> String {
        format!("{PREFIX}{}", letters(LETTERS_AND_DIGITS, SECRET_LENGTH))
    }

    /// 12 characters carry 57 bits: the access code of a page must not be guessable.
    pub fn access_code(&self) -> String {
        letters(CLEAR_LETTERS, 12)
    }

    /// 38 bits: enough for a code with few tries that is valid for minutes.
    pub fn sign_in_code(&self) -> String {
        letters(CLEAR_LETTERS, CODE_LENGTH)
    }

    pub fn event_code(&self) -> String {
        letters(CLEAR_LETTERS, 8)
    }
}

impl Default for Ids {
    fn default() -> Self {
        Self::new()
    }
}

fn bytes<const N: usize>() -> [u8; N] {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes).expect("the system's random generator works");
    bytes
}

/// Draws characters uniformly: rejects bytes beyond the last whole multiple of the alphabet's length, to avoid modulo bias.
fn letters(alphabet: &[u8], length: usize) -> String {
    let fair = 256 - 256 % alphabet.len();
    let mut text = String::with_capacity(length);
    while text.len() < length {
        let drawn = bytes::<64>();
        let fair_ones = drawn.iter().filter(|byte| usize::from(**byte) < fair);
        text.extend(
            fair_ones
                .take(length - text.len())
                .map(|byte| char::from(alphabet[usize::from(*byte) % alphabet.len()])),
        );
    }
    text
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;
    use crate::domain::ids::JobId;

    #[test]
    fn ids_rise_even_within_a_millisecond() {
        let ids = Ids::new();
        let now = Moment::from_micros(EPOCH_MICROS + 5_000);
        let made: Vec<JobId> = (0..10_000).map(|_| ids.id(now)).collect();
        assert!(made.windows(2).all(|pair| pair[0] < pair[1]));
    }

    #[test]
    fn tokens_are_long_and_differ() {
        let ids = Ids::new();
        let made: HashSet<String> = (0..1_000).map(|_| ids.access_token()).collect();
        assert_eq!(made.len(), 1_000);
        assert!(made.iter().all(|token| token.len() == PREFIX.len() + SECRET_LENGTH));
    }
}
