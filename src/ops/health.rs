//! Health checks: is the process alive, and can it work?

use axum::{extract::State, http::StatusCode, response::Response};
use serde_json::json;

use crate::{
    app::{
        App,
        health::{self, Database},
    },
    http::{reply, service::Draining},
};

pub async fn alive() -> Response {
    reply::json(StatusCode::OK, &json!({ "status": "ok" }))
}

/// Not ready while the database is gone or behind, while recordings cannot be written or the disk is nearly full, or while
/// the server is stopping. Answered within three seconds.
pub async fn ready(State(app): State<App>, draining: Draining) -> Response {
    let (database, kept) = tokio::join!(health::database(&app), health::storage(&app));
    let (database, works) = match database {
        Database::Works => ("ok", true),
        Database::Behind => ("behind: run `endonym migrate`", false),
        Database::Gone => ("not reachable", false),
    };
    let blobs = if kept.blobs { "ok" } else { "not writable" };
    let disk = if kept.disk { "ok" } else { "nearly full" };
    let works = works && kept.blobs && kept.disk;
    let stopping = draining.is_on();
    let status = if works && !stopping { StatusCode::OK } else { StatusCode::SERVICE_UNAVAILABLE };
    let word = if stopping {
        "stopping"
    } else if works {
        "ok"
    } else {
        "not ready"
    };
    reply::json(status, &json!({ "status": word, "database": database, "blobs": blobs, "disk": disk }))
}
