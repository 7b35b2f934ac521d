//! Signing out, here or everywhere.

use axum::{extract::State, response::Response};

use super::{
    notice,
    session::{OwnForm, remove_cookie},
    sso::signed_out,
};
use crate::{
    app::{App, institutions, sessions, sso},
    domain::ids::InstitutionId,
    http::{html::root, reply},
};

/// The session ends first: the provider may take seconds to respond, and nobody who closes the window meanwhile stays signed in.
pub async fn sign_out(State(app): State<App>, OwnForm { signed_in, form }: OwnForm) -> Response {
    let (secret, session) = (&signed_in.secret, &signed_in.session);
    let kept = sso::kept(&app, secret, session).await;
    let ended = match form.get("everywhere") {
        // Whoever holds a forwarded invitation signs out nobody else.
        Some("1") if !signed_in.is_restricted() => {
            sessions::end_all(&app, session.person.clone()).await.map(|_| ())
        }
        _ => sessions::end(&app, secret).await,
    };
    if let Err(error) = ended {
        return notice::fault(signed_in.page(&app, "/me"), &error);
    }
    let at_provider = match kept {
        Some(kept) => sso::sign_out(&app, secret, session, kept).await,
        None => None,
    };
    let mut response = match at_provider {
        Some(next) => signed_out(&app, &signed_in, &next),
        None => reply::see_other(&sign_in_address(&app, session.person.institution).await),
    };
    remove_cookie(&app, &mut response);
    response
}

/// The sign-in page of the institution, with its own ways to sign in.
async fn sign_in_address(app: &App, institution: InstitutionId) -> String {
    let root = root(&app.links);
    match institutions::by_id(app, institution).await {
        Ok(institution) => format!("{root}/sign-in?institution={}", institution.slug),
        Err(_) => format!("{root}/sign-in"),
    }
}
