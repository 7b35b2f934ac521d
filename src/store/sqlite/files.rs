//! The files of a SQLite database: permissions, journal mode, copies and checks.

use std::{
    os::unix::fs::{OpenOptionsExt, PermissionsExt},
    path::Path,
    time::Duration,
};

use rusqlite::{
    Connection, ErrorCode, OpenFlags,
    backup::{Backup, StepResult},
};

use super::{Error, Result, configure, error};

/// Only our own user may read the database. It is created with these permissions, and they are fixed if an earlier
/// version left it readable. SQLite gives `-wal` and `-shm` the same permissions.
pub(super) fn make_private(path: &Path) -> Result<()> {
    let cannot = |e: std::io::Error| Error::Unavailable(format!("cannot open {}: {e}", path.display()));
    // Never open the file just for this: closing it would release all POSIX locks that this process holds on it.
    match std::fs::OpenOptions::new().write(true).create_new(true).mode(PRIVATE).open(path) {
        Ok(_) => {}
        Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {}
        Err(error) => return Err(cannot(error)),
    }
    for ending in ["", "-wal", "-shm"] {
        let mut file = path.as_os_str().to_owned();
        file.push(ending);
        let Ok(metadata) = std::fs::metadata(&file) else { continue };
        if metadata.permissions().mode() & 0o077 != 0
            && let Err(error) = std::fs::set_permissions(&file, std::fs::Permissions::from_mode(PRIVATE))
        {
            let file = Path::new(&file).display();
            tracing::warn!(%file, %error, "the database is readable by other users, and its permissions cannot be changed");
        }
    }
    Ok(())
}

const PRIVATE: u32 = 0o600;

/// Copies everything that this connection sees to a new file, in a single step: an incremental backup restarts on
/// every write and would never finish next to a busy server. It blocks nobody; the write-ahead log grows meanwhile.
pub fn copy(connection: &Connection, target: &Path) -> Result<()> {
    make_private(target)?;
    let mut copy = Connection::open(target).map_err(error)?;
    // The caller syncs the file.
    copy.pragma_update(None, "synchronous", "off").map_err(error)?;
    let step = Backup::new(connection, &mut copy).and_then(|backup| backup.step(-1)).map_err(error)?;
    if step != StepResult::Done {
        return Err(Error::Unavailable(format!("the database could not be copied: {step:?}")));
    }
    leave_wal_mode(&copy).map_err(error)
}

/// Checkpoints a database that is not in use into a single file and removes its write-ahead log.
pub fn checkpoint(path: &Path) -> Result<()> {
    configure();
    let connection = Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_WRITE).map_err(error)?;
    leave_wal_mode(&connection).map_err(error)
}

/// Runs SQLite's integrity check.
pub fn check(path: &Path) -> Result<()> {
    configure();
    let connection = Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_ONLY).map_err(error)?;
    let says: String =
        connection.query_row("PRAGMA integrity_check(1)", [], |row| row.get(0)).map_err(error)?;
    if says == "ok" { Ok(()) } else { Err(Error::Broken(format!("{} is damaged: {says}", path.display()))) }
}

/// Leaves WAL mode, which requires that no other connection is open; those of an ending thread take a moment to
/// close.
fn leave_wal_mode(connection: &Connection) -> rusqlite::Result<()> {
    set_journal_mode(connection, "delete", 100)
}

/// Entering WAL mode needs an exclusive lock, and SQLite's busy timeout does not apply to it: processes that open a
/// new database at the same time must retry.
pub(super) fn enter_wal_mode(connection: &Connection) -> rusqlite::Result<()> {
    set_journal_mode(connection, "wal", 500)
}

fn set_journal_mode(connection: &Connection, mode: &str, times: usize) -> rusqlite::Result<()> {
    for _ in 0..times {
        match connection.pragma_update(None, "journal_mode", mode) {
            Err(error) if error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy) => {
                std::thread::sleep(Duration::from_millis(20));
            }
            other => return other,
        }
    }
    connection.pragma_update(None, "journal_mode", mode)
}
