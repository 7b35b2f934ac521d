//! The page of a session: the course for those who teach, their own entry for those who learn.

use axum::{
    extract::{RawQuery, State},
    http::HeaderMap,
    response::Response,
};

use super::{cookie, course, deep_link, form::Form, launch, own, pages};
use crate::{
    app::{
        App,
        lti::{
            Refusal,
            sessions::{self, Open, What},
        },
    },
    web::page::Path,
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
    match sessions::find(&app, &session, &cookie::read(&headers)).await {
        Ok(open) => match &open.what {
            What::Course(course) => course::show(&app, &open, course, &form).await,
            What::Own { course, participant } => own::show(&app, &open, course, *participant, &form).await,
            What::DeepLink(_) => deep_link::show(&app, &open),
        },
        Err(fault) => pages::fault(&app, fault),
    }
}

/// The session that a form was sent in, which a page of ours has sent.
pub async fn of_form(app: &App, session: &str, headers: &HeaderMap) -> Result<Open, Response> {
    let open = sessions::find(app, session, &cookie::read(headers)).await;
    match open {
        Ok(open) if pages::is_ours(app, headers) => Ok(open),
        Ok(open) => Err(pages::fault_in(app, &open, Refusal::NoSession)),
        Err(fault) => Err(pages::fault(app, fault)),
    }
}
