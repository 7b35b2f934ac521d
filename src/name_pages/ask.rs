//! `/p/{slug}/people/{token}/ask`: a listener asks somebody for a recording.

use axum::{
    extract::State,
    http::{HeaderValue, StatusCode, header},
    response::Response,
};

use super::{
    people::{self, Wanted},
    visit::Visit,
};
use crate::{
    app::{
        App, Error,
        listening::{self, Answer},
    },
    http::{form::Form, html::root, notice, path::Path, reply, session::OwnForm},
    words::Words,
};

/// The answer is the same whether or not a message is sent: nobody learns who does not want one, or cannot get one.
pub async fn ask(
    State(app): State<App>,
    visit: Visit,
    Path((_, token)): Path<(String, String)>,
    OwnForm { signed_in, form }: OwnForm,
) -> Response {
    let wanted =
        Wanted::read(&Form::from_query(form.get("back").unwrap_or_default().trim_start_matches('?')));
    let address = people::path_to(&visit.public, &wanted, &[]);
    let asked = match people::listener(&visit) {
        Some(actor) => listening::ask(&app, actor, visit.visitor.client, &visit.public, &token).await,
        None => Err(Error::Unauthorized),
    };
    let words = Words::new(visit.language);
    match asked {
        Ok(Answer::Accepted) if signed_in.is_script => {
            reply::message(StatusCode::OK, &words.text("people-asked"))
        }
        Ok(Answer::Accepted) => {
            let back = people::path_to(&visit.public, &wanted, &[("done", "asked")]);
            reply::see_other(&format!("{}{back}", root(&app.links)))
        }
        Ok(Answer::TooMany { retry_after }) => {
            let mut response = if signed_in.is_script {
                reply::message(StatusCode::TOO_MANY_REQUESTS, &words.text("people-too-many"))
            } else {
                too_many(&app, &visit, &address)
            };
            response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(retry_after));
            response
        }
        Err(error) => people::refused(&app, &visit, &address, &error),
    }
}

/// The response to too many requests from one network.
pub fn too_many(app: &App, visit: &Visit, address: &str) -> Response {
    let page = visit.page(app, address);
    notice::show(StatusCode::TOO_MANY_REQUESTS, page, "people-too-many-title", "people-too-many")
}
