//! Public pages: the home page, the API reference, badges, players, and the files that they show and play.

mod badge;
mod docs;
pub mod files;
mod images;
mod page;
mod player;
mod plays;
mod security_txt;
mod vcard;
mod words;

use axum::{Router, response::Response};

use crate::{
    app::App,
    domain::language::Language,
    http::{assets, looks, refusal::Refusal, routing::get},
};
pub use page::{unknown, wrong_method};

pub fn routes() -> Router<App> {
    Router::new()
        .route("/", get(page::home))
        .route(security_txt::PATH, get(security_txt::show))
        .route("/docs", get(docs::newest))
        .route("/docs/{version}", get(docs::of_version))
        .route("/players/{institution}/{name}", get(player::show).options(files::preflight))
        .route("/badges/{institution}/{token}", get(badge::show))
        .route(files::AUDIO, get(files::audio).options(files::preflight))
        .route(files::PHOTOS, get(files::photo).options(files::preflight))
        .merge(assets::routes())
        .merge(looks::routes())
        .merge(images::routes())
}

pub fn refuse(app: &App, language: Language, refusal: Refusal) -> Response {
    match refusal {
        Refusal::NotFound => page::not_found(app, language),
        _ => page::internal_error(app, language),
    }
}
