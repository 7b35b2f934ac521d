//! Encryption of secrets in the database: credentials of other systems and our own private keys. The database or a
//! backup alone does not reveal them.
//!
//! There is one key, and those it has replaced. Of each, keys for every purpose are derived (HKDF), so that none serves two. What is
//! stored names its key: `v2:{kid}:…`. Older versions have stored `v1:…`, made with the key itself.

use std::{
    io::{ErrorKind, Write},
    os::unix::fs::{MetadataExt, OpenOptionsExt},
    path::{Path, PathBuf},
    sync::{Arc, PoisonError, RwLock},
};

use aws_lc_rs::{
    aead::{AES_256_GCM, Aad, NONCE_LEN, Nonce, RandomizedNonceKey},
    hkdf, hmac, rand,
};
use base64::{Engine, prelude::BASE64_STANDARD};
use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;

use super::{Error, Result};
use crate::domain::digest::hex;

/// The keys, created or read on first use.
#[derive(Clone)]
pub struct Secrets(Arc<Inner>);

struct Inner {
    /// The key from the configuration; otherwise it is in the file.
    setting: Option<String>,
    /// The one that it has replaced.
    old_setting: Option<String>,
    file: PathBuf,
    ring: RwLock<Option<Arc<Ring>>>,
}

/// In the data folder.
pub const FILE: &str = "secret.key";
/// Beside it: the keys that it has replaced, a line for each, the newest first.
pub const OLD_FILE: &str = "secret.key.old";
/// The format prefixes.
const V1: &str = "v1:";
const V2: &str = "v2:";

/// All keys. The first one is the one in use.
struct Ring {
    keys: Vec<MasterKey>,
    /// Of the file.
    stamp: Option<Stamp>,
}

/// Changes when somebody replaces the file.
type Stamp = (u64, i64, i64);

struct MasterKey {
    text: String,
    kid: String,
}

impl MasterKey {
    fn new(text: &str) -> Self {
        let text = text.trim().to_owned();
        let kid = hex(&derived(&text, "key id", "")[..4]);
        Self { text, kid }
    }

    fn of_v1(&self) -> [u8; 32] {
        Sha256::digest([b"endonym secrets\0", self.text.as_bytes()].concat()).into()
    }

    fn to_seal(&self, purpose: &str) -> [u8; 32] {
        derived(&self.text, "seal", purpose)
    }

    fn digest(&self, purpose: &str, value: &str) -> String {
        let key = hmac::Key::new(hmac::HMAC_SHA256, &derived(&self.text, "digest", purpose));
        hex(hmac::sign(&key, value.as_bytes()).as_ref())
    }

    fn digest_v1(&self, purpose: &str, value: &str) -> String {
        let key = hmac::Key::new(hmac::HMAC_SHA256, &self.of_v1());
        hex(hmac::sign(&key, format!("{purpose}\0{value}").as_bytes()).as_ref())
    }
}

/// A key for one purpose (HKDF-SHA256).
fn derived(text: &str, kind: &str, purpose: &str) -> [u8; 32] {
    let master = hkdf::Salt::new(hkdf::HKDF_SHA256, b"endonym").extract(text.as_bytes());
    let mut key = [0; 32];
    let info = [kind.as_bytes(), b"\0", purpose.as_bytes()];
    // It fails for keys that are longer than 255 digests, and this one is as long as one.
    let filled = master.expand(&info, hkdf::HKDF_SHA256).and_then(|expanded| expanded.fill(&mut key));
    debug_assert!(filled.is_ok());
    key
}

/// Omits the key.
impl std::fmt::Debug for Secrets {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Secrets")
    }
}

/// A new key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rotated {
    pub kid: String,
    pub old_kid: String,
}

impl Secrets {
    pub fn new(setting: Option<String>, data_dir: &Path) -> Self {
        Self::replacing(setting, None, data_dir)
    }

    /// The old key opens what it has sealed, and seals nothing any more.
    pub fn replacing(setting: Option<String>, old_setting: Option<String>, data_dir: &Path) -> Self {
        Self(Arc::new(Inner { setting, old_setting, file: data_dir.join(FILE), ring: RwLock::default() }))
    }

    /// Is the key a setting, and not in the data folder?
    pub fn is_setting(&self) -> bool {
        self.0.setting.is_some()
    }

    /// Is there a setting for the key that was replaced?
    pub fn has_old_setting(&self) -> bool {
        self.0.old_setting.is_some()
    }

    /// Is there a key? One in the data folder is made on first use.
    pub fn is_there(&self) -> bool {
        self.0.setting.is_some() || matches!(read(&self.0.file), Ok(Some(_)))
    }

    /// The purpose is authenticated with the secret, so that one secret cannot replace another.
    pub fn seal(&self, purpose: &str, plain: &[u8]) -> Result<String> {
        let ring = self.ring(read_or_make)?;
        let key = ring.current()?;
        let mut sealed = plain.to_vec();
        let nonce = cipher(&key.to_seal(purpose))?
            .seal_in_place_append_tag(Aad::from(purpose.as_bytes()), &mut sealed)
            .map_err(|_| Error::Broken("encrypting a secret failed".to_owned()))?;
        let whole = [nonce.as_ref().as_slice(), &sealed].concat();
        Ok(format!("{V2}{}:{}", key.kid, BASE64_STANDARD.encode(whole)))
    }

    pub fn open(&self, purpose: &str, sealed: &str) -> Result<Vec<u8>> {
        // A key that does not exist yet cannot have encrypted anything.
        let there = |file: &Path| read(file)?.ok_or_else(|| std::io::Error::other(cannot().to_string()));
        let ring = self.ring(there)?;
        if let Some(text) = sealed.strip_prefix(V1) {
            let opened = ring.keys.iter().find_map(|key| unseal(&key.of_v1(), purpose, text));
            return opened.ok_or_else(cannot);
        }
        let (kid, text) = sealed.strip_prefix(V2).and_then(|rest| rest.split_once(':')).ok_or_else(cannot)?;
        let named = ring.keys.iter().filter(|key| key.kid == kid);
        named.into_iter().find_map(|key| unseal(&key.to_seal(purpose), purpose, text)).ok_or_else(cannot)
    }

    /// The secret, sealed with the key in use. `None` if it is that already.
    pub fn resealed(&self, purpose: &str, sealed: &str) -> Result<Option<String>> {
        let kid = self.ring(read_or_make)?.current()?.kid.clone();
        if sealed.starts_with(&format!("{V2}{kid}:")) {
            return Ok(None);
        }
        self.seal(purpose, &self.open(purpose, sealed)?).map(Some)
    }

    /// A keyed digest in hex (HMAC-SHA256), for values that are short enough to be found by trying all of them.
    pub fn digest(&self, purpose: &str, value: &str) -> Result<String> {
        Ok(self.ring(read_or_make)?.current()?.digest(purpose, value))
    }

    /// Is this a digest of the value, or the beginning of one, made with any key? In constant time.
    pub fn is_digest(&self, purpose: &str, value: &str, digest: &str) -> Result<bool> {
        let ring = self.ring(read_or_make)?;
        let all =
            ring.keys.iter().flat_map(|key| [key.digest(purpose, value), key.digest_v1(purpose, value)]);
        let is_same = |ours: String| {
            let ours = ours.as_bytes().get(..digest.len()).unwrap_or_default();
            bool::from(ours.ct_eq(digest.as_bytes()))
        };
        Ok(!digest.is_empty() && all.map(is_same).fold(false, |found, one| found | one))
    }

    /// The id of the key in use. `None` if there is none yet.
    pub fn kid(&self) -> Result<Option<String>> {
        if !self.is_there() {
            return Ok(None);
        }
        Ok(Some(self.ring(read_or_make)?.current()?.kid.clone()))
    }

    /// Is a key with this id among ours?
    pub fn has_key(&self, kid: &str) -> Result<bool> {
        Ok(self.is_there() && self.ring(read_or_make)?.keys.iter().any(|key| key.kid == kid))
    }

    /// Makes a new key in the data folder. The one before stays beside it, for what it has sealed. Every process notices it at once.
    pub fn rotate(&self) -> Result<Rotated> {
        let ring = self.ring(read_or_make)?;
        let old = ring.current()?;
        let fault = |error| self.unusable(&error);
        // First the old ones: if this is interrupted, one of them is there twice, and none is lost.
        let all: String = ring.keys.iter().map(|key| format!("{}\n", key.text)).collect();
        replace(&self.0.file.with_file_name(OLD_FILE), &all).map_err(fault)?;
        let text = new_key().map_err(fault)?;
        replace(&self.0.file, &text).map_err(fault)?;
        Ok(Rotated { kid: MasterKey::new(&text).kid, old_kid: old.kid.clone() })
    }

    fn ring(&self, from: impl Fn(&Path) -> std::io::Result<String>) -> Result<Arc<Ring>> {
        let stamp = match self.0.setting {
            Some(_) => None,
            None => stamp(&self.0.file),
        };
        let kept = self.0.ring.read().unwrap_or_else(PoisonError::into_inner).clone();
        if let Some(ring) = kept.filter(|ring| ring.stamp == stamp) {
            return Ok(ring);
        }
        let made = Arc::new(self.load(from)?);
        *self.0.ring.write().unwrap_or_else(PoisonError::into_inner) = Some(made.clone());
        Ok(made)
    }

    fn load(&self, from: impl Fn(&Path) -> std::io::Result<String>) -> Result<Ring> {
        if let Some(setting) = &self.0.setting {
            let texts = [Some(setting), self.0.old_setting.as_ref()];
            let keys = texts.into_iter().flatten().map(|text| MasterKey::new(text)).collect();
            return Ok(Ring { keys, stamp: None });
        }
        let text = from(&self.0.file).map_err(|error| self.unusable(&error))?;
        // Read after the key: a rotation in between adds one to the others first.
        let old = std::fs::read_to_string(self.0.file.with_file_name(OLD_FILE)).unwrap_or_default();
        let stamp = stamp(&self.0.file);
        let mut keys = vec![MasterKey::new(&text)];
        let old = old.lines().map(str::to_owned).chain(self.0.old_setting.clone());
        keys.extend(old.filter(|line| !line.trim().is_empty()).map(|line| MasterKey::new(&line)));
        Ok(Ring { keys, stamp })
    }

    fn unusable(&self, error: &std::io::Error) -> Error {
        Error::Broken(format!("{} cannot be used: {error}", self.0.file.display()))
    }
}

impl Ring {
    fn current(&self) -> Result<&MasterKey> {
        self.keys.first().ok_or_else(|| Error::Broken("there is no encryption key".to_owned()))
    }
}

fn cannot() -> Error {
    Error::Broken(
        "a secret in the database cannot be opened: ENDONYM_SECRET_KEY, or secret.key in the data folder, is not what it was when the \
         secret was sealed"
            .to_owned(),
    )
}

fn cipher(key: &[u8; 32]) -> Result<RandomizedNonceKey> {
    RandomizedNonceKey::new(&AES_256_GCM, key)
        .map_err(|_| Error::Broken("there is no encryption key".to_owned()))
}

fn unseal(key: &[u8; 32], purpose: &str, text: &str) -> Option<Vec<u8>> {
    let mut whole = BASE64_STANDARD.decode(text).ok()?;
    if whole.len() < NONCE_LEN {
        return None;
    }
    let mut body = whole.split_off(NONCE_LEN);
    let nonce = Nonce::try_assume_unique_for_key(&whole).ok()?;
    let plain = cipher(key).ok()?.open_in_place(nonce, Aad::from(purpose.as_bytes()), &mut body);
    plain.ok().map(|plain| plain.to_vec())
}

fn stamp(file: &Path) -> Option<Stamp> {
    let about = std::fs::metadata(file).ok()?;
    Some((about.ino(), about.mtime(), about.mtime_nsec()))
}

fn new_key() -> std::io::Result<String> {
    let mut key = [0; 32];
    rand::fill(&mut key).map_err(|_| std::io::Error::other("the system's random number generator failed"))?;
    Ok(BASE64_STANDARD.encode(key))
}

/// Writes a file that only our own user can read, in place of another one.
fn replace(file: &Path, text: &str) -> std::io::Result<()> {
    let beside = file.with_extension(format!("new-{}", hex(&random_name()?)));
    let mut new = std::fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(&beside)?;
    let written = new.write_all(text.as_bytes()).and_then(|()| new.sync_all());
    let renamed = written.and_then(|()| std::fs::rename(&beside, file));
    if renamed.is_err() {
        std::fs::remove_file(&beside)?;
    }
    renamed
}

fn random_name() -> std::io::Result<[u8; 8]> {
    let mut name = [0; 8];
    rand::fill(&mut name)
        .map_err(|_| std::io::Error::other("the system's random number generator failed"))?;
    Ok(name)
}

/// Created once, by whoever is first, and readable only by our own user.
fn read_or_make(file: &Path) -> std::io::Result<String> {
    if let Some(text) = read(file)? {
        return Ok(text);
    }
    let key = new_key()?;
    if let Some(folder) = file.parent() {
        super::folder::create(folder)?;
    }
    // Others may do the same: threads, and processes in containers that have the same process id.
    let beside = file.with_extension(format!("new-{}", hex(&random_name()?)));
    let mut new = std::fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(&beside)?;
    let written = new.write_all(key.as_bytes()).and_then(|()| new.sync_all());
    // A hard link instead of a rename: the second one must not replace the first one's key.
    let linked = written.and_then(|()| std::fs::hard_link(&beside, file));
    std::fs::remove_file(&beside)?;
    match linked {
        Err(error) if error.kind() != ErrorKind::AlreadyExists => return Err(error),
        _ => {}
    }
    read(file)?.ok_or_else(|| ErrorKind::NotFound.into())
}

fn read(file: &Path) -> std::io::Result<Option<String>> {
    match std::fs::read_to_string(file) {
        Ok(text) if text.trim().len() < 32 => Err(std::io::Error::other("it holds no key")),
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn opening_makes_no_key() {
        let folder = tempfile::tempdir().unwrap();
        let sealed = Secrets::new(None, folder.path()).seal("x", b"secret").unwrap();
        let elsewhere = tempfile::tempdir().unwrap();
        let error = Secrets::new(None, elsewhere.path()).open("x", &sealed).unwrap_err();
        assert!(error.to_string().contains("ENDONYM_SECRET_KEY"), "{error}");
        assert!(!elsewhere.path().join(FILE).exists());
    }

    #[test]
    fn what_is_sealed_is_opened_by_the_same_key_for_the_same_purpose_alone() {
        let folder = tempfile::tempdir().unwrap();
        let secrets = Secrets::new(None, folder.path());
        let sealed = secrets.seal("access token of 7", b"canvas-secret").unwrap();
        assert!(!sealed.contains("canvas"));
        assert_ne!(sealed, secrets.seal("access token of 7", b"canvas-secret").unwrap());
        // Another process reads the same file.
        let other = Secrets::new(None, folder.path());
        assert_eq!(other.open("access token of 7", &sealed).unwrap(), b"canvas-secret");
        assert!(other.open("access token of 8", &sealed).is_err());
        assert!(
            Secrets::new(Some("x".repeat(32)), folder.path()).open("access token of 7", &sealed).is_err()
        );
        for broken in ["", "v1:", "v1:AAAA", "v2:xyz", "v2:x:y", "v3:x:y", &sealed[..sealed.len() - 6]] {
            assert!(secrets.open("access token of 7", broken).is_err(), "{broken}");
        }
        let mode = std::fs::metadata(folder.path().join(FILE)).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn the_first_ones_at_the_same_time_get_the_same_key() {
        for _ in 0..20 {
            let folder = tempfile::tempdir().unwrap();
            let secrets = Secrets::new(None, folder.path());
            let digest = || secrets.digest("p", "value").unwrap();
            let digests: Vec<String> = std::thread::scope(|scope| {
                let threads: Vec<_> = (0..8).map(|_| scope.spawn(digest)).collect();
                threads.into_iter().map(|thread| thread.join().unwrap()).collect()
            });
            assert!(digests.iter().all(|one| *one == digests[0]), "{digests:?}");
            assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
        }
    }

    #[test]
    fn a_key_that_is_set_needs_no_file() {
        let folder = tempfile::tempdir().unwrap();
        let secrets = Secrets::new(Some("correct horse battery staple, and more".into()), folder.path());
        let sealed = secrets.seal("p", b"s").unwrap();
        assert_eq!(secrets.open("p", &sealed).unwrap(), b"s");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    }

    #[test]
    fn what_older_versions_have_sealed_and_signed_stays_readable() {
        let (folder, key) = (tempfile::tempdir().unwrap(), "correct horse battery staple, and more");
        let secrets = Secrets::new(Some(key.into()), folder.path());
        // Made with version 1 of this module.
        let of_v1 = MasterKey::new(key);
        let mut sealed = b"canvas-secret".to_vec();
        let nonce =
            cipher(&of_v1.of_v1()).unwrap().seal_in_place_append_tag(Aad::from(b"p"), &mut sealed).unwrap();
        let sealed = format!("v1:{}", BASE64_STANDARD.encode([nonce.as_ref().as_slice(), &sealed].concat()));
        assert_eq!(secrets.open("p", &sealed).unwrap(), b"canvas-secret");
        assert!(secrets.open("q", &sealed).is_err());
        assert!(secrets.is_digest("p", "value", &of_v1.digest_v1("p", "value")).unwrap());
        let again = secrets.resealed("p", &sealed).unwrap().unwrap();
        assert!(again.starts_with("v2:"), "{again}");
        assert_eq!(secrets.open("p", &again).unwrap(), b"canvas-secret");
        assert_eq!(secrets.resealed("p", &again).unwrap(), None);
    }

    #[test]
    fn each_purpose_has_a_key_of_its_own() {
        let key = MasterKey::new("correct horse battery staple, and more");
        let all = [key.to_seal("a"), key.to_seal("b"), key.of_v1(), derived(&key.text, "digest", "a")];
        for (at, one) in all.iter().enumerate() {
            assert!(all[at + 1..].iter().all(|other| other != one));
        }
        assert_eq!(key.kid.len(), 8);
    }

    #[test]
    fn a_new_key_seals_and_the_old_one_opens_what_it_has_sealed() {
        let folder = tempfile::tempdir().unwrap();
        let (secrets, other) = (Secrets::new(None, folder.path()), Secrets::new(None, folder.path()));
        let (sealed, link) = (secrets.seal("p", b"s").unwrap(), secrets.digest("invitation", "7").unwrap());
        assert!(other.is_digest("invitation", "7", &link[..20]).unwrap());
        for _ in 0..2 {
            let rotated = secrets.rotate().unwrap();
            assert_ne!(rotated.kid, rotated.old_kid);
            // Another process notices it.
            for secrets in [&secrets, &other] {
                assert_eq!(secrets.open("p", &sealed).unwrap(), b"s");
                assert!(secrets.is_digest("invitation", "7", &link[..20]).unwrap());
                assert!(!secrets.is_digest("invitation", "8", &link[..20]).unwrap());
                assert!(!secrets.is_digest("invitation", "7", "").unwrap());
                let new = secrets.seal("p", b"n").unwrap();
                assert!(new.starts_with(&format!("v2:{}:", rotated.kid)), "{new}");
            }
        }
        for file in [FILE, OLD_FILE] {
            let mode = std::fs::metadata(folder.path().join(file)).unwrap().permissions().mode();
            assert_eq!(mode & 0o777, 0o600, "{file}");
        }
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 2);
    }

    #[test]
    fn a_setting_replaces_another_one() {
        let folder = tempfile::tempdir().unwrap();
        let [old, new] = ["an old key of at least 32 characters", "a new key of at least 32 characters"];
        let sealed = Secrets::new(Some(old.into()), folder.path()).seal("p", b"s").unwrap();
        assert!(Secrets::new(Some(new.into()), folder.path()).open("p", &sealed).is_err());
        let both = Secrets::replacing(Some(new.into()), Some(old.into()), folder.path());
        let again = both.resealed("p", &sealed).unwrap().unwrap();
        assert_eq!(Secrets::new(Some(new.into()), folder.path()).open("p", &again).unwrap(), b"s");
    }
}
