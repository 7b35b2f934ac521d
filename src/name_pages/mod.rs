//! Name pages on the web: registering, one's own entry, listening, and what managers do.
//!
//! A handler takes `Visit` or, for managers, `Managed` (`visit.rs`). A form needs `OwnForm` or, before signing in, `VisitorForm`, too.

mod ask;
mod details;
mod export;
mod handover;
mod import;
mod invitation_link;
mod invitations;
mod messages;
mod moderation;
mod own;
mod page;
mod people;
mod play_all;
mod poster;
mod register;
mod report;
mod unsubscribe;
mod visit;

use axum::Router;

use crate::{
    app::App,
    http::{
        notice,
        routing::{get, post},
    },
};
pub use notice::refuse;

pub fn routes() -> Router<App> {
    Router::new()
        // For everybody.
        .route("/p/{slug}", get(page::show).merge(post(page::ask)))
        .route("/p/{slug}/code", get(page::code))
        .route("/i/{token}", get(invitation_link::look).merge(post(invitation_link::accept)))
        .route("/i/{token}/opened", post(invitation_link::note))
        .route("/u/{token}", get(unsubscribe::show).merge(post(unsubscribe::send)))
        // One's own entry.
        .route("/p/{slug}/register", get(register::form).merge(post(register::send)))
        .route("/p/{slug}/own", get(own::show))
        .route("/p/{slug}/own/audio", get(own::audio))
        .route("/p/{slug}/own/consent", post(own::agree))
        .route("/p/{slug}/own/details", post(own::change))
        .route("/p/{slug}/own/handover", post(handover::create))
        .route("/p/{slug}/own/handover/{id}", get(handover::state))
        .route("/p/{slug}/own/photo", get(own::picture).merge(post(own::photo)))
        .route("/p/{slug}/own/recording", post(own::record))
        // For listeners.
        .route("/p/{slug}/people", get(people::show))
        .route("/p/{slug}/people/rows", get(people::rows))
        .route("/p/{slug}/people/print", get(people::print))
        .route("/p/{slug}/people/all.mp3", get(play_all::send))
        .route("/p/{slug}/people/{id}/ask", post(ask::ask))
        .route("/p/{slug}/people/{id}/report", get(report::form).merge(post(report::send)))
        // For managers.
        .route("/p/{slug}/moderation", get(moderation::show))
        .route("/p/{slug}/moderation/{id}", post(moderation::decide))
        .route("/p/{slug}/moderation/{id}/audio", get(moderation::audio))
        .route("/p/{slug}/moderation/{id}/photo", get(moderation::photo))
        .route("/p/{slug}/invitations", get(invitations::show).merge(post(invitations::invite)))
        .route("/p/{slug}/invitations/links.csv", get(invitations::links))
        .route("/p/{slug}/invitations/{id}/again", post(invitations::again))
        .route("/p/{slug}/invitations/{id}/withdraw", post(invitations::withdraw))
        .route("/p/{slug}/messages", get(messages::show).merge(post(messages::send)))
        .route("/p/{slug}/import", get(import::show).merge(post(import::upload)))
        .route("/p/{slug}/import/{id}", get(import::file).merge(post(import::check)))
        .route("/p/{slug}/import/{id}/report.csv", get(import::report))
        .route("/p/{slug}/import/{id}/run", post(import::run))
        .route("/p/{slug}/import/{id}/undo", post(import::undo))
        .route("/p/{slug}/export", get(export::show))
        .route("/p/{slug}/poster", get(poster::show))
        .route("/p/{slug}/qr.svg", get(poster::code))
}
