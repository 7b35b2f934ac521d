//! Inside a learning system: the LTI 1.3 endpoints and their pages.

mod cookie;
mod course;
mod deep_link;
mod handover;
mod launch;
mod login;
mod own;
mod pages;
mod register;
mod session;
mod tool;
mod window;
mod words;

use axum::Router;

use crate::{
    app::App,
    http::routing::{get, post},
};
pub use pages::refuse;

/// The slug of the institution in the path where a platform comes in, or none in the paths that registrations share which were made before each
/// institution had its own.
fn institution_in(path: &str) -> Option<&str> {
    let (slug, _) = path.strip_prefix("/lti/")?.split_once('/')?;
    Some(slug)
}

pub fn routes() -> Router<App> {
    Router::new()
        .route("/lti/jwks.json", get(tool::keys))
        .route("/lti/config.json", get(tool::canvas))
        .route("/lti/login", get(login::from_query).merge(post(login::from_form)))
        .route("/lti/launch", get(launch::opened_directly).merge(post(launch::launch)))
        .route("/lti/{slug}/jwks.json", get(tool::keys))
        .route("/lti/{slug}/config.json", get(tool::canvas))
        .route("/lti/{slug}/login", get(login::from_query).merge(post(login::from_form)))
        .route("/lti/{slug}/launch", get(launch::opened_directly).merge(post(launch::launch)))
        // Institutions that are called like the first word of our other paths. Names of sessions and invitations are 64 digits.
        .route("/lti/s/jwks.json", get(tool::keys))
        .route("/lti/s/config.json", get(tool::canvas))
        .route("/lti/s/login", get(login::from_query).merge(post(login::from_form)))
        .route("/lti/s/launch", get(launch::opened_directly).merge(post(launch::launch)))
        .route("/lti/register/jwks.json", get(tool::keys))
        .route("/lti/register/config.json", get(tool::canvas))
        .route("/lti/register/login", get(login::from_query).merge(post(login::from_form)))
        .route("/lti/register/launch", get(launch::opened_directly).merge(post(launch::launch)))
        .route("/lti/icon.png", get(tool::icon))
        .route("/lti/register", get(register::without_invite))
        .route("/lti/register/{invite}", get(register::register))
        .route("/lti/s/{session}", get(session::add_slash))
        .route("/lti/s/{session}/", get(session::show))
        .route("/lti/s/{session}/sync", post(course::synchronize))
        .route("/lti/s/{session}/state", get(course::state))
        .route("/lti/s/{session}/me", get(session::show_own).merge(post(session::add_own)))
        .route("/lti/s/{session}/recordings/{hex}", get(course::audio))
        .route("/lti/s/{session}/details", post(own::details))
        .route("/lti/s/{session}/recording", post(own::recording))
        .route("/lti/s/{session}/recording/audio", get(own::audio))
        .route("/lti/s/{session}/recording/delete", post(own::delete_recording))
        .route("/lti/s/{session}/call", post(own::call))
        .route("/lti/s/{session}/handover", post(handover::create))
        .route("/lti/s/{session}/handover/{id}", get(handover::state))
        .route("/lti/s/{session}/consent", post(own::consent))
        .route("/lti/s/{session}/consent/withdraw", post(own::withdraw))
        .route("/lti/s/{session}/window", get(window::open))
        .route("/lti/s/{session}/link", post(deep_link::answer))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_path_of_an_entrance_names_its_institution() {
        for (path, slug) in [
            ("/lti/login", None),
            ("/lti/launch", None),
            ("/lti/example/login", Some("example")),
            ("/lti/s/launch", Some("s")),
            ("/lti/login/login", Some("login")),
            ("/lti/register/jwks.json", Some("register")),
        ] {
            assert_eq!(institution_in(path), slug, "{path}");
        }
    }
}
