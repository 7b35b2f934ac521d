//! Blobs in a folder. A file is written under a temporary name, synced and renamed, so it appears atomically.

use std::{
    collections::HashSet,
    fs::{self, File},
    hash::{BuildHasher, RandomState},
    io::{self, ErrorKind, Write},
    os::unix::fs::DirBuilderExt,
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
};

use bytes::Bytes;
use futures_util::{StreamExt, stream::BoxStream};
use moka::sync::Cache;
use tokio::sync::mpsc;

use super::{Error, Key, Listed, Result};
use crate::domain::moment::Moment;
use crate::tasks;

/// The prefix of files that are being written.
pub const UNFINISHED: &str = ".part-";
/// Mapped files count as resident memory while they are cached.
const MAPPED_BYTES: u64 = 64 << 20;

pub struct Disk {
    root: PathBuf,
    /// Recently used files. The database decides whether a link is live, so this cache cannot be stale.
    mapped: Cache<Key, Bytes>,
    /// Names unfinished files. The first number is random, because others write concurrently, such as import and serve, and the process
    /// ids of containers that share a folder may be equal.
    next: AtomicU64,
    /// Folders whose names were synced by this process. Somebody else may have created a folder and not synced it yet.
    settled: Arc<Mutex<HashSet<PathBuf>>>,
}

/// Folders that are remembered. More are synced once more.
const MOST_SETTLED: usize = 1 << 16;

impl Disk {
    pub fn new(root: PathBuf) -> Self {
        let mapped = Cache::builder()
            .weigher(|_, bytes: &Bytes| u32::try_from(bytes.len()).unwrap_or(u32::MAX))
            .max_capacity(MAPPED_BYTES)
            .build();
        Self { root, mapped, next: AtomicU64::new(RandomState::new().hash_one(0)), settled: Arc::default() }
    }

    fn unfinished(&self) -> String {
        format!("{UNFINISHED}{:016x}", self.next.fetch_add(1, Ordering::Relaxed))
    }

    pub fn root(&self) -> &Path {
        &self.root
    }

    pub async fn put(&self, path: String, bytes: Bytes) -> Result<()> {
        let settled = self.settled.clone();
        let write = move |root: &Path, unfinished: &Path, target: &Path, bytes: &[u8]| {
            write_durably(&settled, root, (unfinished, target), bytes)
        };
        self.write(path, bytes, write).await
    }

    pub async fn put_unsynced(&self, path: String, bytes: Bytes) -> Result<()> {
        self.write(path, bytes, write_whole).await
    }

    /// Syncs everything that was written.
    pub async fn sync(&self) -> Result<()> {
        let root = self.root.clone();
        in_background(move || {
            let settled = match File::open(&root) {
                Ok(folder) => rustix::fs::syncfs(&folder).map_err(io::Error::from),
                Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
                Err(error) => Err(error),
            };
            settled.map_err(|e| Error::Broken(format!("cannot sync {}: {e}", root.display())))
        })
        .await
    }

    async fn write(
        &self,
        path: String,
        bytes: Bytes,
        write: impl FnOnce(&Path, &Path, &Path, &[u8]) -> io::Result<()> + Send + 'static,
    ) -> Result<()> {
        let target = self.root.join(path);
        let unfinished = target.with_file_name(self.unfinished());
        let root = self.root.clone();
        in_background(move || {
            let written = write(&root, &unfinished, &target, &bytes);
            if written.is_err() {
                let _ = fs::remove_file(&unfinished);
            }
            written.map_err(|e| Error::Broken(format!("cannot write {}: {e}", target.display())))
        })
        .await
    }

    /// Can a file be created? Nothing is synced, so this is cheap enough to run every second.
    pub async fn probe(&self) -> Result<()> {
        let (root, file) = (self.root.clone(), self.root.join(self.unfinished()));
        in_background(move || {
            let remove = || match fs::remove_file(&file) {
                Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
                other => other,
            };
            make_folder(&root)
                .and_then(|()| fs::write(&file, "works"))
                .and_then(|()| remove())
                .map_err(|e| Error::Broken(format!("cannot write to {}: {e}", root.display())))
        })
        .await
    }

    /// The whole file; `None` if it does not exist.
    pub async fn map(&self, key: &Key) -> Result<Option<Bytes>> {
        if let Some(bytes) = self.mapped.get(key) {
            return Ok(Some(bytes));
        }
        let path = self.root.join(key.path());
        let bytes = in_background(move || match map(&path) {
            Ok(bytes) => Ok(Some(bytes)),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(Error::Broken(format!("cannot read {}: {error}", path.display()))),
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
            Err(error) => Err(Error::Broken(format!("cannot read {}: {error}", path.display()))),
        })
        .await
    }

    pub fn evict(&self, key: &Key) {
        self.mapped.invalidate(key);
    }

    pub async fn remove(&self, path: String) -> Result<()> {
        let path = self.root.join(path);
        in_background(move || match fs::remove_file(&path) {
            Err(error) if error.kind() != ErrorKind::NotFound => {
                Err(Error::Broken(format!("cannot remove {}: {error}", path.display())))
            }
            _ => Ok(()),
        })
        .await
    }

    pub fn list(&self) -> BoxStream<'static, Result<Listed>> {
        let (sender, receiver) = mpsc::channel(256);
        let root = self.root.clone();
        tasks::spawn_blocking(move || {
            if let Err(error) = walk(&root, &root, &sender) {
                let why = Error::Broken(format!("cannot list {}: {error}", root.display()));
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
    tasks::spawn_blocking(work).await.map_err(|error| Error::Broken(error.to_string()))?
}

fn write_durably(
    settled: &Mutex<HashSet<PathBuf>>,
    root: &Path,
    (unfinished, target): (&Path, &Path),
    bytes: &[u8],
) -> io::Result<()> {
    let folder = target.parent().unwrap_or(root);
    let unsynced = unsynced(settled, root, folder)?;
    let mut file = File::options().write(true).create_new(true).open(unfinished)?;
    file.write_all(bytes)?;
    file.sync_all()?;
    fs::rename(unfinished, target)?;
    for folder in &unsynced {
        File::open(folder)?.sync_all()?;
    }
    let mut settled = settled.lock().unwrap_or_else(PoisonError::into_inner);
    if settled.len() >= MOST_SETTLED {
        settled.clear();
    }
    settled.insert(folder.to_owned());
    Ok(())
}

/// Creates the folder if it is missing, and returns what must be synced after a name was added to it: the folder itself, and those above
/// it up to the root's own, unless this process has synced them. That the folder exists says nothing: whoever has created it may not have
/// synced it yet, and then it is lost when the power fails, with a file that was reported as stored.
fn unsynced(settled: &Mutex<HashSet<PathBuf>>, root: &Path, folder: &Path) -> io::Result<Vec<PathBuf>> {
    let is_there = folder.is_dir();
    make_folder(folder)?;
    let is_settled = settled.lock().unwrap_or_else(PoisonError::into_inner).contains(folder);
    if is_there && is_settled {
        return Ok(vec![folder.to_owned()]);
    }
    let above_root = root.parent().unwrap_or(root);
    let to_root = folder.ancestors().take_while(|one| one.starts_with(above_root));
    Ok(to_root.filter(|one| !one.as_os_str().is_empty()).map(Path::to_owned).collect())
}

/// Accessible only to our own user.
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
    // SAFETY: a mapping is sound only while nobody changes or truncates the file. Our files are written under another
    // name and renamed when complete, are never opened for writing again, and removing one keeps its mapping valid.
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
        // It may be removed concurrently.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_folder_that_somebody_else_has_just_created_is_synced_with_those_above_it() {
        let home = tempfile::tempdir().unwrap();
        let root = home.path().join("blobs");
        let disk = Disk::new(root.clone());
        let folder = root.join("recordings/1/0a");
        // The other writer has not synced it.
        fs::create_dir_all(&folder).unwrap();
        let whole = [&folder, &root.join("recordings/1"), &root.join("recordings"), &root].map(Clone::clone);
        let first = unsynced(&disk.settled, &root, &folder).unwrap();
        assert_eq!(first[..4], whole);
        assert_eq!(first[4..], [home.path().to_owned()], "and the name of the root");
        disk.put("recordings/1/0a/file".to_owned(), Bytes::from_static(b"x")).await.unwrap();
        assert_eq!(unsynced(&disk.settled, &root, &folder).unwrap(), std::slice::from_ref(&folder));
        // Somebody has removed it meanwhile.
        fs::remove_dir_all(&folder).unwrap();
        assert_eq!(unsynced(&disk.settled, &root, &folder).unwrap(), first);
    }
}
