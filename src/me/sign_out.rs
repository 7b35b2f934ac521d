//! Signing out, here or everywhere.

use axum::{extract::State, response::Response};

use super::{
    notice,
    session::{OwnForm, remove_cookie},
    sso::signed_out,
};
use crate::{
    app::{App, sessions, sso},
    http::{html::root, reply},
};

pub async fn sign_out(State(app): State<App>, OwnForm { signed_in, form }: OwnForm) -> Response {
    let at_provider = sso::sign_out(&app, &signed_in.secret, &signed_in.session).await;
    let ended = match form.get("everywhere") {
        Some("1") => sessions::end_all(&app, signed_in.session.person.clone()).await.map(|_| ()),
        _ => sessions::end(&app, &signed_in.secret).await,
    };
    if let Err(error) = ended {
        return notice::fault(signed_in.page(&app, "/me"), &error);
    }
    let mut response = match at_provider {
        Some(next) => signed_out(&app, &signed_in, &next),
        None => reply::see_other(&format!("{}/sign-in", root(&app.links))),
    };
    remove_cookie(&app, &mut response);
    response
}
