//! `endonym backup`

use std::{
    io::IsTerminal,
    path::{Path, PathBuf},
    process::ExitCode,
};

use indicatif::{ProgressBar, ProgressStyle};
use serde_json::json;

use super::{Failure, Outcome, output};
use crate::{
    app::{
        Clock,
        backups::{self, Manifest, Source},
    },
    blobs::Blobs,
    config::Storage,
    store::{
        self, Db, Place,
        secrets::{FILE, Secrets},
    },
};

/// Back up everything into a new directory; the server can keep running
///
/// The backup contains a consistent snapshot of the database, the recordings and pictures that it references, the other
/// files in the data directory except secret.key, and manifest.json. A directory without manifest.json is not a complete backup. This command is
/// for SQLite; for PostgreSQL it prints the commands to run.
///
/// For example: endonym backup /mnt/backup/endonym-monday
#[derive(Debug, clap::Args)]
pub struct Backup {
    /// New or empty directory
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    /// Include the key for stored secrets (secret.key); whoever has the backup can then read stored credentials and make links
    #[arg(long)]
    with_secrets: bool,
    #[arg(long)]
    json: bool,
}

impl Backup {
    pub async fn run(&self, storage: &Storage) -> Outcome {
        let options = storage.options();
        let blobs = Blobs::open(&storage.blobs())?;
        let database = match options.place()? {
            Place::File(path) => path,
            Place::Server(url) => {
                let url = store::url_for_programs(url, options.ca_file.as_deref());
                return Err(Failure(for_postgres(&url, &blobs, &self.folder, &storage.data_dir)));
            }
        };
        if !database.is_file() {
            return Err(Failure(format!(
                "no database at {}: is --data-dir (ENDONYM_DATA_DIR) the same as the server's?",
                database.display()
            )));
        }
        let db = Db::open(&options).await?;
        let secrets = storage.secrets();
        let source = Source {
            db: &db,
            database: &database,
            blobs: &blobs,
            data_dir: &storage.data_dir,
            secrets: &secrets,
            with_secrets: self.with_secrets,
        };
        let progress = progress();
        let on_progress = |what: &'static str, files: u64| show(&progress, what, files);
        let manifest = backups::take(&source, &self.folder, &Clock::system(), &on_progress).await?;
        progress.finish_and_clear();
        for path in &manifest.missing {
            eprintln!("warning: {path} is referenced but missing, so it was not backed up");
        }
        eprintln!("note: {}", self.about_the_key(&manifest, &secrets, storage));
        let folder = self.folder.display().to_string();
        if self.json {
            output::print_json(&json!({
                "folder": folder, "taken_at": manifest.taken_at, "migration": manifest.migration,
                "files": manifest.files, "bytes": manifest.bytes, "missing": manifest.missing,
                "key": manifest.key, "with_secrets": manifest.with_secrets,
            }));
        } else {
            let (files, bytes) = (manifest.files, manifest.bytes);
            output::print_line(&format!(
                "backed up {files} files ({bytes} bytes), as of {}, to {folder}",
                manifest.taken_at
            ));
        }
        Ok(if manifest.missing.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
    }
}

impl Backup {
    /// Whether the backup has the key, and what follows.
    fn about_the_key(&self, manifest: &Manifest, secrets: &Secrets, storage: &Storage) -> String {
        let place = match secrets.is_setting() {
            true => "ENDONYM_SECRET_KEY".to_owned(),
            false => storage.data_dir.join(FILE).display().to_string(),
        };
        match (manifest.with_secrets, &manifest.key) {
            (true, _) => "this backup contains the secret key: whoever has it can read stored credentials and make links that sign in. \
                          Keep it like a password"
                .to_owned(),
            (false, None) => "there is no secret key yet, so nothing needs one".to_owned(),
            (false, Some(_)) => format!(
                "this backup does not contain the secret key ({place}). Keep a copy of it in another place: without it, a restored server \
                 cannot read stored credentials, and links that were sent do not work"
            ),
        }
    }
}

/// Only on a terminal, to keep it out of the logs of nightly backups.
pub fn progress() -> ProgressBar {
    if !std::io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::new_spinner();
    let style = ProgressStyle::with_template("{spinner} {msg}: {pos} files, {elapsed}");
    let bar = style.map(|style| bar.clone().with_style(style)).unwrap_or(bar);
    bar.enable_steady_tick(std::time::Duration::from_millis(100));
    bar
}

pub fn show(progress: &ProgressBar, what: &'static str, files: u64) {
    progress.set_message(what);
    progress.set_position(files);
}

/// `pg_dump` and `pg_restore` set things for their session.
pub const POOLER: &str =
    "If the URL leads to PgBouncer or another connection pooler, use the address of PostgreSQL itself.";

/// Without the extension: restoring it would delete what it knows of its nodes.
const ON_CITUS: &str = "--table='public.*'";

/// Recordings that are added between two steps are copied by the last one. Nothing is removed from the copy.
fn for_postgres(url: &str, blobs: &Blobs, folder: &Path, data_dir: &Path) -> String {
    let folder = folder.display();
    let copy = copying(blobs, &format!("{folder}/blobs"), true);
    format!(
        "the database is PostgreSQL, which has its own backup tool. Run these commands, in this order:\n  \
         mkdir -p -m 700 '{folder}'\n  \
         {copy}\n  \
         pg_dump --format=custom --file='{folder}/endonym.dump' --dbname='{url}'\n  \
         {copy}\n\
         The password is read from ~/.pgpass or PGPASSWORD. {POOLER} With Citus, stop all servers first, because the dump is not \
         one snapshot while they write, use the address of the coordinator, and add {ON_CITUS} to pg_dump. Recordings and pictures are copied before and after the \
         database, so that the copy contains everything that the dump references. Back up the other files in {} as well; keep secret.key, or ENDONYM_SECRET_KEY, in another place: without it, a restored server cannot read \
         stored credentials, and links that were sent do not work.",
        data_dir.display()
    )
}

/// The command that copies the blobs out of the store, or back into it. Existing files are skipped.
pub fn copying(blobs: &Blobs, elsewhere: &str, out: bool) -> String {
    let store = blobs.folder().map_or_else(|| blobs.kind(), |root| root.display().to_string());
    let (from, to) = if out { (store.as_str(), elsewhere) } else { (elsewhere, store.as_str()) };
    match blobs.folder() {
        Some(_) => format!("mkdir -p '{to}' && cp -au '{from}/.' '{to}/'"),
        None => format!("aws s3 sync '{from}' '{to}' --endpoint-url https://YOUR-S3-SERVER"),
    }
}
