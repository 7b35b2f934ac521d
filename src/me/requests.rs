//! `/me/requests`: whether listeners may ask the person for a recording.

use axum::{extract::State, response::Response};

use super::{notice, own, session::OwnForm};
use crate::app::{App, recording_requests};

pub async fn choose(State(app): State<App>, OwnForm { signed_in, form }: OwnForm) -> Response {
    if signed_in.is_restricted() {
        return notice::restricted(&app, &signed_in);
    }
    let (person, welcome) = (signed_in.session.person.clone(), form.get("welcome") == Some("1"));
    match recording_requests::choose(&app, &signed_in.actor(), person, welcome).await {
        Ok(()) => own::done(&app, "requests"),
        Err(error) => own::fault(&app, &signed_in, error).await,
    }
}
