//! What shows that entries of the log are as they were written, and that none is missing. An entry has a digest. What is personal in it is
//! part of that only as a salted digest of its own, its proof: it stays when the person is erased. Digests of entries are listed in seals,
//! each of which contains the hash of the one before.

use std::fmt;

use base64::{Engine, prelude::BASE64_URL_SAFE_NO_PAD};
use sha2::{Digest as _, Sha256};

use super::{SubjectKind, WhoKind};
use crate::domain::{
    digest::{self, Digest},
    ids::{AuditId, InstitutionId},
    moment::Moment,
};

/// Random bytes for the proofs of an entry. Without them, somebody who is erased could be found by trying names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Salts {
    pub who: [u8; 16],
    pub person: [u8; 16],
}

/// How many characters of a stored proof are its salt: they are cut off when the part is forgotten.
pub const SALT_LENGTH: usize = 22;

/// A salted digest of a personal part of an entry. It has no salt any more if the part was forgotten.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Proof {
    salt: String,
    digest: String,
}

impl Proof {
    fn of(salt: [u8; 16], part: &Part) -> Self {
        let salt = BASE64_URL_SAFE_NO_PAD.encode(salt);
        Self { digest: part.digest(&salt), salt }
    }

    fn parse(text: &str) -> Option<Self> {
        let (salt, digest) = text.split_once('.')?;
        Some(Self { salt: salt.to_owned(), digest: digest.to_owned() })
    }

    fn proves(&self, part: &Part) -> bool {
        self.salt.len() == SALT_LENGTH && part.digest(&self.salt) == self.digest
    }
}

impl fmt::Display for Proof {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.salt, self.digest)
    }
}

/// What is personal in an entry, in one text.
struct Part(Sha256);

impl Part {
    fn digest(&self, salt: &str) -> String {
        let mut hash = self.0.clone();
        hash.update(salt);
        BASE64_URL_SAFE_NO_PAD.encode(hash.finalize())
    }
}

/// An entry as it is stored.
#[derive(Debug, Clone, Copy)]
pub struct Written<'a> {
    pub institution: InstitutionId,
    pub at: Moment,
    pub id: AuditId,
    pub act: &'a str,
    pub who_kind: &'a str,
    pub who_name: Option<&'a str>,
    pub who_id: Option<i64>,
    pub origin: Option<&'a str>,
    pub subject_kind: &'a str,
    pub subject_id: &'a str,
    pub subject_label: &'a str,
    pub person: Option<&'a str>,
    pub before: Option<&'a str>,
    pub after: Option<&'a str>,
}

/// The proofs of an entry. There is none for what was blank from the beginning.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Proofs {
    pub who: Option<Proof>,
    pub person: Option<Proof>,
}

impl Proofs {
    /// `None` if one is unreadable.
    pub fn parse(who: Option<&str>, person: Option<&str>) -> Option<Self> {
        let read = |text: Option<&str>| text.map_or(Some(None), |text| Proof::parse(text).map(Some));
        Some(Self { who: read(who)?, person: read(person)? })
    }
}

/// What an entry has become.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Found {
    Whole,
    /// Its personal data was removed.
    Forgotten,
    Changed,
}

impl Written<'_> {
    pub fn proofs(&self, salts: Salts) -> Proofs {
        Proofs {
            who: self.who().map(|part| Proof::of(salts.who, &part)),
            person: self.personal().map(|part| Proof::of(salts.person, &part)),
        }
    }

    /// The digest of everything but what is personal, and of the proofs.
    pub fn digest(&self, proofs: &Proofs) -> String {
        let proof = |proof: &Option<Proof>| proof.as_ref().map(|proof| proof.digest.clone());
        let mut hash = Sha256::new();
        for number in [self.institution.get(), self.at.micros(), self.id.get()] {
            hash.update(number.to_be_bytes());
        }
        let name = self.who_name.filter(|_| !self.is_by_somebody());
        let id = self.who_id.map(|id| id.to_string());
        let subject = (!self.is_about_somebody()).then_some(self.subject_id);
        let (who, person) = (proof(&proofs.who), proof(&proofs.person));
        for text in [
            Some(self.act),
            Some(self.who_kind),
            name,
            id.as_deref(),
            self.origin,
            Some(self.subject_kind),
            subject,
            who.as_deref(),
            person.as_deref(),
        ] {
            add(&mut hash, text);
        }
        BASE64_URL_SAFE_NO_PAD.encode(hash.finalize())
    }

    /// Compares it with its proofs, and with the digest that it had when it was written.
    pub fn compare(&self, proofs: &Proofs, digest: &str) -> Found {
        let parts = [(self.who(), &proofs.who), (self.personal(), &proofs.person)];
        let is_intact = parts.iter().all(|part| match part {
            (Some(part), Some(proof)) => proof.proves(part),
            (Some(_), None) => false,
            (None, _) => true,
        });
        if !is_intact || self.digest(proofs) != digest {
            return Found::Changed;
        }
        let is_forgotten = parts.iter().any(|(part, proof)| part.is_none() && proof.is_some());
        if is_forgotten { Found::Forgotten } else { Found::Whole }
    }

    /// Is the name of who did it that of a person? What an access token is called is nobody's.
    fn is_by_somebody(&self) -> bool {
        self.who_kind != WhoKind::Token.word()
    }

    /// Is the id of the subject an email address?
    fn is_about_somebody(&self) -> bool {
        self.subject_kind == SubjectKind::Person.word()
    }

    fn who(&self) -> Option<Part> {
        let name = self.who_name.filter(|_| self.is_by_somebody())?;
        let mut hash = Sha256::new();
        add(&mut hash, Some(name));
        Some(Part(hash))
    }

    fn personal(&self) -> Option<Part> {
        let id = if self.is_about_somebody() { self.subject_id } else { "" };
        let is_blank = self.person.is_none()
            && id.is_empty()
            && self.subject_label.is_empty()
            && self.before.is_none()
            && self.after.is_none();
        let mut hash = Sha256::new();
        for text in [self.person, Some(id), Some(self.subject_label), self.before, self.after] {
            add(&mut hash, text);
        }
        (!is_blank).then_some(Part(hash))
    }
}

/// With its length in front, so that no text can be moved from one field to the next.
fn add(hash: &mut Sha256, text: Option<&str>) {
    let length = text.map_or(u64::MAX, |text| text.len() as u64);
    hash.update(length.to_be_bytes());
    hash.update(text.unwrap_or_default());
}

/// An entry in a seal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sealed {
    pub at: Moment,
    pub id: AuditId,
    /// See `Written::digest`.
    pub digest: String,
}

impl Sealed {
    /// The text of a seal: a line for each entry.
    pub fn lines(all: &[Self]) -> String {
        all.iter().map(|one| format!("{} {} {}\n", one.at.micros(), one.id, one.digest)).collect()
    }

    /// `None` if the text is not that of a seal.
    pub fn parse(lines: &str) -> Option<Vec<Self>> {
        let line = |line: &str| {
            let mut words = line.split(' ');
            let at = Moment::from_micros(words.next()?.parse().ok()?);
            let id = words.next()?.parse().ok()?;
            Some(Self { at, id, digest: words.next()?.to_owned() })
        };
        lines.lines().map(line).collect()
    }
}

/// The shortest time for which entries are kept, in days: nobody can make a trace disappear before somebody else could look.
pub const LEAST_DAYS: u32 = 30;
/// How long entries that were to be kept forever are kept once the institution no longer wants that.
pub const FOREVER_DAYS: i64 = 730;

/// How long the entries of a seal are kept, in days; 0 is forever.
pub fn days_kept(setting: Option<i64>) -> i64 {
    setting.map_or(0, |days| days.max(LEAST_DAYS.into()))
}

/// When the time of the entries of a seal is over.
pub const fn ends_at(newest: Moment, days: i64) -> Moment {
    newest.plus_days(if days == 0 { FOREVER_DAYS } else { days })
}

/// What a seal says, in hex: `digest` is that of its lines.
pub fn seal_digest(lines: &str) -> String {
    digest::hex(&digest::of(lines))
}

/// The hash of a seal: of the one before (blank for the first), of its lines, of how long they are kept, and of the newest entry's time.
pub fn seal_hash(before: &str, digest: &str, days: i64, newest: Moment) -> Option<String> {
    let mut hash = Sha256::new();
    for hex in [before, digest] {
        hash.update(unhex(hex)?);
    }
    hash.update(days.to_be_bytes());
    hash.update(newest.micros().to_be_bytes());
    let hash: Digest = hash.finalize().into();
    Some(digest::hex(&hash))
}

fn unhex(hex: &str) -> Option<Vec<u8>> {
    let digits = hex.as_bytes().chunks(2);
    digits.map(|pair| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const SALTS: Salts = Salts { who: [1; 16], person: [2; 16] };

    fn written() -> Written<'static> {
        Written {
            institution: InstitutionId::new(1),
            at: Moment::from_micros(5_000),
            id: AuditId::new(7),
            act: "participant.updated",
            who_kind: "member",
            who_name: Some("eva@example.edu"),
            who_id: None,
            origin: Some("192.0.2.0/24"),
            subject_kind: "participant",
            subject_id: "42",
            subject_label: "Ana Silva",
            person: Some("ana@example.edu"),
            before: Some(r#"{"phonetic":"a"}"#),
            after: Some(r#"{"phonetic":"b"}"#),
        }
    }

    /// What is stored of a proof when its part is forgotten.
    fn cut(proof: Option<Proof>) -> Option<String> {
        proof.map(|proof| proof.to_string()[SALT_LENGTH..].to_owned())
    }

    #[test]
    fn every_change_of_an_entry_is_noticed() {
        let entry = written();
        let proofs = entry.proofs(SALTS);
        let digest = entry.digest(&proofs);
        assert_eq!(entry.compare(&proofs, &digest), Found::Whole);
        for changed in [
            Written { institution: InstitutionId::new(2), ..entry },
            Written { at: Moment::from_micros(5_001), ..entry },
            Written { id: AuditId::new(8), ..entry },
            Written { act: "participant.created", ..entry },
            Written { who_kind: "person", ..entry },
            Written { who_kind: "token", ..entry },
            Written { who_name: Some("max@example.edu"), ..entry },
            Written { who_id: Some(3), ..entry },
            Written { origin: None, ..entry },
            Written { subject_kind: "person", ..entry },
            Written { subject_id: "43", ..entry },
            Written { subject_label: "", ..entry },
            Written { person: None, ..entry },
            Written { before: entry.after, after: entry.before, ..entry },
            Written { after: None, ..entry },
        ] {
            assert_eq!(changed.compare(&proofs, &digest), Found::Changed, "{changed:?}");
        }
        let none = Proofs::default();
        assert_eq!(entry.compare(&none, &entry.digest(&none)), Found::Changed, "a part without its proof");
    }

    #[test]
    fn what_is_forgotten_is_no_change_and_cannot_be_guessed() {
        let entry = written();
        let proofs = entry.proofs(SALTS);
        let digest = entry.digest(&proofs);
        let (who, person) = (cut(proofs.who.clone()), cut(proofs.person.clone()));
        let left = Proofs::parse(who.as_deref(), person.as_deref()).unwrap();
        let blank =
            Written { who_name: None, subject_label: "", person: None, before: None, after: None, ..entry };
        assert_eq!(blank.compare(&left, &digest), Found::Forgotten);
        assert_eq!(entry.compare(&left, &digest), Found::Changed, "written back, it proves nothing");
        assert_eq!(Written { origin: None, ..blank }.compare(&left, &digest), Found::Changed);
        let by_them = Written { who_name: None, ..entry };
        let left = Proofs::parse(who.as_deref(), Some(&proofs.person.clone().unwrap().to_string())).unwrap();
        assert_eq!(by_them.compare(&left, &digest), Found::Forgotten, "one part, and not the other");
        let other = entry.proofs(Salts { person: [3; 16], ..SALTS });
        assert_ne!(other.person, proofs.person, "no two digests of the same person are alike");
    }

    #[test]
    fn a_seal_is_written_and_read() {
        let sealed =
            |at, id| Sealed { at: Moment::from_micros(at), id: AuditId::new(id), digest: "Ab-_".into() };
        let all = vec![sealed(5, 7), sealed(-6, 9)];
        assert_eq!(Sealed::lines(&all), "5 7 Ab-_\n-6 9 Ab-_\n");
        assert_eq!(Sealed::parse(&Sealed::lines(&all)), Some(all));
        assert!(["5", "5 7", "x 7 a"].iter().all(|text| Sealed::parse(text).is_none()));
    }

    #[test]
    fn a_hash_depends_on_the_one_before() {
        let (first, at) = (seal_digest("5 7 a\n"), Moment::from_micros(5));
        let hash = seal_hash("", &first, 730, at).unwrap();
        assert_eq!(hash.len(), 64);
        for other in [
            seal_hash(&hash, &first, 730, at),
            seal_hash("", &seal_digest("5 8 a\n"), 730, at),
            seal_hash("", &first, 30, at),
            seal_hash("", &first, 730, Moment::from_micros(6)),
        ] {
            assert!(other.is_some_and(|other| other != hash));
        }
        assert_eq!(seal_hash("no hex", &first, 730, at), None);
    }

    #[test]
    fn no_time_is_shorter_than_the_shortest() {
        assert_eq!([None, Some(1), Some(30), Some(400)].map(days_kept), [0, 30, 30, 400]);
        assert_eq!(ends_at(Moment::from_micros(0), 0), ends_at(Moment::from_micros(0), FOREVER_DAYS));
    }
}
