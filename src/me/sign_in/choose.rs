//! `/sign-in/choose`: a person whose email is known in several institutions chooses one. Only after proving the address.

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
    app::{App, sign_in},
    domain::institution::Institution,
    http::{html::root, page::Page, reply},
};

#[derive(Template)]
#[template(path = "me/sign_in_choose.html")]
struct ChoosePage<'a> {
    page: Page<'a>,
    institutions: &'a [Institution],
}

pub async fn form(State(app): State<App>, visitor: Visitor) -> Response {
    match sign_in::choices(&app, &visitor.secret).await {
        Ok(institutions) if institutions.is_empty() => {
            reply::see_other(&format!("{}/sign-in", root(&app.links)))
        }
        Ok(institutions) => {
            let page = visitor.page(&app, "/sign-in/choose");
            visitor.show(&app, StatusCode::OK, &ChoosePage { page, institutions: &institutions })
        }
        Err(error) => notice::fault(visitor.page(&app, "/sign-in"), &error),
    }
}

pub async fn choose(State(app): State<App>, VisitorForm { visitor, form }: VisitorForm) -> Response {
    let slug = form.get("institution").unwrap_or_default();
    let proof = sign_in::choose(&app, &visitor.secret, slug, &old_sessions(&app, &visitor.headers)).await;
    proceed(&app, &visitor, proof, || {
        start_again(&app, &visitor, StatusCode::FORBIDDEN, "sign-in-choice-over-title", "sign-in-choice-over")
    })
}
