//! Can we work?

use super::App;
use crate::store::migrations;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Database {
    Works,
    /// Its shape is older than this binary.
    Behind,
    Gone,
}

pub async fn database(app: &App) -> Database {
    match migrations::version(&app.db).await {
        Ok(version) if version >= migrations::NEWEST => Database::Works,
        Ok(_) => Database::Behind,
        Err(_) => Database::Gone,
    }
}

/// Looks at what is only known when somebody asks, for the figures.
pub fn measure(app: &App) {
    app.db.measure();
}
