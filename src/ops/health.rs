//! Liveness and readiness probes.

use axum::{extract::State, http::StatusCode, response::Response};
use serde_json::json;

use crate::{
    app::{
        App,
        health::{self, BlobsHealth, Database},
    },
    http::{reply, service::Draining},
};

pub async fn alive() -> Response {
    reply::json(StatusCode::OK, &json!({ "status": "ok" }))
}

/// Not ready while the database is unavailable or its schema is outdated, while storage is not writable or nearly
/// full, or during graceful shutdown. Ready while an S3 server does not respond: lookups work, and no other node could do more.
/// Responds within three seconds.
pub async fn ready(State(app): State<App>, draining: Draining) -> Response {
    let (database, storage) = tokio::join!(health::database(&app), health::storage(&app));
    let (database, works) = match database {
        Database::Works => ("ok", true),
        Database::Outdated => ("behind: run `endonym migrate`", false),
        Database::Unavailable => ("not reachable", false),
    };
    let blobs = match storage.blobs {
        BlobsHealth::Works => "ok",
        BlobsHealth::NoResponse => "not responding",
        BlobsHealth::NotWritable => "not writable",
    };
    let disk = if storage.disk { "ok" } else { "nearly full" };
    let works = works && storage.blobs != BlobsHealth::NotWritable && storage.disk;
    let stopping = draining.is_on();
    let status = if works && !stopping { StatusCode::OK } else { StatusCode::SERVICE_UNAVAILABLE };
    let word = if stopping {
        "stopping"
    } else if works && storage.blobs == BlobsHealth::NoResponse {
        "degraded"
    } else if works {
        "ok"
    } else {
        "not ready"
    };
    reply::json(status, &json!({ "status": word, "database": database, "blobs": blobs, "disk": disk }))
}
