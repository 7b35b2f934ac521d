//! `/lti/{slug}/launch`, and `/lti/launch` for registrations of before: the browser returns with the platform's id token.

use axum::{
    extract::{Request, State},
    http::HeaderMap,
    response::Response,
};

use super::{
    cookie, institution_in,
    pages::{self, Appearance},
};
use crate::{
    app::{
        App,
        lti::{
            PlatformError, Refusal,
            entrance::Entrance,
            launches::{self, Answer, AuthenticationResponse},
        },
    },
    http::{form, html::root, reply},
};

/// Handles GET: the URL was opened directly.
pub async fn opened_directly(State(app): State<App>, headers: HeaderMap) -> Response {
    pages::fault(&app, Appearance::of(&headers), Refusal::Incomplete("id_token").into())
}

pub async fn launch(State(app): State<App>, request: Request) -> Response {
    let (headers, path) = (request.headers().clone(), request.uri().path().to_owned());
    let appearance = Appearance::of(&headers);
    let form = match form::read_anonymous(request).await {
        Ok(form) => form,
        Err(status) => return pages::unreadable(&app, appearance.language, status, &[]),
    };
    let error = || {
        let word = form.text("error");
        let said = form.text("error_description").or_else(|| word.clone())?;
        let is_word =
            |word: &String| word.len() <= 64 && word.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
        let said = said.chars().filter(|c| !c.is_control()).take(300).collect();
        Some(PlatformError { word: word.filter(is_word), said })
    };
    let answer = match (form.get("id_token"), error()) {
        (_, Some(said)) => Answer::Error(said),
        (Some(token), None) if !token.is_empty() => Answer::Token(token),
        _ => return pages::fault(&app, appearance, Refusal::Incomplete("id_token").into()),
    };
    let Some(state) = form.get("state").filter(|state| !state.is_empty()) else {
        return pages::fault(&app, appearance, Refusal::Incomplete("state").into());
    };
    let returned = AuthenticationResponse { state, answer, browsers: &cookie::read(&headers) };
    let finished = async {
        let at = Entrance::find(&app, institution_in(&path)).await?;
        launches::finish(&app, &at, returned).await
    };
    match finished.await {
        Ok(session) => to_session(&app, &session, ""),
        Err(fault) => pages::fault(&app, appearance, fault),
    }
}

/// Redirects to the session's page (POST/redirect/GET), so that reloading it does not submit the form again.
pub fn to_session(app: &App, session: &str, query: &str) -> Response {
    reply::see_other(&format!("{}/lti/s/{session}/{query}", root(&app.links)))
}
