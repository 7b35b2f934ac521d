//! Encryption of secrets in the database: credentials of other systems and our own private keys. The database or a
//! backup alone does not reveal them.

use std::{
    io::{ErrorKind, Write},
    os::unix::fs::OpenOptionsExt,
    path::{Path, PathBuf},
    sync::{Arc, OnceLock},
};

use aws_lc_rs::{
    aead::{AES_256_GCM, Aad, NONCE_LEN, Nonce, RandomizedNonceKey},
    hmac, rand,
};
use base64::{Engine, prelude::BASE64_STANDARD};
use sha2::{Digest, Sha256};

use super::{Error, Result};
use crate::domain::digest::hex;

/// The encryption key, created or read on first use.
#[derive(Clone)]
pub struct Secrets(Arc<Inner>);

struct Inner {
    /// The key from the configuration; otherwise it is in the file.
    setting: Option<String>,
    file: PathBuf,
    key: OnceLock<[u8; 32]>,
}

/// In the data folder.
pub const FILE: &str = "secret.key";
/// The format prefix; a future scheme gets another.
const FORMAT_PREFIX: &str = "v1:";

/// Omits the key.
impl std::fmt::Debug for Secrets {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Secrets")
    }
}

impl Secrets {
    pub fn new(setting: Option<String>, data_dir: &Path) -> Self {
        Self(Arc::new(Inner { setting, file: data_dir.join(FILE), key: OnceLock::new() }))
    }

    /// The purpose is authenticated with the secret, so that one secret cannot replace another.
    pub fn seal(&self, purpose: &str, plain: &[u8]) -> Result<String> {
        let mut sealed = plain.to_vec();
        let nonce = self
            .cipher(read_or_make)?
            .seal_in_place_append_tag(Aad::from(purpose.as_bytes()), &mut sealed)
            .map_err(|_| Error::Broken("encrypting a secret failed".to_owned()))?;
        let whole = [nonce.as_ref().as_slice(), &sealed].concat();
        Ok(format!("{FORMAT_PREFIX}{}", BASE64_STANDARD.encode(whole)))
    }

    pub fn open(&self, purpose: &str, sealed: &str) -> Result<Vec<u8>> {
        let cannot = || {
            Error::Broken(
                "a secret in the database cannot be opened: ENDONYM_SECRET_KEY, or secret.key in the data folder, is not what \
                 it was when the secret was sealed"
                    .to_owned(),
            )
        };
        let text = sealed.strip_prefix(FORMAT_PREFIX).ok_or_else(cannot)?;
        let mut whole = BASE64_STANDARD.decode(text).map_err(|_| cannot())?;
        if whole.len() < NONCE_LEN {
            return Err(cannot());
        }
        let mut body = whole.split_off(NONCE_LEN);
        let nonce = Nonce::try_assume_unique_for_key(&whole).map_err(|_| cannot())?;
        // A key that does not exist yet cannot have encrypted anything.
        let there = |file: &Path| read(file)?.ok_or_else(|| std::io::Error::other(cannot().to_string()));
        let plain = self.cipher(there)?.open_in_place(nonce, Aad::from(purpose.as_bytes()), &mut body);
        plain.map(|plain| plain.to_vec()).map_err(|_| cannot())
    }

    /// A keyed digest in hex (HMAC-SHA256), for values that are short enough to be found by trying all of them.
    pub fn digest(&self, purpose: &str, value: &str) -> Result<String> {
        let key = hmac::Key::new(hmac::HMAC_SHA256, &self.any_key(read_or_make)?);
        let tag = hmac::sign(&key, format!("{purpose}\0{value}").as_bytes());
        Ok(hex(tag.as_ref()))
    }

    fn cipher(&self, from: impl Fn(&Path) -> std::io::Result<String>) -> Result<RandomizedNonceKey> {
        let key = self.any_key(from)?;
        RandomizedNonceKey::new(&AES_256_GCM, &key)
            .map_err(|_| Error::Broken("there is no encryption key".to_owned()))
    }

    fn any_key(&self, from: impl Fn(&Path) -> std::io::Result<String>) -> Result<[u8; 32]> {
        if let Some(key) = self.0.key.get() {
            return Ok(*key);
        }
        let made = self.key(from)?;
        Ok(*self.0.key.get_or_init(|| made))
    }

    fn key(&self, from: impl Fn(&Path) -> std::io::Result<String>) -> Result<[u8; 32]> {
        let text = match &self.0.setting {
            Some(setting) => setting.clone(),
            None => from(&self.0.file).map_err(|error| {
                Error::Broken(format!("{} cannot be used: {error}", self.0.file.display()))
            })?,
        };
        Ok(Sha256::digest([b"endonym secrets\0", text.trim().as_bytes()].concat()).into())
    }
}

/// Created once, by whoever is first, and readable only by our own user.
fn read_or_make(file: &Path) -> std::io::Result<String> {
    if let Some(text) = read(file)? {
        return Ok(text);
    }
    let mut bytes = [0; 32 + 8];
    rand::fill(&mut bytes)
        .map_err(|_| std::io::Error::other("the system's random number generator failed"))?;
    if let Some(folder) = file.parent() {
        super::folder::create(folder)?;
    }
    let (key, name) = bytes.split_at(32);
    // Others may do the same: threads, and processes in containers that have the same process id.
    let beside = file.with_extension(format!("new-{}", hex(name)));
    let mut new = std::fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(&beside)?;
    let written = new.write_all(BASE64_STANDARD.encode(key).as_bytes()).and_then(|()| new.sync_all());
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
        for broken in ["", "v1:", "v1:AAAA", "v2:xyz", &sealed[..sealed.len() - 6]] {
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
}
