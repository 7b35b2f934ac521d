//! Signing in and out, and a person's own pages.

mod notice;
mod session;
mod sign_out;

use axum::{Router, routing::post};

use crate::app::App;
pub use notice::refuse;

pub fn routes() -> Router<App> {
    Router::new().route("/sign-out", post(sign_out::sign_out))
}
