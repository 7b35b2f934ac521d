//! "Continue on your phone": a QR code with a link that signs the person in on another device.

use askama::Template;
use axum::{extract::State, http::StatusCode, response::Response};
use fast_qr::{QRBuilder, convert::svg::SvgBuilder};
use serde_json::json;

use super::{
    own,
    session::{OwnForm, SignedIn},
};
use crate::{
    app::{
        App, Error, Result,
        sign_in::{self, Handover},
    },
    domain::{ids::SignInLinkId, sign_in::HandoverState},
    http::{
        page::{self, Microphone, Page},
        path::Path,
        policy::{Forms, Policy},
        reply,
    },
};

#[derive(Template)]
#[template(path = "me/handover.html")]
struct HandoverPage<'a> {
    page: Page<'a>,
    link: &'a str,
    svg: &'a str,
}

/// As JSON for the recorder, or as a page without JavaScript.
pub async fn create(State(app): State<App>, OwnForm { signed_in, .. }: OwnForm) -> Response {
    let (Handover { id, link, .. }, svg) = match make(&app, &signed_in).await {
        Ok(made) => made,
        Err(error) => return own::fault(&app, &signed_in, error).await,
    };
    if signed_in.is_script {
        let made = json!({ "id": id.to_string(), "link": link, "svg": svg });
        return reply::json(StatusCode::CREATED, &made);
    }
    let shown = HandoverPage { page: signed_in.page(&app, "/me"), link: &link, svg: &svg };
    let policy = Policy { forms: Forms::SelfOnly, ..Policy::default() };
    page::private(StatusCode::OK, &shown, policy, Microphone::Unused)
}

async fn make(app: &App, signed_in: &SignedIn) -> Result<(Handover, String)> {
    let session = &signed_in.session;
    let handover = sign_in::handover(app, &signed_in.actor(), &session.person, session.how).await?;
    let code = QRBuilder::new(handover.link.as_str()).build();
    let code = code.map_err(|error| Error::Internal(format!("making a QR code failed: {error:?}")))?;
    Ok((handover, SvgBuilder::default().to_str(&code)))
}

pub async fn state(State(app): State<App>, signed_in: SignedIn, Path(id): Path<String>) -> Response {
    let state = match id.parse::<SignInLinkId>() {
        Ok(id) => sign_in::handover_state(&app, &signed_in.actor(), &signed_in.session.person, id).await,
        Err(_) => Ok(None),
    };
    let (status, word) = match state {
        Ok(Some(HandoverState::Waiting | HandoverState::Opened)) => (StatusCode::OK, "waiting"),
        Ok(Some(HandoverState::Recorded)) => (StatusCode::OK, "arrived"),
        Ok(Some(HandoverState::Expired)) => (StatusCode::OK, "expired"),
        Ok(None) => (StatusCode::NOT_FOUND, "expired"),
        Err(error) => return own::fault(&app, &signed_in, error).await,
    };
    reply::json(status, &json!({ "state": word }))
}
