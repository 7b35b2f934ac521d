//! Signing in and out, and a person's own pages.

mod notice;
mod session;
mod sign_in;
mod sign_out;

use axum::{
    Router,
    routing::{get, post},
};

use crate::app::App;
pub use notice::refuse;

pub fn routes() -> Router<App> {
    Router::new()
        .route("/sign-in", get(sign_in::form).post(sign_in::ask))
        .route("/sign-in/code", get(sign_in::code::form).post(sign_in::code::enter))
        .route("/sign-in/choose", get(sign_in::choose::form).post(sign_in::choose::choose))
        .route("/sign-in/link/{secret}", get(sign_in::link::look).post(sign_in::link::spend))
        .route("/sign-in/proxy", get(sign_in::proxy::sign_in))
        .route("/sign-out", post(sign_out::sign_out))
}
