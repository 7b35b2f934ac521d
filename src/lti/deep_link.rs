//! Adding a link to a course: which one, and the way back to the platform with it.

use askama::Template;
use axum::{
    extract::{Path, Request, State},
    http::StatusCode,
    response::Response,
};

use super::{
    form,
    pages::{self, Parts, written},
    session,
};
use crate::{
    app::{
        App,
        lti::{
            Refusal, deep_links,
            sessions::{Open, What},
        },
    },
    domain::text::{self, Lines, longest},
    web::page::{Forms, origin_of},
};

const TITLE: &str = "Names and how they are said";

#[derive(Template)]
#[template(path = "lti/deep_link.html")]
struct Choose<'a> {
    parts: Parts<'a>,
    title: &'a str,
    error: Option<String>,
}

/// Sends itself where there are scripts; otherwise somebody presses the button.
#[derive(Template)]
#[template(path = "lti/return.html")]
struct Return<'a> {
    parts: Parts<'a>,
    address: &'a str,
    token: &'a str,
}

pub fn show(app: &App, open: &Open) -> Response {
    let page = Choose { parts: Parts::of(app), title: TITLE, error: None };
    written(StatusCode::OK, &page, &open.frames(), Forms::Here, None)
}

pub async fn answer(State(app): State<App>, Path(name): Path<String>, request: Request) -> Response {
    let open = match session::of_form(&app, &name, request.headers()).await {
        Ok(open) => open,
        Err(response) => return response,
    };
    let What::DeepLink(asked) = &open.what else { return pages::fault_in(&app, &open, Refusal::NoSession) };
    let form = match form::read(request).await {
        Ok(form) => form,
        Err(status) => return pages::unreadable(&app, status, &open.frames()),
    };
    let title = form.get("title").unwrap_or_default().trim();
    let error = if text::is_blank(title) {
        Some("The title can't be blank.".to_owned())
    } else {
        text::fault(title, longest::TITLE, Lines::One).map(|fault| format!("The title {fault}."))
    };
    if error.is_some() {
        let page = Choose { parts: Parts::of(&app), title, error };
        return written(StatusCode::UNPROCESSABLE_ENTITY, &page, &open.frames(), Forms::Here, None);
    }
    let response = match deep_links::answer(&app, &open, asked, title).await {
        Ok(response) => response,
        Err(fault) => return pages::fault_in(&app, &open, fault),
    };
    let Some(origin) = origin_of(&response.address) else {
        let fault = crate::domain::lti::Fault::DeepLinking;
        return pages::fault_in(&app, &open, Refusal::Claims(fault));
    };
    let page = Return { parts: Parts::of(&app), address: &response.address, token: &response.token };
    written(StatusCode::OK, &page, &open.frames(), Forms::HereAnd(&origin), None)
}
