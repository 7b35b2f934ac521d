//! The folder of a SQLite database: who is using it, and how a restore puts another in its place.
//!
//! Every process that opens the database holds a shared lock on a file beside it, and a restore an exclusive one. The
//! kernel gives a lock back when its process ends, however it ends.

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

/// That we are here, until this is dropped.
pub struct Here(#[allow(dead_code, reason = "the lock lives as long as the file is open")] File);

impl Here {
    /// As one of many.
    pub fn with_others(database: &Path) -> Result<Self> {
        let file = lock_file(database)?;
        match file.try_lock_shared() {
            Ok(()) => Ok(Self(file)),
            Err(TryLockError::WouldBlock) => Err(Error::Unavailable(format!(
                "{} is being restored; try again once that has ended",
                database.display()
            ))),
            Err(TryLockError::Error(error)) => Err(cannot("lock", &beside(database, LOCK), &error)),
        }
    }

    /// `None` when somebody else is here.
    pub fn alone(database: &Path) -> Result<Option<Self>> {
        let file = lock_file(database)?;
        match file.try_lock() {
            Ok(()) => Ok(Some(Self(file))),
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(error)) => Err(cannot("lock", &beside(database, LOCK), &error)),
        }
    }
}

/// Makes a folder for the user that runs us alone, unless it is there: it holds people's data.
pub fn create(folder: &Path) -> io::Result<()> {
    fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)
}

/// The name of the database in a data folder, and in a backup.
pub const DATABASE: &str = "endonym.sqlite3";
const LOCK: &str = ".lock";
/// Where a restore has the database ready. While it is there, the old one is still in its place.
const COMING: &str = ".restoring";
/// Where a restore has the other files ready, in the data folder.
const OTHERS: &str = ".restored-files";

/// A file beside the database that has its name and this ending.
fn beside(database: &Path, ending: &str) -> PathBuf {
    let mut name = OsString::from(database);
    name.push(ending);
    PathBuf::from(name)
}

/// The folder in which the database of a restore is made ready, under the name that it has in every data folder.
pub fn coming(database: &Path) -> PathBuf {
    beside(database, COMING)
}

/// Does the database of a restore lie ready, and the old one is still in its place?
pub fn is_coming(database: &Path) -> bool {
    coming(database).join(DATABASE).exists()
}

pub fn others(data_dir: &Path) -> PathBuf {
    data_dir.join(OTHERS)
}

/// The database, or something beside it that SQLite or we have made.
pub fn is_part_of(database: &Path, path: &Path) -> bool {
    let starts =
        |name: &OsStr| path.file_name().is_some_and(|its| its.as_bytes().starts_with(name.as_bytes()));
    path.parent() == database.parent() && database.file_name().is_some_and(starts)
}

pub fn is_lock(database: &Path, path: &Path) -> bool {
    path == beside(database, LOCK)
}

fn lock_file(database: &Path) -> Result<File> {
    let path = beside(database, LOCK);
    if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        // Only for the user that runs us: it holds people's data.
        let made = fs::DirBuilder::new().recursive(true).mode(0o700).create(folder);
        made.map_err(|e| Error::Unavailable(format!("cannot make the folder {}: {e}", folder.display())))?;
    }
    let opened = File::options().write(true).create(true).truncate(false).mode(0o600).open(&path);
    opened.map_err(|e| cannot("open", &path, &e))
}

fn cannot(what: &str, path: &Path, error: &io::Error) -> Error {
    Error::Unavailable(format!("cannot {what} {}: {error}", path.display()))
}

/// Puts what lies ready in the place of what is there. One rename decides: before it everything is as it was, and after
/// it the new data is there, whatever is cut short. Only for whoever is alone here. Says where a database that could not
/// be read was moved to.
pub fn replace(database: &Path, data_dir: &Path) -> Result<Option<PathBuf>> {
    let damaged = clear(database)?;
    let ready = coming(database).join(DATABASE);
    fs::rename(&ready, database).map_err(|e| cannot("rename", &ready, &e))?;
    sync(database.parent())?;
    finish_restore(database, data_dir)?;
    Ok(damaged)
}

/// The old database in one file: its log would be taken for that of the new one. One that cannot be read is moved aside
/// with its log.
fn clear(database: &Path) -> Result<Option<PathBuf>> {
    let there = |path: &Path| path.symlink_metadata().is_ok();
    if there(database) {
        match super::settle(database) {
            Ok(()) => return Ok(None),
            // Another program has it open, or it is not ours to read.
            Err(error @ Error::Unavailable(_)) => return Err(error),
            Err(_) => {}
        }
    }
    let aside = beside(database, ".damaged");
    let mut moved = None;
    for ending in ["-wal", "-shm", "-journal", ""] {
        let old = beside(database, ending);
        if there(&old) {
            fs::rename(&old, beside(&aside, ending)).map_err(|e| cannot("rename", &old, &e))?;
            moved = Some(aside.clone());
        }
    }
    Ok(moved)
}

/// Files that belong to the new database and lay ready when it came. Whoever opens it next goes on where a restore was
/// cut short; twice at once does no harm.
pub fn finish_restore(database: &Path, data_dir: &Path) -> Result<()> {
    let (coming, others) = (coming(database), others(data_dir));
    if is_coming(database) {
        return Ok(());
    }
    let gone = |done: io::Result<()>, folder: &Path| match done {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(cannot("clear", folder, &error)),
        _ => Ok(()),
    };
    if others.is_dir() {
        gone(move_all(&others, data_dir).and_then(|()| fs::remove_dir_all(&others)), &others)?;
        sync(Some(data_dir))?;
    }
    if coming.is_dir() { gone(fs::remove_dir_all(&coming), &coming) } else { Ok(()) }
}

/// Takes away what a restore that was cut short has made ready, in an order that never lets it look finished.
pub fn forget_restore(database: &Path, data_dir: &Path) -> Result<()> {
    for folder in [others(data_dir), coming(database)] {
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
