//! The page of a session: the course for those who teach, their own entry for those who learn.

use axum::{
    extract::{RawQuery, State},
    http::HeaderMap,
    response::Response,
};

use super::{
    cookie, course, deep_link, launch, own,
    pages::{self, Colors},
};
use crate::{
    app::{
        App,
        lti::{
            Refusal,
            sessions::{self, Open, What},
        },
    },
    http::{csrf, form::Form, path::Path},
};

pub async fn slashless(State(app): State<App>, Path(session): Path<String>) -> Response {
    // What is put into a header must be a name that we could have given.
    let name: String = session.chars().filter(char::is_ascii_alphanumeric).collect();
    launch::to_session(&app, &name, "")
}

pub async fn show(
    State(app): State<App>,
    Path(session): Path<String>,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
) -> Response {
    let form = Form::from_query(&query.unwrap_or_default());
    match find(&app, &session, &headers).await {
        Ok(open) => match &open.what {
            What::Course { course, .. } => course::show(&app, &open, course, &form).await,
            What::Own { course, participant } => own::show(&app, &open, course, *participant, &form).await,
            What::DeepLink(_) => deep_link::show(&app, &open),
        },
        Err(response) => response,
    }
}

/// The own entry of somebody who teaches.
pub async fn show_own(
    State(app): State<App>,
    Path(session): Path<String>,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
) -> Response {
    let form = Form::from_query(&query.unwrap_or_default());
    match find(&app, &session, &headers).await {
        Ok(open) => match open.own() {
            Some((course, own)) => own::show(&app, &open, course, own, &form).await,
            None => launch::to_session(&app, &session, ""),
        },
        Err(response) => response,
    }
}

/// Somebody who teaches wants an entry of their own.
pub async fn add_own(State(app): State<App>, Path(session): Path<String>, headers: HeaderMap) -> Response {
    let open = match of_form(&app, &session, &headers).await {
        Ok(open) => open,
        Err(response) => return response,
    };
    let What::Course { course, own } = &open.what else {
        return pages::fault_in(&app, &open, Refusal::NoSession);
    };
    if own.is_none()
        && let Err(fault) = sessions::add_own_entry(&app, &open, course).await
    {
        return pages::fault_in(&app, &open, fault);
    }
    launch::to_session(&app, &session, "me")
}

/// The session, with the colors in which its pages are shown.
async fn find(app: &App, session: &str, headers: &HeaderMap) -> Result<Open, Response> {
    match sessions::find(app, session, &cookie::read(headers)).await {
        Ok(mut open) => {
            open.theme = match Colors::of(headers, open.theme) {
                Colors::System => None,
                Colors::Only(theme) => Some(theme),
            };
            Ok(open)
        }
        Err(fault) => Err(pages::fault(app, Colors::of(headers, None), fault)),
    }
}

/// The session that a form was sent in, which a page of ours has sent.
pub async fn of_form(app: &App, session: &str, headers: &HeaderMap) -> Result<Open, Response> {
    match find(app, session, headers).await {
        Ok(open) if csrf::is_cross_origin(&app.links, headers) => {
            Err(pages::fault_in(app, &open, Refusal::NoSession))
        }
        other => other,
    }
}
