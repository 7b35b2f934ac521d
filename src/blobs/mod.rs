//! Blob storage for recordings, photos and reports: on disk or on an S3-compatible server. Keys are never reused, so
//! blobs are immutable, and reads are all or nothing.

mod disk;
mod guard;
mod s3;

use std::{
    path::{Path, PathBuf},
    time::Duration,
};

use bytes::Bytes;
use futures_util::stream::BoxStream;

use crate::{
    clock::Clock,
    domain::{ids::InstitutionId, media::is_hex, moment::Moment},
    telemetry::traces::{self, ChildSpan},
};

pub type Result<T> = std::result::Result<T, Error>;

/// The messages are for the operator.
#[derive(Debug, Clone, thiserror::Error)]
pub enum Error {
    /// A server does not respond, or not in time. It may later.
    #[error("blob store: {0}")]
    Unavailable(String),
    /// The store is full, denies access, or is not set up correctly.
    #[error("blob store: {0}")]
    Broken(String),
}

/// The kind of file; each has its own folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Shelf {
    /// MP3, as played.
    Recordings,
    /// Uploads, so that they can be processed again.
    Originals,
    Photos,
    Thumbnails,
    /// Parts of reports.
    Exports,
}

impl Shelf {
    const ALL: [Self; 5] = [Self::Recordings, Self::Originals, Self::Photos, Self::Thumbnails, Self::Exports];

    const fn folder_and_ending(self) -> (&'static str, &'static str) {
        match self {
            Self::Recordings => ("recordings", ".mp3"),
            Self::Originals => ("originals", ""),
            Self::Photos => ("photos", ".jpg"),
            Self::Thumbnails => ("photos", "_128.jpg"),
            Self::Exports => ("exports", ""),
        }
    }

    pub const fn content_type(self) -> &'static str {
        match self {
            Self::Recordings => "audio/mpeg",
            Self::Originals | Self::Exports => "application/octet-stream",
            Self::Photos | Self::Thumbnails => "image/jpeg",
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Key {
    pub shelf: Shelf,
    pub institution: InstitutionId,
    pub hex: String,
}

impl Key {
    /// Sharded into 256 folders, because some file systems are slow with many files in one.
    pub fn path(&self) -> String {
        let (folder, ending) = self.shelf.folder_and_ending();
        format!("{folder}/{}/{}/{}{ending}", self.institution, &self.hex[..2.min(self.hex.len())], self.hex)
    }

    pub fn parse(path: &str) -> Option<Self> {
        let [folder, institution, _, name] = path.split('/').collect::<Vec<_>>().try_into().ok()?;
        let fits = |shelf: &Shelf| {
            let (its_folder, ending) = shelf.folder_and_ending();
            folder == its_folder && name.strip_suffix(ending).is_some_and(is_hex)
        };
        let shelf = Shelf::ALL.into_iter().find(fits)?;
        let hex = name.strip_suffix(shelf.folder_and_ending().1)?.to_owned();
        let key = Self { shelf, institution: institution.parse().ok()?, hex };
        (key.path() == path).then_some(key)
    }
}

/// Where blobs are stored, and how those on S3 are delivered.
#[derive(Debug, Clone)]
pub struct Options {
    /// `None` means a folder in the data folder; otherwise `file:PATH` or `s3://bucket?endpoint=…`.
    pub url: Option<String>,
    pub data_dir: PathBuf,
    pub delivery: Delivery,
    /// Of one operation on S3, and of each part of a file that is streamed.
    pub timeout: Duration,
    pub clock: Clock,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Delivery {
    /// Proxied by us.
    Stream,
    /// By a redirect to a presigned URL on the S3 server.
    Redirect,
}

pub enum Blobs {
    Disk(disk::Disk),
    S3(s3::S3),
}

/// How to read a blob.
pub enum Blob {
    /// The whole file, memory-mapped: not copied until the kernel sends it.
    Mapped(Bytes),
    /// The size of a remote blob, to be read with `Blobs::stream`.
    Remote(u64),
}

/// A file in the store, ours or not.
#[derive(Debug, Clone)]
pub struct Listed {
    path: String,
    pub modified: Moment,
}

impl Listed {
    /// `None` for incomplete uploads and for files that are not ours.
    pub fn key(&self) -> Option<Key> {
        Key::parse(&self.path)
    }

    /// Is it an incomplete upload? Files that we did not write must not be removed.
    pub fn is_partial(&self) -> bool {
        self.path.rsplit('/').next().is_some_and(|name| name.starts_with(disk::UNFINISHED))
    }

    pub fn path(&self) -> &str {
        &self.path
    }
}

/// How long clients may cache a recording or photo before they revalidate it.
pub const CACHE_CONTROL: &str = "public, max-age=300, must-revalidate";

/// The lifetime of a presigned URL.
const PRESIGNED_LIFETIME: Duration = Duration::from_secs(60);

impl Blobs {
    pub fn open(options: &Options) -> Result<Self> {
        match options.url.as_deref() {
            None => Ok(Self::Disk(disk::Disk::new(options.data_dir.join("blobs")))),
            Some(url) => match (url.strip_prefix("file:"), url.starts_with("s3://")) {
                (Some(path), _) => {
                    Ok(Self::Disk(disk::Disk::new(PathBuf::from(path.strip_prefix("//").unwrap_or(path)))))
                }
                (None, true) => s3::S3::open(url, options).map(Self::S3),
                (None, false) => {
                    Err(Error::Broken("the blobs' URL must start with `s3://` or `file:`".to_owned()))
                }
            },
        }
    }

    fn span(&self, name: &'static str) -> ChildSpan {
        let place = match self {
            Self::Disk(_) => "disk",
            Self::S3(_) => "s3",
        };
        traces::child_span(name, ("endonym.blobs", place))
    }

    pub fn kind(&self) -> String {
        match self {
            Self::Disk(disk) => disk.root().display().to_string(),
            Self::S3(s3) => s3.name().to_owned(),
        }
    }

    /// Durable and visible when it returns, and not before.
    pub async fn put(&self, key: &Key, bytes: Bytes) -> Result<()> {
        let _span = self.span("blobs put");
        match self {
            Self::Disk(disk) => disk.put(key.path(), bytes).await,
            Self::S3(s3) => s3.put(&key.path(), bytes, key.shelf.content_type()).await,
        }
    }

    /// Like `put`, for batches: durable once `sync` returns.
    pub async fn put_unsynced(&self, key: &Key, bytes: Bytes) -> Result<()> {
        match self {
            Self::Disk(disk) => disk.put_unsynced(key.path(), bytes).await,
            Self::S3(_) => self.put(key, bytes).await,
        }
    }

    pub async fn sync(&self) -> Result<()> {
        match self {
            Self::Disk(disk) => disk.sync().await,
            Self::S3(_) => Ok(()),
        }
    }

    /// The folder, if the store is on disk.
    pub fn folder(&self) -> Option<&Path> {
        match self {
            Self::Disk(disk) => Some(disk.root()),
            Self::S3(_) => None,
        }
    }

    /// Whether operations go over the network, to a server that may not respond.
    pub fn is_remote(&self) -> bool {
        self.folder().is_none()
    }

    /// Fails if the server has not responded to the last operations, and still does not. For callers that would otherwise do
    /// much work in vain, or whose concurrent operations would all be refused but one, which is the probe.
    pub async fn ensure_available(&self) -> Result<()> {
        match self {
            Self::S3(s3) if !s3.responds() => match s3.size(&probe_key().path()).await {
                Err(error @ Error::Unavailable(_)) => Err(error),
                Ok(_) | Err(Error::Broken(_)) => Ok(()),
            },
            Self::Disk(_) | Self::S3(_) => Ok(()),
        }
    }

    /// False if operations are refused, because the server has not responded to the last ones.
    pub fn responds(&self) -> bool {
        match self {
            Self::Disk(_) => true,
            Self::S3(s3) => s3.responds(),
        }
    }

    /// `size` saves a request to the server if the caller knows it.
    pub async fn find(&self, key: &Key, size: Option<u64>) -> Result<Option<Blob>> {
        let _span = self.span("blobs find");
        match self {
            Self::Disk(disk) => Ok(disk.map(key).await?.map(Blob::Mapped)),
            Self::S3(s3) => match size {
                Some(size) => Ok(Some(Blob::Remote(size))),
                None => Ok(s3.size(&key.path()).await?.map(Blob::Remote)),
            },
        }
    }

    /// A range of a remote blob; `None` if it does not exist.
    pub async fn stream(
        &self,
        key: &Key,
        part: std::ops::Range<u64>,
    ) -> Result<Option<BoxStream<'static, Result<Bytes>>>> {
        let _span = self.span("blobs stream");
        match self {
            // Blobs on disk are mapped, never remote.
            Self::Disk(_) => Ok(None),
            Self::S3(s3) => s3.stream(&key.path(), part).await,
        }
    }

    /// Reads a blob once, without caching it, so that nothing that is played is evicted.
    pub async fn read(&self, key: &Key) -> Result<Option<Bytes>> {
        let _span = self.span("blobs read");
        match self {
            Self::Disk(disk) => disk.read(key.path()).await,
            Self::S3(s3) => s3.read(&key.path()).await,
        }
    }

    /// A presigned URL for clients.
    pub async fn redirect(&self, key: &Key) -> Result<Option<String>> {
        match self {
            Self::S3(s3) if s3.delivery() == Delivery::Redirect => {
                s3.presigned_url(&key.path(), PRESIGNED_LIFETIME).await.map(Some)
            }
            Self::Disk(_) | Self::S3(_) => Ok(None),
        }
    }

    /// Idempotent.
    pub async fn remove(&self, key: &Key) -> Result<()> {
        if let Self::Disk(disk) = self {
            disk.evict(key);
        }
        self.remove_path(key.path()).await
    }

    pub async fn remove_listed(&self, listed: &Listed) -> Result<()> {
        self.remove_path(listed.path.clone()).await
    }

    async fn remove_path(&self, path: String) -> Result<()> {
        let _span = self.span("blobs remove");
        match self {
            Self::Disk(disk) => disk.remove(path).await,
            Self::S3(s3) => s3.remove(&path).await,
        }
    }

    /// All files, in no particular order.
    pub fn list(&self) -> BoxStream<'static, Result<Listed>> {
        match self {
            Self::Disk(disk) => disk.list(),
            Self::S3(s3) => s3.list(),
        }
    }

    /// Is it writable?
    pub async fn probe(&self) -> Result<()> {
        match self {
            Self::Disk(disk) => disk.probe().await,
            Self::S3(_) => {
                let key = probe_key();
                self.put(&key, Bytes::from_static(b"works")).await?;
                self.remove(&key).await
            }
        }
    }

    /// Is it writable and readable?
    pub async fn check(&self) -> Result<()> {
        let key = probe_key();
        self.put(&key, Bytes::from_static(b"works")).await?;
        let size = if let Self::S3(_) = self { None } else { Some(5) };
        let found = self.find(&key, size).await?;
        self.remove(&key).await?;
        if found.is_some() {
            Ok(())
        } else {
            Err(Error::Broken("the blob that was just written is missing".to_owned()))
        }
    }
}

/// No recording has this key.
fn probe_key() -> Key {
    Key { shelf: Shelf::Originals, institution: InstitutionId::new(0), hex: "0".repeat(32) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_read_back_from_its_path_and_nothing_else_is() {
        for shelf in Shelf::ALL {
            let key = Key { shelf, institution: InstitutionId::new(7), hex: "0123456789abcdef".repeat(2) };
            assert_eq!(Key::parse(&key.path()), Some(key));
        }
        for other in
            ["recordings/7/01/x.mp3", "notes.txt", "recordings/7/ff/0123456789abcdef0123456789abcdef.mp3"]
        {
            assert_eq!(Key::parse(other), None, "{other}");
        }
    }
}
