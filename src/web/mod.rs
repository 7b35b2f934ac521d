//! The pages that people see, the health checks, and the router that joins everything.

mod assets;
mod badge;
mod docs;
mod files;
mod health;
mod page;
mod player;
mod vcard;

use axum::{Router, routing::get};

use crate::{api, app::App, server::Draining};

pub fn router(app: App, draining: Draining) -> Router {
    Router::new()
        .route("/", get(page::home))
        .route("/docs", get(docs::newest))
        .route("/docs/{version}", get(docs::of_version))
        .route("/players/{institution}/{token}", get(player::show).options(player::preflight))
        .route("/badges/{institution}/{token}", get(badge::show))
        .route("/audio/{institution}/{file}", get(files::audio).options(files::preflight))
        .route("/photos/{institution}/{file}", get(files::photo).options(files::preflight))
        .route("/healthz", get(health::alive))
        .route("/readyz", get(move |state| health::ready(state, draining)))
        .merge(assets::routes())
        .merge(api::routes())
        .fallback(page::unknown)
        .with_state(app)
}
