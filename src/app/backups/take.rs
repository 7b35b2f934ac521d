//! Taking a backup while the server runs.
//!
//! A recording that is replaced loses its bytes at once, so a moment of the database may link to what is gone by the
//! time we come to copy it. Almost everything is copied before a moment is chosen, which leaves only what has come since.
//! If some of that is gone already, another moment is chosen. The database itself is copied last, from the same moment.

use std::{
    collections::HashSet,
    fs, io,
    path::{Path, PathBuf},
};

use bytes::Bytes;
use futures_util::{StreamExt, TryStreamExt, stream};
use sha2::{Digest, Sha256};
use tokio::task::spawn_blocking;

use super::{
    BLOBS, FILES, FILES_AT_ONCE, Manifest, Result, Told, cannot, entries, linked, make_durable,
    manifest::{Entry, LIST, List, digest_of},
    new_file, new_folder,
};
use crate::{
    app::{Clock, Error},
    blobs::{Blobs, Key},
    domain::token::hex,
    store::{self, Db, Sql, folder, migrations, secrets},
};

/// What is backed up.
pub struct Source<'a> {
    pub db: &'a Db,
    /// The file of the database.
    pub database: &'a Path,
    pub blobs: &'a Blobs,
    pub data_dir: &'a Path,
}

/// Recordings would have to be replaced within milliseconds of being made, again and again, for it to take more.
const MOST_MOMENTS: usize = 100;

/// Into a folder that is new or empty. What was begun is taken away again when it cannot be ended.
pub async fn take(source: &Source<'_>, target: &Path, clock: &Clock, told: Told<'_>) -> Result<Manifest> {
    let migration = migrations::version(source.db).await?;
    if migration != migrations::NEWEST {
        return Err(Error::Unavailable(format!(
            "the database is at version {migration}, and this binary knows {}: back it up with the endonym that serves \
             it, or run `endonym migrate` first",
            migrations::NEWEST
        )));
    }
    let is_new = prepare(source, target)?;
    let taken = fill(source, target, migration, clock, told).await;
    if taken.is_err() {
        clear(target, is_new);
    }
    taken
}

/// Is the folder new?
fn prepare(source: &Source<'_>, target: &Path) -> Result<bool> {
    let is_new = !target.exists();
    new_folder(target)?;
    let inside = [Some(source.data_dir), source.blobs.folder()]
        .into_iter()
        .flatten()
        .find(|folder| whole(target).starts_with(whole(folder)));
    let refusal = match inside {
        Some(folder) => Some(format!(
            "{} lies in {}, which is what is backed up: choose a folder elsewhere, best on another disk",
            target.display(),
            folder.display()
        )),
        None if entries(target)?.is_empty() => None,
        None => Some(format!(
            "{} is not empty: a backup wants a new or an empty folder{}",
            target.display(),
            if target.join(LIST).exists() { "; this one has a backup, or the remains of one" } else { "" }
        )),
    };
    match refusal {
        None => Ok(is_new),
        Some(refusal) => {
            if is_new {
                let _ = fs::remove_dir(target);
            }
            Err(Error::Unavailable(refusal))
        }
    }
}

/// A path as it can be compared with others.
fn whole(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_owned())
}

fn clear(target: &Path, is_new: bool) {
    for entry in entries(target).unwrap_or_default() {
        let path = entry.path();
        let _ = if path.is_dir() { fs::remove_dir_all(&path) } else { fs::remove_file(&path) };
    }
    if is_new {
        let _ = fs::remove_dir(target);
    }
}

async fn fill(
    source: &Source<'_>,
    target: &Path,
    migration: i64,
    clock: &Clock,
    told: Told<'_>,
) -> Result<Manifest> {
    let mut copies =
        Copies { blobs: source.blobs, folder: target.join(BLOBS), list: List::new(target)?, told };
    copies.of(&mut source.db.read()).await?;
    let (moment, missing) = settled_moment(source.db, &mut copies).await?;
    let taken_at = clock.now().shown_in(&jiff::tz::TimeZone::UTC);
    let mut list = copies.list;

    told("copying the database", list.files);
    let database = target.join(folder::DATABASE);
    drop(new_file(&database)?);
    moment.copy_to(&database)?;
    drop(moment);
    store::check(&database)?;
    list.add(&entry(target, folder::DATABASE.to_owned())?)?;

    let data_dir = whole(source.data_dir);
    for path in others(source, &data_dir)? {
        let name = path.strip_prefix(&data_dir).unwrap_or(&path);
        let Some(name) = name.to_str() else {
            return Err(Error::Unavailable(format!("the name of {} is not readable text", path.display())));
        };
        let name = format!("{FILES}/{name}");
        if copy(&path, &target.join(&name))? {
            list.add(&entry(target, name)?)?;
        }
    }
    told("making it durable", list.files);
    let missing = missing.iter().map(|key| format!("{BLOBS}/{}", key.path())).collect();
    let manifest = list.end(migration, taken_at, missing)?;
    make_durable(target)?;
    manifest.write(target)?;
    if let Some(parent) = target.parent().filter(|parent| !parent.as_os_str().is_empty()) {
        make_durable(parent)?;
    }
    Ok(manifest)
}

/// A moment of which everything is copied that it links to, and what could not be: a link that a second moment still
/// has leads to what is lost, and not to what was just replaced.
async fn settled_moment(db: &Db, copies: &mut Copies<'_>) -> Result<(Sql, HashSet<Key>)> {
    let mut before = HashSet::new();
    for _ in 0..MOST_MOMENTS {
        let mut moment = db.moment()?;
        let gone = copies.of(&mut moment).await?;
        if gone.is_subset(&before) {
            return Ok((moment, gone));
        }
        before = gone;
    }
    Err(Error::Unavailable(
        "recordings are being replaced faster than they can be copied: try again at a quieter time"
            .to_owned(),
    ))
}

struct Copies<'a> {
    blobs: &'a Blobs,
    folder: PathBuf,
    list: List,
    told: Told<'a>,
}

impl Copies<'_> {
    /// Copies everything that is linked to and not copied yet. Says what was not there.
    async fn of(&mut self, sql: &mut Sql) -> Result<HashSet<Key>> {
        let mut gone = HashSet::new();
        linked(sql, async |keys| {
            gone.extend(self.copy(keys).await?);
            Ok(())
        })
        .await?;
        Ok(gone)
    }

    async fn copy(&mut self, keys: Vec<Key>) -> Result<Vec<Key>> {
        let Self { blobs, folder, list, told } = self;
        let new = keys.into_iter().filter(|key| !folder.join(key.path()).exists());
        let copied = stream::iter(new).map(|key| async {
            let entry = match blobs.read(&key).await? {
                Some(bytes) => Some(write(folder.join(key.path()), &key, bytes).await?),
                None => None,
            };
            Ok::<_, Error>((key, entry))
        });
        let mut copied = copied.buffer_unordered(FILES_AT_ONCE);
        let mut gone = Vec::new();
        while let Some((key, entry)) = copied.try_next().await? {
            match entry {
                Some(entry) => list.add(&entry)?,
                None => gone.push(key),
            }
            told("copying recordings and pictures", list.files);
        }
        Ok(gone)
    }
}

async fn write(path: PathBuf, key: &Key, bytes: Bytes) -> Result<Entry> {
    let name = format!("{BLOBS}/{}", key.path());
    let writing = spawn_blocking(move || {
        let mut file = new_file(&path)?;
        io::Write::write_all(&mut file, &bytes).map_err(|e| cannot("write", &path, &e))?;
        Ok(Entry { path: name, digest: hex(&Sha256::digest(&bytes)), bytes: bytes.len() as u64 })
    });
    writing.await.map_err(|error| Error::Internal(error.to_string()))?
}

/// A file of the backup, read back.
fn entry(target: &Path, path: String) -> Result<Entry> {
    let file = target.join(&path);
    let (digest, bytes) = digest_of(&file).map_err(|e| cannot("read", &file, &e))?;
    Ok(Entry { path, digest, bytes })
}

/// Is it still there?
fn copy(from: &Path, to: &Path) -> Result<bool> {
    let mut file = match fs::File::open(from) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
        other => other.map_err(|e| cannot("read", from, &e))?,
    };
    io::copy(&mut file, &mut new_file(to)?).map_err(|e| cannot("copy", from, &e))?;
    Ok(true)
}

/// Files of the data folder that are neither the database nor blobs, and not what a restore or a probe has left.
fn others(source: &Source<'_>, data_dir: &Path) -> Result<Vec<PathBuf>> {
    let database = match (source.database.parent(), source.database.file_name()) {
        (Some(folder), Some(name)) => whole(folder).join(name),
        _ => source.database.to_owned(),
    };
    let blobs = source.blobs.folder().map(whole);
    let passed_over = |path: &Path| {
        folder::is_part_of(&database, path)
            || blobs.as_deref() == Some(path)
            || path == data_dir.join(BLOBS)
            || path == folder::others(data_dir)
            // A backup with the key beside what it has sealed would keep no secret.
            || path == data_dir.join(secrets::FILE)
            || path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(".endonym-"))
    };
    let mut found = Vec::new();
    let mut folders = vec![data_dir.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in entries(&folder)? {
            let path = entry.path();
            if passed_over(&path) {
                continue;
            }
            // A link to a file is followed, and one to a folder is not: it may lead anywhere.
            match (entry.file_type().is_ok_and(|kind| kind.is_dir()), path.is_file()) {
                (true, _) => folders.push(path),
                (false, true) => found.push(path),
                (false, false) => {}
            }
        }
    }
    Ok(found)
}
