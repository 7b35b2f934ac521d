//! Backups of an installation on SQLite: a folder with a snapshot of the database, all blobs that it references, and
//! the other files of the data folder. `manifest.json` is written last: without it the backup is incomplete.

mod manifest;
mod restore;
mod take;

use std::{
    fs::{self, File},
    io,
    path::Path,
};

pub use manifest::Manifest;
pub use restore::{KeyAfter, Restore, Restored};
pub use take::{Source, take};

use super::{Error, Result, media::keys};
use crate::{
    blobs::{Key, Shelf},
    domain::ids::InstitutionId,
    store::{Sql, exports, institutions, media},
};

/// Subfolders of a backup.
const BLOBS: &str = "blobs";
const FILES: &str = "files";

const LINK_BATCH: i64 = 500;
const CONCURRENT_FILES: usize = 16;

/// Called with the current step and the number of files done so far.
pub type ProgressFn<'a> = &'a dyn Fn(&'static str, u64);

/// Tables that reference blobs. A new table with blobs must be added here; backup and restore look nowhere else.
#[derive(Clone, Copy)]
enum BlobSource {
    Media,
    Reports,
}

impl BlobSource {
    const ALL: [Self; 2] = [Self::Media, Self::Reports];

    /// The next blobs in hex order, and the last hex among them.
    async fn after(
        self,
        sql: &mut Sql,
        institution: InstitutionId,
        hex: &str,
    ) -> Result<Option<(Vec<Key>, String)>> {
        let (keys, last) = match self {
            Self::Media => {
                let group = media::all(sql, institution, hex, LINK_BATCH).await?;
                let last = group.last().map(|one| one.hex.clone());
                (group.iter().flat_map(|one| keys(institution, one)).collect(), last)
            }
            Self::Reports => {
                let group = exports::all_parts(sql, institution, hex, LINK_BATCH).await?;
                let last = group.last().cloned();
                let key = |hex: String| Key { shelf: Shelf::Exports, institution, hex };
                (group.into_iter().map(key).collect(), last)
            }
        };
        Ok(last.map(|last| (keys, last)))
    }
}

/// Calls `each` with every blob that a row of this database references, in groups.
async fn each_linked_blob(sql: &mut Sql, mut each: impl AsyncFnMut(Vec<Key>) -> Result<()>) -> Result<()> {
    for institution in institutions::all(sql).await? {
        for source in BlobSource::ALL {
            let mut after = String::new();
            while let Some((keys, last)) = source.after(sql, institution.id, &after).await? {
                after = last;
                each(keys).await?;
            }
        }
    }
    Ok(())
}

fn cannot(what: &str, path: &Path, error: &io::Error) -> Error {
    Error::Unavailable(format!("cannot {what} {}: {error}", path.display()))
}

/// Creates a file that only our own user can read.
fn new_file(path: &Path) -> Result<File> {
    use std::os::unix::fs::OpenOptionsExt;
    if let Some(folder) = path.parent() {
        new_folder(folder)?;
    }
    let made = File::options().write(true).create_new(true).mode(0o600).open(path);
    made.map_err(|e| cannot("create", path, &e))
}

fn new_folder(path: &Path) -> Result<()> {
    use std::os::unix::fs::DirBuilderExt;
    let made = fs::DirBuilder::new().recursive(true).mode(0o700).create(path);
    made.map_err(|e| cannot("create the folder", path, &e))
}

/// Syncs the file system that contains this folder.
fn sync_filesystem(folder: &Path) -> Result<()> {
    let synced = File::open(folder).and_then(|opened| Ok(rustix::fs::syncfs(&opened)?));
    synced.map_err(|e| cannot("sync the file system of", folder, &e))
}

/// The entries of a folder, without the `lost+found` of a mount point.
fn entries(folder: &Path) -> Result<Vec<fs::DirEntry>> {
    let all = fs::read_dir(folder).and_then(Iterator::collect::<io::Result<Vec<_>>>);
    let mut all = all.map_err(|e| cannot("list", folder, &e))?;
    all.retain(|entry| entry.file_name() != "lost+found");
    Ok(all)
}
