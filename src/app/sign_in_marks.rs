//! Marks of browsers in which somebody has signed in. A browser keeps its marks for a year, also after signing out. With the mark of an
//! address, it has an allowance of its own for sign-in mails to this address, which strangers cannot use up. Nothing is stored: a mark is
//! a keyed digest.

use std::time::Duration;

use super::{App, Result};
use crate::domain::{digest, moment::Moment};

/// How long a mark is valid.
pub const LIFE: Duration = Duration::from_secs(365 * 24 * 3_600);
/// Addresses that one browser is marked for; older ones are forgotten.
const MOST: usize = 4;
/// What a proof is for.
const PURPOSE: &str = "sign-in mark";
/// Hexadecimal digits of a proof.
const PROOF_LENGTH: usize = 40;

/// The marks of a browser, the newest first.
#[derive(Debug, Clone, Default)]
pub struct Marks(Vec<Mark>);

/// That somebody has signed in with one address in this browser: which one, only the digest says.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Mark {
    nonce: String,
    made_at: Moment,
    proof: String,
}

impl Mark {
    fn new(app: &App, email_key: &str, now: Moment) -> Result<Self> {
        let nonce = app.ids.hex();
        Ok(Self { proof: proof(app, &nonce, now, email_key)?, made_at: now, nonce })
    }

    /// Anything can be in a cookie.
    fn parse(text: &str) -> Option<Self> {
        let is_hex = |text: &str, length: usize| {
            text.len() == length
                && text.bytes().all(|byte| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte))
        };
        let mut parts = text.split('-');
        let (nonce, made_at, proof) = (parts.next()?, parts.next()?.parse().ok()?, parts.next()?);
        let is_whole = parts.next().is_none() && is_hex(nonce, 32) && is_hex(proof, PROOF_LENGTH);
        let made_at = Moment::from_micros(made_at);
        is_whole.then(|| Self { nonce: nonce.to_owned(), made_at, proof: proof.to_owned() })
    }

    fn is_of(&self, app: &App, email_key: &str) -> Result<bool> {
        // Its proof has the right length, or it would not be a mark.
        Ok(app.secrets.is_digest(PURPOSE, &claim(&self.nonce, self.made_at, email_key), &self.proof)?)
    }

    fn text(&self) -> String {
        format!("{}-{}-{}", self.nonce, self.made_at.micros(), self.proof)
    }
}

fn proof(app: &App, nonce: &str, made_at: Moment, email_key: &str) -> Result<String> {
    let mut proof = app.secrets.digest(PURPOSE, &claim(nonce, made_at, email_key))?;
    proof.truncate(PROOF_LENGTH);
    Ok(proof)
}

fn claim(nonce: &str, made_at: Moment, email_key: &str) -> String {
    format!("{nonce} {} {email_key}", made_at.micros())
}

impl Marks {
    /// The marks in the values of a cookie.
    pub fn parse(cookies: &[&str]) -> Self {
        let marks = cookies.iter().flat_map(|text| text.split('.')).filter_map(Mark::parse);
        Self(marks.take(MOST).collect())
    }

    /// The value of the cookie.
    pub fn text(&self) -> String {
        self.0.iter().map(Mark::text).collect::<Vec<_>>().join(".")
    }

    /// With a new mark for somebody who has just signed in.
    pub fn renewed(self, app: &App, email_key: &str) -> Result<Self> {
        let mut marks = vec![Mark::new(app, email_key, app.clock.now())?];
        for old in self.0 {
            if marks.len() < MOST && !old.is_of(app, email_key)? {
                marks.push(old);
            }
        }
        Ok(Self(marks))
    }

    /// The key under which this browser's requests for an address are counted. `None` if nobody has signed in here with it.
    pub(super) fn count_digest(&self, app: &App, email_key: &str) -> Result<Option<String>> {
        let now = app.clock.now();
        for mark in &self.0 {
            if now <= mark.made_at.plus(LIFE) && mark.is_of(app, email_key)? {
                return Ok(Some(digest::hex(&digest::of(&format!("sign-in mark {}", mark.proof)))));
            }
        }
        Ok(None)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_whole_marks_are_read_from_a_cookie_and_not_many() {
        let whole = format!("{}-1800000000000000-{}", "0a".repeat(16), "0b".repeat(20));
        assert_eq!(Marks::parse(&[&whole]).text(), whole);
        let two = format!("{whole}.{whole}");
        assert_eq!(Marks::parse(&[&two]).text(), two);
        for bad in [
            "",
            ".",
            "-",
            "--",
            "x",
            &whole.replace('a', "A"),
            &whole.replace('b', "é"),
            &format!("{whole}-"),
            &format!("{whole}x"),
            &whole.replace("1800000000000000", "99999999999999999999"),
            &whole.replace("1800000000000000", ""),
        ] {
            assert!(Marks::parse(&[bad]).0.is_empty(), "{bad}");
            assert_eq!(Marks::parse(&[&format!("{bad}.{whole}")]).text(), whole, "{bad}");
        }
        let many = vec![whole.as_str(); 100].join(".");
        assert_eq!(Marks::parse(&[&many, &many]).0.len(), MOST);
    }
}
