//! `/sign-in/code`: entering the code from the message, in the browser that requested it.

use askama::Template;
use axum::{extract::State, http::StatusCode, response::Response};

use super::{
    super::{
        notice,
        session::{Visitor, VisitorForm, old_sessions},
    },
    proceed,
};
use crate::{
    app::{App, sign_in},
    http::{html::root, page::Page, reply},
};

/// It does not repeat the email, so that it is the same for every address to the byte.
#[derive(Template)]
#[template(path = "me/sign_in_code.html")]
struct CodePage<'a> {
    page: Page<'a>,
    /// As it was typed.
    code: &'a str,
    /// The id of the sentence that says what is wrong.
    fault: Option<&'static str>,
}

fn show(app: &App, visitor: &Visitor, code: &str, fault: Option<&'static str>) -> Response {
    let status = if fault.is_some() { StatusCode::UNPROCESSABLE_ENTITY } else { StatusCode::OK };
    visitor.show(app, status, &CodePage { page: visitor.page(app, "/sign-in/code"), code, fault })
}

pub async fn form(State(app): State<App>, visitor: Visitor) -> Response {
    match sign_in::is_waiting(&app, &visitor.secret).await {
        Ok(true) => show(&app, &visitor, "", None),
        Ok(false) => reply::see_other(&format!("{}/sign-in", root(&app.links))),
        Err(error) => notice::fault(visitor.page(&app, "/sign-in"), &error),
    }
}

pub async fn enter(State(app): State<App>, VisitorForm { visitor, form }: VisitorForm) -> Response {
    let code = form.get("code").unwrap_or_default();
    if code.trim().is_empty() {
        return show(&app, &visitor, "", Some("sign-in-code-missing"));
    }
    let proof = sign_in::enter_code(&app, &visitor.secret, code, &old_sessions(&app, &visitor.headers)).await;
    proceed(&app, &visitor, proof, || show(&app, &visitor, code, Some("sign-in-code-wrong")))
}
