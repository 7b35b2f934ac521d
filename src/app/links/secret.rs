//! Names of registrations in links. The token of a registration is public: it is in the address of the badge, which anybody may pass
//! on. A link that opens more than the badge, or that must not lead to the badge, has a name of its own, which only this server can
//! make and read (ADR 29).

use std::{
    collections::HashMap,
    sync::{PoisonError, RwLock},
};

use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;
use subtle::ConstantTimeEq;

use crate::{
    app::{App, Error, Missing, Result, sessions::Secret},
    domain::{
        digest::hex,
        ids::{InstitutionId, NamePageId, ParticipantId},
    },
    store::institutions,
};

/// What a name is for. A name for one purpose means nothing elsewhere.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// A player, as API clients get it.
    Player,
    /// The forms of a listening page.
    Listening(NamePageId),
}

impl Purpose {
    fn label(self) -> String {
        match self {
            Self::Player => "player".to_owned(),
            Self::Listening(page) => format!("listening {page}"),
        }
    }
}

/// The secret of an institution, from which the names are derived.
#[derive(Clone)]
pub struct LinkSecret(Hmac<Sha256>);

/// Omits the secret.
impl std::fmt::Debug for LinkSecret {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("LinkSecret")
    }
}

const TAG: usize = 16;
const ID: usize = 8;

impl LinkSecret {
    fn new(secret: &str) -> Result<Self> {
        let mac = Hmac::new_from_slice(secret.as_bytes());
        mac.map(Self).map_err(|_| Error::Internal("HMAC takes a key of any length".to_owned()))
    }

    /// 48 hex digits: a tag of 128 bits that nobody can guess, and the id, masked with what only the tag and the secret give.
    /// The same registration always has the same name.
    pub fn name(&self, purpose: Purpose, id: ParticipantId) -> String {
        let plain = id.get().to_be_bytes();
        let tag = self.tag(purpose, plain);
        let masked = self.masked(purpose, tag, plain);
        hex(&[&tag[..], &masked].concat())
    }

    /// The registration with this name, if this server has made it for this purpose.
    pub fn read(&self, purpose: Purpose, name: &str) -> Option<ParticipantId> {
        if !is_name(name) {
            return None;
        }
        let byte = |at: usize| u8::from_str_radix(name.get(2 * at..2 * at + 2)?, 16).ok();
        let bytes: Vec<u8> = (0..TAG + ID).map(byte).collect::<Option<_>>()?;
        let (tag, masked) = bytes.split_at_checked(TAG)?;
        let (tag, masked): ([u8; TAG], [u8; ID]) = (tag.try_into().ok()?, masked.try_into().ok()?);
        let plain = self.masked(purpose, tag, masked);
        let is_ours: bool = self.tag(purpose, plain).ct_eq(&tag).into();
        is_ours.then(|| ParticipantId::new(i64::from_be_bytes(plain)))
    }

    fn tag(&self, purpose: Purpose, plain: [u8; ID]) -> [u8; TAG] {
        let whole = self.mac(&["tag", &purpose.label()], &plain);
        let mut tag = [0; TAG];
        tag.copy_from_slice(&whole[..TAG]);
        tag
    }

    /// Masks an id, and takes the mask off again.
    fn masked(&self, purpose: Purpose, tag: [u8; TAG], mut id: [u8; ID]) -> [u8; ID] {
        let mask = self.mac(&["mask", &purpose.label()], &tag);
        for (byte, mask) in id.iter_mut().zip(mask) {
            *byte ^= mask;
        }
        id
    }

    fn mac(&self, words: &[&str], bytes: &[u8]) -> [u8; 32] {
        let mut mac = self.0.clone();
        for word in words {
            mac.update(word.as_bytes());
            mac.update(b"\0");
        }
        mac.update(bytes);
        mac.finalize().into_bytes().into()
    }
}

/// Whether a text has the form of a name. That of a token is shorter.
pub fn is_name(text: &str) -> bool {
    text.len() == 2 * (TAG + ID) && text.bytes().all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b))
}

/// Secrets never change, so those that were read once stay in memory.
#[derive(Default)]
pub struct LinkSecrets(RwLock<HashMap<InstitutionId, LinkSecret>>);

/// The secret of an institution. One that was created by a version without them gets it when it is needed for the first time.
pub async fn find(app: &App, institution: InstitutionId) -> Result<LinkSecret> {
    let known = app.link_secrets.0.read().unwrap_or_else(PoisonError::into_inner).get(&institution).cloned();
    if let Some(known) = known {
        return Ok(known);
    }
    let stored = institutions::link_secret(&mut app.db.read(), institution).await?;
    let secret = match stored.ok_or(Error::Missing(Missing::Institution))? {
        Some(secret) => secret,
        None => make(app, institution).await?,
    };
    let secret = LinkSecret::new(&secret)?;
    let mut all = app.link_secrets.0.write().unwrap_or_else(PoisonError::into_inner);
    all.insert(institution, secret.clone());
    Ok(secret)
}

/// Of several nodes that make one at the same time, the first one wins.
async fn make(app: &App, institution: InstitutionId) -> Result<String> {
    let new = Secret::generate(app);
    app.db
        .write::<_, Error>(move |sql| {
            Box::pin(async move {
                institutions::set_link_secret(sql, institution, new.as_str()).await?;
                let stored = institutions::link_secret(sql, institution).await?;
                stored.flatten().ok_or(Error::Missing(Missing::Institution))
            })
        })
        .await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_read_for_its_purpose_with_its_secret_and_not_otherwise() {
        let (ours, other) = (LinkSecret::new("a").unwrap(), LinkSecret::new("b").unwrap());
        let purposes = [1, 2].map(|page| Purpose::Listening(NamePageId::new(page)));
        let purposes = [Purpose::Player, purposes[0], purposes[1]];
        let mut seen = std::collections::HashSet::new();
        for id in [0, 1, 2, i64::MAX, -1].map(ParticipantId::new) {
            for purpose in purposes {
                let name = ours.name(purpose, id);
                assert!(is_name(&name) && name.len() == 48, "{name}");
                assert_eq!(ours.name(purpose, id), name, "links do not change");
                assert!(seen.insert(name.clone()), "{name}");
                assert_eq!(ours.read(purpose, &name), Some(id));
                assert_eq!(other.read(purpose, &name), None);
                for elsewhere in purposes.into_iter().filter(|one| *one != purpose) {
                    assert_eq!(ours.read(elsewhere, &name), None);
                }
                for at in 0..name.len() {
                    let mut forged = name.clone().into_bytes();
                    forged[at] = if forged[at] == b'0' { b'1' } else { b'0' };
                    assert_eq!(ours.read(purpose, &String::from_utf8(forged).unwrap()), None, "{at}");
                }
            }
        }
        for wrong in ["", "0", &"0".repeat(32), &"0".repeat(48), &"F".repeat(48), &"é".repeat(24)] {
            assert_eq!(ours.read(Purpose::Player, wrong), None, "{wrong}");
        }
    }
}
