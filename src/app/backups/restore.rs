//! Restoring a backup. Everything is checked before anything is touched, and bytes come before rows here too: the files
//! that the database links to are put beside those that are there, then the database is made ready, and one rename puts
//! it in the place of the old one. Whatever is cut short before that leaves the old data as it was.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use futures_util::{StreamExt, TryStreamExt, stream};
use tokio::task::spawn_blocking;

use super::{
    BLOBS, FILES, FILES_AT_ONCE, Manifest, Result, Told, cannot, entries, linked, make_durable, new_file,
    new_folder,
};
use crate::{
    app::Error,
    blobs::{Blobs, Key},
    store::{
        self, Db, Options, TIMEOUT,
        folder::{self, DATABASE, Here},
        migrations,
    },
};

/// A restore that may begin: the backup is one, and nobody uses the data folder.
pub struct Restore<'a> {
    from: &'a Path,
    pub manifest: Manifest,
    database: PathBuf,
    data_dir: &'a Path,
    blobs: &'a Blobs,
    here: Option<Here>,
    /// Is there nothing yet where the data would go?
    pub is_empty: bool,
}

pub struct Restored {
    pub migration: i64,
    /// Where the old database is, when it could not be read.
    pub damaged: Option<PathBuf>,
}

impl<'a> Restore<'a> {
    pub fn new(from: &'a Path, database: PathBuf, data_dir: &'a Path, blobs: &'a Blobs) -> Result<Self> {
        let manifest = Manifest::read(from)?;
        let folder = database.parent().map_or(data_dir, |parent| parent);
        // A folder that is not there is made once the backup is known to be good.
        let here = if folder.is_dir() { Some(alone(&database)?) } else { None };
        let is_empty = !database.exists()
            && (!data_dir.is_dir()
                || entries(data_dir)?.iter().all(|entry| folder::is_lock(&database, &entry.path())));
        Ok(Self { from, manifest, database, data_dir, blobs, here, is_empty })
    }

    pub async fn run(mut self, told: Told<'_>) -> Result<Restored> {
        self.manifest.verify(self.from, told)?;
        if self.here.is_none() {
            self.here = Some(alone(&self.database)?);
        }
        let restored = self.replace(told).await;
        if restored.is_err() && folder::is_coming(&self.database) {
            // What cannot be removed is no harm, and the next one takes it away.
            let _ = folder::forget_restore(&self.database, self.data_dir);
        }
        restored
    }

    async fn replace(&self, told: Told<'_>) -> Result<Restored> {
        folder::finish_restore(&self.database, self.data_dir)?;
        folder::forget_restore(&self.database, self.data_dir)?;
        told("making the database ready", 0);
        let ready = folder::coming(&self.database);
        copy(&self.from.join(DATABASE), &ready.join(DATABASE))?;
        let migration = self.make_ready(&ready).await?;
        self.bring_blobs(told).await?;
        let files = folder::others(self.data_dir);
        for entry in self.manifest.entries(self.from)? {
            let (path, _) = entry?;
            if let Some(name) = path.strip_prefix(FILES) {
                let name = Path::new(name.trim_start_matches('/'));
                self.see_that_nothing_bars(name)?;
                copy(&self.from.join(&path), &files.join(name))?;
            }
        }
        told("making it durable", self.manifest.files);
        make_durable(&ready)?;
        new_folder(self.data_dir)?;
        make_durable(self.data_dir)?;
        let damaged = folder::replace(&self.database, self.data_dir)?;
        Ok(Restored { migration, damaged })
    }

    /// A file where a folder is to be, or a folder where a file is.
    fn see_that_nothing_bars(&self, name: &Path) -> Result<()> {
        let folders = name.ancestors().skip(1).filter(|folder| !folder.as_os_str().is_empty());
        let file = folders.map(|folder| self.data_dir.join(folder)).find(|path| path.is_file());
        match file.or_else(|| Some(self.data_dir.join(name)).filter(|path| path.is_dir())) {
            None => Ok(()),
            Some(path) => {
                Err(Error::Unavailable(format!("{} is in the way: move it elsewhere first", path.display())))
            }
        }
    }

    /// Brings it to the shape that this binary knows, and sees that the backup has all that it links to.
    async fn make_ready(&self, folder: &Path) -> Result<i64> {
        let options = Options {
            url: None,
            data_dir: folder.to_owned(),
            ca_file: None,
            connections: 1,
            timeout: TIMEOUT,
        };
        let db = Db::open(&options).await?;
        let migration = migrations::migrate(&db).await?;
        linked(&mut db.read(), async |keys: Vec<Key>| {
            for path in keys.iter().map(|key| format!("{BLOBS}/{}", key.path())) {
                if !self.from.join(&path).is_file() && !self.manifest.missing.contains(&path) {
                    let why = format!(
                        "the backup is not complete: its database links to {path}, which is not there"
                    );
                    return Err(Error::Unavailable(why));
                }
            }
            Ok(())
        })
        .await?;
        drop(db);
        store::settle(&folder.join(DATABASE))?;
        Ok(migration)
    }

    async fn bring_blobs(&self, told: Told<'_>) -> Result<()> {
        let blobs = self.manifest.entries(self.from)?.filter_map(|entry| match entry {
            Ok((path, _)) => path.strip_prefix(BLOBS)?.strip_prefix('/').and_then(Key::parse).map(Ok),
            Err(error) => Some(Err(error)),
        });
        let brought = stream::iter(blobs).map(|key| async {
            let key = key?;
            let path = self.from.join(BLOBS).join(key.path());
            let read = spawn_blocking(move || fs::read(&path).map_err(|e| cannot("read", &path, &e)));
            let bytes = read.await.map_err(|error| Error::Internal(error.to_string()))??;
            self.blobs.put_unsettled(&key, bytes.into()).await?;
            Ok::<_, Error>(())
        });
        let mut brought = brought.buffer_unordered(FILES_AT_ONCE);
        let mut count = 0;
        while brought.try_next().await?.is_some() {
            count += 1;
            told("bringing recordings and pictures", count);
        }
        Ok(self.blobs.settle().await?)
    }
}

fn alone(database: &Path) -> Result<Here> {
    Here::alone(database)?.ok_or_else(|| {
        Error::Unavailable(format!(
            "{} is in use: stop the server and everything else that uses it, then try again",
            database.display()
        ))
    })
}

fn copy(from: &Path, to: &Path) -> Result<()> {
    let mut file = fs::File::open(from).map_err(|e| cannot("read", from, &e))?;
    io::copy(&mut file, &mut new_file(to)?).map(|_| ()).map_err(|e| cannot("copy", from, &e))
}
