//! "Continue on your phone": a QR code with a link that signs the person in on another device.

use axum::{extract::State, response::Response};

use super::{
    own,
    session::{OwnForm, SignedIn},
};
use crate::{
    app::{
        App, Result,
        sign_in::{self, Handover},
    },
    domain::ids::SignInLinkId,
    http::{handover, path::Path},
};

/// As JSON for the recorder, or as a page without JavaScript.
pub async fn create(State(app): State<App>, OwnForm { signed_in, .. }: OwnForm) -> Response {
    let (made, svg) = match make(&app, &signed_in).await {
        Ok(made) => made,
        Err(error) => return own::fault(&app, &signed_in, error).await,
    };
    if signed_in.is_script {
        return handover::created(&made, &svg);
    }
    handover::shown(signed_in.page(&app, "/me"), &made, &svg)
}

async fn make(app: &App, signed_in: &SignedIn) -> Result<(Handover, String)> {
    let session = &signed_in.session;
    let made = sign_in::handover(app, &signed_in.actor(), &session.person, session.how, None).await?;
    let svg = handover::qr_code(&made.link)?;
    Ok((made, svg))
}

pub async fn state(State(app): State<App>, signed_in: SignedIn, Path(id): Path<String>) -> Response {
    let state = match id.parse::<SignInLinkId>() {
        Ok(id) => sign_in::handover_state(&app, &signed_in.actor(), &signed_in.session.person, id).await,
        Err(_) => Ok(None),
    };
    match state {
        Ok(state) => handover::state(state),
        Err(error) => own::fault(&app, &signed_in, error).await,
    }
}
