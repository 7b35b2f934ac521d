//! `endonym restore`

use std::{path::PathBuf, process::ExitCode};

use serde_json::json;

use super::{Failure, Outcome, backup, output};
use crate::{
    app::backups::{self, KeyAfter},
    blobs::Blobs,
    config::Storage,
    store::{self, Place},
};

/// Restore a backup into the data directory; stop the server first
///
/// All checksums are verified before anything is changed. Existing data is replaced only once the new data is complete.
/// A backup from an older version is migrated.
///
/// For example: endonym restore /mnt/backup/endonym-monday --data-dir /var/lib/endonym
#[derive(Debug, clap::Args)]
pub struct Restore {
    /// Directory that `endonym backup` created
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    /// Replace existing data without asking for confirmation
    #[arg(long)]
    yes: bool,
    #[arg(long)]
    json: bool,
}

impl Restore {
    pub async fn run(&self, storage: &Storage) -> Outcome {
        let options = storage.options();
        let blobs = Blobs::open(&storage.blobs())?;
        let database = match options.place()? {
            Place::File(path) => path,
            Place::Server(url) => {
                let url = store::url_for_programs(url, options.ca_file.as_deref());
                return Err(Failure(self.for_postgres(&url, &blobs)));
            }
        };
        let restore = backups::Restore::new(&self.folder, database, &storage.data_dir, &blobs)?;
        let manifest = restore.manifest.clone();
        let data_dir = storage.data_dir.display().to_string();
        if let Some(warning) = about_the_key(restore.key_after(&storage.secrets())?, &data_dir) {
            eprintln!("warning: {warning}");
        }
        if !restore.is_empty {
            output::confirm(
                self.yes,
                &format!(
                    "{data_dir} is not empty: the backup of {} will replace the existing data.",
                    manifest.taken_at
                ),
            )?;
        }
        let progress = backup::progress();
        let on_progress = |what: &'static str, files: u64| backup::show(&progress, what, files);
        let restored = restore.run(&on_progress).await?;
        progress.finish_and_clear();
        if let Some(path) = &restored.damaged {
            eprintln!("note: the old database is unreadable; it was kept as {}", path.display());
        }
        for path in &manifest.missing {
            eprintln!("warning: {path} is referenced but missing from the backup");
        }
        if self.json {
            output::print_json(&json!({
                "data_dir": data_dir, "taken_at": manifest.taken_at, "migration": restored.migration,
                "files": manifest.files, "bytes": manifest.bytes, "missing": manifest.missing,
            }));
        } else {
            let (files, bytes) = (manifest.files, manifest.bytes);
            output::print_line(&format!(
                "restored {files} files ({bytes} bytes), as of {}, to {data_dir}",
                manifest.taken_at
            ));
        }
        Ok(ExitCode::SUCCESS)
    }

    /// Files before rows.
    fn for_postgres(&self, url: &str, blobs: &Blobs) -> String {
        let folder = self.folder.display();
        let copy = backup::copying(blobs, &format!("{folder}/blobs"), false);
        format!(
            "the database is PostgreSQL, which has its own restore tool. Stop all servers and run these commands, in this order:\n  \
             {copy}\n  \
             pg_restore --clean --if-exists --no-owner --single-transaction --dbname='{url}' '{folder}/endonym.dump'\n  \
             endonym migrate\n\
             The password is read from ~/.pgpass or PGPASSWORD. {} With Citus, use the address of the coordinator, and a database \
             that has the extension and its nodes.",
            backup::POOLER
        )
    }
}

/// What will not work after a restore, before anything is replaced.
fn about_the_key(key: KeyAfter, data_dir: &str) -> Option<String> {
    const LOST: &str = "stored credentials of learning systems and of single sign-on cannot be read and must be entered again, links in \
                        invitations and for unsubscribing that were sent do not work, and the beginning of the audit log cannot be verified";
    let mend = format!(
        "Put the secret.key of the server that was backed up into {data_dir}, or its value into ENDONYM_SECRET_KEY, before the server starts"
    );
    match key {
        KeyAfter::Right | KeyAfter::Brought { replaces: false } => None,
        KeyAfter::Brought { replaces: true } => Some(format!(
            "the backup contains a secret key, which replaces the one in {data_dir}: keep a copy of that one if anything else needs it"
        )),
        KeyAfter::Other => Some(format!(
            "the backup was made with another secret key than the one here, and does not contain it: {LOST}. {mend}"
        )),
        KeyAfter::Missing => {
            Some(format!("the backup does not contain the secret key: without it, {LOST}. {mend}"))
        }
        KeyAfter::Unknown => Some(format!(
            "the backup is from a version that does not say which secret key it needs. Without that key, {LOST}. {mend}, if it is not there"
        )),
    }
}
