//! "Continue on your phone": a QR code with a link that opens the person's own entry on this page on another device.

use axum::{extract::State, response::Response};

use super::{own, visit::Visit};
use crate::{
    app::{App, Error, Missing, sign_in},
    domain::{ids::SignInLinkId, sign_in::ReturnTo},
    http::{
        handover, notice,
        path::Path,
        session::{OwnForm, signed_out},
    },
};

/// As JSON for the recorder, or as a page without JavaScript.
pub async fn create(State(app): State<App>, visit: Visit, _: OwnForm) -> Response {
    let Some((who, actor, person)) = visit.person() else {
        return own::failed(&app, &visit, &Error::Missing(Missing::NamePage));
    };
    if who.is_restricted() {
        return notice::restricted(&app, who);
    }
    let path = visit.path("/own");
    let made = sign_in::handover(&app, actor, person, who.session.how, ReturnTo::parse(&path)).await;
    let coded = made.and_then(|made| Ok((handover::qr_code(&made.link)?, made)));
    match coded {
        Ok((svg, made)) if who.is_script => handover::created(&made, &svg),
        Ok((svg, made)) => handover::shown(visit.page(&app, &path), &made, &svg),
        Err(error) => own::failed(&app, &visit, &error),
    }
}

pub async fn state(State(app): State<App>, visit: Visit, Path((_, id)): Path<(String, String)>) -> Response {
    let Some((_, actor, person)) = visit.person() else { return signed_out(visit.language) };
    let state = match id.parse::<SignInLinkId>() {
        Ok(id) => sign_in::handover_state(&app, actor, person, id).await,
        Err(_) => Ok(None),
    };
    match state {
        Ok(state) => handover::state(state),
        Err(error) => own::failed(&app, &visit, &error),
    }
}
