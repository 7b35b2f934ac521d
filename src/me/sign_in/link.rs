//! `/sign-in/link/{secret}`: the link from a message, from the operator or from a QR code. Opening it changes nothing, because mail
//! scanners open links; pressing the button spends it.

use askama::Template;
use axum::{extract::State, http::StatusCode, response::Response};

use super::{
    super::{
        notice,
        session::{Visitor, VisitorForm, old_sessions},
    },
    proceed, start_again,
};
use crate::{
    app::{App, sessions::Secret, sign_in},
    http::{page::Page, path::Path},
};

#[derive(Template)]
#[template(path = "me/sign_in_link.html")]
struct LinkPage<'a> {
    page: Page<'a>,
    link: &'a str,
    /// Whom it is for, masked.
    email: &'a str,
}

/// Unknown, expired and used links get the same page.
fn over(app: &App, visitor: &Visitor) -> Response {
    start_again(app, visitor, StatusCode::NOT_FOUND, "sign-in-link-over-title", "sign-in-link-over")
}

pub async fn look(State(app): State<App>, Path(link): Path<String>, visitor: Visitor) -> Response {
    let Some(secret) = Secret::parse(&link) else { return over(&app, &visitor) };
    match sign_in::look_at_link(&app, &secret).await {
        Ok(Some(email)) => {
            let path = format!("/sign-in/link/{link}");
            let page = visitor.page(&app, &path);
            visitor.show(&app, StatusCode::OK, &LinkPage { page, link: &link, email: &email })
        }
        Ok(None) => over(&app, &visitor),
        Err(error) => notice::fault(visitor.page(&app, "/sign-in"), &error),
    }
}

pub async fn spend(
    State(app): State<App>,
    Path(link): Path<String>,
    VisitorForm { visitor, .. }: VisitorForm,
) -> Response {
    let Some(secret) = Secret::parse(&link) else { return over(&app, &visitor) };
    let proof = sign_in::spend_link(&app, &secret, &old_sessions(&app, &visitor.headers)).await;
    proceed(&app, &visitor, proof, || over(&app, &visitor))
}
