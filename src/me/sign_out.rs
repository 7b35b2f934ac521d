//! Signing out, here or everywhere.

use axum::{
    extract::{Request, State},
    response::Response,
};

use super::{
    notice,
    session::{SentForm, forged, remove_cookie},
};
use crate::{
    app::{App, sessions},
    domain::language::Language,
    http::{form, html::root, reply},
};

pub async fn sign_out(State(app): State<App>, SentForm(signed_in): SentForm, request: Request) -> Response {
    let Ok(form) = form::read(request, signed_in.session.person.institution).await else {
        return forged(&app, signed_in.preferred);
    };
    if !signed_in.is_own_form(form.get("csrf")) {
        return forged(&app, signed_in.preferred);
    }
    let ended = match form.get("everywhere") {
        Some("1") => sessions::end_all(&app, signed_in.session.person.clone()).await.map(|_| ()),
        _ => sessions::end(&app, &signed_in.secret).await,
    };
    if let Err(error) = ended {
        let language = signed_in.preferred.language(None, Language::default());
        return notice::fault(signed_in.page(&app, "/me", language), &error);
    }
    let mut response = reply::see_other(&format!("{}/sign-in", root(&app.links)));
    remove_cookie(&app, &mut response);
    response
}
