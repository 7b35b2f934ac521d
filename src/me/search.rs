//! `/me/search-engines`: whether search engines may show the person's name badges.

use axum::{extract::State, response::Response};

use super::{notice, own, session::OwnForm};
use crate::app::{App, badges};

pub async fn choose(State(app): State<App>, OwnForm { signed_in, form }: OwnForm) -> Response {
    if signed_in.is_restricted() {
        return notice::restricted(&app, &signed_in);
    }
    let listed = form.get("listed") == Some("1");
    match badges::list_all(&app, &signed_in.actor(), &signed_in.session.person, listed).await {
        Ok(()) => own::done(&app, "audience"),
        Err(error) => own::fault(&app, &signed_in, error).await,
    }
}
