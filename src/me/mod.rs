//! Signing in and out, and a person's own pages.

mod consent;
mod copy;
mod delete;
mod handover;
mod language;
mod notice;
mod own;
mod plays;
mod recording;
mod search;
mod session;
mod sign_in;
mod sign_out;
mod sso;

use axum::{
    Router,
    routing::{get, post},
};

use crate::{app::App, http::faults as words};
pub use notice::refuse;

pub fn routes() -> Router<App> {
    Router::new()
        .route("/sign-in", get(sign_in::form).post(sign_in::ask))
        .route("/sign-in/code", get(sign_in::code::form).post(sign_in::code::enter))
        .route("/sign-in/choose", get(sign_in::choose::form).post(sign_in::choose::choose))
        .route("/sign-in/link/{secret}", get(sign_in::link::look).post(sign_in::link::spend))
        .route("/sign-in/proxy", get(sign_in::proxy::sign_in))
        .route("/sign-out", post(sign_out::sign_out))
        .route("/sso/{id}/start", get(sso::start))
        .route("/sso/callback", get(sso::callback))
        .route("/language", post(language::of_visitor))
        .route("/me", get(own::show))
        .route("/me/language", post(language::of_person))
        .route("/me/consent", post(consent::agree))
        .route("/me/consent/withdraw", post(consent::withdraw))
        .route("/me/search-engines", post(search::choose))
        .route("/me/copy", get(copy::download))
        .route("/me/delete", get(delete::confirm).post(delete::delete))
        .route("/me/recording", post(recording::record))
        .route("/me/recording/delete", post(recording::delete))
        .route("/me/handover", post(handover::create))
        .route("/me/handover/{id}", get(handover::state))
        .route("/me/audience", post(own::audience))
        .route("/me/details", post(own::details))
        .route("/me/call", post(own::call))
}
