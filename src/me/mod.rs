//! Signing in and out, and a person's own pages.

mod changes;
mod consent;
mod copy;
mod delete;
mod details;
mod handover;
mod kept;
mod language;
mod legal_name;
mod member;
mod own;
mod photo;
mod plays;
mod recording;
mod requests;
mod search;
mod sign_in;
mod sign_out;
mod sso;

use axum::Router;

use crate::{
    app::App,
    http::{
        faults, notice,
        routing::{get, post},
        session,
    },
};
pub use notice::refuse;

pub fn routes() -> Router<App> {
    Router::new()
        .route("/sign-in", get(sign_in::form).merge(post(sign_in::ask)))
        .route("/sign-in/code", get(sign_in::code::form).merge(post(sign_in::code::enter)))
        .route("/sign-in/choose", get(sign_in::choose::form).merge(post(sign_in::choose::choose)))
        .route("/sign-in/link/{secret}", get(sign_in::link::look).merge(post(sign_in::link::spend)))
        .route("/sign-in/proxy", get(sign_in::proxy::sign_in))
        .route("/sign-out", post(sign_out::sign_out))
        .route("/sso/{id}/start", get(sso::start))
        .route("/sso/callback", get(sso::callback))
        .route("/sso/callback/{institution}", get(sso::callback))
        .route("/language", post(language::of_visitor))
        .route("/me", get(own::show))
        .route("/me/language", post(language::of_person))
        .route("/me/consent", post(consent::agree))
        .route("/me/consent/withdraw", post(consent::withdraw))
        .route("/me/search-engines", post(search::choose))
        .route("/me/kept", post(kept::put_back))
        .route("/me/requests", post(requests::choose))
        .route("/me/copy", get(copy::download))
        .route("/me/delete", get(delete::confirm).merge(post(delete::delete)))
        .route("/me/recording", post(recording::record))
        .route("/me/recording/delete", post(recording::delete))
        .route("/me/recording/audio", get(recording::audio))
        .route("/me/handover", post(handover::create))
        .route("/me/handover/{id}", get(handover::state))
        .route("/me/audience", post(own::audience))
        .route("/me/details", post(details::change))
        .route("/me/photo", get(photo::show).merge(post(photo::set)))
        .route("/me/photo/delete", post(photo::delete))
        .route("/me/legal-name", get(legal_name::show))
        .route("/me/legal-name/recording", post(recording::record_legal_name))
        .route("/me/legal-name/recording/delete", post(legal_name::delete))
        .route("/me/legal-name/audio", get(recording::legal_audio))
        .route("/me/call", post(own::call))
}
