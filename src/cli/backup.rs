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
        backups::{self, Source},
    },
    blobs::Blobs,
    config::Storage,
    store::{self, Db, Place},
};

/// Back up everything into a new folder, while the server runs
///
/// The folder gets the database as it was at one moment, the recordings and pictures that it links to, the other files
/// of the data folder, and manifest.json, without which a backup is not complete. This is for SQLite; for PostgreSQL it
/// says what to use.
///
/// For example: endonym backup /mnt/backup/endonym-monday
#[derive(Debug, clap::Args)]
pub struct Backup {
    /// New or empty folder
    #[arg(value_name = "DIR")]
    folder: PathBuf,
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
                return Err(Failure(for_postgres(url, &blobs, &self.folder, &storage.data_dir)));
            }
        };
        if !database.is_file() {
            return Err(Failure(format!(
                "there is no database at {}: is --data-dir (ENDONYM_DATA_DIR) that of the server?",
                database.display()
            )));
        }
        let db = Db::open(&options).await?;
        let source = Source { db: &db, database: &database, blobs: &blobs, data_dir: &storage.data_dir };
        let progress = progress();
        let told = |what: &'static str, files: u64| show(&progress, what, files);
        let manifest = backups::take(&source, &self.folder, &Clock::system(), &told).await?;
        progress.finish_and_clear();
        for path in &manifest.missing {
            eprintln!("warning: {path} is linked to and was not there to be backed up");
        }
        let folder = self.folder.display().to_string();
        if self.json {
            output::print_json(&json!({
                "folder": folder, "taken_at": manifest.taken_at, "migration": manifest.migration,
                "files": manifest.files, "bytes": manifest.bytes, "missing": manifest.missing,
            }));
        } else {
            let (files, bytes) = (manifest.files, manifest.bytes);
            output::print_line(&format!(
                "{files} files with {bytes} bytes, as of {}, in {folder}",
                manifest.taken_at
            ));
        }
        Ok(if manifest.missing.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
    }
}

/// On a terminal; a log of a nightly backup needs none.
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

/// A recording that comes between two steps is brought by the last one; nothing is ever removed from the copy.
fn for_postgres(url: &str, blobs: &Blobs, folder: &Path, data_dir: &Path) -> String {
    let url = store::without_password(url);
    let folder = folder.display();
    let copy = copying(blobs, &format!("{folder}/blobs"), true);
    format!(
        "the database is PostgreSQL, which has a tool for this. In this order:\n  \
         mkdir -p -m 700 '{folder}'\n  \
         {copy}\n  \
         pg_dump --format=custom --file='{folder}/endonym.dump' --dbname='{url}'\n  \
         {copy}\n\
         The password comes from ~/.pgpass or PGPASSWORD. Recordings and pictures are copied before the database and \
         again after it, so that all that it links to is there. Save the other files of {} too.",
        data_dir.display()
    )
}

/// The command that copies the files of the store out of it, or back into it: what is there already is passed over.
pub fn copying(blobs: &Blobs, elsewhere: &str, out: bool) -> String {
    let store = blobs.folder().map_or_else(|| blobs.kind(), |root| root.display().to_string());
    let (from, to) = if out { (store.as_str(), elsewhere) } else { (elsewhere, store.as_str()) };
    match blobs.folder() {
        Some(_) => format!("mkdir -p '{to}' && cp -au '{from}/.' '{to}/'"),
        None => format!("aws s3 sync '{from}' '{to}' --endpoint-url https://YOUR-S3-SERVER"),
    }
}
