//! `/me/consent`: agreeing to the text about recordings, and withdrawing that.

use axum::{extract::State, response::Response};

use super::{notice, own, session::OwnForm};
use crate::{
    app::{
        App, Error,
        consents::{self, Withdrawal},
    },
    domain::{field_errors::FieldErrors, language::Language},
    http::{html::root, reply},
};

pub async fn agree(State(app): State<App>, OwnForm { signed_in, form }: OwnForm) -> Response {
    let version = form.get("version").unwrap_or_default();
    let language = form.get("language").and_then(Language::parse).unwrap_or_default();
    let person = &signed_in.session.person;
    match consents::agree(&app, &signed_in.actor(), person, version, language).await {
        Ok(true) => own::done(&app, "consent"),
        // There is a new version by now: the page shows it.
        Ok(false) => reply::see_other(&format!("{}/me#consent", root(&app.links))),
        Err(error) => own::fault(&app, &signed_in, error).await,
    }
}

pub async fn withdraw(State(app): State<App>, OwnForm { signed_in, form }: OwnForm) -> Response {
    if signed_in.is_restricted() {
        return notice::restricted(&app, &signed_in);
    }
    let then = match form.get("then") {
        Some("pause") => Ok(Withdrawal::Pause),
        Some("delete") => Ok(Withdrawal::Delete),
        _ => Err(Error::Invalid(FieldErrors::default())),
    };
    let withdrawn = match then {
        Ok(then) => consents::withdraw(&app, &signed_in.actor(), &signed_in.session.person, then).await,
        Err(error) => Err(error),
    };
    match withdrawn {
        Ok(()) => own::done(&app, "withdrawn"),
        Err(Error::Invalid(_)) => own::refuse_audience(&app, &signed_in).await,
        Err(error) => own::fault(&app, &signed_in, error).await,
    }
}
