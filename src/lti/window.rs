//! Opens a session in its own window, where the frame may not use the microphone.

use axum::{
    extract::{RawQuery, State},
    http::{HeaderMap, header},
    response::Response,
};

use super::{
    cookie, launch,
    pages::{self, Appearance},
};
use crate::{
    app::{
        App, Error,
        lti::{Refusal, sessions::Open, windows},
    },
    http::{csrf, form::Form, path::Path},
};

/// The link of a page of this session, relative to it.
pub fn link(app: &App, open: &Open) -> Result<String, Error> {
    let mut query = form_urlencoded::Serializer::new(String::new());
    Ok(format!("window?{}", query.append_pair("key", &windows::key(app, open)?).finish()))
}

/// Only our own page may open it: on another site, the link would let a visitor record in the name of the person who made it.
pub async fn open(
    State(app): State<App>,
    Path(session): Path<String>,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
) -> Response {
    let appearance = Appearance::of(&headers);
    if csrf::is_cross_origin(&app.links, &headers) {
        return pages::fault(&app, appearance, Refusal::NoSession.into());
    }
    let form = Form::from_query(&query.unwrap_or_default());
    let key = form.get("key").unwrap_or_default();
    match windows::open(&app, &session, key, &cookie::read(&headers)).await {
        Ok(window) => {
            let page = if window.is_staff { "me" } else { "" };
            let mut response = launch::to_session(&app, window.name.as_str(), page);
            if let Some(cookie) = cookie::set(&app, window.browser.as_str()) {
                response.headers_mut().insert(header::SET_COOKIE, cookie);
            }
            response
        }
        Err(fault) => pages::fault(&app, appearance, fault),
    }
}
