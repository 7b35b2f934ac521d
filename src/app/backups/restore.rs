//! Restoring a backup. Everything is verified before anything changes. Blobs come before rows, here too: the blobs
//! are added to the existing ones, then the database is staged, and a single rename puts it in place. An interruption
//! before that leaves the old data unchanged.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use futures_util::{StreamExt, TryStreamExt, stream};

use super::{
    BLOBS, CONCURRENT_FILES, FILES, Manifest, ProgressFn, Result, cannot, each_linked_blob, entries,
    new_file, new_folder, sync_filesystem,
};
use crate::{
    app::Error,
    blobs::{Blobs, Key},
    store::{
        self, Db, Options, TIMEOUT,
        folder::{self, DATABASE, FolderLock},
        migrations,
        secrets::Secrets,
    },
    tasks,
};

/// A restore that may start: the backup is valid, and the data folder is not in use.
pub struct Restore<'a> {
    from: &'a Path,
    pub manifest: Manifest,
    database: PathBuf,
    data_dir: &'a Path,
    blobs: &'a Blobs,
    lock: Option<FolderLock>,
    /// Is the target empty?
    pub is_empty: bool,
}

/// What becomes of what the key for stored secrets protects.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyAfter {
    /// The backup's key is here, or it needs none.
    Right,
    /// The backup brings its key. Is there another one now, which it replaces?
    Brought {
        replaces: bool,
    },
    /// Another key is here.
    Other,
    Missing,
    /// The backup is from a version that did not note its key.
    Unknown,
}

pub struct Restored {
    pub migration: i64,
    /// Where an unreadable old database was moved to.
    pub damaged: Option<PathBuf>,
}

impl<'a> Restore<'a> {
    pub fn new(from: &'a Path, database: PathBuf, data_dir: &'a Path, blobs: &'a Blobs) -> Result<Self> {
        let manifest = Manifest::read(from)?;
        let folder = database.parent().map_or(data_dir, |parent| parent);
        // A missing folder is created once the backup is verified.
        let lock = if folder.is_dir() { Some(lock_exclusively(&database)?) } else { None };
        let is_empty = !database.exists()
            && (!data_dir.is_dir()
                || entries(data_dir)?.iter().all(|entry| folder::is_lock(&database, &entry.path())));
        Ok(Self { from, manifest, database, data_dir, blobs, lock, is_empty })
    }

    /// Which key there will be. Nothing is changed.
    pub fn key_after(&self, secrets: &Secrets) -> Result<KeyAfter> {
        let here = secrets.kid()?;
        Ok(match (&self.manifest.key, here) {
            (Some(key), _) if secrets.has_key(key)? => KeyAfter::Right,
            (Some(_), here) if self.manifest.with_secrets && !secrets.is_setting() => {
                KeyAfter::Brought { replaces: here.is_some() }
            }
            (Some(_), Some(_)) => KeyAfter::Other,
            (Some(_), None) => KeyAfter::Missing,
            (None, _) if self.manifest.notes_key => KeyAfter::Right,
            (None, _) => KeyAfter::Unknown,
        })
    }

    pub async fn run(mut self, progress: ProgressFn<'_>) -> Result<Restored> {
        self.manifest.verify(self.from, progress)?;
        if self.lock.is_none() {
            self.lock = Some(lock_exclusively(&self.database)?);
        }
        let restored = self.replace(progress).await;
        if restored.is_err() && folder::is_staged(&self.database) {
            // Leftovers are harmless, and the next restore removes them.
            let _ = folder::discard_restore(&self.database, self.data_dir);
        }
        restored
    }

    async fn replace(&self, progress: ProgressFn<'_>) -> Result<Restored> {
        folder::finish_restore(&self.database, self.data_dir)?;
        folder::discard_restore(&self.database, self.data_dir)?;
        progress("staging the database", 0);
        let ready = folder::staging(&self.database);
        copy(&self.from.join(DATABASE), &ready.join(DATABASE))?;
        let migration = self.stage_database(&ready).await?;
        self.copy_blobs(progress).await?;
        let files = folder::staged_files(self.data_dir);
        for entry in self.manifest.entries(self.from)? {
            let (path, _) = entry?;
            if let Some(name) = path.strip_prefix(FILES) {
                let name = Path::new(name.trim_start_matches('/'));
                self.check_no_obstacle(name)?;
                copy(&self.from.join(&path), &files.join(name))?;
            }
        }
        progress("syncing to disk", self.manifest.files);
        sync_filesystem(&ready)?;
        new_folder(self.data_dir)?;
        sync_filesystem(self.data_dir)?;
        let damaged = folder::replace(&self.database, self.data_dir)?;
        Ok(Restored { migration, damaged })
    }

    /// Fails if a file is where a folder must be, or vice versa.
    fn check_no_obstacle(&self, name: &Path) -> Result<()> {
        let folders = name.ancestors().skip(1).filter(|folder| !folder.as_os_str().is_empty());
        let file = folders.map(|folder| self.data_dir.join(folder)).find(|path| path.is_file());
        match file.or_else(|| Some(self.data_dir.join(name)).filter(|path| path.is_dir())) {
            None => Ok(()),
            Some(path) => {
                Err(Error::Unavailable(format!("{} is in the way: move it away first", path.display())))
            }
        }
    }

    /// Migrates the staged database and checks that the backup contains all blobs that it references.
    async fn stage_database(&self, folder: &Path) -> Result<i64> {
        let options = Options {
            url: None,
            data_dir: folder.to_owned(),
            ca_file: None,
            connections: 1,
            threads: 0,
            timeout: TIMEOUT,
        };
        let db = Db::open(&options).await?;
        let migration = migrations::migrate(&db).await?;
        each_linked_blob(&mut db.read(), async |keys: Vec<Key>| {
            for path in keys.iter().map(|key| format!("{BLOBS}/{}", key.path())) {
                if !self.from.join(&path).is_file() && !self.manifest.missing.contains(&path) {
                    let why =
                        format!("the backup is incomplete: its database references {path}, which is missing");
                    return Err(Error::Unavailable(why));
                }
            }
            Ok(())
        })
        .await?;
        drop(db);
        store::checkpoint(&folder.join(DATABASE))?;
        Ok(migration)
    }

    async fn copy_blobs(&self, progress: ProgressFn<'_>) -> Result<()> {
        let blobs = self.manifest.entries(self.from)?.filter_map(|entry| match entry {
            Ok((path, _)) => path.strip_prefix(BLOBS)?.strip_prefix('/').and_then(Key::parse).map(Ok),
            Err(error) => Some(Err(error)),
        });
        let restored = stream::iter(blobs).map(|key| async {
            let key = key?;
            let path = self.from.join(BLOBS).join(key.path());
            let read = tasks::spawn_blocking(move || fs::read(&path).map_err(|e| cannot("read", &path, &e)));
            let bytes = read.await.map_err(|error| Error::Internal(error.to_string()))??;
            self.blobs.put_unsynced(&key, bytes.into()).await?;
            Ok::<_, Error>(())
        });
        let mut restored = restored.buffer_unordered(CONCURRENT_FILES);
        let mut count = 0;
        while restored.try_next().await?.is_some() {
            count += 1;
            progress("restoring recordings and photos", count);
        }
        Ok(self.blobs.sync().await?)
    }
}

fn lock_exclusively(database: &Path) -> Result<FolderLock> {
    FolderLock::exclusive(database)?.ok_or_else(|| {
        Error::Unavailable(format!(
            "{} is in use: stop the server and all other endonym processes, then try again",
            database.display()
        ))
    })
}

fn copy(from: &Path, to: &Path) -> Result<()> {
    let mut file = fs::File::open(from).map_err(|e| cannot("read", from, &e))?;
    io::copy(&mut file, &mut new_file(to)?).map(|_| ()).map_err(|e| cannot("copy", from, &e))
}
