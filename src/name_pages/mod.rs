//! Name pages on the web: registering, one's own entry, listening, and what managers do.
//!
//! A handler takes `Visit` or, for managers, `Managed` (`visit.rs`). A form needs `OwnForm` or, before signing in, `VisitorForm`, too.

mod details;
mod own;
mod page;
mod poster;
mod register;
mod visit;

use axum::{
    Router,
    routing::{get, post},
};

use crate::{app::App, http::notice};
pub use notice::refuse;

pub fn routes() -> Router<App> {
    Router::new()
        .route("/p/{slug}", get(page::show).post(page::ask))
        .route("/p/{slug}/code", get(page::code))
        .route("/p/{slug}/register", get(register::form).post(register::send))
        .route("/p/{slug}/own", get(own::show))
        .route("/p/{slug}/own/audio", get(own::audio))
        .route("/p/{slug}/own/consent", post(own::agree))
        .route("/p/{slug}/own/details", post(own::change))
        .route("/p/{slug}/own/photo", post(own::photo))
        .route("/p/{slug}/own/recording", post(own::record))
        .route("/p/{slug}/poster", get(poster::show))
        .route("/p/{slug}/qr.svg", get(poster::code))
    // Listening, moderation, invitations, messages, imports and exports: add routes here.
}
