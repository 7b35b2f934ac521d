//! Signing out, here or everywhere.

use axum::{extract::State, response::Response};

use super::{
    notice,
    session::{OwnForm, remove_cookie},
};
use crate::{
    app::{App, sessions},
    http::{html::root, reply},
};

pub async fn sign_out(State(app): State<App>, OwnForm { signed_in, form }: OwnForm) -> Response {
    let ended = match form.get("everywhere") {
        Some("1") => sessions::end_all(&app, signed_in.session.person.clone()).await.map(|_| ()),
        _ => sessions::end(&app, &signed_in.secret).await,
    };
    if let Err(error) = ended {
        return notice::fault(signed_in.page(&app, "/me"), &error);
    }
    let mut response = reply::see_other(&format!("{}/sign-in", root(&app.links)));
    remove_cookie(&app, &mut response);
    response
}
