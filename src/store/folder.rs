//! The folder of a SQLite database: locking, and replacing its contents in a restore.
//!
//! Every process that opens the database holds a shared lock on a file next to it; a restore holds an exclusive lock.
//! The kernel releases a lock when its process ends, however it ends.

use std::{
    ffi::{OsStr, OsString},
    fs::{self, File, TryLockError},
    io::{self, ErrorKind},
    os::unix::{
        ffi::OsStrExt,
        fs::{DirBuilderExt, OpenOptionsExt},
    },
    path::{Path, PathBuf},
};

use super::{Error, Result};

/// A lock on the folder, held until dropped.
pub struct FolderLock(#[allow(dead_code, reason = "the lock lives as long as the file is open")] File);

impl FolderLock {
    /// Acquires a shared lock.
    pub fn shared(database: &Path) -> Result<Self> {
        let file = lock_file(database)?;
        match file.try_lock_shared() {
            Ok(()) => Ok(Self(file)),
            Err(TryLockError::WouldBlock) => Err(Error::Unavailable(format!(
                "{} is being restored; try again once that has ended",
                database.display()
            ))),
            Err(TryLockError::Error(error)) => Err(cannot("lock", &sibling(database, LOCK), &error)),
        }
    }

    /// Acquires the exclusive lock; `None` if another process uses the folder.
    pub fn exclusive(database: &Path) -> Result<Option<Self>> {
        let file = lock_file(database)?;
        match file.try_lock() {
            Ok(()) => Ok(Some(Self(file))),
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(error)) => Err(cannot("lock", &sibling(database, LOCK), &error)),
        }
    }
}

/// Creates a folder that only our own user can access: it contains personal data.
pub fn create(folder: &Path) -> io::Result<()> {
    fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)
}

/// The name of the database in a data folder and in a backup.
pub const DATABASE: &str = "endonym.sqlite3";
const LOCK: &str = ".lock";
/// Where a restore stages the database. While it exists, the old database is still in place.
const STAGING: &str = ".restoring";
/// Where a restore stages the other files, in the data folder.
const STAGED_FILES: &str = ".restored-files";

/// A file next to the database, with its name and this suffix.
fn sibling(database: &Path, ending: &str) -> PathBuf {
    let mut name = OsString::from(database);
    name.push(ending);
    PathBuf::from(name)
}

/// The folder in which a restore stages the database, under its usual name.
pub fn staging(database: &Path) -> PathBuf {
    sibling(database, STAGING)
}

/// Is a restored database staged and not yet in place?
pub fn is_staged(database: &Path) -> bool {
    staging(database).join(DATABASE).exists()
}

pub fn staged_files(data_dir: &Path) -> PathBuf {
    data_dir.join(STAGED_FILES)
}

/// Is this the database, or a file next to it that SQLite or a restore created?
pub fn is_part_of(database: &Path, path: &Path) -> bool {
    let starts =
        |name: &OsStr| path.file_name().is_some_and(|its| its.as_bytes().starts_with(name.as_bytes()));
    path.parent() == database.parent() && database.file_name().is_some_and(starts)
}

pub fn is_lock(database: &Path, path: &Path) -> bool {
    path == sibling(database, LOCK)
}

fn lock_file(database: &Path) -> Result<File> {
    let path = sibling(database, LOCK);
    if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        // Only for our own user: it contains personal data.
        let made = fs::DirBuilder::new().recursive(true).mode(0o700).create(folder);
        made.map_err(|e| Error::Unavailable(format!("cannot create the folder {}: {e}", folder.display())))?;
    }
    let opened = File::options().write(true).create(true).truncate(false).mode(0o600).open(&path);
    opened.map_err(|e| cannot("open", &path, &e))
}

fn cannot(what: &str, path: &Path, error: &io::Error) -> Error {
    Error::Unavailable(format!("cannot {what} {}: {error}", path.display()))
}

/// Replaces the database with the staged one. A single rename commits: a crash before it leaves the old data, a crash
/// after it the new. Requires the exclusive lock. Returns where an unreadable old database was moved to.
pub fn replace(database: &Path, data_dir: &Path) -> Result<Option<PathBuf>> {
    let damaged = clear(database)?;
    let ready = staging(database).join(DATABASE);
    fs::rename(&ready, database).map_err(|e| cannot("rename", &ready, &e))?;
    sync(database.parent())?;
    finish_restore(database, data_dir)?;
    Ok(damaged)
}

/// Checkpoints the old database into one file, since its log would be taken for that of the new one. An unreadable
/// database is moved aside with its log.
fn clear(database: &Path) -> Result<Option<PathBuf>> {
    let there = |path: &Path| path.symlink_metadata().is_ok();
    if there(database) {
        match super::checkpoint(database) {
            Ok(()) => return Ok(None),
            // Another process has it open, or we lack permission.
            Err(error @ Error::Unavailable(_)) => return Err(error),
            Err(_) => {}
        }
    }
    let aside = sibling(database, ".damaged");
    let mut moved = None;
    for ending in ["-wal", "-shm", "-journal", ""] {
        let old = sibling(database, ending);
        if there(&old) {
            fs::rename(&old, sibling(&aside, ending)).map_err(|e| cannot("rename", &old, &e))?;
            moved = Some(aside.clone());
        }
    }
    Ok(moved)
}

/// Moves the staged files of the new database into place. The next process that opens the database completes an
/// interrupted restore; doing it concurrently is harmless.
pub fn finish_restore(database: &Path, data_dir: &Path) -> Result<()> {
    let (staging, files) = (staging(database), staged_files(data_dir));
    if is_staged(database) {
        return Ok(());
    }
    let gone = |done: io::Result<()>, folder: &Path| match done {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(cannot("clear", folder, &error)),
        _ => Ok(()),
    };
    if files.is_dir() {
        gone(move_all(&files, data_dir).and_then(|()| fs::remove_dir_all(&files)), &files)?;
        sync(Some(data_dir))?;
    }
    if staging.is_dir() { gone(fs::remove_dir_all(&staging), &staging) } else { Ok(()) }
}

/// Removes what an interrupted restore has staged, in an order in which it never looks complete.
pub fn discard_restore(database: &Path, data_dir: &Path) -> Result<()> {
    for folder in [staged_files(data_dir), staging(database)] {
        match fs::remove_dir_all(&folder) {
            Err(error) if error.kind() != ErrorKind::NotFound => {
                return Err(cannot("remove", &folder, &error));
            }
            _ => {}
        }
    }
    Ok(())
}

fn move_all(from: &Path, to: &Path) -> io::Result<()> {
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            fs::DirBuilder::new().recursive(true).mode(0o700).create(&target)?;
            move_all(&entry.path(), &target)?;
        } else {
            fs::rename(entry.path(), target)?;
        }
    }
    File::open(to)?.sync_all()
}

fn sync(folder: Option<&Path>) -> Result<()> {
    let folder = folder.filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    File::open(folder).and_then(|opened| opened.sync_all()).map_err(|e| cannot("sync", folder, &e))
}
