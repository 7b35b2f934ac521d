//! Health checks: is the process alive, and can it work?

use axum::{extract::State, http::StatusCode, response::Response};
use serde_json::json;

use crate::{api::face, app::App, server::Draining, store::migrations};

pub async fn alive() -> Response {
    face::json(StatusCode::OK, &json!({ "status": "ok" }))
}

/// Not ready while the database is gone or behind, or while the server is stopping.
pub async fn ready(State(app): State<App>, draining: Draining) -> Response {
    let version = migrations::version(&app.db).await;
    let (database, works) = match version {
        Ok(version) if version >= migrations::NEWEST => ("ok", true),
        Ok(_) => ("behind: run `endonym migrate`", false),
        Err(_) => ("not reachable", false),
    };
    let stopping = draining.is_on();
    let status = if works && !stopping { StatusCode::OK } else { StatusCode::SERVICE_UNAVAILABLE };
    let word = if stopping {
        "stopping"
    } else if works {
        "ok"
    } else {
        "not ready"
    };
    face::json(status, &json!({ "status": word, "database": database }))
}
