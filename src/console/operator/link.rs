//! `/operator/link/{secret}`: the link that `endonym sign-in-link --operator` prints. Opening it changes nothing, because programs open
//! links, too; pressing the button spends it.

use askama::Template;
use axum::{extract::State, http::StatusCode, response::Response};

use super::{PATH, set_cookie};
use crate::{
    app::{App, operators, sessions::Secret},
    http::{
        html::root,
        notice,
        page::Page,
        path::Path,
        reply,
        session::{Visitor, VisitorForm},
    },
};

#[derive(Template)]
#[template(path = "console/operator_link.html")]
struct LinkPage<'a> {
    page: Page<'a>,
    link: &'a str,
}

/// Unknown, expired and used links get the same page.
fn over(app: &App, visitor: &Visitor) -> Response {
    let page = visitor.page(app, "/");
    notice::show(
        StatusCode::NOT_FOUND,
        page,
        "console-operator-link-over-title",
        "console-operator-link-over",
    )
}

pub async fn look(State(app): State<App>, Path(link): Path<String>, visitor: Visitor) -> Response {
    let Some(secret) = Secret::parse(&link) else { return over(&app, &visitor) };
    match operators::is_link(&app, &secret).await {
        Ok(true) => {
            let path = format!("/operator/link/{link}");
            let page = visitor.page(&app, &path);
            visitor.show(&app, StatusCode::OK, &LinkPage { page, link: &link })
        }
        Ok(false) => over(&app, &visitor),
        Err(error) => notice::fault(visitor.page(&app, "/"), &error),
    }
}

pub async fn spend(
    State(app): State<App>,
    Path(link): Path<String>,
    VisitorForm { visitor, .. }: VisitorForm,
) -> Response {
    let Some(secret) = Secret::parse(&link) else { return over(&app, &visitor) };
    match operators::open(&app, &secret).await {
        Ok(Some(session)) => {
            let mut response = reply::see_other(&format!("{}{PATH}", root(&app.links)));
            set_cookie(&app, &mut response, session.as_str(), operators::COOKIE_SECONDS);
            response
        }
        Ok(None) => over(&app, &visitor),
        Err(error) => notice::fault(visitor.page(&app, "/"), &error),
    }
}
