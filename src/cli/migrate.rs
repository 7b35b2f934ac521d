//! `endonym migrate`

use std::process::ExitCode;

use super::{Outcome, output};
use crate::{
    config::Storage,
    store::{Db, migrations},
};

/// Migrate the database schema to the version of this binary
///
/// SQLite databases are migrated automatically on every start. For PostgreSQL, run this command before you start the new version. With
/// Citus, use the URL of the coordinator: this command also distributes the tables.
#[derive(Debug, clap::Args)]
pub struct Migrate {}

impl Migrate {
    pub async fn run(&self, storage: &Storage) -> Outcome {
        let db = Db::open(&storage.options()).await?;
        let before = migrations::version(&db).await?;
        let now = migrations::migrate(&db).await?;
        output::print_line(&if before == now {
            format!("{}: the database is already at version {now}", db.kind())
        } else {
            format!("{}: migrated from version {before} to {now}", db.kind())
        });
        Ok(ExitCode::SUCCESS)
    }
}
