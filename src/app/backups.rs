//! Backups of an installation on SQLite: a folder with one moment of the database, every file that it links to, and
//! whatever else lies in the data folder. `manifest.json` is written last: without it there is no backup.

mod manifest;
mod restore;
mod take;

use std::{
    fs::{self, File},
    io,
    path::Path,
};

pub use manifest::Manifest;
pub use restore::{Restore, Restored};
pub use take::{Source, take};

use super::{Error, Result, media::keys};
use crate::{
    blobs::{Key, Shelf},
    domain::ids::InstitutionId,
    store::{Sql, exports, institutions, media},
};

/// Inside a backup.
const BLOBS: &str = "blobs";
const FILES: &str = "files";

const LINKS_AT_ONCE: i64 = 500;
const FILES_AT_ONCE: usize = 16;

/// Hears what is being done, and how many files it has been done to.
pub type Told<'a> = &'a dyn Fn(&'static str, u64);

/// What has rows that link to blobs. Whatever comes to be kept on a shelf of its own is added here; backup and restore
/// know of nothing else.
#[derive(Clone, Copy)]
enum Linking {
    Media,
    Reports,
}

impl Linking {
    const ALL: [Self; 2] = [Self::Media, Self::Reports];

    /// The next blobs in the order of their hex, and the last hex of them.
    async fn behind(
        self,
        sql: &mut Sql,
        institution: InstitutionId,
        hex: &str,
    ) -> Result<Option<(Vec<Key>, String)>> {
        let (keys, last) = match self {
            Self::Media => {
                let group = media::all(sql, institution, hex, LINKS_AT_ONCE).await?;
                let last = group.last().map(|one| one.hex.clone());
                (group.iter().flat_map(|one| keys(institution, one)).collect(), last)
            }
            Self::Reports => {
                let group = exports::all_parts(sql, institution, hex, LINKS_AT_ONCE).await?;
                let last = group.last().cloned();
                let key = |hex: String| Key { shelf: Shelf::Exports, institution, hex };
                (group.into_iter().map(key).collect(), last)
            }
        };
        Ok(last.map(|last| (keys, last)))
    }
}

/// Gives every blob that a row of this database links to, a group at a time.
async fn linked(sql: &mut Sql, mut each: impl AsyncFnMut(Vec<Key>) -> Result<()>) -> Result<()> {
    for institution in institutions::all(sql).await? {
        for linking in Linking::ALL {
            let mut behind = String::new();
            while let Some((keys, last)) = linking.behind(sql, institution.id, &behind).await? {
                behind = last;
                each(keys).await?;
            }
        }
    }
    Ok(())
}

fn cannot(what: &str, path: &Path, error: &io::Error) -> Error {
    Error::Unavailable(format!("cannot {what} {}: {error}", path.display()))
}

/// A new file that is for nobody else.
fn new_file(path: &Path) -> Result<File> {
    use std::os::unix::fs::OpenOptionsExt;
    if let Some(folder) = path.parent() {
        new_folder(folder)?;
    }
    let made = File::options().write(true).create_new(true).mode(0o600).open(path);
    made.map_err(|e| cannot("make", path, &e))
}

fn new_folder(path: &Path) -> Result<()> {
    use std::os::unix::fs::DirBuilderExt;
    let made = fs::DirBuilder::new().recursive(true).mode(0o700).create(path);
    made.map_err(|e| cannot("make the folder", path, &e))
}

/// Everything that was written to the file system of this folder, at once.
fn make_durable(folder: &Path) -> Result<()> {
    let synced = File::open(folder).and_then(|opened| Ok(rustix::fs::syncfs(&opened)?));
    synced.map_err(|e| cannot("make durable what is in", folder, &e))
}

/// What a folder has that somebody put there; a file system of its own comes with a `lost+found`.
fn entries(folder: &Path) -> Result<Vec<fs::DirEntry>> {
    let all = fs::read_dir(folder).and_then(Iterator::collect::<io::Result<Vec<_>>>);
    let mut all = all.map_err(|e| cannot("look into", folder, &e))?;
    all.retain(|entry| entry.file_name() != "lost+found");
    Ok(all)
}
