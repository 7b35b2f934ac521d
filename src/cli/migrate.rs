//! `endonym migrate`

use std::process::ExitCode;

use super::{Outcome, output};
use crate::{
    config::Storage,
    store::{Db, migrations},
};

/// Bring the database to the shape that this binary knows
///
/// SQLite is migrated at every start by itself; PostgreSQL only by this command, before the new version serves.
#[derive(Debug, clap::Args)]
pub struct Migrate {}

impl Migrate {
    pub async fn run(&self, storage: &Storage) -> Outcome {
        let db = Db::open(&storage.options()).await?;
        let before = migrations::version(&db).await?;
        let now = migrations::migrate(&db).await?;
        output::print_line(&if before == now {
            format!("{}: nothing to do, the database is at version {now}", db.kind())
        } else {
            format!("{}: from version {before} to {now}", db.kind())
        });
        Ok(ExitCode::SUCCESS)
    }
}
