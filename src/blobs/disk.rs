//! Blobs in a folder. A file is written under a temporary name, synced, and renamed: it is there whole, or not at all.

use std::{
    fs::{self, File},
    io::{self, ErrorKind, Write},
    os::unix::fs::DirBuilderExt,
    path::{Path, PathBuf},
    sync::atomic::{AtomicU64, Ordering},
};

use bytes::Bytes;
use futures_util::{StreamExt, stream::BoxStream};
use moka::sync::Cache;
use tokio::{sync::mpsc, task::spawn_blocking};

use super::{Error, Key, Listed, Result};
use crate::domain::moment::Moment;

/// How the name of a file begins that is still being written.
pub const UNFINISHED: &str = ".part-";
/// Mapped files count as resident memory while they are kept.
const MAPPED_BYTES: u64 = 64 << 20;

pub struct Disk {
    root: PathBuf,
    /// Files that were asked for lately. Whether a link is alive is the database's to say, so nothing here goes stale.
    mapped: Cache<Key, Bytes>,
    next: AtomicU64,
}

impl Disk {
    pub fn new(root: PathBuf) -> Self {
        let mapped = Cache::builder()
            .weigher(|_, bytes: &Bytes| u32::try_from(bytes.len()).unwrap_or(u32::MAX))
            .max_capacity(MAPPED_BYTES)
            .build();
        Self { root, mapped, next: AtomicU64::new(0) }
    }

    pub fn root(&self) -> &Path {
        &self.root
    }

    pub async fn put(&self, path: String, bytes: Bytes) -> Result<()> {
        self.write(path, bytes, write_durably).await
    }

    pub async fn put_unsettled(&self, path: String, bytes: Bytes) -> Result<()> {
        self.write(path, bytes, write_whole).await
    }

    /// Everything that was put, at once.
    pub async fn settle(&self) -> Result<()> {
        let root = self.root.clone();
        in_background(move || {
            let settled = match File::open(&root) {
                Ok(folder) => rustix::fs::syncfs(&folder).map_err(io::Error::from),
                Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
                Err(error) => Err(error),
            };
            settled.map_err(|e| Error(format!("cannot make {} durable: {e}", root.display())))
        })
        .await
    }

    async fn write(
        &self,
        path: String,
        bytes: Bytes,
        write: fn(&Path, &Path, &Path, &[u8]) -> io::Result<()>,
    ) -> Result<()> {
        let target = self.root.join(path);
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        // Two processes may write at once, import beside serve.
        let unfinished = target.with_file_name(format!("{UNFINISHED}{}-{number}", std::process::id()));
        let root = self.root.clone();
        in_background(move || {
            let written = write(&root, &unfinished, &target, &bytes);
            if written.is_err() {
                let _ = fs::remove_file(&unfinished);
            }
            written.map_err(|e| Error(format!("cannot write {}: {e}", target.display())))
        })
        .await
    }

    /// Can a file be made here? Nothing is made durable, so this may be asked every second.
    pub async fn probe(&self) -> Result<()> {
        let root = self.root.clone();
        in_background(move || {
            // Containers that share a folder may share a process id too.
            static PROBES: AtomicU64 = AtomicU64::new(0);
            let number = PROBES.fetch_add(1, Ordering::Relaxed);
            let file = root.join(format!("{UNFINISHED}probe-{}-{number}", std::process::id()));
            let remove = || match fs::remove_file(&file) {
                Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
                other => other,
            };
            make_folder(&root)
                .and_then(|()| fs::write(&file, "works"))
                .and_then(|()| remove())
                .map_err(|e| Error(format!("cannot write to {}: {e}", root.display())))
        })
        .await
    }

    /// The whole file, or `None` when it is not there.
    pub async fn map(&self, key: &Key) -> Result<Option<Bytes>> {
        if let Some(bytes) = self.mapped.get(key) {
            return Ok(Some(bytes));
        }
        let path = self.root.join(key.path());
        let bytes = in_background(move || match map(&path) {
            Ok(bytes) => Ok(Some(bytes)),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(Error(format!("cannot read {}: {error}", path.display()))),
        })
        .await?;
        if let Some(bytes) = &bytes {
            self.mapped.insert(key.clone(), bytes.clone());
        }
        Ok(bytes)
    }

    pub async fn read(&self, path: String) -> Result<Option<Bytes>> {
        let path = self.root.join(path);
        in_background(move || match fs::read(&path) {
            Ok(bytes) => Ok(Some(bytes.into())),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(Error(format!("cannot read {}: {error}", path.display()))),
        })
        .await
    }

    pub fn forget(&self, key: &Key) {
        self.mapped.invalidate(key);
    }

    pub async fn remove(&self, path: String) -> Result<()> {
        let path = self.root.join(path);
        in_background(move || match fs::remove_file(&path) {
            Err(error) if error.kind() != ErrorKind::NotFound => {
                Err(Error(format!("cannot remove {}: {error}", path.display())))
            }
            _ => Ok(()),
        })
        .await
    }

    pub fn list(&self) -> BoxStream<'static, Result<Listed>> {
        let (sender, receiver) = mpsc::channel(256);
        let root = self.root.clone();
        spawn_blocking(move || {
            if let Err(error) = walk(&root, &root, &sender) {
                let why = Error(format!("cannot list {}: {error}", root.display()));
                let _ = sender.blocking_send(Err(why));
            }
        });
        futures_util::stream::unfold(receiver, |mut receiver| async {
            receiver.recv().await.map(|listed| (listed, receiver))
        })
        .boxed()
    }
}

async fn in_background<T: Send + 'static>(work: impl FnOnce() -> Result<T> + Send + 'static) -> Result<T> {
    spawn_blocking(work).await.map_err(|error| Error(error.to_string()))?
}

fn write_durably(root: &Path, unfinished: &Path, target: &Path, bytes: &[u8]) -> io::Result<()> {
    let folder = target.parent().unwrap_or(root);
    let is_new = !folder.is_dir();
    make_folder(folder)?;
    let mut file = File::options().write(true).create_new(true).open(unfinished)?;
    file.write_all(bytes)?;
    file.sync_all()?;
    fs::rename(unfinished, target)?;
    // A name is durable when its folder is; a new folder when the one around it is.
    for folder in folder.ancestors().take(if is_new { 4 } else { 1 }) {
        File::open(folder)?.sync_all()?;
    }
    Ok(())
}

/// Only for the user that runs us.
fn make_folder(folder: &Path) -> io::Result<()> {
    fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)
}

fn write_whole(root: &Path, unfinished: &Path, target: &Path, bytes: &[u8]) -> io::Result<()> {
    make_folder(target.parent().unwrap_or(root))?;
    File::options().write(true).create_new(true).open(unfinished)?.write_all(bytes)?;
    fs::rename(unfinished, target)
}

#[allow(unsafe_code)]
fn map(path: &Path) -> io::Result<Bytes> {
    let file = File::open(path)?;
    if file.metadata()?.len() == 0 {
        return Ok(Bytes::new());
    }
    // SAFETY: a mapping is only sound while nobody changes or shortens the file. Ours are written under another name and
    // renamed once they are whole, are never opened for writing again, and removing one leaves its mapping as it is.
    let mapping = unsafe { memmap2::MmapOptions::new().populate().map(&file)? };
    Ok(Bytes::from_owner(mapping))
}

fn walk(root: &Path, folder: &Path, found: &mpsc::Sender<Result<Listed>>) -> io::Result<()> {
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
        other => other?,
    };
    for entry in entries {
        let entry = entry?;
        let path = entry.path();
        // It may be removed while we look.
        let Ok(metadata) = entry.metadata() else { continue };
        if metadata.is_dir() {
            walk(root, &path, found)?;
            continue;
        }
        let Some(name) = path.strip_prefix(root).ok().and_then(Path::to_str) else { continue };
        let listed = Listed { path: name.to_owned(), modified: Moment::from_system(metadata.modified()?) };
        if found.blocking_send(Ok(listed)).is_err() {
            return Ok(());
        }
    }
    Ok(())
}
