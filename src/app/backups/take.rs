//! Taking a backup while the server runs.
//!
//! A replaced recording loses its blob at once, so a snapshot may reference blobs that are gone before they are
//! copied. Therefore almost everything is copied before the snapshot is taken, which leaves only recent blobs. If
//! some of those are gone, another snapshot is taken. The database itself is copied last, from that snapshot.

use std::{
    collections::HashSet,
    fs, io,
    path::{Path, PathBuf},
};

use bytes::Bytes;
use futures_util::{StreamExt, TryStreamExt, stream};
use sha2::{Digest, Sha256};

use super::{
    BLOBS, CONCURRENT_FILES, FILES, Manifest, ProgressFn, Result, cannot, each_linked_blob, entries,
    manifest::{Entry, KeyKept, LIST, List, digest_of},
    new_file, new_folder, sync_filesystem,
};
use crate::{
    app::{Clock, Error},
    blobs::{Blobs, Key},
    domain::digest::hex,
    store::{
        self, Db, Sql, folder, migrations,
        secrets::{self, Secrets},
    },
    tasks,
};

/// What is backed up.
pub struct Source<'a> {
    pub db: &'a Db,
    /// The database file.
    pub database: &'a Path,
    pub blobs: &'a Blobs,
    pub data_dir: &'a Path,
    pub secrets: &'a Secrets,
    /// Is the key for stored secrets backed up, too, if it is in the data folder?
    pub with_secrets: bool,
}

/// More attempts would be needed only if recordings were repeatedly replaced within milliseconds.
const MAX_SNAPSHOTS: usize = 100;

/// Writes to a new or empty folder, and removes what it has written if it fails.
pub async fn take(
    source: &Source<'_>,
    target: &Path,
    clock: &Clock,
    progress: ProgressFn<'_>,
) -> Result<Manifest> {
    let migration = migrations::version(source.db).await?;
    if migration != migrations::NEWEST {
        return Err(Error::Unavailable(format!(
            "the database is at version {migration}, and this binary knows {}: back it up with the endonym that serves \
             it, or run `endonym migrate` first",
            migrations::NEWEST
        )));
    }
    let is_new = prepare(source, target)?;
    let taken = fill(source, target, migration, clock, progress).await;
    if taken.is_err() {
        clear(target, is_new);
    }
    taken
}

/// Returns whether the folder is new.
fn prepare(source: &Source<'_>, target: &Path) -> Result<bool> {
    let is_new = !target.exists();
    new_folder(target)?;
    let inside = [Some(source.data_dir), source.blobs.folder()]
        .into_iter()
        .flatten()
        .find(|folder| canonical(target).starts_with(canonical(folder)));
    let refusal = match inside {
        Some(folder) => Some(format!(
            "{} is inside {}, which is backed up: choose another folder, preferably on another disk",
            target.display(),
            folder.display()
        )),
        None if entries(target)?.is_empty() => None,
        None => Some(format!(
            "{} is not empty: a backup needs a new or empty folder{}",
            target.display(),
            if target.join(LIST).exists() { "; this one contains a complete or partial backup" } else { "" }
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

/// A canonical path for comparisons.
fn canonical(path: &Path) -> PathBuf {
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
    progress: ProgressFn<'_>,
) -> Result<Manifest> {
    let mut copies =
        Copies { blobs: source.blobs, folder: target.join(BLOBS), list: List::new(target)?, progress };
    copies.copy_linked(&mut source.db.read()).await?;
    let (snapshot, missing) = consistent_snapshot(source.db, &mut copies).await?;
    let taken_at = clock.now().shown_in(&jiff::tz::TimeZone::UTC);
    let mut list = copies.list;

    progress("copying the database", list.files);
    let database = target.join(folder::DATABASE);
    drop(new_file(&database)?);
    snapshot.copy_to(&database)?;
    drop(snapshot);
    store::check(&database)?;
    list.add(&entry(target, folder::DATABASE.to_owned())?)?;

    let data_dir = canonical(source.data_dir);
    for path in others(source, &data_dir)? {
        let name = path.strip_prefix(&data_dir).unwrap_or(&path);
        let Some(name) = name.to_str() else {
            return Err(Error::Unavailable(format!("the name of {} is not valid UTF-8", path.display())));
        };
        let name = format!("{FILES}/{name}");
        if copy(&path, &target.join(&name))? {
            list.add(&entry(target, name)?)?;
        }
    }
    progress("syncing to disk", list.files);
    let missing = missing.iter().map(|key| format!("{BLOBS}/{}", key.path())).collect();
    let with_secrets = source.with_secrets && !source.secrets.is_setting() && source.secrets.is_there();
    let kept = KeyKept { key: source.secrets.kid()?, with_secrets };
    let manifest = list.end(migration, taken_at, missing, kept)?;
    sync_filesystem(target)?;
    manifest.write(target)?;
    if let Some(parent) = target.parent().filter(|parent| !parent.as_os_str().is_empty()) {
        sync_filesystem(parent)?;
    }
    Ok(manifest)
}

/// A snapshot whose blobs are all copied, and the missing ones: a blob that is missing in two snapshots is lost, not
/// just replaced.
async fn consistent_snapshot(db: &Db, copies: &mut Copies<'_>) -> Result<(Sql, HashSet<Key>)> {
    let mut before = HashSet::new();
    for _ in 0..MAX_SNAPSHOTS {
        let mut snapshot = db.snapshot()?;
        let gone = copies.copy_linked(&mut snapshot).await?;
        if gone.is_subset(&before) {
            return Ok((snapshot, gone));
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
    progress: ProgressFn<'a>,
}

impl Copies<'_> {
    /// Copies all referenced blobs that are not copied yet. Returns the missing ones.
    async fn copy_linked(&mut self, sql: &mut Sql) -> Result<HashSet<Key>> {
        let mut gone = HashSet::new();
        each_linked_blob(sql, async |keys| {
            gone.extend(self.copy(keys).await?);
            Ok(())
        })
        .await?;
        Ok(gone)
    }

    async fn copy(&mut self, keys: Vec<Key>) -> Result<Vec<Key>> {
        let Self { blobs, folder, list, progress } = self;
        let new = keys.into_iter().filter(|key| !folder.join(key.path()).exists());
        let copied = stream::iter(new).map(|key| async {
            let entry = match blobs.read(&key).await? {
                Some(bytes) => Some(write(folder.join(key.path()), &key, bytes).await?),
                None => None,
            };
            Ok::<_, Error>((key, entry))
        });
        let mut copied = copied.buffer_unordered(CONCURRENT_FILES);
        let mut gone = Vec::new();
        while let Some((key, entry)) = copied.try_next().await? {
            match entry {
                Some(entry) => list.add(&entry)?,
                None => gone.push(key),
            }
            progress("copying recordings and photos", list.files);
        }
        Ok(gone)
    }
}

async fn write(path: PathBuf, key: &Key, bytes: Bytes) -> Result<Entry> {
    let name = format!("{BLOBS}/{}", key.path());
    let writing = tasks::spawn_blocking(move || {
        let mut file = new_file(&path)?;
        io::Write::write_all(&mut file, &bytes).map_err(|e| cannot("write", &path, &e))?;
        Ok(Entry { path: name, digest: hex(&Sha256::digest(&bytes)), bytes: bytes.len() as u64 })
    });
    writing.await.map_err(|error| Error::Internal(error.to_string()))?
}

/// The list entry of a copied file, from its contents.
fn entry(target: &Path, path: String) -> Result<Entry> {
    let file = target.join(&path);
    let (digest, bytes) = digest_of(&file).map_err(|e| cannot("read", &file, &e))?;
    Ok(Entry { path, digest, bytes })
}

/// Returns false if the file no longer exists.
fn copy(from: &Path, to: &Path) -> Result<bool> {
    let mut file = match fs::File::open(from) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
        other => other.map_err(|e| cannot("read", from, &e))?,
    };
    io::copy(&mut file, &mut new_file(to)?).map_err(|e| cannot("copy", from, &e))?;
    Ok(true)
}

/// Files of the data folder other than the database, blobs, and leftovers of restores and probes.
fn others(source: &Source<'_>, data_dir: &Path) -> Result<Vec<PathBuf>> {
    let database = match (source.database.parent(), source.database.file_name()) {
        (Some(folder), Some(name)) => canonical(folder).join(name),
        _ => source.database.to_owned(),
    };
    let blobs = source.blobs.folder().map(canonical);
    let is_excluded = |path: &Path| {
        folder::is_part_of(&database, path)
            || blobs.as_deref() == Some(path)
            || path == data_dir.join(BLOBS)
            || path == folder::staged_files(data_dir)
            // A backup that contains the key along with the encrypted secrets protects nothing.
            || (!source.with_secrets
                && [secrets::FILE, secrets::OLD_FILE].iter().any(|name| path == data_dir.join(name)))
            || path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(".endonym-"))
    };
    let mut found = Vec::new();
    let mut folders = vec![data_dir.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in entries(&folder)? {
            let path = entry.path();
            if is_excluded(&path) {
                continue;
            }
            // Follows links to files, but not to folders, which may lead anywhere.
            match (entry.file_type().is_ok_and(|kind| kind.is_dir()), path.is_file()) {
                (true, _) => folders.push(path),
                (false, true) => found.push(path),
                (false, false) => {}
            }
        }
    }
    Ok(found)
}
